"""Records: what is valid, what is refused, and which of several is the latest."""

import copy
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mlhpc import content, record
from mlhpc.bench import catalogue
from mlhpc.cli import main
from mlhpc.errors import InputError

DOCUMENT = {
    "schema": 1,
    "benchmark": "resnet",
    "params": {"precision": "amp", "batch": 256},
    "unit": "images/s",
    "samples": [100.0, 110.0, 104.0],
    "started": "2026-05-01T12:00:00+00:00",
    "provenance": {
        "cluster": "sagehen",
        "partition": "gpu",
        "node": 1,
        "cpu_model": None,
        "cpus": 8,
        "gpu_type": "a100",
        "gpu_model": "NVIDIA A100 80GB PCIe",
        "gpu_count": 1,
        "driver": "550.54",
        "cuda": "12.4",
        "power_limit_w": 300,
        "python": "3.11.7",
        "packages": {"torch": "2.13.0"},
        "commit": "0123abc",
        "dirty": False,
        "sources": "0" * 64,
        "command": "mlhpc bench run resnet --preset publish",
        "variables": {"OMP_NUM_THREADS": "8"},
    },
    "unknown": {"cpu_model": "the node does not say"},
    "notes": ["the repetitions did not settle"],
}


def signed(**changes: object) -> dict:
    """The document with some fields changed, and a checksum that fits."""
    document = copy.deepcopy(DOCUMENT)
    for name, value in changes.items():
        target = document["provenance"] if name in document["provenance"] else document
        target[name] = value
    document["checksum"] = record.checksum(document)
    return document


def made(**changes: object) -> record.Record:
    return record.parse(signed(**changes), "here")


def test_a_record_gives_the_median_and_spread_of_its_samples() -> None:
    found = made()
    assert found.median == 104.0
    assert found.spread == pytest.approx(10 / 104)
    assert found.started == datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize("name", sorted(record.FIELDS))
def test_a_missing_field_is_refused_by_name(name: str) -> None:
    document = signed()
    del document[name]
    with pytest.raises(InputError, match=f"here: field '{name}' is missing"):
        record.parse(document, "here")


@pytest.mark.parametrize("name", sorted(record.PROVENANCE))
def test_a_missing_field_of_the_provenance_is_refused_by_name(name: str) -> None:
    document = signed()
    del document["provenance"][name]
    with pytest.raises(InputError, match=f"provenance: field '{name}' is missing"):
        record.parse(document, "here")


@pytest.mark.parametrize("name", sorted(set(record.PROVENANCE) - {"cpu_model"}))
def test_null_without_its_reason_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"{name}: None is not"):
        made(**{name: None})


@pytest.mark.parametrize(
    "path",
    [(name,) for name in record.FIELDS if name != "checksum"]
    + [("provenance", name) for name in record.PROVENANCE],
)
def test_an_edit_of_any_field_by_hand_is_noticed(path: tuple[str, ...]) -> None:
    document = signed()
    target = document
    for name in path[:-1]:
        target = target[name]
    old = target[path[-1]]
    target[path[-1]] = _other(old)
    with pytest.raises(InputError, match="here"):
        record.parse(document, "here")


def _other(value: object) -> object:
    """A different value of the same type, so that only the checksum can notice it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        first = "1" if value[0] == "0" else "0"
        return value.replace("05-01", "05-02") if "05-01" in value else first + value[1:]
    if isinstance(value, list):
        return value[1:]
    if isinstance(value, dict):
        return {}
    return "now known"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": 2}, "schema: 2 is not known; valid: 1"),
        ({"benchmark": "Res Net"}, "use a-z, 0-9 and -"),
        ({"unit": " "}, "unit: is empty"),
        ({"samples": []}, "samples: there is none"),
        ({"samples": [1.0, 0]}, "0 is not a finite number above 0"),
        ({"samples": [float("inf")]}, "not a finite number"),
        ({"samples": [True]}, "True is not a number"),
        ({"samples": ["1"]}, "'1' is not a number"),
        ({"started": "yesterday"}, "'yesterday' is not a UTC time"),
        ({"started": "2026-05-01T12:00:00"}, "is not a UTC time"),
        ({"started": "2026-05-01T12:00:00+02:00"}, "is not a UTC time"),
        ({"params": {"a": [1]}}, "params: a"),
        ({"variables": {"HOME": "/home/somebody"}}, "'HOME' may not be kept"),
        ({"packages": {"torch": 2}}, "packages: torch: 2 is not text"),
        ({"sources": "abc"}, "is not a SHA-256"),
        ({"gpu_count": -1}, "gpu_count: -1 is below 0"),
        ({"gpu_count": 0}, "gpu_type: 'a100' with no GPU counted"),
        ({"gpu_count": True}, "gpu_count: True is not a int"),
        ({"unknown": {"python": "no"}}, "'python' is not a field that may be unknown"),
        ({"unknown": {"cpu_model": ""}}, "cpu_model: needs its reason"),
        ({"notes": [""]}, "'' is not a text"),
        ({"notes": [3]}, "3 is not a text"),
        ({"notes": ["x" * 301]}, "is not a text of 1 to 300"),
        ({"cpu_model": "EPYC"}, "has a value and a reason to be unknown"),
    ],
)
def test_a_bad_value_is_named(changes: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        made(**changes)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_field_is_refused_with_the_valid_ones() -> None:
    document = signed()
    document["user"] = "somebody"
    with pytest.raises(InputError, match="unknown field 'user'; valid: schema, benchmark"):
        record.parse(document, "here")


def test_the_latest_of_one_key_wins() -> None:
    old, new = made(), made(started="2026-06-01T12:00:00+00:00", samples=[200.0])
    assert record.latest([new, old], "resnet", gpu="a100", precision="amp") is new


def test_nothing_measured_is_none_and_not_an_error() -> None:
    assert record.latest([made()], "resnet", gpu="l40s") is None
    assert record.latest([], "resnet") is None


def test_a_match_of_two_keys_is_refused_and_both_are_named() -> None:
    both = [made(), made(params={"precision": "tf32", "batch": 256})]
    with pytest.raises(InputError, match=r"ambiguous.*amp.*tf32"):
        record.latest(both, "resnet", gpu="a100")


def test_a_record_of_another_machine_is_another_key() -> None:
    other = made(
        gpu_type=None,
        gpu_model="NVIDIA H200",
        cluster="elsewhere",
        unknown={"cpu_model": "not said", "gpu_type": "no type of this cluster"},
    )
    assert made().key != other.key
    assert record.latest([made(), other], "resnet", gpu="a100") == made()


def test_two_records_of_one_moment_are_refused() -> None:
    with pytest.raises(InputError, match="two records of one moment"):
        record.latest([made(), made(samples=[1.0])], "resnet")


def test_a_measurement_without_a_gpu_is_found_as_none() -> None:
    cpu = made(
        gpu_count=0,
        gpu_type=None,
        gpu_model=None,
        cpu_model="EPYC",
        unknown={"gpu_type": "no GPU", "gpu_model": "no GPU"},
    )
    assert record.latest([made(), cpu], "resnet", gpu="none") is cpu


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "not valid JSON"),
        (b"\xff\xfe", "cannot be read"),
        (b"[]", "one JSON object"),
        (b'{"schema": NaN}', "NaN is not a number"),
        (b"[" * 100_000, "not valid JSON"),
    ],
)
def test_a_file_that_is_no_record_gets_one_line(
    tmp_path: Path, content: bytes, message: str
) -> None:
    file = tmp_path / "r.json"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        record.load(file)
    assert str(file) in str(caught.value)


def test_records_of_a_folder_come_in_the_order_of_their_dates(tmp_path: Path) -> None:
    dates = ["2026-06-01T12:00:00+00:00", "2026-05-01T12:00:00+00:00"]
    for name, date in zip("ab", dates, strict=True):
        (tmp_path / f"{name}.json").write_text(json.dumps(signed(started=date)))
    assert [found.started.month for found in record.load_all(tmp_path)] == [5, 6]


def test_the_command_checks_files_and_says_which_is_bad(tmp_path: Path, capsys) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(signed()))
    bad.write_text(json.dumps({**signed(), "unit": "other"}))
    assert main(["record", "check", str(good)]) == 0
    assert main(["record", "check", str(good), str(bad)]) == 2
    error = capsys.readouterr().err
    assert "bad.json: checksum: does not fit" in error
    assert "good.json" not in error


def test_the_committed_records_are_whole_and_of_a_known_program_and_commit() -> None:
    lesson = content.find()
    known = {name for one in catalogue.load(lesson).values() for name in one.benchmarks}
    found = record.load_all(lesson.measurements)
    assert len(found) >= 40
    for one in found:
        assert one.benchmark in known, one.name
        # what speaks for a cluster is of a commit and nothing else
        assert not (one.provenance["cluster"] and one.provenance["dirty"]), one.name
        assert one.provenance["command"].startswith("mlhpc bench run "), one.name
    names = {path.name for path in lesson.measurements.glob("*.json")}
    documents = [json.loads((lesson.measurements / name).read_text()) for name in names]
    assert {record.file_name(one) for one in documents} == names


def test_a_committed_record_that_is_edited_in_any_place_is_refused(tmp_path: Path) -> None:
    path = next(iter(sorted(content.find().measurements.glob("*.json"))))
    document = json.loads(path.read_text())
    places = [(name,) for name in document] + [("provenance", name) for name in record.PROVENANCE]
    for place in places:
        changed = copy.deepcopy(document)
        target = changed if len(place) == 1 else changed["provenance"]
        target[place[-1]] = "x" if target[place[-1]] != "x" else "y"
        edited = tmp_path / "edited.json"
        edited.write_text(json.dumps(changed))
        with pytest.raises(InputError, match=r"edited\.json"):
            record.load(edited)
