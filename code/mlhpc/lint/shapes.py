"""The nodes of a partition, as far as the cluster file knows them, and what fits on them."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from mlhpc.cluster import Cluster, hosts
from mlhpc.lint.request import Request

MOST_CHOICES = 20_000  # beyond it, the largest nodes are taken first


@dataclass(frozen=True)
class Nodes:
    """Nodes that are alike: GPUs by Slurm's name of the type."""

    names: tuple[str, ...]
    cpus: int
    memory_mib: int
    gpus: Mapping[str, int]
    features: frozenset[str]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.names)


@dataclass(frozen=True)
class Ground:
    """The nodes of each partition of one cluster; None where they are not told."""

    cluster: Cluster
    nodes: Mapping[str, tuple[Nodes, ...] | None]


_last: list[Ground] = []  # thousands of scripts are checked against one cluster: worked out once


def of_partition(cluster: Cluster, partition: str) -> tuple[Nodes, ...] | None:
    """The nodes of a partition; None where the file does not tell all of what Slurm decides by."""
    if not _last or _last[0].cluster is not cluster:
        nodes = {name: _nodes(cluster, name) for name in cluster.partitions}
        _last[:] = [Ground(cluster, nodes)]
    return _last[0].nodes[partition]


def _nodes(cluster: Cluster, partition: str) -> tuple[Nodes, ...] | None:
    keys = cluster.partitions[partition].nodes
    if keys is None:
        return None
    groups = [cluster.nodes[key] for key in keys]
    found = []
    for group in groups:
        if group.hosts is None or group.cpus is None or group.memory_mib is None:
            return None
        if group.gpus is None:
            return None
        gpus = {cluster.gpus[key].gres or key: number for key, number in group.gpus.items()}
        names = tuple(hosts.expand(group.hosts))
        features = frozenset(group.features or ())
        found.append(Nodes(names, group.cpus, group.memory_mib, gpus, features))
    return tuple(found)


def without(nodes: tuple[Nodes, ...], excluded: frozenset[str]) -> tuple[Nodes, ...]:
    """The nodes that are not excluded by name."""
    kept = [replace(one, names=tuple(n for n in one.names if n not in excluded)) for one in nodes]
    return tuple(one for one in kept if one.names)


def fits(
    request: Request,
    nodes: tuple[Nodes, ...],
    default_mib_per_cpu: float | None,
    most_nodes: float | None = None,
) -> bool:
    """Whether Slurm could ever run the job on some of these nodes, all else being idle.

    ``most_nodes`` is what the partition gives a job at most; None or inf: all.
    """
    rooms = [(one, tasks_on(request, one, default_mib_per_cpu)) for one in nodes]
    rooms = [(one, tasks) for one, tasks in rooms if tasks >= 1 and has_gpus(request, one)]
    low, high = wanted_nodes(request)
    if most_nodes is not None and not math.isinf(most_nodes):
        high = int(most_nodes) if high is None else min(high, int(most_nodes))
    if sum(one.count for one, _ in rooms) < low:
        return False
    if high is None:
        return _enough(request, rooms, [one.count for one, _ in rooms])
    ranges = [range(min(one.count, high) + 1) for one, _ in rooms]
    if math.prod(len(span) for span in ranges) > MOST_CHOICES:
        return _enough(request, rooms, _largest_first(rooms, high))
    return any(
        low <= sum(counts) <= high and _enough(request, rooms, counts)
        for counts in itertools.product(*ranges)
    )


def wanted_nodes(request: Request) -> tuple[int, int | None]:
    """Least and most nodes: sbatch lowers them to the number of tasks, where that is said."""
    low, high = request.nodes
    if "ntasks" in request.values:
        low = min(low, request.tasks)
        high = request.tasks if high is None else max(low, min(high, request.tasks))
    elif "ntasks-per-node" in request.values and high is None:
        high = request.tasks  # each node takes one task at least
    per_node = sum(request.gpus_per_node.values())
    total = sum(request.gpus("gpus").values())
    if per_node and total:
        low = max(low, total // per_node)
    return low, high


def tasks_on(request: Request, node: Nodes, default_mib_per_cpu: float | None) -> int:
    """How many of the job's tasks one such node can hold; 0 where it cannot hold any."""
    cpus = request.cpus_per_task
    per_gpu = request.get("cpus-per-gpu", 0)
    gpus_here = sum(request.gpus_per_node.values())
    if per_gpu and not node.gpus:
        return 0
    if max(cpus, request.get("mincpus", 1), per_gpu * max(gpus_here, 1)) > node.cpus:
        return 0
    if memory_on_node_mib(request, gpus_here) > node.memory_mib:
        return 0
    tasks = node.cpus // cpus if "overcommit" not in request.settings else request.tasks
    per_cpu = request.get("mem-per-cpu", 0)
    if not per_cpu and not request.first("mem", "mem-per-gpu"):
        per_cpu = default_mib_per_cpu or 0
    if per_cpu and not math.isinf(per_cpu):
        tasks = min(tasks, int(node.memory_mib // per_cpu) // cpus)
    for kind, number in request.gpus("gpus-per-task").items():
        tasks = min(tasks, available(node, kind) // number)
    limit = request.get("ntasks-per-node")
    if limit is None:
        return tasks
    return int(limit) if tasks >= limit else 0


def memory_on_node_mib(request: Request, gpus_here: int) -> int:
    """MiB that every node of the job must have."""
    return int(max(request.get("mem", 0), request.get("mem-per-gpu", 0) * gpus_here))


def has_gpus(request: Request, node: Nodes) -> bool:
    """Whether one such node has the GPUs that each node of the job must have."""
    some = all(available(node, kind) for kind in request.gpus("gpus"))  # one at least, of --gpus
    return some and all(available(node, kind) >= n for kind, n in request.gpus_per_node.items())


def available(node: Nodes, kind: str) -> int:
    """GPUs of a type on one such node; '' is any type."""
    return sum(node.gpus.values()) if kind == "" else node.gpus.get(kind, 0)


def usable(request: Request, node: Nodes, kind: str) -> int:
    """GPUs of a type that the job can use on one such node, given cores and memory for each."""
    number = available(node, kind)
    if request.get("cpus-per-gpu"):
        number = min(number, node.cpus // request.get("cpus-per-gpu"))
    if request.get("mem-per-gpu"):
        number = min(number, node.memory_mib // request.get("mem-per-gpu"))
    return number


def _enough(
    request: Request, rooms: list[tuple[Nodes, int]], counts: "list[int] | tuple[int, ...]"
) -> bool:
    chosen = list(zip(counts, rooms, strict=True))
    if sum(count * tasks for count, (_, tasks) in chosen) < request.tasks:
        return False
    return all(
        sum(count * usable(request, one, kind) for count, (one, _) in chosen) >= number
        for kind, number in request.gpus("gpus").items()
    )


def _largest_first(rooms: list[tuple[Nodes, int]], most: int) -> list[int]:
    left, counts = most, [0] * len(rooms)
    for at in sorted(range(len(rooms)), key=lambda at: -rooms[at][1]):
        counts[at] = min(left, rooms[at][0].count)
        left -= counts[at]
    return counts
