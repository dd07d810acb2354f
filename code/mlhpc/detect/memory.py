"""How much memory this process may use."""

import re
from collections.abc import Mapping

from mlhpc.detect import cgroup, slurm
from mlhpc.detect.seam import System
from mlhpc.detect.values import Amount
from mlhpc.units import GIB, MIB


def find(system: System, mac: Mapping[str, str], in_allocation: bool) -> Amount:
    """GiB: the smallest of Slurm's limit, the control groups' and what the machine has.

    ``in_allocation`` is false where Slurm's variables speak of other machines than this one.
    """
    machine = _machine_gib(system, mac)
    limits = []
    if in_allocation and (job := slurm.memory_gib(system.environ)):
        limits.append(job)
    if group := cgroup.memory_limit_bytes(system):
        limit_bytes, name = group
        # version 1 says 'no limit' with a number near 2**63; no machine has an exbibyte
        if limit_bytes < GIB * GIB:
            limits.append((limit_bytes / GIB, f"cgroup {name}"))
    if machine:
        limits.append((machine, "all memory of the machine"))
    if not limits:
        return Amount(None, None, "the system does not say")
    usable, source = min(limits, key=lambda limit: limit[0])
    return Amount(round(usable, 2), machine and round(machine, 2), source)


def _machine_gib(system: System, mac: Mapping[str, str]) -> float | None:
    total = re.search(r"^MemTotal:\s+([0-9]+) kB", system.text("proc/meminfo") or "", re.MULTILINE)
    if total and int(total[1]):
        return int(total[1]) * 1024 / GIB
    told = mac.get("hw.memsize", "")
    return int(told) / GIB if told.isdigit() and int(told) > MIB else None
