"""What the jobs of a refresh left: taken, or refused with the reason."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.test_record import made, signed

from mlhpc import record
from mlhpc.bench import collect, state
from mlhpc.bench.collect import Terms, Wanted
from mlhpc.bench.state import State, Task
from mlhpc.errors import InputError

COMMIT = "0123abc"
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def a_state(folder: Path, target: str = "a100") -> State:
    found = State(folder, "sagehen", "publish", COMMIT, dirty=False)
    found.tasks["resnet-" + target] = Task("resnet", target, target, job="7", state="COMPLETED")
    found.make_folders()
    return found


def left(found: State, document: dict[str, Any] | None = None, **changes: Any) -> None:
    """What the job left: one record, and the rest as it should be."""
    (task,) = found.tasks.values()
    measured = {
        "program": "resnet", "preset": "publish", "command": "c", "seconds": 60.0,
        "records": [document or signed()], "findings": [], "failure": "", **changes,
    }  # fmt: skip
    found.result(task).write_text(json.dumps({"schema": 1, "programs": [measured]}))


def refusal(found: State, known: list[record.Record] | None = None, **terms: Any) -> str:
    got = collect.collect(found, known or [], Terms(**terms))
    (task,) = found.tasks.values()
    assert bool(got.refused) == (task.outcome == "refused")
    assert bool(got.records) != bool(got.refused)
    return next(iter(got.refused.values()), "")


def test_a_good_result_is_taken_as_it_is(tmp_path: Path) -> None:
    found = a_state(tmp_path)
    left(found)
    assert collect.collect(found, [], Terms()).records == [signed()]


NO_GPU = {
    "gpu_count": 0, "gpu_type": None, "gpu_model": None, "driver": None, "cuda": None,
    "power_limit_w": None, "cpu_model": "AMD EPYC",
    "unknown": dict.fromkeys(("gpu_type", "gpu_model", "driver", "cuda", "power_limit_w"), "none"),
}  # fmt: skip
OTHER_GPU = {"gpu_type": "l40s", "gpu_model": "NVIDIA L40S"}


@pytest.mark.parametrize(
    ("leave", "message"),
    [
        (lambda it: left(it, signed(**NO_GPU)), "it asked for a GPU and ran on the CPU"),
        (lambda it: left(it, signed(**OTHER_GPU)), "asked for a100 and got NVIDIA L40S"),
        (lambda it: left(it, signed(cluster="box")), "is of box, not of sagehen"),
        (lambda it: left(it, signed(commit="fff")), "was made from another commit: fff"),
        (lambda it: left(it, signed(dirty=True)), "the checkout had changes"),
        (lambda it: left(it, seconds=0), "a run of no duration"),
        (lambda it: left(it, seconds=None), "a run of no duration"),
        (lambda it: left(it, records=[]), "it measured nothing"),
        (lambda it: left(it, failure="out of eggs"), "the program failed: out of eggs"),
        (lambda it: left(it, {**signed(), "unit": "cats/s"}), "checksum: does not fit"),
        (lambda it: left(it, {**signed(), "user": "somebody"}), "unknown field 'user'"),
        (lambda _: None, "no result: its job ended as COMPLETED"),
        (lambda it: raw(it, '{"programs": ['), "its result cannot be read: JSONDecodeError"),
        (lambda it: raw(it, '{"programs": []}'), "its result cannot be read: ValueError"),
        (lambda it: raw(it, "[]"), "its result cannot be read: TypeError"),
    ],
)
def test_a_result_is_refused_with_the_reason(
    tmp_path: Path, leave: Callable[[State], None], message: str
) -> None:
    found = a_state(tmp_path)
    leave(found)
    assert message in refusal(found)


def raw(found: State, text: str) -> None:
    (task,) = found.tasks.values()
    found.result(task).write_text(text)


def test_a_gpus_result_does_not_pass_for_the_cpus(tmp_path: Path) -> None:
    found = a_state(tmp_path, "cpu")
    left(found)
    assert "it asked for no GPU and used one" in refusal(found)


def test_a_gpu_type_with_a_hyphen_in_its_name_is_told_whole(tmp_path: Path) -> None:
    found = a_state(tmp_path, "a100-pcie")
    left(found, signed(gpu_type="a100-pcie"))
    assert refusal(found) == ""
    left(found, signed())
    assert "asked for a100-pcie and got NVIDIA A100 80GB PCIe" in refusal(found)


def test_a_checkout_with_changes_is_taken_where_somebody_says_so(tmp_path: Path) -> None:
    found = a_state(tmp_path)
    left(found, signed(dirty=True))
    assert refusal(found, allow_dirty=True) == ""


def test_a_failed_job_is_refused_with_what_its_log_says(tmp_path: Path) -> None:
    found = a_state(tmp_path)
    (task,) = found.tasks.values()
    task.state = "FAILED"
    (found.logs / "mlhpc-resnet-a100-7.out").write_text("hello\nmlhpc: no GPU here\nbye\n")
    assert refusal(found).endswith("its job ended as FAILED; it said: mlhpc: no GPU here")
    found.result(task).with_name("resnet-a100.json.failed").write_text(
        json.dumps({"programs": [{"failure": "it fell over"}]})
    )
    assert refusal(found).endswith("it said: it fell over")


def test_what_was_found_instead_of_a_number_is_no_failure(tmp_path: Path) -> None:
    found = a_state(tmp_path)
    left(found, records=[], findings=[{"finding": "out of memory"}])
    got = collect.collect(found, [], Terms())
    assert got.findings == [{"finding": "out of memory"}]
    assert got.refused == {}


# ---- jumps


def last(samples: list[float], **changes: Any) -> record.Record:
    return made(samples=samples, started="2026-04-01T12:00:00+00:00", **changes)


@pytest.mark.parametrize(
    ("samples", "jumps"),
    [([104.0], False), ([95.0], False), ([118.0], False), ([80.0], True), ([150.0], True),
     ([60.0, 104.0, 160.0], False)],
)  # fmt: skip
def test_a_jump_is_more_than_a_tenth_and_what_both_spread(
    samples: list[float], jumps: bool
) -> None:
    assert bool(collect.jump_from(made(), [last(samples)])) is jumps


def test_a_jump_prints_both_and_wants_a_reason_that_the_record_keeps(tmp_path: Path) -> None:
    found, known = a_state(tmp_path), [last([52.0])]
    left(found)
    why = refusal(found, known)
    assert "was 52 on 2026-04-01, is 104 images/s" in why
    assert why.endswith("--accept REASON")
    assert refusal(found, known, accept="new driver") == ""
    (document,) = collect.collect(found, known, Terms(accept="new driver")).records
    assert record.parse(document, "x").notes[-1].startswith("accepted: new driver (resnet (batch")


@pytest.mark.parametrize(
    "changes",
    [{"cluster": "another"}, OTHER_GPU, {"gpu_count": 2}, {"params": {"batch": 1}}],
)
def test_only_a_record_of_the_same_machine_and_setting_makes_a_jump(
    changes: dict[str, Any],
) -> None:
    assert collect.jump_from(made(), [last([1.0], **changes)]) == ""


def test_another_unit_is_a_jump() -> None:
    assert "was in s, is in images/s" in collect.jump_from(made(), [last([104.0], unit="s")])


# ---- what is current


def wanted(**changes: Any) -> Wanted:
    where = made().provenance
    return Wanted(**{
        "command": where["command"], "cluster": "sagehen", "gpu": "a100",
        "digest": where["sources"], "packages": where["packages"], **changes,
    })  # fmt: skip


def test_a_result_of_the_same_sources_versions_and_recent_is_current() -> None:
    assert collect.is_current([made()], wanted(), 90, NOW)
    assert not collect.is_current([], wanted(), 90, NOW)


@pytest.mark.parametrize(
    "changes",
    [{"command": "mlhpc bench run bert"}, {"cluster": "box"}, {"gpu": "l40s"}, {"gpu": None},
     {"digest": "1" * 64}, {"packages": {"torch": "2.14.0"}}, {"packages": {}}],
)  # fmt: skip
def test_other_sources_versions_devices_or_commands_are_not_current(
    changes: dict[str, Any],
) -> None:
    assert not collect.is_current([made()], wanted(**changes), 90, NOW)


def test_what_is_old_is_not_current() -> None:
    assert not collect.is_current([made()], wanted(), 90, NOW + timedelta(days=90))


# ---- the state


def test_the_state_comes_back_as_it_was(tmp_path: Path) -> None:
    found = a_state(tmp_path)
    found.save()
    assert state.load(tmp_path) == found
    assert state.load(tmp_path / "none") is None


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 2}', '{"schema": 1}', "null"])
def test_a_damaged_state_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / state.FILE).write_text(text)
    with pytest.raises(InputError, match=r"state\.json: (is no state of a refresh|schema 2)"):
        state.load(tmp_path)


def test_a_folder_belongs_to_one_refresh_at_a_time(tmp_path: Path) -> None:
    with (
        state.only_one(tmp_path),
        pytest.raises(InputError, match="another one is at work"),
        state.only_one(tmp_path),
    ):
        pass
    with state.only_one(tmp_path):
        pass
