"""What the partitions can hold: by their nodes where the file describes them, else by bounds."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from mlhpc.cluster import Cluster, Partition

MIB_PER_GIB = 1024
# Slurm is told less memory than is installed, and a round figure may be either kind of GB.
SURE_SHARE = 0.9
FOR_TESTS = re.compile(r"test|debug|short|quick", re.IGNORECASE)


@dataclass(frozen=True)
class Shape:
    """A kind of node; None where it is not known. GPUs by the cluster file's names."""

    cpus: int | None
    memory_gib: int | None
    gpus: Mapping[str, int] | None

    def holds(self, cpus: int, memory_gib: int, gpu: str | None, number: int) -> bool:
        """Whether a job fits on one such node, as far as is known."""
        return (
            (self.cpus is None or cpus <= self.cpus)
            and (self.memory_gib is None or memory_gib <= self.memory_gib)
            and (gpu is None or self.gpus is None or number <= self.gpus.get(gpu, 0))
        )


def shapes(cluster: Cluster, name: str) -> tuple[Shape, ...]:
    """The kinds of nodes of a partition, the smallest first; at least one."""
    partition = cluster.partitions[name]
    found = [
        Shape(
            group.cpus,
            None if group.memory_mib is None else group.memory_mib // MIB_PER_GIB,
            group.gpus,
        )
        for group in (cluster.nodes[key] for key in partition.nodes or ())
    ]
    return tuple(sorted(found, key=_size)) if found else (_by_bounds(partition),)


def _size(shape: Shape) -> tuple[float, float]:
    return shape.memory_gib or math.inf, shape.cpus or math.inf


def _by_bounds(partition: Partition) -> Shape:
    memory_gib = None
    if partition.memory_gb_max is not None:
        memory_gib = math.floor(partition.memory_gb_max * SURE_SHARE * 10**9 / 2**30)
    # a core count that the smallest node has, every node has
    cpus = partition.cores_min or partition.cores_max
    return Shape(cpus, memory_gib, None)


def is_for_tests(partition: Partition) -> bool:
    """Whether a partition is for tests of minutes, by its name and purpose."""
    return bool(FOR_TESTS.search(f"{partition.key} {partition.purpose or ''}"))


def test_partition(cluster: Cluster) -> Partition | None:
    """The partition for tests; None where there is none."""
    return next((one for one in cluster.partitions.values() if is_for_tests(one)), None)


def cpu_partition(cluster: Cluster) -> Partition | None:
    """The partition for work without a GPU: the default one first."""
    found = [one for one in cluster.partitions.values() if not one.gpus and not is_for_tests(one)]
    return min(found, key=lambda one: not one.default, default=None)


def gpu_partition(cluster: Cluster, gpu: str) -> Partition | None:
    """The partition with a type of GPU and the longest time limit."""
    found = [
        one
        for one in cluster.partitions.values()
        if gpu in (one.gpus or ()) and not is_for_tests(one)
    ]
    return max(found, key=lambda one: one.max_time_h or 0, default=None)


def gpus_on_node(cluster: Cluster, gpu: str) -> tuple[int, bool]:
    """The most GPUs of a type in one node, and whether that is known; else all there are."""
    partition = gpu_partition(cluster, gpu)
    if partition is None:
        return 0, True
    counts = [shape.gpus for shape in shapes(cluster, partition.key)]
    known = [count.get(gpu, 0) for count in counts if count is not None]
    if known:
        return max(known), True
    return cluster.gpus[gpu].count or 1, False


def most_memory_gib(cluster: Cluster, partition: Partition) -> int | None:
    """The memory of the largest node; None where it is not known."""
    found = [shape.memory_gib for shape in shapes(cluster, partition.key)]
    known = [one for one in found if one is not None]
    return max(known) if len(known) == len(found) else None
