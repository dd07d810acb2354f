"""What `mlhpc detect` costs beside `python -m torch.utils.collect_env`, in CPU seconds.

Run as a program it prints one line of JSON. Both answer 'what am I running on'; both are run in
turn, each in a process of its own, and compared pair by pair.
"""

import json
import resource
import statistics
import subprocess
import sys

COMMANDS = {
    "detect": [sys.executable, "-m", "mlhpc", "detect"],
    "collect_env": [sys.executable, "-m", "torch.utils.collect_env"],
}


def cpu_s(command: list[str]) -> float:
    """User and system seconds of a command and all that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(repeats: int) -> dict[str, float | int]:
    """Medians of ``repeats`` pairs, after one pair that warms the disk's cache.

    Keys: ``detect_cpu_s``, ``collect_env_cpu_s``, ``ratio`` (the median of the pairs' ratios),
    ``repeats``.
    """
    pairs = [[cpu_s(command) for command in COMMANDS.values()] for _ in range(repeats + 1)][1:]
    ours, theirs = zip(*pairs, strict=True)
    return {
        "detect_cpu_s": round(statistics.median(ours), 4),
        "collect_env_cpu_s": round(statistics.median(theirs), 4),
        "ratio": round(statistics.median(a / b for a, b in pairs), 4),
        "repeats": repeats,
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5)))
