"""How long the check of one job script takes, in CPU milliseconds.

Run as a program it prints one line of JSON. The scripts are those that the check is compared with
a real Slurm on: about half of them with an error.
"""

import json
import statistics
import sys
import time
from pathlib import Path

from mlhpc import cluster, lint

CHECKOUT = Path(__file__).resolve().parents[2]
SCRIPTS = 500


def measure(repeats: int) -> dict[str, float | int]:
    """The median over ``repeats`` rounds of the time for one script; and scripts a second."""
    sys.path.insert(0, str(CHECKOUT))
    from tests.slurm.generate_scripts import scripts

    box = cluster.load(str(CHECKOUT / "tests" / "slurm" / "box.toml"))
    texts = scripts(SCRIPTS, 3)
    rounds = []
    for _ in range(repeats + 1):
        begin = time.process_time()
        for text in texts:
            lint.check(text, box)
        rounds.append((time.process_time() - begin) / SCRIPTS)
    each_s = statistics.median(rounds[1:])
    return {
        "lint_ms": round(1000 * each_s, 3),
        "scripts_per_s": round(1 / each_s),
        "repeats": repeats,
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5)))
