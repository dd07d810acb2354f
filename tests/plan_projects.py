"""Random projects, of all sizes and kinds, the same for a seed: also absurd and hostile ones."""

import random

from mlhpc.plan import Project, from_mapping
from mlhpc.plan.families import known

HOSTILE = (
    "x; rm -rf ~", "a\n#SBATCH --mem=1", "$(touch hacked)", "`touch hacked`", "'; touch hacked; '",
    '"; touch hacked; "', "../../etc", "-rf", "a b",
    "\u00fcber\u2028#SBATCH --array=0-9", "\t\r\n x",
    "#SBATCH --time=1", "%j%A", "x" * 400, "\u202eevil", "&& touch hacked", "a\\",
    "|| touch hacked #",
)  # fmt: skip
PLAIN = ("satellite", "grid", "My first project", "proteins_2", "v1.2")


def text(chance: random.Random) -> str:
    return chance.choice(HOSTILE if chance.random() < 0.5 else PLAIN)


def spread(chance: random.Random, low: float, high: float) -> float:
    """A number that is as likely to be small as large."""
    return low * (high / low) ** chance.random()


def values(chance: random.Random) -> dict[str, object]:
    """The fields of one project; each may be absent."""
    drawn: dict[str, object] = {
        "name": text(chance),
        "model": chance.choice(list(known())),
        "parameters": int(spread(chance, 1e3, 1e12)),
        "data_size": int(spread(chance, 1e5, 1e14)),
        "samples": int(spread(chance, 10, 1e10)),
        "epochs": int(spread(chance, 1, 1000)),
        "batch": int(spread(chance, 1, 1e5)),
        "laptop_hours": spread(chance, 0.01, 20_000),
        "laptop_cores": chance.choice((1, 4, 8, 16, 128)),
        "laptop_gpu": chance.random() < 0.5,
        "trials": int(spread(chance, 1, 1e6)),
        "search": chance.choice(("grid", "random", "bayes")),
        "deadline": spread(chance, 0.1, 2000),
        "often": chance.random() < 0.5,
        "team": chance.randint(1, 20),
        "code_ready": chance.random() < 0.5,
        "checkpoints": chance.random() < 0.5,
        "fp64": chance.random() < 0.5,
        "memory": int(spread(chance, 1e6, 1e13)),
        "gpu_memory": int(spread(chance, 1e6, 1e12)),
        "program": text(chance),
        "environment": chance.choice(("~/envs/ml", *HOSTILE)),
        "lab": chance.choice(("smith", "Lab_2.x", "a-b")),
        "data_path": chance.choice(("/bigdata/lab/x", "~/data", *HOSTILE)),
    }
    rare = {"memory": 0.1, "gpu_memory": 0.1, "parameters": 0.3, "fp64": 0.1, "trials": 0.4}
    usual = {"model": 1.0, "data_size": 0.9, "laptop_hours": 0.8}
    keep = {**dict.fromkeys(drawn, 0.5), **rare, **usual}
    return {key: one for key, one in drawn.items() if chance.random() < keep[key]}


def projects(count: int, seed: int) -> list[Project]:
    """So many projects."""
    chance = random.Random(seed)
    return [from_mapping(values(chance), f"random {number}") for number in range(count)]
