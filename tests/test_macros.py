"""What a page may call: the figure that is printed, its tie to a receipt, and bad calls."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.test_collect import NO_GPU
from tests.test_record import signed

from mlhpc import content
from mlhpc.errors import InputError
from mlhpc.lesson import examples, receipts
from mlhpc.lesson.macros import Pages, find_call
from mlhpc.lesson.marks import MARK, plain

CLAIMS = """
schema = 1
[claim.grid-serial]
text = "A grid, one run after another, takes this long."
kind = "given"
verdict = "holds"
value = 42
unit = "days"
[claim.home-quota]
text = "Home holds this much."
kind = "policy"
verdict = "stated by the centre"
cluster = "storage.rhome.quota_gb"
[claim.seen-elsewhere]
text = "Seen elsewhere at this rate."
kind = "measurable"
verdict = "not measured here"
value = 9
unit = "images/s"
machine = "a <desktop> CPU"
source = "a page"
checked = 2026-12-01
[claim.words-only]
text = "A judgement."
kind = "judgement"
verdict = "judgement"
[claim.changed]
text = "It is so."
kind = "judgement"
verdict = "corrected"
was = "It was <b>otherwise</b>."
why = "Somebody looked."
"""

RESULT = {
    "title": "A title",
    "summary": "One sentence.",
    "hash": "0123456789abcdef0123",
    "started": "2026-12-01T10:00:00+00:00",
    "machine": {"text": "2 cores of a CPU"},
    "values": {"speedup": [1.846, "×"], "rows": [12345.0, "rows"], "place": ["login", ""]},
    "cells": [
        {"kind": "markdown", "source": "Text."},
        {"kind": "code", "source": "x = 1", "stdout": "one\n", "html": "", "text": "",
         "figures": []},
        {
            "kind": "code",
            "source": "\n".join(f"y = {n}" for n in range(16)),
            "stdout": "done\n",
            "html": "<table></table>",
            "text": "",
            "figures": [
                {"light": "f-1-light.svg", "dark": "f-1-dark.svg", "alt": "A line [1] that rises.",
                 "width": 640, "height": 400},
            ],
        },
    ],
}  # fmt: skip


@pytest.fixture
def lesson(tmp_path: Path) -> content.Lesson:
    (tmp_path / "claims.toml").write_text(CLAIMS)
    (tmp_path / "measurements").mkdir()
    (tmp_path / "page.md").write_text(
        '{{ claim("grid-serial") }} {{ partition("short").max_time_h }}'
    )
    return content.Lesson(tmp_path)


@pytest.fixture
def pages(lesson: content.Lesson) -> Pages:
    made = Pages(lesson)
    made.__dict__["results"] = {"plot_x": RESULT}
    return made


def refs(text: str) -> list[tuple[str, str]]:
    return [(match["kind"], match["ref"]) for match in MARK.finditer(text)]


def test_a_claim_prints_its_value_with_its_unit_and_its_tie(pages: Pages) -> None:
    assert plain(pages.claim("grid-serial")) == "42 days"
    assert plain(pages.claim("grid-serial", "bare")) == "42"
    assert refs(pages.claim("grid-serial")) == [("claim", "claim:grid-serial")]


def test_a_claim_that_is_a_fact_prints_the_fact(pages: Pages) -> None:
    assert plain(pages.claim("home-quota")) == "100 GB"
    assert plain(pages.claim("home-quota", "bare")) == "100"


def test_a_claim_of_words_cannot_be_printed_but_can_be_tied(pages: Pages) -> None:
    with pytest.raises(InputError, match="'words-only' has no value to print; tie it with see"):
        pages.claim("words-only")
    assert plain(pages.see("words-only", "grid-serial")) == ""
    assert len(refs(pages.see("words-only", "grid-serial"))) == 2


def test_a_fact_that_nobody_told_is_to_be_asked_for(pages: Pages) -> None:
    assert plain(pages.partition("short").max_time_h) == "ask the centre"
    assert plain(pages.gpu("a100").memory_gb) == "80 GB"
    assert plain(pages.fact("gpu.total")) == "10"
    assert plain(pages.storage("rhome").quota_gb) == "100 GB"


def test_an_unknown_name_gets_the_valid_ones(pages: Pages) -> None:
    with pytest.raises(InputError, match="no gpu 'h100'; valid: a100, l40s, rtxpro6000"):
        pages.gpu("h100")
    with pytest.raises(InputError, match="no claim 'grid-seriel'; valid choices: grid-serial"):
        pages.claim("grid-seriel")
    with pytest.raises(InputError, match="no 'plot_y'; valid: plot_x"):
        pages.example("plot_y", 1)
    with pytest.raises(InputError, match="left no 'nothing'; valid: speedup, rows, place"):
        pages.result("plot_x", "nothing")
    with pytest.raises(InputError, match=r"no 'none\.txt' under tests/recorded"):
        pages.recorded("none.txt")


def test_nothing_measured_is_said_and_tied_to_nothing(pages: Pages) -> None:
    assert "not measured here" in pages.measured("resnet", gpu="a100")
    assert refs(pages.measured("resnet", gpu="a100")) == []


def test_a_cell_shows_the_claim_with_its_machine_until_there_is_a_record(
    lesson: content.Lesson,
) -> None:
    before = Pages(lesson).evidence("seen-elsewhere", "ResNet-50", gpu="a100")
    assert plain(before).startswith("9 images/s<br>")
    assert "a &lt;desktop&gt; CPU" in before
    (lesson.measurements / "r.json").write_text(json.dumps(signed()))
    alone = Pages(lesson).evidence("seen-elsewhere", "ResNet-50", gpu="a100")
    assert plain(alone).startswith("9 images/s<br>"), "a speed-up needs its baseline"
    base = signed(**NO_GPU, samples=[10.0, 8.0, 9.0])
    (lesson.measurements / "b.json").write_text(json.dumps(base))
    after = Pages(lesson).evidence("seen-elsewhere", "ResNet-50", gpu="a100")
    assert plain(after).startswith("11.6×<br>")
    assert "over 8 cores of AMD EPYC" in after
    assert [kind for kind, _ in refs(after)] == ["record", "record"]
    others = [("ResNet-50", "l40s", 1), ("ResNet-50", "a100", 4), ("BERT-base", "a100", 1)]
    for workload, gpu, gpus in others:
        shown = Pages(lesson).evidence("seen-elsewhere", workload, gpu=gpu, gpus=gpus)
        assert plain(shown).startswith("9 images/s<br>"), (workload, gpu, gpus)


def test_a_cell_without_value_is_not_measured_once(pages: Pages) -> None:
    assert pages.evidence("words-only", "ResNet-50", "a100").count("not measured here") == 1


def test_a_record_of_another_machine_never_stands_in_a_cell(lesson: content.Lesson) -> None:
    other = signed(
        cluster="elsewhere",
        gpu_type=None,
        gpu_model="NVIDIA H200",
        unknown={"cpu_model": "not said", "gpu_type": "no type of this cluster"},
    )
    (lesson.measurements / "r.json").write_text(json.dumps(other))
    pages = Pages(lesson)
    shown = pages.evidence("seen-elsewhere", "ResNet-50", gpu="a100")
    assert plain(shown).startswith("9 images/s")
    named = plain(pages.measured("resnet", cluster="elsewhere"))
    assert named == "104 images/s (1 × NVIDIA H200, elsewhere)"


@pytest.mark.parametrize(
    ("key", "text"), [("speedup", "1.85×"), ("rows", "12,345 rows"), ("place", "login")]
)
def test_a_result_is_printed_to_three_digits(pages: Pages, key: str, text: str) -> None:
    assert plain(pages.result("plot_x", key)) == text


def test_an_example_shows_code_result_figure_twice_and_machine(pages: Pages) -> None:
    shown = pages.example("plot_x", 1, figure=2)
    assert "```python\nx = 1\n```" in shown
    assert "y = 0" not in shown
    assert shown.index("```text\none\n```") < shown.index("```text\ndone\n```")
    assert "(/gallery/f-1-light.svg#only-light)" in shown
    assert "(/gallery/f-1-dark.svg#only-dark)" in shown
    assert r"A line \[1\] that rises." in shown
    assert "Run on 2 cores of a CPU (2026-12-01)." in shown
    assert "[The whole example: A title](/gallery/plot_x.md)" in shown
    assert shown.count("<div") - shown.count("</div>") == 0


def test_a_cell_that_is_too_long_for_a_lesson_is_refused(pages: Pages) -> None:
    with pytest.raises(InputError, match="plot_x cell 2 has 16 lines; at most 15"):
        pages.example("plot_x", 2)
    with pytest.raises(InputError, match=r"plot_x has no code cell 3; valid: 1 to 2"):
        pages.example("plot_x", 3)
    assert examples.VISIBLE_LINES == 15


def test_history_says_what_was_what_is_and_why_and_runs_nothing(pages: Pages) -> None:
    shown = plain(pages.history("changed"))
    assert "<q>It was &lt;b&gt;otherwise&lt;/b&gt;.</q>" in shown
    assert "**It is so.** Somebody looked." in shown


def test_the_receipts_have_an_article_for_all_that_a_page_can_tie(pages: Pages) -> None:
    page = pages.receipts()
    for anchor in ("claim-grid-serial", "claim-words-only", "fact-gpu-a100-memory-gb",
                   "fact-partition-short-max-time-h", "example-plot-x"):  # fmt: skip
        assert page.count(f'id="{anchor}"') == 1, anchor
    assert "fact-partition-amd-cpu-model" not in page
    assert "It was &lt;b&gt;otherwise&lt;/b&gt;." in page


def test_the_receipt_of_a_computed_claim_says_how_and_from_what() -> None:
    article = re.search(r'<article[^>]* id="claim-imagenet-size".*?</article>', whole().receipts())
    assert article
    assert '<p class="till__value">155 GB</p>' in article[0]
    assert "Bytes of both archives, in decimal GB. [imagenet_size_gb]" in article[0]
    assert "147,897,477,120 bytes (imagenet-train-bytes)" in article[0]


def whole() -> Pages:
    """The macros over the lesson itself, without its examples."""
    made = Pages(content.find())
    made.__dict__["results"] = {}
    return made


def test_the_receipt_of_a_record_says_how_to_reproduce_it(lesson: content.Lesson) -> None:
    (lesson.measurements / "r.json").write_text(json.dumps(signed()))
    article = receipts.record_article(Pages(lesson).records[0])
    assert "1 × NVIDIA A100 80GB PCIe, sagehen" in article
    assert "3, spread 9.6%" in article
    assert "mlhpc bench run resnet --preset publish" in article


def test_the_line_of_a_call_is_found_among_others() -> None:
    text = '{{ claim("a") }}\n{{ claim("b") }} {{ claim(\'c\') }}\n{{ see("a", "d") }}\n'
    assert find_call(text, "claim", ("b",)) == 2
    assert find_call(text, "claim", ("c",)) == 2
    assert find_call(text, "see", ("a", "d")) == 3
    assert find_call(text, "receipts", ()) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ('{{ claim("nonsense") }}', "page.md:3: claims.toml: no claim 'nonsense'"),
        ('{{ gpu("h100").memory_gb }}', "page.md:3: cluster: no gpu 'h100'"),
        ('{{ gpu("a100").memory_tb }}', "page.md:3: "),
        ('{{ measured("resnet", gpu="a100") }}', "page.md:3: record: 'resnet' is ambiguous"),
    ],
)
def test_a_bad_call_ends_the_build_with_page_and_line(
    lesson: content.Lesson, tmp_path_factory: pytest.TempPathFactory, call: str, message: str
) -> None:
    for name, precision in (("a", "amp"), ("b", "tf32")):
        record = signed(params={"precision": precision})
        (lesson.measurements / f"{name}.json").write_text(json.dumps(record))
    (lesson.root / "page.md").write_text(f"# Title\n\nA line with {call} in it.\n")
    project = tmp_path_factory.mktemp("project")
    (project / "mkdocs.yml").write_text(
        f"site_name: x\ndocs_dir: {lesson.root}\n"
        "plugins: [{macros: {modules: [mlhpc.lesson.macros], on_error_fail: true}}]\n"
        "markdown_extensions: [mlhpc.lesson.marks]\n"
    )
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert f"mlhpc: {message}" in done.stderr
    assert "Traceback" not in done.stderr
