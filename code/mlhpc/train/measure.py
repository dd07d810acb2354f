"""Times one step rightly: warmed up, synchronised, repeated until the repetitions agree.

>>> found = repeat(lambda: sum(range(1000)), Budget(limit_s=0.5))
>>> len(found.step_s) >= Budget().least
True

A GPU works on after a call has returned, so every repetition begins and ends with ``synchronize``.
A repetition is a block of steps, long enough that the clock and the synchronising cost nothing
beside it.
"""

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlhpc.errors import InputError

GROWTH = 1.2  # aimed a little beyond the length of a block, so that it is reached at once
MOST_STEPS = 1_000_000


@dataclass(frozen=True)
class Budget:
    """How long and how exactly to time; times are seconds, ``spread`` is a share."""

    warmup: int = 3
    warmup_s: float = 0.0
    block_s: float = 0.2
    least: int = 5
    most: int = 60
    spread: float = 0.02
    limit_s: float = 60.0

    def __post_init__(self) -> None:
        if not 1 <= self.least <= self.most:
            raise InputError(f"measure: {self.least} to {self.most} repetitions; valid: 1 or more")


@dataclass(frozen=True)
class Timing:
    """Seconds a step, one value a repetition; each is the mean of ``steps`` steps in a row."""

    step_s: tuple[float, ...]
    steps: int
    settled: bool

    @property
    def median_s(self) -> float:
        """The median of the repetitions, in seconds a step."""
        return statistics.median(self.step_s)

    @property
    def spread(self) -> float:
        """Half of the repetitions lie within this share of the median (interquartile range)."""
        return spread(self.step_s)


def nothing() -> None:
    """What a CPU has to wait for: its work is done when the call returns."""


def repeat(
    step: Callable[[], object],
    budget: Budget | None = None,
    synchronize: Callable[[], object] = nothing,
    clock: Callable[[], float] = time.perf_counter,
) -> Timing:
    """Time ``step`` until half of the repetitions agree within ``budget.spread``, or time is up."""
    budget = budget or Budget()
    begin = clock()
    _warm_up(step, budget, synchronize, clock)
    steps = _steps_of_a_block(step, budget, synchronize, clock)
    found: list[float] = []
    while len(found) < budget.most:
        found.append(_block(step, steps, synchronize, clock) / steps)
        if len(found) >= budget.least and spread(found) <= budget.spread:
            return Timing(tuple(found), steps, settled=True)
        if len(found) >= budget.least and clock() - begin > budget.limit_s:
            break
    return Timing(tuple(found), steps, settled=False)


def spread(values: Sequence[float]) -> float:
    """The interquartile range as a share of the median; 0 for a single value."""
    if len(values) < 2:
        return 0.0
    first, middle, third = statistics.quantiles(values, n=4, method="inclusive")
    return (third - first) / middle if middle else math.inf


def _warm_up(
    step: Callable[[], object],
    budget: Budget,
    synchronize: Callable[[], object],
    clock: Callable[[], float],
) -> None:
    begin, done = clock(), 0
    while done < budget.warmup or clock() - begin < budget.warmup_s:
        step()
        done += 1
    synchronize()


def _steps_of_a_block(
    step: Callable[[], object],
    budget: Budget,
    synchronize: Callable[[], object],
    clock: Callable[[], float],
) -> int:
    """How many steps take ``block_s``: grown from one, as the first guess is the worst."""
    steps = 1
    while True:
        took = _block(step, steps, synchronize, clock)
        if took >= budget.block_s or steps >= MOST_STEPS:
            return steps
        wanted = steps * GROWTH * budget.block_s / took if took > 0 else steps * 10
        steps = min(max(2 * steps, math.ceil(wanted)), 10 * steps, MOST_STEPS)


def _block(
    step: Callable[[], object],
    steps: int,
    synchronize: Callable[[], object],
    clock: Callable[[], float],
) -> float:
    synchronize()
    begin = clock()
    for _ in range(steps):
        step()
    synchronize()
    return clock() - begin
