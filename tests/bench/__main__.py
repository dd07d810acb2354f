"""Runs every benchmark here: a table on stderr, one line of JSON on stdout, exit 1 over a bound.

python tests/bench [REPEATS]
"""

import importlib
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPEATS = 5
# The most that each figure may be.
BOUNDS = {
    ("gallery", "added_cpu_ratio"): 0.5,
    ("gallery", "total_cpu_ratio"): 1.0,
    ("gallery", "wall_ratio"): 1.0,
    ("gallery", "unchanged_ratio"): 0.75,
    ("detect", "detect_cpu_s"): 0.2,
    ("detect", "ratio"): 0.1,
    ("lint", "lint_ms"): 1.0,
    ("sample", "missed"): 1,
    ("jupyterlite", "ratio"): 0.15,
    ("measure", "product_off"): 0.03,
    ("measure", "program_beyond_spread"): 0,
    ("measure", "step_us"): 1000,
    ("plan", "plan_ms"): 5,
    ("page", "again_s"): 0.1,
    ("page", "plan_ms"): 50,
    ("lighthouse", "performance_missing"): 5,
    ("lighthouse", "accessibility_missing"): 0,
    ("lighthouse", "best_practices_missing"): 0,
    ("lighthouse", "seo_missing"): 0,
}


def main(arguments: list[str]) -> int:
    """Measure, print, compare with the bounds."""
    repeats = int(arguments[0]) if arguments else REPEATS
    names = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    assert names, "there is no benchmark here"
    sys.path.insert(0, str(HERE))  # each one also runs alone, beside what it imports
    found = {}
    for name in names:
        print(f"{name}: {repeats} rounds", file=sys.stderr, flush=True)
        found[name] = importlib.import_module(f"bench_{name}").measure(repeats)
    missed = [key for key, bound in BOUNDS.items() if found[key[0]][key[1]] > bound]
    for (name, what), bound in BOUNDS.items():
        verdict = "MISSED" if (name, what) in missed else "holds"
        value = found[name][what]
        print(f"{name:10} {what:22} {value:7.3f}  at most {bound:<5} {verdict}", file=sys.stderr)
    print(json.dumps(found))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
