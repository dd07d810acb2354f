"""Scripts and their outcomes as the one document that pages, notebooks and macros read."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mlhpc.errors import InputError
from mlhpc.lesson.gallery import parse, sources
from mlhpc.lesson.gallery.outcome import Figure, Outcome, Output
from mlhpc.lesson.gallery.project import Project
from mlhpc.lesson.gallery.script import Cell, Script

RESULTS = "results.json"
AGAIN = "run 'mlhpc gallery'"
NOTHING = Output()


def load_results(lesson_root: Path) -> dict[str, dict[str, Any]]:
    """The results of every example of the lesson in ``lesson_root``, by name.

    Raises InputError where one is missing, or comes from other sources than those of now.
    """
    project = Project.around(Path(lesson_root))
    found = _read(project.gallery / RESULTS, project)
    wanted = {script.name: hash_of(script, project) for script in parse.read_all(project)}
    for name, digest in wanted.items():
        if name not in found:
            raise InputError(f"gallery: {name} has not been run; {AGAIN}")
        if found[name].get("hash") != digest:
            raise InputError(f"gallery: the result of {name} is older than its sources; {AGAIN}")
    return {name: found[name] for name in wanted}


def hash_of(script: Script, project: Project) -> str:
    """The hash of all that the result of ``script`` depends on."""
    return sources.digest(script, sources.find(script, project), project)


def _read(path: Path, project: Project) -> dict[str, dict[str, Any]]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise InputError(f"gallery: no {project.shown(path)}; {AGAIN}") from None
    except ValueError as error:
        raise InputError(f"gallery: {project.shown(path)} is not JSON ({error}); {AGAIN}") from None


def entry(script: Script, outcome: Outcome) -> dict[str, Any]:
    """One example for ``results.json``; figures are named by the files that hold them."""
    outputs = iter(outcome.outputs)
    cells, drawn = [], 0
    for cell in script.cells:
        output = next(outputs) if cell.kind == "code" else NOTHING
        cells.append(_cell(cell, output, script.name, drawn))
        drawn += len(output.figures)
    return {
        "title": script.title,
        "summary": script.summary,
        "metadata": asdict(script.needs),
        "hash": outcome.hash,
        "seconds": outcome.seconds,
        "cpu_seconds": outcome.cpu_seconds,
        "started": outcome.started,
        "machine": outcome.machine,
        "versions": outcome.versions,
        "values": outcome.values,
        "cells": cells,
    }


def drawings(outcome: Outcome) -> list[Figure]:
    """Every figure of an outcome, in the order in which they are numbered."""
    return [figure for output in outcome.outputs for figure in output.figures]


def figure_file(name: str, number: int, theme: str) -> str:
    """The file of one figure; ``number`` counts from 1 within its example."""
    return f"{name}-{number}-{theme}.svg"


def _cell(cell: Cell, output: Output, name: str, drawn: int) -> dict[str, Any]:
    return {
        "kind": cell.kind,
        "source": cell.source,
        "stdout": output.stdout,
        "html": output.html,
        "text": output.text,
        "figures": [
            _figure(figure, name, number) for number, figure in enumerate(output.figures, drawn + 1)
        ],
    }


def _figure(figure: Figure, name: str, number: int) -> dict[str, Any]:
    return {
        "light": figure_file(name, number, "light"),
        "dark": figure_file(name, number, "dark"),
        "alt": figure.alt,
        "width": figure.width,
        "height": figure.height,
    }
