"""How many cores this process may use."""

import math
import re
from collections.abc import Mapping

from mlhpc.detect import cgroup, slurm
from mlhpc.detect.seam import System
from mlhpc.detect.values import Amount


def find(system: System, mac: Mapping[str, str], in_allocation: bool) -> Amount:
    """The smallest of Slurm's counts, the affinity, the quotas and what the machine has.

    ``in_allocation`` is false where Slurm's variables speak of other machines than this one.
    """
    machine = _machine(system, mac)
    limits, puzzles = slurm.cpus(system.environ) if in_allocation else ([], [])
    affinity = system.affinity()
    if affinity and affinity != machine:
        limits.append((affinity, "the cores that this process is bound to (affinity)"))
    limits += _quota(system)
    if machine:
        limits.append((machine, "all cores of the machine"))
    if not limits:
        return Amount(None, machine, "; ".join(["the system does not say", *puzzles]))
    usable, source = min(limits, key=lambda limit: limit[0])
    return Amount(usable, machine, "; ".join([source, *puzzles]))


def _quota(system: System) -> list[tuple[int, str]]:
    """The control groups' quota in whole cores: rounded down, and never none."""
    quota = cgroup.cpu_quota_cores(system)
    if quota is None:
        return []
    cores, name = quota
    whole = max(math.floor(cores), 1)
    rounding = "" if cores == whole else f", taken as {whole}"
    return [(whole, f"a quota of {cores:.4g} cores (cgroup {name}){rounding}")]


def _machine(system: System, mac: Mapping[str, str]) -> int | None:
    online = count_list(system.text("sys/devices/system/cpu/online") or "")
    if online:
        return online
    listed = len(re.findall(r"^processor\s*:", system.text("proc/cpuinfo") or "", re.MULTILINE))
    told = mac.get("hw.logicalcpu") or system.environ.get("NUMBER_OF_PROCESSORS", "")
    return listed or (int(told) if told.isdigit() else None) or None


def count_list(text: str) -> int | None:
    """How many numbers the kernel's list ``0-3,8`` holds; None where it is no such list."""
    total = 0
    for part in text.strip().split(","):
        match = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", part)
        if match is None:
            return None
        total += int(match[2] or match[1]) - int(match[1]) + 1
    return total
