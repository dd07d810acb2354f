"""From a project and a cluster to a plan."""

from mlhpc.cluster import Cluster
from mlhpc.plan import arrays, capacity, gpus, memory, ondemand, place, requests, storage, timing
from mlhpc.plan import rules as rules_
from mlhpc.plan.desk import Desk, gib, hours, size
from mlhpc.plan.project import Project
from mlhpc.plan.rules import Rules
from mlhpc.plan.values import Array, Hours, Plan, Request

CORES = 32  # of one run on a CPU node: the cores that the lesson's table compares with
CORES_IN_ARRAY = 8


def plan(project: Project, cluster: Cluster, rules: Rules | None = None) -> Plan:
    """Where and how to do the project, each choice with its reason.

    Asks for no more than the cluster file says there is; what it does not say stands under
    ``unknown``. Raises InputError where the ledger lacks a figure that a rule takes.
    """
    desk = Desk(project, cluster, rules or rules_.load())
    where = place.where(desk)
    if not project.code_ready:
        desk.why("not-ready")
    if where == "laptop":
        return _at_laptop(desk)
    if storage.too_large(desk):
        return _nowhere(desk, _no_room(desk))
    timing.tell_of_subset(desk)
    if place.wants_gpu(desk) and gpus.by_memory(desk):
        return _on_gpus(desk, where)
    return _on_cpus(desk, where)


def _at_laptop(desk: Desk) -> Plan:
    own_h = desk.project.laptop_hours
    each: Hours | None = None if own_h is None else (own_h, own_h)
    return _plan(desk, "laptop", task_h=each)


def _times(each_h: Hours | None, rounds: int) -> Hours | None:
    return None if each_h is None else (each_h[0] * rounds, each_h[1] * rounds)


def _on_gpus(desk: Desk, where: str) -> Plan:
    choice = gpus.choose(desk)
    if choice is None:
        return _plan(desk, "none")
    array = arrays.choose(desk, choice.gpu, choice.hours)
    task_h = _times(choice.hours, array.runs_each if array else 1)
    full = requests.on_gpus(desk, choice.gpu, choice.number, task_h)
    if full is None:
        return _nowhere(desk, _no_node(desk))
    return _plan(desk, "either" if where == "either" else "gpu", full, array, task_h)


def _on_cpus(desk: Desk, where: str) -> Plan:
    partition = capacity.cpu_partition(desk.cluster)
    if partition is None:
        why = ("This cluster has no partition for work without a GPU", "the laptop")
        return _nowhere(desk, why)
    wanted = CORES_IN_ARRAY if desk.project.trials > 1 else CORES
    cores = arrays.of_cpus(desk, partition.key, wanted)
    most_gib = capacity.most_memory_gib(desk.cluster, partition)
    if most_gib is None:
        desk.needs(f"partition.{partition.key}.memory_gb_max")
    memory_gib = memory.main_gib(desk, most_gib)
    if memory_gib is None:
        return _nowhere(desk, _no_memory(desk, most_gib or 0))
    each_h = timing.on_cpus(desk, cores)
    array = arrays.choose(desk, None, each_h)
    task_h = _times(each_h, array.runs_each if array else 1)
    full = requests.on_cpus(desk, partition, cores, memory_gib, task_h)
    return _plan(desk, "either" if where == "either" else "cpu", full, array, task_h)


def _no_memory(desk: Desk, most_gib: int) -> tuple[str, str]:
    if desk.project.memory is not None:
        asked = size(desk.project.memory)
        return (
            f"One run needs {asked} of memory, and the largest node has {gib(most_gib)}",
            "a program that reads the data in parts, or a smaller sample",
        )
    data = size(desk.project.data_size or 0)
    most = gib(most_gib / 2)
    return (
        f"{desk.family.title} needs all of {data} in memory, and no node has that much",
        f"a sample of at most {most}, a method that learns from parts, or Dask over several nodes",
    )


def _no_room(desk: Desk) -> tuple[str, str]:
    tier = storage.shared(desk.cluster)
    room = size(storage.room_bytes(tier))
    return (
        f"{size(desk.project.data_size or 0)} are more than {tier.path or tier.key} holds ({room})",
        "a smaller part of the data, or more room from the centre",
    )


def _no_node(desk: Desk) -> tuple[str, str]:
    asked = size(desk.project.memory or 0)
    return (
        f"No node with the GPU has {asked} of main memory",
        "a program that reads the data in parts, so that it needs less",
    )


def _nowhere(desk: Desk, words: tuple[str, str]) -> Plan:
    desk.why("nothing-fits", why=words[0][0].upper() + words[0][1:], instead=words[1])
    return _plan(desk, "none")


def _plan(
    desk: Desk,
    where: str,
    full: Request | None = None,
    array: Array | None = None,
    task_h: Hours | None = None,
) -> Plan:
    if full and task_h and full.segments == 1 and task_h[0] > full.time_limit_h:
        full, array, where = None, None, "none"  # not even the shortest estimate fits in a job
    rounds = -(-array.tasks // array.limit) if array else 1
    total_h = _times(task_h, rounds if full else desk.project.trials)
    _tell_of_deadline(desk, full, total_h)
    stored = storage.choose(desk, full is not None)
    test = requests.test(desk, full) if full else None
    return Plan(
        where, full, test, array, stored, task_h, total_h,
        tuple(desk.reasons), tuple(desk.assumptions), tuple(desk.unknown),
        ondemand.values(desk, full),
    )  # fmt: skip


def _tell_of_deadline(desk: Desk, full: Request | None, total_h: Hours | None) -> None:
    deadline_h = desk.project.deadline
    told = any(one.rule == "deadline-missed" for one in desk.reasons)
    if full and deadline_h and total_h and total_h[1] > deadline_h and not told:
        desk.why("deadline-missed", total=hours(total_h[1]), deadline=hours(deadline_h))
