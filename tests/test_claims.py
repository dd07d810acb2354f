"""Claims: what the ledger accepts, how values print, where pages use them, what a check finds."""

import copy
import json
import textwrap
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlhpc import claims, cluster, content, record
from mlhpc.claims import derive, ledger, scan, verdicts, verify
from mlhpc.claims.claim import Claim
from mlhpc.claims.scan import Use
from mlhpc.cli import main
from mlhpc.errors import InputError

LESSON = content.find()
REAL = claims.load(LESSON.claims)
CLUSTER = cluster.load("sagehen")

GOOD = """
schema = 1
[claim.runs]
text = "The example has this many runs."
kind = "given"
verdict = "holds"
value = 100
unit = "runs"
[claim.hours]
text = "Each takes this long."
kind = "given"
verdict = "holds"
value = 10
unit = "hours"
"""


def load(text: str) -> claims.Ledger:
    return ledger.from_text(textwrap.dedent(text), "claims.toml")


def one(**fields: object) -> str:
    """A ledger with a single claim, some of whose fields differ; None leaves one out."""
    base: dict[str, object] = {"text": "It is so.", "kind": "given", "verdict": "holds"}
    given_fields = {key: value for key, value in (base | fields).items() if value is not None}
    lines = [f"{key} = {json.dumps(value)}" for key, value in given_fields.items()]
    return "schema = 1\n[claim.it]\n" + "\n".join(lines)


def a_claim(**fields: object) -> Claim:
    base: dict[str, object] = {"id": "it", "text": "t", "kind": "given", "verdict": "holds"}
    return Claim(**(base | fields))  # type: ignore[arg-type]


# ---- what is printed


@pytest.mark.parametrize(
    ("fields", "shown", "bare"),
    [
        ({"value": 42, "unit": "days"}, "42 days", "42"),
        ({"value": 1000, "unit": "hours"}, "1,000 hours", "1,000"),
        ({"value": 25557032, "unit": "parameters"}, "25,557,032 parameters", "25,557,032"),
        ({"low": 14, "high": 15, "unit": "×"}, "14–15×", "14–15"),
        ({"low": 84, "high": 97, "unit": "%"}, "84–97%", "84–97"),
        ({"value": 25, "unit": "hours", "prefix": "about"}, "about 25 hours", "25"),
        ({"low": 3.9, "high": 5.3, "unit": "hours"}, "3.9–5.3 hours", "3.9–5.3"),
        ({"value": 7}, "7", "7"),
        ({}, "", ""),
    ],
)
def test_a_value_prints_as_it_is_written_with_separators_and_unit(
    fields: dict[str, object], shown: str, bare: str
) -> None:
    claim = load(one(**fields))["it"]
    assert claim.shown() == shown
    assert claim.shown(unit=False) == bare


def test_a_trailing_zero_that_was_written_is_printed() -> None:
    text = one(unit="hours").replace('unit = "hours"', 'low = 3.0\nhigh = 6.50\nunit = "hours"')
    assert load(text)["it"].shown() == "3.0–6.50 hours"


@given(st.integers(0, 10**12), st.integers(0, 4))
def test_what_is_printed_reads_back_as_the_value(digits: int, decimals: int) -> None:
    value = Decimal(digits).scaleb(-decimals)
    claim = a_claim(low=value, high=value)
    assert Decimal(claim.shown().replace(",", "")) == value
    assert claim.decimals(value) == decimals


def test_the_document_of_a_claim_has_numbers_and_leaves_out_what_is_absent() -> None:
    document = load(one(low=3.5, high=6, unit="hours"))["it"].document()
    assert document == {
        "id": "it",
        "kind": "given",
        "verdict": "holds",
        "text": "It is so.",
        "shown": "3.5–6 hours",
        "low": 3.5,
        "high": 6,
        "unit": "hours",
    }


# ---- what the format accepts


def test_claims_come_by_id_in_the_order_of_the_file() -> None:
    found = load(GOOD)
    assert list(found) == ["runs", "hours"]
    assert found["hours"].low == 10
    assert "runs" in found
    assert "days" not in found
    assert len(found) == 2


def test_an_unknown_id_is_answered_with_near_ones() -> None:
    with pytest.raises(InputError, match=r"claims.toml: no claim 'hour'; valid choices: hours"):
        load(GOOD)["hour"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"verdct": "holds"}, "unknown key 'verdct'; valid choices: verdict"),
        ({"verdict": "true"}, "verdict = 'true': is not known; valid choices: holds, holds if"),
        ({"kind": "guess"}, "kind = 'guess': is not known; valid choices: derived, hardware"),
        ({"kind": None}, "kind is missing"),
        ({"text": None}, "text is missing"),
        ({"text": "  "}, "text is empty"),
        ({"text": 3}, "text = 3: is not text in quotes"),
        ({"value": "42"}, "value = 42: is not a number"),
        ({"value": True}, "value = True: is not a number"),
        ({"value": -1}, "value = -1: is not a finite number from 0 on"),
        ({"low": 3}, "low; valid choices: value, or low and high"),
        ({"value": 1, "low": 3, "high": 4}, "valid choices: value, or low and high"),
        ({"low": 4, "high": 3}, "low = 4: is not below high = 3"),
        ({"unit": "days"}, "has a unit or a prefix, but no value"),
        ({"value": 3, "cluster": "gpu.total"}, "the cluster file holds it"),
        ({"value": 1.25, "digits": 1}, "1.25 has more digits than digits = 1"),
        ({"value": 1, "digits": 1.5}, "digits = 1.5: is not a whole number"),
        ({"rows": ["Z1"]}, "rows: 'Z1'; valid choices: W01 to W70, Y01 to Y59"),
        ({"rows": "W01"}, "rows is not a list"),
        ({"checked": "2026"}, "checked = 2026: is not a date like 2026-05-31"),
        ({"record": {"gpu": "a100"}}, "unknown key|record is not a table"),
    ],
)
def test_what_the_format_does_not_allow_is_refused_with_the_place(
    fields: dict[str, object], message: str
) -> None:
    text = one(**fields).replace('{"gpu": "a100"}', '{ gpu = "a100" }')
    with pytest.raises(InputError, match=message) as caught:
        load(text)
    assert str(caught.value).startswith("claims.toml: claim 'it'")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("schema = 1\n[claim.a\n", r"claims.toml: not valid TOML: .*line 2"),
        ("schema = 1\n[claim.a]\n[claim.a]\n", r"claim 'a' is declared twice \(at line 3"),
        ("schema = 2\n", r"schema: 2 is not known; valid choices: 1"),
        ("schema = 1\n", r"holds no claim"),
        ("schema = 1\nclaims = 3\n", r"top level: unknown key 'claims'; valid choices: claim"),
        ("schema = 1\n[claim]\na = 3\n", r"claim 'a': is not a table"),
        ("schema = 1\n[claim.A_b]\n", r"claim 'A_b': an id is words"),
        ("schema = 1\n[claim.a]\ntext = 1979-05-27\n", r"claim 'a': kind is missing"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        load(text)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        claims.load(tmp_path / "claims.toml")
    (tmp_path / "claims.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        claims.load(tmp_path / "claims.toml")


@given(st.text(max_size=200))
def test_any_text_is_a_ledger_or_one_line_of_error(text: str) -> None:
    try:
        assert len(ledger.from_text(text, "x")) > 0
    except InputError as error:
        assert len(str(error).splitlines()) == 1


def test_a_figure_in_a_text_is_written_once_and_filled_in() -> None:
    text = GOOD + '[claim.b]\ntext = "All {runs} take {hours}."\nkind = "given"\nverdict = "holds"'
    assert load(text)["b"].text == "All 100 runs take 10 hours."


@pytest.mark.parametrize(
    ("figure", "message"), [("run", "no claim 'run'; valid choices: runs"), ("b", "has no value")]
)
def test_a_figure_in_a_text_that_does_not_exist_is_refused(figure: str, message: str) -> None:
    text = GOOD + f'[claim.b]\ntext = "{{{figure}}}"\nkind = "given"\nverdict = "holds"'
    with pytest.raises(InputError, match=message):
        load(text)


# ---- where pages use them


def lesson_with(folder: Path, pages: dict[str, str], text: str = GOOD) -> content.Lesson:
    (folder / "claims.toml").write_text(text)
    for name, page in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(page)
    return content.find(folder)


def test_uses_are_found_with_page_and_line(tmp_path: Path) -> None:
    page = """
    # A page

    It has {{ claim("runs") }} of {{ claim('hours', "bare") }} hours.
    {{ see("runs",
           "other") }}
    {% set x = history( "third" ) %}
    | {{ evidence("runs", "ResNet-50", gpu="a100") }} | {{ "claim(x)" }} |
    """
    lesson = lesson_with(tmp_path, {"01-a.md": textwrap.dedent(page)})
    assert claims.uses(lesson) == {
        "runs": [Use("01-a.md", 4), Use("01-a.md", 5), Use("01-a.md", 8)],
        "hours": [Use("01-a.md", 4)],
        "other": [Use("01-a.md", 6)],
        "third": [Use("01-a.md", 7)],
    }


def test_receipts_gallery_comments_and_raw_blocks_are_no_use(tmp_path: Path) -> None:
    call = '{{ claim("runs") }}'
    pages = {
        "receipts.md": call,
        "gallery/plot_a.md": call,
        "a.md": "{## " + call + " ##}\n{% raw %}" + call + '{% endraw %}\nclaim("runs")\n',
        "instructor/b.md": f"\n{call}",
    }
    lesson = lesson_with(tmp_path, pages)
    assert claims.uses(lesson) == {"runs": [Use("instructor/b.md", 2)]}


def test_printing_a_fact_of_the_cluster_is_found_too(tmp_path: Path) -> None:
    page = """{{ gpu("a100").memory_gb }} {{ fact("gpu.total") }}
    {{ storage('rhome').quota_gb }}"""
    lesson = lesson_with(tmp_path, {"a.md": page})
    assert scan.facts_used(lesson) == {
        "gpu.a100.memory_gb": [Use("a.md", 1)],
        "gpu.total": [Use("a.md", 1)],
        "storage.rhome.quota_gb": [Use("a.md", 2)],
    }


# ---- which verdict follows from which evidence

PUBLIC = {"machine": "one A100", "source": "a page", "checked": "2026-12-01"}
VALUE = {"low": Decimal(1), "high": Decimal(1)}

FOUNDED = [
    {"kind": "given"},
    {"kind": "derived", "check": "f", **VALUE},
    {"kind": "hardware", "source": "a page", "checked": "2026-12-01", **VALUE},
    {"kind": "hardware", "cluster": "gpu.a100.memory_gb"},
    {"kind": "measurable", **PUBLIC, **VALUE},
    {"kind": "judgement", "verdict": "judgement"},
    {"kind": "judgement", "verdict": "holds if", "condition": "c"},
    {"kind": "derived", "verdict": "holds if", "condition": "c", "check": "f", **VALUE},
    {"kind": "judgement", "verdict": "corrected", "was": "a", "why": "b"},
    {"kind": "measurable", "verdict": "not measured here"},
    {"kind": "policy", "verdict": "stated by the centre", "cluster": "gpu.total"},
    {"kind": "given", "verdict": "retired", "why": "b"},
]
UNFOUNDED = [
    ({"kind": "derived", **VALUE}, "names no check"),
    ({"kind": "derived", "check": "f"}, "has no value"),
    ({"kind": "hardware", "source": "a page", **VALUE}, "needs checked"),
    ({"kind": "hardware", "cluster": "gpu.a100.power_w"}, "no fact|does not say"),
    ({"kind": "measurable", **VALUE}, "needs machine"),
    ({"kind": "measurable", **PUBLIC}, "neither a public value nor a record"),
    ({"kind": "policy"}, "its verdict is 'stated by the centre'"),
    ({"kind": "judgement"}, "its verdict is 'judgement'"),
    ({"kind": "given", "verdict": "judgement"}, "only a judgement"),
    ({"kind": "given", "verdict": "holds if"}, "needs condition"),
    ({"kind": "derived", "verdict": "holds if", "condition": "c", **VALUE}, "names no check"),
    ({"kind": "judgement", "verdict": "corrected", "was": "a"}, "needs why"),
    ({"kind": "judgement", "verdict": "corrected", "why": "a"}, "needs was"),
    ({"kind": "hardware", "verdict": "corrected", "was": "a", "why": "b"}, "needs source"),
    ({"kind": "derived", "verdict": "not measured here"}, "only what is measurable"),
    ({"kind": "measurable", "verdict": "not measured here", **VALUE}, "has a value"),
    ({"kind": "given", "verdict": "stated by the centre"}, "names no cluster fact"),
    ({"kind": "policy", "verdict": "stated by the centre"}, "names no cluster fact"),
    ({"kind": "policy", "verdict": "stated by the centre", "cluster": "login.host"}, "not say"),
    ({"kind": "given", "verdict": "retired"}, "needs why"),
    ({"kind": "given", "was": "a"}, "not why it changed"),
]


@pytest.mark.parametrize("fields", FOUNDED)
def test_a_verdict_that_follows_has_no_fault(fields: dict[str, object]) -> None:
    assert verdicts.faults(a_claim(**fields), CLUSTER, []) == []


@pytest.mark.parametrize(("fields", "fault"), UNFOUNDED)
def test_a_verdict_that_does_not_follow_says_what_is_lacking(
    fields: dict[str, object], fault: str
) -> None:
    if fields.get("cluster") == "gpu.a100.power_w":
        with pytest.raises(InputError, match=r"no fact 'gpu\.a100\.power_w'"):
            verdicts.faults(a_claim(**fields), CLUSTER, [])
    else:
        found = verdicts.faults(a_claim(**fields), CLUSTER, [])
        assert any(fault in what for what in found), found


def test_every_verdict_and_kind_has_its_rule() -> None:
    assert tuple(verdicts.RULES) == claims.VERDICTS
    assert set(verdicts.EVIDENCE) | {"policy", "judgement"} == set(claims.KINDS)


def a_record(cluster_name: str) -> record.Record:
    where = {
        "cluster": cluster_name,
        "partition": "gpu",
        "node": 1,
        "cpu_model": "AMD EPYC",
        "cpus": 8,
        "gpu_type": "a100",
        "gpu_model": "NVIDIA A100 80GB PCIe",
        "gpu_count": 1,
        "driver": "550.54",
        "cuda": "12.4",
        "power_limit_w": 300,
        "python": "3.11.7",
        "packages": {},
        "commit": "0123abc",
        "dirty": False,
        "sources": "0" * 64,
        "command": "mlhpc bench run small",
        "variables": {},
    }
    document: dict[str, object] = {
        "schema": 1,
        "benchmark": "small",
        "params": {},
        "unit": "×",
        "samples": [2.0],
        "started": "2026-05-01T12:00:00+00:00",
        "provenance": where,
        "unknown": {},
        "notes": [],
    }
    document["checksum"] = record.checksum(document)
    return record.parse(copy.deepcopy(document), "here")


def test_a_record_of_the_cluster_supports_a_claim_and_ends_its_being_unmeasured() -> None:
    which = {"benchmark": "small", "gpu": "a100"}
    here, elsewhere = a_record(CLUSTER.key), a_record("another")
    holds = a_claim(kind="measurable", record=which)
    assert verdicts.faults(holds, CLUSTER, [here]) == []
    assert verdicts.faults(holds, CLUSTER, [elsewhere]) != []
    unmeasured = a_claim(kind="measurable", verdict="not measured here", record=which)
    assert verdicts.faults(unmeasured, CLUSTER, [elsewhere]) == []
    assert "was measured: see the record small-" in verdicts.faults(unmeasured, CLUSTER, [here])[0]


# ---- the real ledger


def test_all_statements_of_the_first_edition_are_settled() -> None:
    assert len(verify.ROWS) == 129
    assert (verify.ROWS[0], verify.ROWS[69], verify.ROWS[70], verify.ROWS[-1]) == (
        "W01",
        "W70",
        "Y01",
        "Y59",
    )
    assert list(verify.uncovered_rows(REAL)) == []


def test_every_verdict_of_the_ledger_follows_from_its_evidence() -> None:
    records = record.load_all(LESSON.measurements)
    assert list(verify.unfounded_verdicts(REAL, CLUSTER, records)) == []


def test_every_computed_value_fits_what_is_printed() -> None:
    computed = [claim for claim in REAL.values() if claim.check]
    assert len(computed) > 50
    assert list(verify.wrong_values(REAL, derive.Facts(REAL, CLUSTER), CLUSTER)) == []


def test_every_derivation_is_asked_for() -> None:
    assert list(verify.idle_derivations(REAL)) == []


def test_every_text_of_the_ledger_is_a_sentence_with_its_figures_filled_in() -> None:
    assert len(REAL) > 200
    for claim in REAL.values():
        assert claim.text[0].isupper() or claim.text[0].isdigit(), claim.id
        assert claim.text[-1] == ".", claim.id
        assert not set("{}") & set(claim.text + claim.why + claim.condition), claim.id


def test_a_public_source_says_where_and_when_it_was_looked_up() -> None:
    sourced = [claim for claim in REAL.values() if claim.source]
    assert len(sourced) > 50
    assert all(claim.checked for claim in sourced)


# ---- what the check finds


def changed(old: str, new: str) -> str:
    text = LESSON.claims.read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    return text.replace(old, new)


def problems(folder: Path, text: str, page: str = "") -> list[str]:
    lesson = lesson_with(folder, {"01-a.md": page}, text)
    return [str(found) for found in claims.check(lesson, CLUSTER) if found.kind != "unused"]


def test_a_value_that_no_longer_fits_is_found(tmp_path: Path) -> None:
    old = 'value = 42\nunit = "days"\ncheck = "grid_serial_days"'
    text = changed(old, old.replace("42", "43"))
    assert problems(tmp_path, text) == [
        "grid-serial: prints 43 days, but grid_serial_days computes 41.6667"
    ]


def test_an_input_that_changed_is_found_in_all_that_is_computed_from_it(tmp_path: Path) -> None:
    old = "[claim.grid-hours-each]"
    text = changed(old, old).replace('value = 10\nunit = "hours"', 'value = 20\nunit = "hours"')
    found = [line.split(":")[0] for line in problems(tmp_path, text)]
    assert {"grid-total", "grid-serial", "grid-four-gpus-same-speed", "bayes-serial"} <= set(found)


def test_a_range_whose_end_no_longer_fits_is_found(tmp_path: Path) -> None:
    old = "low = 3.9\nhigh = 5.3"
    assert (
        "resnet50-4-a100-hours: prints 3.9–5.4 hours"
        in problems(tmp_path, changed(old, "low = 3.9\nhigh = 5.4"))[0]
    )


def test_a_cluster_fact_that_no_longer_fits_its_derivation_is_found(tmp_path: Path) -> None:
    text = changed('value = 64\nunit = "CUDA cores"', 'value = 128\nunit = "CUDA cores"')
    assert problems(tmp_path, text) == [
        "a100-cuda-cores: prints 6,912, but a100_cuda_cores computes 13824"
    ]


def test_a_statement_that_nothing_settles_is_found(tmp_path: Path) -> None:
    text = changed('rows = ["Y59", "W34"]', 'rows = ["Y59", "W99"]')
    assert problems(tmp_path, text) == [
        "W34: no claim settles this statement",
        "evaluate-first: rows: W99 is no statement; W01-W70, Y01-Y59",
    ]


def test_a_page_that_names_an_unknown_claim_is_found_with_its_line(tmp_path: Path) -> None:
    text = LESSON.claims.read_text(encoding="utf-8")
    found = problems(tmp_path, text, '# A\n\n{{ claim("grid-serail") }}\n')
    assert len(found) == 1
    assert found[0].startswith("01-a.md:3: no claim 'grid-serail'; valid choices: grid-serial")


def test_a_check_that_is_no_derivation_is_bad_input(tmp_path: Path) -> None:
    text = changed('check = "grid_serial_days"', 'check = "grid_serial_day"')
    with pytest.raises(
        InputError, match="'grid_serial_day': no such derivation; valid choices: grid_serial_days"
    ):
        problems(tmp_path, text)


def unused_ids(folder: Path, page: str) -> set[str]:
    lesson = lesson_with(folder, {"a.md": page}, LESSON.claims.read_text(encoding="utf-8"))
    return {found.where for found in claims.check(lesson, CLUSTER) if found.kind == "unused"}


def test_a_claim_is_used_by_name_as_an_input_or_as_the_fact_that_a_page_prints(
    tmp_path: Path,
) -> None:
    nothing = unused_ids(tmp_path, "")
    assert nothing == {claim.id for claim in REAL.values() if claim.verdict != "retired"}
    page = '{{ claim("grid-serial") }} {{ gpu("a100").count }}'
    used = nothing - unused_ids(tmp_path, page)
    inputs = {"grid-total", "grid-combinations", "grid-hours-each"}
    assert used == {"grid-serial", "sagehen-a100-count"} | inputs


# ---- the command


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["claims", *arguments])
    return code, capsys.readouterr().out


def test_the_command_lists_every_claim(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run(capsys)
    lines = out.splitlines()
    assert code == 0
    assert len(lines) == len(REAL) + 1
    assert any(line.split()[:4] == ["grid-serial", "42", "days", "holds"] for line in lines)
    assert any(line.split()[:3] == ["sagehen-a100-memory", "80", "GB"] for line in lines)


def test_a_lesson_without_pages_cannot_be_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "claims.toml").write_bytes(content.find().claims.read_bytes())
    assert main(["claims", "check", "--lesson", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"mlhpc: claims check: no page in {tmp_path}; run it")


def test_the_command_gives_programs_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run(capsys, "--json")
    document = json.loads(out)
    found = {claim["id"]: claim for claim in document["claims"]}
    assert (code, document["schema"], len(found)) == (0, 1, len(REAL))
    assert found["grid-serial"]["value"] == 42
    assert found["resnet50-4-a100-hours"]["high"] == 5.3


def test_the_check_prints_a_line_a_problem_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lesson_with(tmp_path, {"a.md": '{{ claim("runs") }}'})
    code, out = run(capsys, "check", "--lesson", str(tmp_path))
    lines = out.splitlines()
    assert code == 1
    assert "W01: no claim settles this statement" in lines
    assert "hours: no page uses it; use it, or retire it with a reason" in lines
    assert not any(line.startswith("runs:") for line in lines)
    assert lines[-1] == (
        f"{len(lines) - 1} problems in 2 claims: 2 holds, 0 holds if, 0 corrected, "
        "0 not measured here, 0 stated by the centre, 0 judgement, 0 retired"
    )


def test_the_check_passes_where_all_holds_and_counts_by_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = ", ".join(f'"{claim_id}"' for claim_id in REAL)
    lesson_with(tmp_path, {"a.md": f"{{{{ see({ids}) }}}}"}, LESSON.claims.read_text())
    code, out = run(capsys, "check", "--lesson", str(tmp_path))
    assert (code, len(out.splitlines())) == (0, 1), out
    assert out.startswith(f"{len(REAL)} claims: ")
    code, out = run(capsys, "check", "--lesson", str(tmp_path), "--json")
    document = json.loads(out)
    assert (code, document["ok"], document["problems"]) == (0, True, [])
    assert sum(document["counts"].values()) == len(REAL)


def test_a_broken_ledger_is_one_line_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "claims.toml").write_text("schema = 1\n[claim.a")
    assert main(["claims", "check", "--lesson", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert err.startswith("mlhpc: claims.toml: not valid TOML: ")
