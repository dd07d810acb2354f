"""Runs the cells of one script in this process, as if it were the main program."""

import ast
import re
import sys
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mlhpc.lesson.gallery import show
from mlhpc.lesson.gallery.outcome import Failure, Output
from mlhpc.lesson.gallery.script import Cell, Script

Read = Callable[[], tuple[str, str]]  # what was written to stdout and stderr since the last call


class StoppedError(Exception):
    """A cell failed; carries the Failure."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def execute(
    script: Script, place: str, read: Read, say: Callable[[int], None]
) -> tuple[list[Output], dict[str, Any]]:
    """The outputs of all code cells and the script's named values.

    ``place`` is the script's name for people; ``say`` is told the first line of each cell before
    it runs. Raises StoppedError at the first cell that fails or shows what no page can hold.
    """
    namespace = _main_module(script.path)
    outputs = []
    for cell in script.code():
        say(cell.line)
        try:
            outputs.append(_run(cell, script.path, namespace, read))
        except BaseException as error:
            raise StoppedError(_failure(error, cell, script, place, read)) from error
    last = script.code()[-1]
    try:
        values = show.named_values(namespace)
    except (show.UnfitError, TypeError, ValueError) as error:
        raise StoppedError(_failure(error, last, script, place, read)) from error
    if not any(output.figures or output.is_table() for output in outputs):
        message = "it ends without a figure or a table: show one"
        raise StoppedError(Failure(script.name, f"{place}:{last.line}", message))
    return outputs, values


def _main_module(path: Path) -> dict[str, Any]:
    """A fresh ``__main__``, so that what the script defines can be pickled for its workers."""
    module = types.ModuleType("__main__")
    module.__file__ = str(path)
    sys.modules["__main__"] = module
    sys.argv = [str(path)]
    sys.path.insert(0, str(path.parent))
    return module.__dict__


def _run(cell: Cell, path: Path, namespace: dict[str, Any], read: Read) -> Output:
    tree = ast.parse(cell.padded(), filename=str(path))
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    # the script's own code is what this program is for
    exec(compile(tree, str(path), "exec"), namespace)  # noqa: S102
    result = None
    if isinstance(last, ast.Expr):
        result = eval(compile(ast.Expression(last.value), str(path), "eval"), namespace)  # noqa: S307
    html, text = show.value(result)
    figures = show.open_figures()
    stdout, stderr = read()
    return Output(_lines(stdout), _lines(stderr), html, text, figures)


def _lines(text: str) -> str:
    """Text as a terminal would leave it: what a carriage return overwrote is gone."""
    return re.sub(r"[^\n]*\r(?!\n)", "", text).replace("\r\n", "\n")


def _failure(error: BaseException, cell: Cell, script: Script, place: str, read: Read) -> Failure:
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(script.path) and frame.lineno
    ]
    at = f"{place}:{lines[-1] if lines else cell.line}"
    printed = "".join(read())
    if isinstance(error, show.UnfitError):
        return Failure(script.name, at, str(error), printed)
    if isinstance(error, SystemExit):
        return Failure(script.name, at, f"the cell left the script (exit {error.code})", printed)
    return Failure(script.name, at, _named(error), printed + _trace(error, script.path))


def _named(error: BaseException) -> str:
    return traceback.format_exception_only(error)[-1].strip()


def _trace(error: BaseException, path: Path) -> str:
    """The traceback from the script's own frame downwards."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename != str(path):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))
