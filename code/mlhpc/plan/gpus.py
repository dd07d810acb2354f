"""Which GPU, and how many: the smallest that holds the work, more only where one does not do."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from mlhpc import units
from mlhpc.cluster import Range
from mlhpc.plan import capacity, memory, timing
from mlhpc.plan.desk import Desk, gib, hours
from mlhpc.plan.values import Hours

NUMBERS = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Choice:
    """A type of GPU, how many of it in one node, and the hours of one run on them."""

    gpu: str
    number: int
    hours: Hours | None


def choose(desk: Desk) -> Choice | None:
    """The GPUs for one run; None where none of the cluster's hold it. Gives the reasons."""
    need_gib = memory.gpu_gib(desk)
    single = [name for name in by_memory(desk) if _memory_gib(desk, name) >= need_gib]
    if not single:
        return _sharded(desk, need_gib)
    gpu = _best_fp64(desk, single) if desk.project.fp64 else single[0]
    need = f"it needs about {gib(need_gib)}" if need_gib else "as far as can be told"
    name = desk.cluster.gpus[gpu].name or gpu
    first = Choice(gpu, 1, timing.on_gpus(desk, gpu))
    deadline_h = desk.project.deadline
    if deadline_h and first.hours and first.hours[1] > deadline_h and desk.project.trials == 1:
        return _for_deadline(desk, [gpu] if desk.project.fp64 else single, first, deadline_h)
    desk.why("fp64" if desk.project.fp64 else "smallest-gpu", gpu=name, need=need)
    desk.why("one-gpu")
    return first


def by_memory(desk: Desk) -> list[str]:
    """The types of GPU that a partition offers, the smallest first; unknown memory last."""
    gpus = desk.cluster.gpus
    offered = [name for name in gpus if capacity.gpu_partition(desk.cluster, name)]
    return sorted(offered, key=lambda name: gpus[name].memory_gb or math.inf)


def _memory_gib(desk: Desk, gpu: str) -> float:
    """Of one; where it is not known, it is asked for and taken to be enough."""
    memory_gb = desk.cluster.gpus[gpu].memory_gb
    if memory_gb is None:
        desk.needs(f"gpu.{gpu}.memory_gb")
        return math.inf
    return memory_gb * 10**9 / units.GIB


def _best_fp64(desk: Desk, names: list[str]) -> str:
    def peak(name: str) -> float:
        tflops = desk.cluster.gpus[name].fp64_tflops
        return tflops.low if isinstance(tflops, Range) else tflops or 0

    return max(names, key=peak)


def _most(desk: Desk, gpu: str) -> int:
    """The most GPUs of a type that one job may have on one node."""
    on_node, _ = capacity.gpus_on_node(desk.cluster, gpu)
    return int(min(on_node, desk.cluster.limits.gpus_per_user_max or math.inf))


def _ask_of_node(desk: Desk, gpu: str) -> None:
    """Several of a type in one node: say so where the file does not tell that there are."""
    if not capacity.gpus_on_node(desk.cluster, gpu)[1]:
        desk.asks(f"how many {gpu} are in one node", 'sinfo -N -o "%N %G"')


def _options(desk: Desk, names: list[str]) -> Iterator[Choice]:
    """All numbers of all types: few before many, linked GPUs before others."""
    linked = sorted(names, key=lambda name: desk.cluster.gpus[name].link in (None, "none"))
    for number in NUMBERS:
        for name in names if number == 1 else linked:
            if number <= _most(desk, name):
                yield Choice(name, number, timing.on_gpus(desk, name, number))


def _for_deadline(desk: Desk, names: list[str], first: Choice, deadline_h: float) -> Choice:
    options = [one for one in _options(desk, names) if one.hours] or [first]
    in_time = [one for one in options if one.hours and one.hours[1] <= deadline_h]
    best = in_time[0] if in_time else min(options, key=_longest)
    if best.number > 1:
        one_h, deadline = hours(_longest(first)), hours(deadline_h)
        desk.why("several-for-deadline", one=one_h, deadline=deadline, gpus=_words(desk, best))
        _ask_of_node(desk, best.gpu)
    elif in_time:
        name = desk.cluster.gpus[best.gpu].name or best.gpu
        desk.why("faster-gpu", gpu=name, deadline=hours(deadline_h))
    if not in_time:
        total = hours(_longest(best))
        desk.why("deadline-missed", total=total, deadline=hours(deadline_h))
    return best


def _longest(choice: Choice) -> float:
    return choice.hours[1] if choice.hours else math.inf


def _words(desk: Desk, choice: Choice) -> str:
    return f"{choice.number} x {desk.cluster.gpus[choice.gpu].name or choice.gpu}"


def _sharded(desk: Desk, need_gib: float) -> Choice | None:
    """The fewest GPUs of one node that hold the model together."""
    names = by_memory(desk)
    for number in NUMBERS[1:]:
        for name in names:
            if number <= _most(desk, name) and number * _memory_gib(desk, name) >= need_gib:
                choice = Choice(name, number, timing.on_gpus(desk, name, number))
                need, gpus = gib(need_gib), _words(desk, choice)
                desk.why("several-for-memory", need=need, gpus=gpus)
                _ask_of_node(desk, name)
                return choice
    most_gib = max((_most(desk, one) * _memory_gib(desk, one) for one in names), default=0)
    desk.why(
        "nothing-fits",
        why=f"The model needs about {gib(need_gib)} on GPUs, and one node has {gib(most_gib)}",
        instead=f"training at most {most_gib / need_gib:.0%} of its parameters, with the others"
        " frozen or quantised, or a smaller model",
    )
    return None
