"""How long the planner takes for one project, in CPU milliseconds.

Run as a program it prints one line of JSON. The projects are random ones, on both cluster files.
"""

import json
import statistics
import sys
import time
from pathlib import Path

from mlhpc import cluster, jobscript
from mlhpc.plan import plan

CHECKOUT = Path(__file__).resolve().parents[2]
PROJECTS = 500


def measure(repeats: int) -> dict[str, float | int]:
    """Medians over ``repeats`` rounds: ``plan_ms`` for a plan, ``scripts_ms`` for its scripts."""
    sys.path.insert(0, str(CHECKOUT))
    from tests.plan_projects import projects

    drawn = projects(PROJECTS, 3)
    clusters = [cluster.load("sagehen"), cluster.load(str(CHECKOUT / "tests/slurm/box.toml"))]
    plans, texts = [], []
    for _ in range(repeats + 1):
        begin = time.process_time()
        made = [(plan(one, where), one, where) for where in clusters for one in drawn]
        middle = time.process_time()
        kept = [found for found in made if found[0].full]
        for found in kept:
            jobscript.render(*found, "test")
            jobscript.render(*found, "full")
        plans.append((middle - begin) / len(made))
        texts.append((time.process_time() - middle) / len(kept))
    return {
        "plan_ms": round(1000 * statistics.median(plans[1:]), 3),
        "scripts_ms": round(1000 * statistics.median(texts[1:]), 3),
        "repeats": repeats,
    }


def plan_ms() -> float:
    """Milliseconds of one plan."""
    return measure(3)["plan_ms"]


if __name__ == "__main__":
    print(json.dumps(measure(5)))
