"""Processes and all that they started: found, and ended, as a whole.

A process group is not enough: torchrun gives each of its workers a session of its own.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h


def lead() -> None:
    """Make this process the head of a tree: orphans below come to it; it dies with its parent."""
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def end_below(pid: int) -> None:
    """Kill everything that ``pid`` started, directly or not, until nothing is left."""
    for _ in range(50):
        below = descendants(pid)
        for process in below:
            _signal(process, signal.SIGKILL)
        if not below:
            return
        time.sleep(0.005)


def end_tree(pid: int) -> None:
    """Kill ``pid`` and everything below it; it is stopped first, so that it starts nothing more."""
    _signal(pid, signal.SIGSTOP)
    end_below(pid)
    _signal(pid, signal.SIGKILL)


def descendants(pid: int) -> list[int]:
    """Every living process below ``pid``."""
    parents = _parents()
    found: list[int] = []
    heads = {pid}
    while heads:
        heads = {child for child, parent in parents.items() if parent in heads}
        found += heads
    return found


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _parents() -> dict[int, int]:
    """Parent of every living process. Zombies are left out: they are dead already."""
    if not Path("/proc/self/stat").exists():
        return _parents_by_ps()
    found = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            state, parent = _state(entry.name)
            if state not in ("Z", "X"):
                found[int(entry.name)] = parent
    return found


def _state(pid: str) -> tuple[str, int]:
    try:
        # the name of the program, in brackets, may itself hold blanks and brackets
        fields = Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "X", 0
    return fields[0], int(fields[1])


def _parents_by_ps() -> dict[int, int]:
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True
    )
    rows = (line.split() for line in listed.stdout.splitlines())
    return {int(pid): int(parent) for pid, parent, state in rows if not state.startswith("Z")}
