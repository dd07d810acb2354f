"""Runnable cells of a page: a file of code/cells, with the output that it has here and now.

A cell runs in the page on the core and the standard library alone; so it does here, in a process
that finds nothing else. A cell that fails, fails the build.
"""

import subprocess
import sys
from pathlib import Path

import mlhpc
from mlhpc.errors import InputError, ToolError

FOLDER = Path(mlhpc.__file__).resolve().parent.parent / "cells"
LIMIT_S = 30
START = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    " exec(compile(sys.stdin.read(), '<cell>', 'exec'), {'__name__': '__main__'})"
)


def cell(name: str, folder: Path = FOLDER) -> str:
    """A cell and its output, as Markdown. Raises InputError for an unknown one."""
    path = folder / f"{name}.py"
    if not path.is_file():
        valid = ", ".join(sorted(one.stem for one in folder.glob("*.py")))
        raise InputError(f"cell: no '{name}'; valid: {valid}")
    code = path.read_text(encoding="utf-8").strip("\n")
    return (
        f'<div class="cell no-figures" id="cell-{name}" markdown>\n\n```python\n{code}\n```\n\n'
        f'<div class="cell__output" markdown>\n\n```output\n{output(code).rstrip()}\n```\n\n'
        "</div>\n\n</div>\n"
    )


def output(code: str, limit_s: float = LIMIT_S) -> str:
    """What a cell prints, with nothing but the core at hand. Raises ToolError where it fails."""
    core = str(Path(mlhpc.__file__).resolve().parent.parent)
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", START, core], input=code, capture_output=True,
            text=True, timeout=limit_s, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ToolError(f"cell: not done after {limit_s:g} s") from None
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or ["it failed without a word"]
        raise ToolError(f"cell: {words[-1]}")
    return done.stdout
