"""Executed examples inside a page: one cell with its output, its figures and its machine."""

import html
from typing import Any

from mlhpc.content import Lesson
from mlhpc.errors import InputError
from mlhpc.lesson import gallery
from mlhpc.lesson.gallery import page

VISIBLE_LINES = 15
FOLDER = "/gallery/"


def load(lesson: Lesson) -> dict[str, Any]:
    """The results of the executed examples; InputError where they are missing or stale."""
    return dict(gallery.load_results(lesson.root))


def embed(result: dict[str, Any], name: str, cell: int, figure: int | None = None) -> str:
    """Markdown for the code of one cell and its result; below it the result of the cell ``figure``.

    Raises InputError for a cell that is not there or is too long to be read in a lesson.
    """
    code = _code(_cell(result, name, cell)["source"], f"{name} cell {cell}")
    machine = html.escape(page.machine_line(result["machine"], result["started"]))
    link = f"[The whole example: {result['title']}]({FOLDER}{name}.md)"
    outcomes = (_outcome(_cell(result, name, number)) for number in (cell, figure) if number)
    parts = [code, *outcomes, f'<p class="example__machine">{machine}</p>', link]
    body = "\n\n".join(part for part in parts if part)
    return f"{page.EXAMPLE}\n\n{body}\n\n</div>"


def shown(value: float | str, unit: str) -> str:
    """A measured value to three significant digits with its unit."""
    if isinstance(value, str):
        number = value
    else:
        number = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{number}{unit}" if unit in ("×", "%") else f"{number} {unit}".strip()


def _cell(result: dict[str, Any], name: str, cell: int) -> dict[str, Any]:
    code = [part for part in result["cells"] if part["kind"] == "code"]
    if not 1 <= cell <= len(code):
        raise InputError(f"example: {name} has no code cell {cell}; valid: 1 to {len(code)}")
    return dict(code[cell - 1])


def _outcome(cell: dict[str, Any]) -> str:
    """What a cell gave, without its code and without the frame of a cell."""
    framed = page.cell_markdown({**cell, "source": ""}, FOLDER)
    return framed.removeprefix(page.EXAMPLE).removesuffix("</div>").strip()


def _code(source: str, where: str) -> str:
    count = len(source.strip().splitlines())
    if count > VISIBLE_LINES:
        raise InputError(f"example: {where} has {count} lines; at most {VISIBLE_LINES}")
    return page.fence(source.strip(), "python")
