"""An example as an executed notebook that stands alone: its figures are inside (nbformat 4.5)."""

import json
import re
from typing import Any

from mlhpc.lesson import figures
from mlhpc.lesson.gallery.outcome import Figure, Outcome, Output
from mlhpc.lesson.gallery.page import machine_line
from mlhpc.lesson.gallery.script import Script

_RELATIVE_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?![a-z]+:)[^)]*\)")


def render(script: Script, outcome: Outcome) -> str:
    """The notebook as JSON text; the same text for the same script and outcome."""
    outputs = iter(outcome.outputs)
    where = machine_line(outcome.machine, outcome.started)
    cells = [_text_cell(0, f"# {script.title}\n\n{script.summary}\n\n{where}")]
    count = 0
    for number, cell in enumerate(script.cells, 1):
        if cell.kind == "code":
            count += 1
            cells.append(_code_cell(number, cell.source, count, next(outputs)))
        else:
            # a page of the site is not beside a notebook that was downloaded
            cells.append(_text_cell(number, _RELATIVE_LINK.sub(r"\1", cell.source)))
    document = {"cells": cells, "metadata": _metadata(outcome), "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _metadata(outcome: Outcome) -> dict[str, Any]:
    python = {"name": "python", "version": outcome.machine["python"]}
    return {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": python,
        "mlhpc": {
            "hash": outcome.hash,
            "started": outcome.started,
            "machine": outcome.machine["text"],
            "versions": outcome.versions,
        },
    }


def _text_cell(number: int, text: str) -> dict[str, Any]:
    source = text.splitlines(keepends=True)
    return {"cell_type": "markdown", "id": f"cell-{number}", "metadata": {}, "source": source}


def _code_cell(number: int, source: str, count: int, output: Output) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": count,
        "id": f"cell-{number}",
        "metadata": {},
        "outputs": [*_printed(output), *_result(output, count), *map(_drawn, output.figures)],
        "source": source.splitlines(keepends=True),
    }


def _printed(output: Output) -> list[dict[str, Any]]:
    text = output.stdout.splitlines(keepends=True)
    return [{"name": "stdout", "output_type": "stream", "text": text}] if text else []


def _result(output: Output, count: int) -> list[dict[str, Any]]:
    if not output.text:
        return []
    kinds = {"text/html": output.html, "text/plain": output.text}
    return [
        {
            "data": {kind: text.splitlines(keepends=True) for kind, text in kinds.items() if text},
            "execution_count": count,
            "metadata": {},
            "output_type": "execute_result",
        }
    ]


def _drawn(figure: Figure) -> dict[str, Any]:
    # its own ground, so that it can be read in a dark notebook too
    svg = figure.svg.replace("<svg ", f'<svg style="background: {figures.GROUND}" ', 1)
    kinds = {"image/svg+xml": svg, "text/plain": figure.alt}
    return {
        "data": {kind: text.splitlines(keepends=True) for kind, text in kinds.items()},
        "metadata": {"image/svg+xml": {"alt": figure.alt}},
        "output_type": "display_data",
    }
