"""A cluster file beside the running cluster: what differs, and what the file could add."""

import datetime
from collections.abc import Iterator

from mlhpc.cluster import groups
from mlhpc.cluster.facts import Value
from mlhpc.cluster.findings import Finding
from mlhpc.cluster.live import Live, LiveNode, LivePartition
from mlhpc.cluster.model import Cluster
from mlhpc.cluster.sides import Sides, Values

# Installed memory is named in round figures; Slurm is told less of it, or in binary units. Only
# beyond a tenth do the two mean different memory.
MEMORY_TOLERANCE = 0.1
GIB_PER_MIB = 1 / 1024
GB_PER_MIB = 2**20 / 10**9

OF_NODES = ("cores_min", "cores_max", "memory_gb_max", "gpus")  # what only the nodes tell


def compare(file: Cluster, live: Live, checked: datetime.date) -> list[Finding]:
    """All differences, then notes on what the file could add. Unknown on either side is neither.

    ``checked`` is the day of the answers, for the lines to write.
    """
    sides = Sides(file, live, checked)
    found = [*_settings(sides), *_partitions(sides), *_gpus(sides), *groups.compare(sides)]
    return sorted(found, key=lambda finding: finding.kind)  # 'difference' < 'note'; else as found


def _settings(sides: Sides) -> Iterator[Finding]:
    desk = sides.desk("config")
    yield from sides.keys("cluster", {"slurm_version": sides.live.slurm_version}, desk)
    yield from sides.keys("limits", {"max_array_size": sides.live.max_array_size}, desk)


def _partitions(sides: Sides) -> Iterator[Finding]:
    live = sides.live.partitions
    if live is None:
        return
    for name, partition in live.items():
        yield from _partition(sides, f"partition.{name}", partition)
    for name in sides.file.partitions:
        if name not in live:
            yield sides.desk("partition").gone(f"partition.{name}", "has no such partition")


def _partition(sides: Sides, table: str, partition: LivePartition) -> Iterator[Finding]:
    nodes = _nodes_of(sides.live, partition)
    own, of_nodes = _limits(sides, partition), _of_nodes(sides, partition, nodes)
    ours = sides.file.partitions.get(partition.name)
    if ours is None:
        values = {**own, **of_nodes, "memory_gb_max": _memory_gb(nodes, None)}
        yield sides.desk("partition").table(table, values, "difference")
        return
    if not partition.default and ours.default is None:
        own["default"] = (
            None  # one partition is marked: that the others are not goes without saying
        )
    yield from sides.keys(table, own, sides.desk("partition"))
    of_nodes["memory_gb_max"] = _memory_gb(nodes, ours.memory_gb_max)
    yield from sides.keys(table, of_nodes, sides.desk("node"))


def _limits(sides: Sides, partition: LivePartition) -> Values:
    per_cpu = partition.default_memory_per_cpu_mib
    if per_cpu is None and partition.default_memory_mib is None:
        per_cpu = sides.live.default_memory_per_cpu_mib
    return {
        "node_count": None if partition.hosts is None else len(partition.hosts),
        "max_time_h": partition.max_time_h,
        "default_time_h": partition.default_time_h,
        "default": partition.default,
        "max_nodes": partition.max_nodes,
        "default_memory_per_cpu_mib": per_cpu,
        "default_memory_mib": partition.default_memory_mib,
        "accounts": partition.accounts,
        "qos": partition.qos,
    }


def _of_nodes(sides: Sides, partition: LivePartition, nodes: list[LiveNode]) -> Values:
    cores = _all([node.cores for node in nodes])
    return {
        "cores_min": min(cores, default=None),
        "cores_max": max(cores, default=None),
        "gpus": _gpu_keys(sides, partition, nodes),
        "nodes": groups.of_partition(sides, partition),
    }


def _memory_gb(nodes: list[LiveNode], stated_gb: float | None) -> Value | None:
    """The largest node's memory, in GB; None where the file's round figure means the same."""
    memory_mib = max(_all([node.memory_mib for node in nodes]), default=None)
    if memory_mib is None:
        return None
    readings = (memory_mib * GB_PER_MIB, memory_mib * GIB_PER_MIB)
    if stated_gb and any(abs(stated_gb - it) <= MEMORY_TOLERANCE * stated_gb for it in readings):
        return None
    return round(readings[0])


def _nodes_of(live: Live, partition: LivePartition) -> list[LiveNode]:
    """The partition's nodes; none where one of them is not described."""
    known, names = live.nodes or {}, partition.hosts or ()
    return [known[name] for name in names] if all(name in known for name in names) else []


def _all(values: list[int | None]) -> list[int]:
    """The values; none where one of them is not known."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


def _gpu_keys(sides: Sides, partition: LivePartition, nodes: list[LiveNode]) -> Value | None:
    """The types in a partition, by the file's names; None where they are not all told."""
    types = partition.gpu_types
    if nodes and all(node.gpus is not None for node in nodes):
        types = tuple(kind for node in nodes for kind in node.gpus or ())
    if types is None or "" in types:
        return None
    return tuple(dict.fromkeys(sides.gpu_key(kind) for kind in types))


def _gpus(sides: Sides) -> Iterator[Finding]:
    live = _gpu_values(sides)
    desk = sides.desk("node")
    for key, values in live.items():
        if key in sides.file.gpus:
            yield from sides.keys(f"gpu.{key}", values, desk)
        else:
            yield desk.table(f"gpu.{key}", values, "difference")
    for key in sides.file.gpus if live else ():
        if key not in live:
            yield desk.gone(f"gpu.{key}", "has no such GPU on its nodes")


def _gpu_values(sides: Sides) -> dict[str, Values]:
    """Count and Slurm's name of each type; nothing where a node's GPUs are not known by type."""
    nodes = list((sides.live.nodes or {}).values())
    counts: dict[str, dict[str, int]] = {}
    for node in nodes:
        if node.gpus is None or "" in node.gpus:
            return {}
        for kind, count in node.gpus.items():
            of_key = counts.setdefault(sides.gpu_key(kind), {})
            of_key[kind] = of_key.get(kind, 0) + count
    return {
        # two names of Slurm's for one type of the file's: neither is the one to write
        key: {"count": sum(kinds.values()), "gres": next(iter(kinds)) if len(kinds) == 1 else None}
        for key, kinds in counts.items()
    }
