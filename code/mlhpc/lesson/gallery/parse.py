"""Example files to Scripts. sphinx-gallery's parser cuts them; what it takes by chance is refused.

Its import costs more than all the rest of an unchanged build, so the cuts are kept by the bytes
of the file that they were made from.
"""

import ast
import hashlib
import json
from pathlib import Path

from mlhpc import content
from mlhpc.errors import InputError
from mlhpc.lesson.gallery.project import Project
from mlhpc.lesson.gallery.script import Cell, Script, read_docstring

Block = tuple[str, str, int]  # "text" or "code", content, first line


def read_all(project: Project) -> list[Script]:
    """Every example of the project. Raises InputError, with file and line, for a malformed one."""
    known = _load(project)
    cuts: dict[str, list[Block]] = {}
    scripts = []
    for path in project.scripts():
        text = _text(path, project.shown(path))
        key = hashlib.sha256(text.encode()).hexdigest()
        cuts[key] = known[key] if key in known else _cut(path, text, project.shown(path))
        scripts.append(_script(path, text, cuts[key], project.shown(path)))
    content.write_atomic(_cuts_file(project), json.dumps(cuts, ensure_ascii=False))
    return scripts


def _text(path: Path, place: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{place}: not UTF-8 text at byte {error.start}") from None


def _cuts_file(project: Project) -> Path:
    return project.cache / "cuts.json"


def _load(project: Project) -> dict[str, list[Block]]:
    """The cuts of an earlier run; none where the file is not there or not whole."""
    try:
        loaded = json.loads(_cuts_file(project).read_text(encoding="utf-8"))
        return {key: [(str(k), str(c), int(n)) for k, c, n in cut] for key, cut in loaded.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def _cut(path: Path, text: str, place: str) -> list[Block]:
    """The blocks of a script whose syntax is right and that starts with a docstring."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise InputError(f"{place}:{error.lineno}: {error.msg}") from None
    if ast.get_docstring(tree) is None or tree.body[0].lineno != 1:
        raise InputError(f"{place}:1: the docstring must come first: title, ====, one sentence")
    from sphinx_gallery.py_source_parser import split_code_and_text_blocks

    _, blocks = split_code_and_text_blocks(path)
    return [(str(kind), str(content), int(line)) for kind, content, line in blocks]


def _script(path: Path, text: str, blocks: list[Block], place: str) -> Script:
    title, summary, needs = read_docstring(blocks[0][1], place)
    lines = text.splitlines()
    _check_headers(lines, place)
    for block in blocks[1:]:
        _check_place(block, lines, place)
    cells = tuple(_cell(*block, place) for block in blocks[1:])
    if not any(cell.kind == "code" for cell in cells):
        raise InputError(f"{place}:{len(lines)}: no code cell: start one with '# %%'")
    return Script(path, title, summary, needs, cells)


def _header(line: str) -> str | None:
    """The kind of cell that this line opens, or None."""
    if not line.startswith(("# %%", "#%%")):
        return None
    return "text" if "[markdown]" in line else "code"


def _check_headers(lines: list[str], place: str) -> None:
    """Refuse an empty text cell, and comments that the parser would take for something else."""
    for number, line in enumerate(lines, 1):
        if _header(line) and number > 1 and lines[number - 2].startswith("#"):
            raise InputError(f"{place}:{number}: leave a line empty before a cell's '# %%'")
        following = lines[number] if number < len(lines) else ""
        if _header(line) == "text" and not following.startswith("#"):
            raise InputError(f"{place}:{number}: an empty text cell: its lines start with '# '")
        if _header(line) == "code" and following.startswith("#"):
            raise InputError(
                f"{place}:{number + 1}: a comment right after '# %%' would become the page's text: "
                "leave a line empty before it, or open the cell with '# %% [markdown]'"
            )


def _check_place(block: Block, lines: list[str], place: str) -> None:
    """Refuse code that no '# %%' opened: notebook tools would read it as text."""
    kind, text, line = block
    if _header(lines[line - 2]) != kind:
        first = line + _blank_lines(text)
        raise InputError(f"{place}:{first}: {kind} outside a cell: open one with '# %%'")


def _blank_lines(text: str) -> int:
    return len(text) - len(text.lstrip("\n"))


def _cell(kind: str, text: str, line: int, place: str) -> Cell:
    cell = Cell(
        "code" if kind == "code" else "markdown", text.strip("\n"), line + _blank_lines(text)
    )
    if cell.kind == "code":
        try:
            ast.parse(cell.padded())
        except SyntaxError as error:
            raise InputError(f"{place}:{error.lineno}: a cell must be whole: {error.msg}") from None
    return cell
