"""The benchmark compares like with like, and fails where a bound is missed."""

import importlib
import io
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import docutils.core
import pytest

HERE = Path(__file__).resolve().parent / "bench"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that imports a module of the benchmark."""
    monkeypatch.syspath_prepend(str(HERE))
    return importlib.import_module


PAGE = """
<article><h1>A title</h1><p>Some <code>code</code>, <strong>bold</strong> and 2*3_.</p>
<h3>Below</h3><ul><li>one</li><li>two</li></ul>
<div class="admonition note"><p class="admonition-title">Mind</p><p>the gap</p></div>
<div class="language-bash highlight"><pre><span></span><code>echo "<span>hi</span>"
</code></pre></div>
<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td></td></tr></tbody></table>
<script>ignored()</script></article><footer>left out</footer>
"""


def test_a_built_page_keeps_its_content_as_restructuredtext(bench: Any) -> None:
    text = bench("restructured").convert(PAGE)
    warnings = io.StringIO()
    settings = {"warning_stream": warnings, "syntax_highlight": "none"}
    html = docutils.core.publish_string(text, writer="html5", settings_overrides=settings).decode()
    assert warnings.getvalue() == ""
    for kept in ("A title", "<strong>bold</strong>", "2*3_", "<li><p>two</p>", "the gap"):
        assert kept in html
    assert ".. code-block:: bash" in text and 'echo "hi"' in text
    assert "<td><p>1</p></td>" in html
    assert "ignored" not in html and "left out" not in html


def test_a_probe_leaves_a_cell_as_it_was(bench: Any) -> None:
    script, corpus = bench("mlhpc.lesson.gallery.script"), bench("corpus")
    source = 'x = "é" * 2\nprint(x); (x +\n  "!")'
    lines = ["", "# %%", *source.splitlines()]
    corpus._probe(script.Cell("code", source, 3), lines)
    assert lines[:3] == ["", "# %%", "import probe; probe.begin()"]
    assert lines[4:] == ["print(x); probe.end((x +", '  "!"))']
    lines = ["# %%", "x = 1"]
    corpus._probe(script.Cell("code", "x = 1", 2), lines)
    assert lines == ["# %%", "import probe; probe.begin()", "x = 1", "probe.end()"]


@pytest.mark.parametrize(("ratio", "code"), [(0.4, 0), (0.6, 1)])
def test_a_missed_bound_is_an_error_and_the_figures_are_one_line(
    bench: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ratio: float,
    code: int,
) -> None:
    main = bench("tests.bench.__main__")
    found = {
        name: {what: 0.0 for other, what in main.BOUNDS if other == name} for name, _ in main.BOUNDS
    }
    found["gallery"]["added_cpu_ratio"] = ratio
    for name, figures in found.items():
        module = ModuleType(f"bench_{name}")
        module.measure = lambda _, figures=figures: figures  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, f"bench_{name}", module)
    assert main.main(["1"]) == code
    shown = capsys.readouterr()
    assert shown.out.count("\n") == 1 and json.loads(shown.out) == found
    assert ("MISSED" in shown.err) == bool(code)
