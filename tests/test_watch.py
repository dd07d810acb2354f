"""What is noted of a GPU while a program runs: by the answers that nvidia-smi gives."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from mlhpc.bench import watch
from mlhpc.bench.watch import CANNOT_TELL, SOMEBODY, Watch
from mlhpc.detect.seam import Outcome

UUID, OTHER = "GPU-1111", "GPU-2222"


class Smi:
    """Answers as nvidia-smi does."""

    def __init__(self, words: str = "clocks_event_reasons", slow: str = "", pids: str = "") -> None:
        self.words, self.slow, self.pids = words, slow, pids

    def __call__(self, argv: Sequence[str], timeout_s: float) -> Outcome:  # noqa: ARG002
        query = argv[1]
        if "compute-apps" in query:
            return Outcome(0, self.pids)
        if "power.limit" in query:
            return Outcome(0, f"{OTHER}, [N/A]\n{UUID}, 300.00\n")
        if self.words not in query:
            return Outcome(2, 'Field "x" is not a valid field to query.')
        if query.endswith("hw_slowdown") and "uuid" not in query:
            return Outcome(0, "Not Active\n")
        cells = ["Active" if name == self.slow else "Not Active" for name in watch.REASONS]
        return Outcome(0, f"{OTHER}, {', '.join(['Active'] * 4)}\n{UUID}, {', '.join(cells)}\n")


@pytest.mark.parametrize("words", watch.WORDS)
@pytest.mark.parametrize(("slow", "note"), watch.REASONS.items())
def test_a_gpu_that_slows_down_is_noted_with_its_reason(words: str, slow: str, note: str) -> None:
    assert watch.slowdowns(Smi(words, slow), words, [UUID]) == {note}
    assert watch.slowdowns(Smi(words), words, [UUID]) == set()


def test_a_slowdown_while_the_program_runs_stands_in_the_notes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watch, "EVERY_S", 0.01)
    with Watch((UUID,), run=Smi(slow="sw_thermal_slowdown")) as seen:
        time.sleep(0.2)
    assert seen.notes == {"the driver slowed the GPU down for heat"}


def test_somebody_elses_process_is_noted_and_our_own_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watch, "EVERY_S", 0.01)
    with Watch((UUID,), run=Smi(pids=f"{UUID}, 4194304\n")) as seen:
        pass
    assert seen.notes == {SOMEBODY}
    smi = Smi()
    with Watch((UUID,), run=smi) as seen:
        seen.pid, smi.pids = os.getpid(), f"{UUID}, {os.getpid()}\n{OTHER}, 4194304\n"
        time.sleep(0.1)
        assert seen.notes == set()
        smi.pids += f"{UUID}, 4194304\n"
        time.sleep(0.1)
    assert seen.notes == {SOMEBODY}


def test_in_a_container_whose_numbers_are_others_nobody_is_accused() -> None:
    seen = Watch((UUID,), pid=os.getpid(), run=Smi(pids=f"{UUID}, 4194304\n"))
    seen._note_others()
    assert seen.notes == set()


def test_a_driver_that_tells_no_reason_is_noted() -> None:
    with Watch((UUID,), run=Smi(words="nothing")) as seen:
        pass
    assert seen.notes == {CANNOT_TELL}


def test_without_a_gpu_nothing_is_asked() -> None:
    def never(argv: Sequence[str], timeout_s: float) -> Outcome:
        raise AssertionError(f"{argv} {timeout_s}")

    with Watch((), run=never) as seen:
        pass
    assert seen.notes == set()


def test_the_power_limit_is_that_of_the_gpu_or_unknown() -> None:
    assert watch.power_limit_w(Smi(), UUID) == 300
    assert watch.power_limit_w(Smi(), OTHER) is None
    assert watch.power_limit_w(Smi(), "GPU-3") is None


class Stat:
    """Two readings of /proc/stat, one after the other."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)

    def read_text(self, encoding: str) -> str:  # noqa: ARG002
        return self.texts.pop(0)


def stat(busy: int, idle: int) -> str:
    return f"cpu  {busy} 0 0 {idle} 0 0 0 0 0 0\ncpu0 1 2\ncpu1 1 2\nintr 5\n"


@pytest.mark.parametrize(
    ("after", "cores"),
    [(stat(150, 250), 0.5), (stat(100, 300), 0.0), (stat(300, 100), 2.0), (stat(100, 100), None),
     ("nothing", None)],
)  # fmt: skip
def test_the_cores_that_are_at_work_are_counted(after: str, cores: float | None) -> None:
    found = watch.busy_cores(Stat(stat(100, 100), after), for_s=0)  # type: ignore[arg-type]
    assert found == (None if cores is None else pytest.approx(cores))


def test_work_of_others_before_the_start_is_noted() -> None:
    import mlhpc.detect
    from mlhpc.bench import provenance, records

    machine = provenance.Machine(mlhpc.detect.detect(), None, Path(), {})
    cores = machine.report.cpus.machine
    assert cores
    assert records.busy_note(0.05 * cores, machine) == []
    assert records.busy_note(None, machine) == []
    assert records.busy_note(1.0 * cores, machine) == [
        f"other work kept {cores:.1f} of {cores:g} cores busy just before"
    ]
