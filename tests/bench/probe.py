"""What a script's own cells take, in CPU seconds: copies of the examples call this.

An example that times something takes as long as the machine lets it, which differs from run to
run by more than what a builder adds. So each cell writes down its own share.
"""

import os
import resource
from pathlib import Path

_begun = {"at": 0.0}


def cpu_s() -> float:
    """User and system seconds of this process and of those that it has waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def begin() -> None:
    """A cell begins."""
    _begun["at"] = cpu_s()


def end(value: object = None) -> object:
    """A cell ends with ``value``, which is passed on."""
    with Path(os.environ["BENCH_CELLS"]).open("a", encoding="utf-8") as file:
        file.write(f"{cpu_s() - _begun['at']}\n")
    return value
