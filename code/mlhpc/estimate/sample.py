"""The time of a full run from the first steps of it: measured, then carried on.

The first steps are slower (memory is claimed, kernels are chosen, caches are empty) and are left
out. The rest gives a mean and its uncertainty; what no sample sees (a disk that is slower once the
page cache is full, epochs that differ, checkpoints) widens the range upwards.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from mlhpc.errors import InputError
from mlhpc.estimate.values import Estimate

FEWEST = 3
WARM_UP_SHARE = 0.1  # of the sample, and no more than a fifth where steps settle late
SETTLED = 1.25  # times the median: a step above it at the beginning is warm-up
DEVIATIONS = 2.0
UNSEEN_LOW, UNSEEN_HIGH = 0.98, 1.10  # what a short sample cannot see
METHOD = "mean step of the sample after warm-up, times the steps"
KNOWN_ERROR = (
    "ten small CPU trainings, four times over on a machine that others used too, from 2% of their"
    " steps: 32 of 40 within 10%, the worst 26% off; the range held for 30"
)


@dataclass(frozen=True)
class Timed:
    """A timed sample without its warm-up: mean and spread of a step, in seconds."""

    steps: int
    dropped: int
    mean_s: float
    deviation_s: float

    @property
    def uncertainty(self) -> float:
        """Relative uncertainty of the mean (two standard errors)."""
        if self.steps < 2 or not self.mean_s:
            return 1.0
        return DEVIATIONS * self.deviation_s / math.sqrt(self.steps) / self.mean_s


def timed(step_s: Sequence[float]) -> Timed:
    """The sample without its warm-up. Raises InputError for too few steps, or for no times."""
    for at, value in enumerate(step_s, 1):
        if not (math.isfinite(value) and value >= 0):
            raise InputError(f"sample: step {at}: {value} is no number of seconds")
    if len(step_s) < FEWEST:
        raise InputError(f"sample: {len(step_s)} steps are too few; time at least {FEWEST}")
    dropped = warm_up(step_s)
    kept = list(step_s[dropped:])
    return Timed(len(kept), dropped, statistics.fmean(kept), statistics.pstdev(kept))


def warm_up(step_s: Sequence[float]) -> int:
    """How many steps at the beginning to leave out."""
    median = statistics.median(step_s)
    least = max(1, math.ceil(WARM_UP_SHARE * len(step_s)))
    slow = 0
    while slow < len(step_s) and step_s[slow] > SETTLED * median:
        slow += 1
    most = len(step_s) - max(2, len(step_s) // 2)
    return max(0, min(max(least, slow), most))


def full_run(step_s: Sequence[float], steps: float) -> Estimate:
    """Seconds of a run of so many steps like those of the sample. Raises InputError."""
    if not (math.isfinite(steps) and steps >= 1):
        raise InputError(f"steps: {steps} is no count; valid is a whole number from 1")
    found = timed(step_s)
    beginning = sum(step_s[: found.dropped])
    likely = beginning + found.mean_s * max(0.0, steps - found.dropped)
    spread = min(found.uncertainty, 0.9)
    notes = [f"{found.steps} steps counted, the first {found.dropped} left out as warm-up"]
    if found.deviation_s > found.mean_s / 2:
        notes.append("steps differ widely: time a longer sample")
    notes.append("data that fitted into the page cache for the sample may not for the full run")
    return Estimate(
        likely * (1 - spread) * UNSEEN_LOW, likely, likely * (1 + spread) * UNSEEN_HIGH, "s",
        METHOD, KNOWN_ERROR, notes=tuple(notes),
    )  # fmt: skip


def steps_of(samples: float, batch: float, epochs: float, gpus: int = 1) -> int:
    """Steps for so many epochs; the last batch of an epoch may be smaller. Raises InputError."""
    for name, value in (("samples", samples), ("batch", batch), ("epochs", epochs), ("gpus", gpus)):
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"{name}: {value} is no count; valid is a number above 0")
    return math.ceil(math.ceil(samples / (batch * gpus)) * epochs)
