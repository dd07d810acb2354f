"""The limits that control groups put on this process: versions 1 and 2, nested.

A limit may stand at any level above the process (Slurm puts it on the job or the step, not on
the task), so every level is read and the smallest counts. Formats: cgroups(7) and the kernel's
Documentation/admin-guide/cgroup-v1 and cgroup-v2.
"""

from collections.abc import Iterator

from mlhpc.detect.seam import System

# where there is no mountinfo to read, the places that distributions use
USUAL_MOUNTS = {
    "cpu": ("sys/fs/cgroup/cpu,cpuacct", "sys/fs/cgroup/cpu"),
    "memory": ("sys/fs/cgroup/memory",),
    "": ("sys/fs/cgroup",),
}


def cpu_quota_cores(system: System) -> tuple[float, str] | None:
    """The smallest CPU quota in cores (``1.5`` is possible) and the file that sets it."""
    return min((quota for quota in _quotas(system) if quota[0] > 0), default=None)


def memory_limit_bytes(system: System) -> tuple[int, str] | None:
    """The smallest memory limit in bytes and the file that sets it.

    'No limit' is ``max`` in version 2 and a number near 2**63 in version 1, which the caller
    sees by comparing with the memory of the machine.
    """
    return min((limit for limit in _memory_limits(system) if limit[0] > 0), default=None)


def _quotas(system: System) -> Iterator[tuple[float, str]]:
    for folder in _levels(system, "cpu"):
        quota = _number(system.text(f"{folder}/cpu.cfs_quota_us"))
        period = _number(system.text(f"{folder}/cpu.cfs_period_us"))
        if quota and period:
            yield quota / period, "cpu.cfs_quota_us"
    for folder in _levels(system, ""):
        words = (system.text(f"{folder}/cpu.max") or "").split()
        numbers = [_number(word) for word in words]
        if len(numbers) == 2 and numbers[0] and numbers[1]:
            yield numbers[0] / numbers[1], "cpu.max"


def _memory_limits(system: System) -> Iterator[tuple[int, str]]:
    for controller, name in (("memory", "memory.limit_in_bytes"), ("", "memory.max")):
        for folder in _levels(system, controller):
            limit = _number(system.text(f"{folder}/{name}"))
            if limit:
                yield limit, name


def _number(text: str | None) -> int | None:
    """The whole number, or None for ``max``, -1 being a number and nonsense not."""
    try:
        return int(text) if text else None
    except ValueError:
        return None


def _levels(system: System, controller: str) -> Iterator[str]:
    """Folders from the process's own group up to the top; the controller "" is version 2."""
    group = _group(system, controller)
    for mount_root, mount in _mounts(system, controller):
        parts = _below(group, mount_root)
        for depth in range(len(parts), -1, -1):
            yield "/".join([mount, *parts[:depth]])


def _group(system: System, controller: str) -> str:
    """This process's group for a controller, from ``/proc/self/cgroup``."""
    for line in (system.text("proc/self/cgroup") or "").splitlines():
        fields = line.split(":", 2)
        if len(fields) == 3 and controller in fields[1].split(","):
            return fields[2]
    return "/"


def _mounts(system: System, controller: str) -> list[tuple[str, str]]:
    """(root, mount point without its first slash) of a controller's hierarchy."""
    found = []
    for line in (system.text("proc/self/mountinfo") or "").splitlines():
        before, _, after = line.partition(" - ")
        fields, (kind, *rest) = before.split(), after.split() or [""]
        options = rest[-1].split(",") if rest else []
        wanted = kind == "cgroup" and controller in options if controller else kind == "cgroup2"
        if wanted and len(fields) > 4:
            found.append((fields[3], fields[4].lstrip("/")))
    if found:
        return found
    return [("/", mount) for mount in USUAL_MOUNTS[controller] if system.exists(mount)]


def _below(group: str, mount_root: str) -> list[str]:
    """The parts of a group's path below what is mounted.

    In a container the mounted root can be the group itself; a path with ``..`` lies outside.
    """
    if mount_root not in {"/", ""}:
        if group != mount_root and not group.startswith(f"{mount_root}/"):
            return []
        group = group[len(mount_root) :]
    parts = [part for part in group.split("/") if part]
    return [] if ".." in parts else parts
