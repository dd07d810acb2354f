"""Timing: what is timed, when it ends, and that work done behind the program's back counts."""

import threading
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlhpc.errors import InputError
from mlhpc.train import measure
from mlhpc.train.measure import Budget, Timing, repeat


class Machine:
    """A clock that goes on only by what a step takes."""

    def __init__(self, step_s: Callable[[int], float]) -> None:
        self.now = 0.0
        self.steps = 0
        self.step_s = step_s

    def step(self) -> None:
        self.now += self.step_s(self.steps)
        self.steps += 1

    def clock(self) -> float:
        return self.now


def timed(machine: Machine, **budget: float) -> Timing:
    return repeat(machine.step, Budget(**budget), clock=machine.clock)  # type: ignore[arg-type]


def test_a_steady_step_is_timed_the_fewest_times_and_exactly() -> None:
    found = timed(Machine(lambda _: 0.5), block_s=0.2)
    assert found.step_s == (0.5,) * 5
    assert (found.steps, found.settled, found.spread) == (1, True, 0.0)


def test_slow_first_steps_are_not_in_the_result() -> None:
    found = timed(Machine(lambda at: 30.0 if at < 3 else 0.5), block_s=0.2)
    assert found.median_s == 0.5
    assert max(found.step_s) == 0.5


def test_short_steps_are_timed_in_blocks_that_the_clock_can_see() -> None:
    found = timed(Machine(lambda _: 1e-5), block_s=0.2)
    assert 0.2 <= found.steps * 1e-5 <= 0.4
    assert found.median_s == pytest.approx(1e-5)


def test_repetitions_go_on_until_half_of_them_agree() -> None:
    noisy = Machine(lambda at: 1.5 if at < 12 and at % 2 else 1.0)
    found = timed(noisy, block_s=0.1, limit_s=1000)
    assert found.settled
    assert len(found.step_s) > 5
    assert found.spread <= 0.02


def test_what_never_settles_ends_with_its_time_and_says_so() -> None:
    found = timed(Machine(lambda at: 1.0 + at % 3), block_s=0.1, limit_s=30)
    assert not found.settled
    assert found.spread > 0.02
    assert sum(found.step_s) < 45


def test_it_ends_also_where_the_clock_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "MOST_STEPS", 1000)
    found = timed(Machine(lambda _: 0.0))
    assert found.steps == 1000
    assert found.median_s == 0


@given(st.lists(st.floats(1e-6, 1e3), min_size=2, max_size=50), st.floats(0.01, 100))
def test_the_spread_is_a_share_whatever_the_unit(values: list[float], factor: float) -> None:
    scaled = measure.spread([factor * value for value in values])
    assert scaled == pytest.approx(measure.spread(values), rel=1e-6, abs=1e-9)
    assert measure.spread(values) >= 0


def test_the_spread_of_known_values_is_right() -> None:
    assert measure.spread([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(2 / 3)
    assert measure.spread([7.0]) == 0


def test_a_budget_without_repetitions_is_refused() -> None:
    with pytest.raises(InputError, match="0 to 60 repetitions"):
        Budget(least=0)


class Device:
    """Works behind the program's back, as a GPU does: a call returns before its work is done."""

    def __init__(self, step_s: float) -> None:
        self.step_s, self.open = step_s, 0
        self.changed = threading.Condition()
        threading.Thread(target=self._work, daemon=True).start()

    def step(self) -> None:
        with self.changed:
            self.open += 1
            self.changed.notify_all()

    def synchronize(self) -> None:
        with self.changed:
            self.changed.wait_for(lambda: self.open == 0)

    def _work(self) -> None:
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.open > 0)
            time.sleep(self.step_s)
            with self.changed:
                self.open -= 1
                self.changed.notify_all()


def test_work_behind_the_programs_back_is_waited_for() -> None:
    device, budget = Device(0.01), Budget(least=3, most=3, block_s=0.03, limit_s=5)
    with_waiting = repeat(device.step, budget, device.synchronize)
    assert with_waiting.median_s >= 0.01
    without = repeat(device.step, Budget(least=3, most=3, block_s=0.001, limit_s=5))
    assert without.median_s < 0.005, "this device does not return early: the test shows nothing"


def test_the_harness_costs_less_than_a_millisecond_a_step() -> None:
    found = repeat(lambda: None, Budget(block_s=0.05))
    assert 0 < found.median_s < 1e-3
