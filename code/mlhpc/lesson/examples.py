"""Executed examples inside a page: one cell with its output, its figures and its machine."""

import html
from typing import Any

from mlhpc.content import Lesson
from mlhpc.errors import InputError

VISIBLE_LINES = 15


def load(lesson: Lesson) -> dict[str, Any]:
    """The results of the executed examples; InputError where they are missing or stale."""
    from mlhpc.lesson import gallery

    return dict(gallery.load_results(lesson.root))


def embed(result: dict[str, Any], name: str, cell: int) -> str:
    """Markdown for one code cell: code, output, figures light and dark, machine, link.

    Raises InputError for a cell that is not there or is too long to be read in a lesson.
    """
    found = _cell(result, name, cell)
    lines = found["source"].strip().splitlines()
    if len(lines) > VISIBLE_LINES:
        count = len(lines)
        raise InputError(f"example: {name} cell {cell} has {count} lines; at most {VISIBLE_LINES}")
    parts = [_code(lines), _output(found), *(_figure(figure) for figure in found["figures"])]
    parts += [_machine(result), f"[The whole example: {result['title']}](/gallery/{name}.ipynb)"]
    body = "\n\n".join(part for part in parts if part)
    return f'<div class="example" markdown="1">\n\n{body}\n\n</div>'


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


def _code(lines: list[str]) -> str:
    return "\n".join(["```python", *lines, "```"])


def _output(cell: dict[str, Any]) -> str:
    parts = [_text(cell["stdout"]), _table(cell["html"]) if cell["html"] else _text(cell["text"])]
    return "\n\n".join(part for part in parts if part)


def _text(text: str | None) -> str:
    return f"```text\n{text.rstrip()}\n```" if text and text.strip() else ""


def _table(table: str) -> str:
    # a table that scrolls must be reachable from the keyboard
    frame = '<div class="example__table" tabindex="0" role="group" aria-label="Output table">'
    return f"{frame}{table}</div>"


def _figure(figure: dict[str, Any]) -> str:
    alt = html.escape(figure["alt"], quote=True)
    size = f'width="{figure["width"]}" height="{figure["height"]}" loading="lazy"'
    return "\n".join(
        f"![{alt}](/gallery/{figure[theme]}#only-{theme}){{ {size} }}"
        for theme in ("light", "dark")
    )


def _machine(result: dict[str, Any]) -> str:
    text = f"Run on {result['machine']['text']}, {result['started'][:10]}."
    return f'<p class="example__machine">{html.escape(text)}</p>'
