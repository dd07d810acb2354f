"""Cells of a page: they run on the core alone, and their recorded output is what they print."""

from pathlib import Path

import pytest

from mlhpc.errors import InputError, ToolError
from mlhpc.lesson import cells

CELLS = sorted(path.stem for path in cells.FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_runs_on_the_core_alone_and_prints_something(name: str) -> None:
    text = cells.cell(name)
    assert "```python" in text
    printed = cells.output((cells.FOLDER / f"{name}.py").read_text())
    assert printed.strip()
    assert printed.strip() in text


def test_there_are_cells_and_each_stands_on_a_page() -> None:
    pages = "".join(
        path.read_text() for path in Path(cells.FOLDER.parent.parent / "episodes").glob("*.md")
    )
    assert len(CELLS) >= 3
    for name in CELLS:
        assert f'cell("{name}")' in pages, name


def test_a_cell_that_needs_more_than_the_core_fails_the_build() -> None:
    with pytest.raises(ToolError, match="No module named 'numpy'"):
        cells.output("import numpy")
    with pytest.raises(ToolError, match="ZeroDivisionError"):
        cells.output("1 / 0")
    with pytest.raises(ToolError, match=r"not done after 0\.5 s"):
        cells.output("while True: pass", limit_s=0.5)


def test_an_unknown_cell_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="no 'nothing'; valid: memory, plan, sweep"):
        cells.cell("nothing")
