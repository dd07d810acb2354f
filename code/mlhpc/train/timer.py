"""A training loop that tells how long it will take, from its first steps.

>>> from mlhpc.train.timer import timed
>>> for batch in timed(loader, epochs=90):                       # doctest: +SKIP
...     train(batch)

Wrap the loop over batches. While it runs, one line on the error stream says how long the whole
training will take, as a range. ``sample=0.02`` stops after two in a hundred of all steps and says
it then; ``.estimate()`` gives the same as a value.
"""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Generic, TextIO, TypeVar

from mlhpc import units
from mlhpc.errors import InputError
from mlhpc.estimate import sample
from mlhpc.estimate.values import Estimate

T = TypeVar("T")
EVERY_S = 1.0  # a line that changes faster is not read
SHOWN_SHARE = 0.01  # of the time: what the line itself may take, however many steps there are
LEAST_STEPS = 5


class timed(Generic[T]):  # noqa: N801
    """An iterator over a loader that times each step and shows the extrapolated total."""

    def __init__(
        self,
        loader: Iterable[T],
        epochs: float = 1,
        steps: int | None = None,
        sample: float | None = None,
        stream: TextIO | None = None,
    ) -> None:
        """``steps`` of an epoch are needed where the loader has no length.

        Raises InputError for what is no share, no count, or a length that is not known.
        """
        self.loader = loader
        self.steps = _steps(loader, epochs, steps)
        if sample is not None and not 0 < sample <= 1:
            raise InputError(f"sample: {sample} is no share; valid is a number from 0 to 1: 0.02")
        self.stop_after = _stop_after(self.steps, sample)
        self.stream = sys.stderr if stream is None else stream
        self.step_s: list[float] = []
        self._next = 0.0

    def __iter__(self) -> Iterator[T]:
        """The loader's batches; the time of a step is from one to the next, loading included."""
        _synchronize()
        begin = time.perf_counter()
        for item in self.loader:
            yield item
            _synchronize()
            now = time.perf_counter()
            self.step_s.append(now - begin)
            self._show(now)
            if self.stop_after and len(self.step_s) >= self.stop_after:
                break
            begin = time.perf_counter()  # the line is no part of a step
        self._show(now=None)

    def estimate(self) -> Estimate:
        """Seconds of the whole training. Raises InputError before a few steps are timed."""
        return sample.full_run(self.step_s, self.steps)

    def _show(self, now: float | None) -> None:
        """A line now and then; ``None``: the last one."""
        if now is not None and now < self._next:
            return
        if len(self.step_s) < max(sample.FEWEST, min(LEAST_STEPS, self.steps)):
            return  # too few to say anything: a short training runs on without a line
        line = text(self.estimate(), len(self.step_s), self.steps)
        self.stream.write(f"{line}\n" if now is None else f"\r{line}")
        self.stream.flush()
        if now is not None:
            took = time.perf_counter() - now
            self._next = now + max(EVERY_S, took / SHOWN_SHARE)


def text(found: Estimate, done: int, steps: int) -> str:
    """'step 40 of 2,000: in all 1 h 10 min to 1 h 25 min'."""
    low, high = (units.format_duration(value) for value in (found.low, found.high))
    return f"step {done:,} of {steps:,}: in all {low} to {high}"


def _steps(loader: object, epochs: float, steps: int | None) -> int:
    if not epochs > 0:
        raise InputError(f"epochs: {epochs} is no count; valid is a number above 0")
    try:
        each = len(loader) if steps is None else steps  # type: ignore[arg-type]
    except TypeError:
        raise InputError("steps: this loader has no length: say steps=... of an epoch") from None
    if each < 1:
        raise InputError(f"steps: {each} is no count; valid is a whole number from 1")
    return max(1, round(each * epochs))


def _stop_after(steps: int, share: float | None) -> int | None:
    return None if share is None else max(LEAST_STEPS, round(steps * share))


def _synchronize() -> None:
    """Wait for the GPU, where one is in use: it works on after a step has returned."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.synchronize()
