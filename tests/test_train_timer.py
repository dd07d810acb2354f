"""The timer around a training loop: real steps, a real estimate, nothing else changed."""

import io
import time

import pytest

from mlhpc.errors import InputError
from mlhpc.train.timer import timed


def test_it_yields_what_the_loader_yields_and_tells_the_total_in_the_end() -> None:
    stream = io.StringIO()
    loop = timed(range(20), epochs=5, stream=stream)
    seen = []
    for item in loop:
        time.sleep(0.002)
        seen.append(item)
    assert seen == list(range(20))
    found = loop.estimate()
    assert found.low <= 100 * sum(loop.step_s[2:]) / 18 <= found.high
    last = stream.getvalue().splitlines()[-1]
    assert last.endswith(stream.getvalue().split("\r")[-1].strip())
    assert "step 20 of 100: in all" in last


def test_a_sample_stops_after_its_share_of_all_steps() -> None:
    seen = list(timed(range(1000), epochs=1, sample=0.02, stream=io.StringIO()))
    assert len(seen) == 20


def test_a_sample_of_next_to_nothing_still_times_a_few_steps() -> None:
    assert len(list(timed(range(100), sample=0.001, stream=io.StringIO()))) == 5


def test_a_loader_without_length_takes_the_steps_of_an_epoch() -> None:
    loop = timed(iter(range(10)), epochs=2, steps=10, stream=io.StringIO())
    assert len(list(loop)) == 10
    assert loop.steps == 20
    with pytest.raises(InputError, match="has no length: say steps="):
        timed(iter(range(10)))


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ({"epochs": 0}, "epochs: 0 is no count"),
        ({"sample": 2}, "sample: 2 is no share"),
        ({"sample": 0}, "sample: 0 is no share"),
        ({"steps": 0}, "steps: 0 is no count"),
    ],
)
def test_nonsense_is_refused_with_what_is_valid(named: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        timed(range(10), **named)


def test_loading_is_part_of_the_step() -> None:
    def slow() -> object:
        for item in range(6):
            time.sleep(0.01)
            yield item

    loop = timed(slow(), steps=6, stream=io.StringIO())
    list(loop)
    assert all(value >= 0.009 for value in loop.step_s[:-1])


def test_a_line_is_not_written_for_every_step() -> None:
    stream = io.StringIO()
    for _ in timed(range(10_000), stream=stream):
        pass
    assert stream.getvalue().count("step") <= 3


@pytest.mark.parametrize("steps", [1, 2])
def test_a_training_too_short_to_tell_anything_runs_to_its_end(steps: int) -> None:
    stream = io.StringIO()
    assert list(timed(range(steps), stream=stream)) == list(range(steps))
    assert stream.getvalue() == ""


def test_the_line_takes_no_more_than_its_share_and_is_no_part_of_a_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An estimate of 0.2 s (100,000 steps behind it): the next is due after 20 s at least."""
    loop = timed(range(400), stream=io.StringIO())
    shown = []
    estimate = loop.estimate

    def slow() -> object:
        shown.append(len(loop.step_s))
        time.sleep(0.2)
        return estimate()

    monkeypatch.setattr(loop, "estimate", slow)
    monkeypatch.setattr("mlhpc.train.timer.EVERY_S", 0.0)
    for _ in loop:
        time.sleep(0.001)
    assert len(shown) == 2  # the first, and the last one in the end
    assert max(loop.step_s[shown[0] : shown[0] + 2]) < 0.2
