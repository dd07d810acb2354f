"""What the two jobs of a plan ask for: the full run, and a test of minutes."""

import math

from mlhpc import units
from mlhpc.cluster import Partition
from mlhpc.plan import capacity, memory, timing
from mlhpc.plan.desk import Desk, hours
from mlhpc.plan.values import Hours, Request

CORES_FOR_A_GPU = 8  # for the loader's processes
TEST_H = 1 / 6
TEST_CORES = 8
TEST_GIB = 16


def on_gpus(desk: Desk, gpu: str, number: int, task_h: Hours | None) -> Request | None:
    """The full run on GPUs; None where no node with them has the memory that was asked for."""
    partition = capacity.gpu_partition(desk.cluster, gpu)
    if partition is None:
        return None
    nodes = [
        one
        for one in capacity.shapes(desk.cluster, partition.key)
        if one.gpus is None or one.gpus.get(gpu, 0) >= number
    ]
    cpus = min([CORES_FOR_A_GPU * number, *(one.cpus for one in nodes if one.cpus is not None)])
    memory_gib = _main_gib(desk, number)
    memories = [one.memory_gib for one in nodes if one.memory_gib is not None]
    if len(memories) == len(nodes) and memory_gib > max(memories, default=0):
        if desk.project.memory is not None:
            return None
        memory_gib = max(memories)
    _ask(desk, partition, gpu)
    limit_h, segments = _limit(desk, partition, task_h)
    return Request(partition.key, cpus, memory_gib, gpu, number, limit_h, segments)


def _main_gib(desk: Desk, gpus: int) -> int:
    if desk.project.memory is not None:
        return max(-(-desk.project.memory // units.GIB), 1)
    return memory.FOR_A_GPU_GIB * gpus


def _ask(desk: Desk, partition: Partition, gpu: str) -> None:
    """What the file should say of a GPU job's nodes, and does not."""
    if not desk.cluster.gpus[gpu].gres:
        desk.needs(f"gpu.{gpu}.gres")
    if any(one.cpus is None for one in capacity.shapes(desk.cluster, partition.key)):
        desk.needs(f"partition.{partition.key}.cores_min")
        desk.needs(f"partition.{partition.key}.memory_gb_max")


def on_cpus(
    desk: Desk, partition: Partition, cores: int, memory_gib: int, task_h: Hours | None
) -> Request:
    """The full run on CPU cores."""
    limit_h, segments = _limit(desk, partition, task_h)
    return Request(partition.key, cores, memory_gib, None, 0, limit_h, segments)


def _limit(desk: Desk, partition: Partition, task_h: Hours | None) -> tuple[float, int]:
    if partition.max_time_h is None:
        desk.needs(f"partition.{partition.key}.max_time_h")
    limit_h, segments = timing.limit_h(task_h and task_h[1], partition.max_time_h)
    resumes = desk.project.checkpoints and desk.family.kind == "network"
    if segments > 1 and resumes:
        desk.why("segments", limit=hours(limit_h), segments=segments)
    elif segments > 1 and task_h:
        desk.why(
            "nothing-fits",
            why=f"One job takes up to {hours(task_h[1])}, longer than a job may be"
            f" ({hours(limit_h)}), and does not go on from a checkpoint",
            instead="a program that saves its state and goes on from it, or less work in each job",
        )
        segments = 1
    if task_h is None:
        desk.assume(f"a time limit of {hours(limit_h)}, until a run has been timed")
    else:
        desk.why("margin")
    return limit_h, segments


def test(desk: Desk, full: Request) -> Request:
    """The test: the same kind of job, small and of minutes, where tests are run."""
    partition = capacity.test_partition(desk.cluster)
    own = desk.cluster.partitions[full.partition]
    if partition is None or not _offers(desk, partition, full):
        partition = own
    elif full.gpu and partition.gpus is None:
        desk.needs(f"partition.{partition.key}.gpus")
    if partition.max_time_h is None:
        desk.needs(f"partition.{partition.key}.max_time_h")
    desk.why("test-first", partition=partition.key)
    cpus, memory_gib = _small(desk, partition, full)
    limit_h = min(TEST_H, partition.max_time_h or math.inf)
    return Request(partition.key, cpus, memory_gib, full.gpu, min(full.gpus, 2), limit_h)


def _offers(desk: Desk, partition: Partition, full: Request) -> bool:
    """Whether a partition may hold the test; its GPUs may be not known."""
    if full.gpu and partition.gpus is not None and full.gpu not in partition.gpus:
        return False
    shapes = capacity.shapes(desk.cluster, partition.key)
    return any(one.holds(1, 1, full.gpu, min(full.gpus, 2)) for one in shapes)


def _small(desk: Desk, partition: Partition, full: Request) -> tuple[int, int]:
    gpus = min(full.gpus, 2)
    nodes = [
        one
        for one in capacity.shapes(desk.cluster, partition.key)
        if one.holds(1, 1, full.gpu, gpus)
    ]
    cpus = min([full.cpus, TEST_CORES * max(gpus, 1)] + [one.cpus for one in nodes if one.cpus])
    memories = [one.memory_gib for one in nodes if one.memory_gib]
    memory_gib = min([full.memory_gib, TEST_GIB * max(gpus, 1), *memories])
    return cpus, memory_gib
