"""What running an example gave, with where it ran: kept as JSON under the hash of its sources."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mlhpc import content

Value = tuple[float | str, str]  # a number (or a word) and its unit
KEPT = 3  # outcomes of one example that are kept, so that going back executes nothing


@dataclass(frozen=True)
class Figure:
    """A figure as light SVG, its alternative text, its size in CSS pixels."""

    svg: str
    alt: str
    width: int
    height: int


@dataclass(frozen=True)
class Output:
    """What one code cell showed."""

    stdout: str = ""
    stderr: str = ""
    html: str = ""
    text: str = ""
    figures: tuple[Figure, ...] = ()

    def is_table(self) -> bool:
        """True where it shows a table."""
        return "<table" in self.html


@dataclass(frozen=True)
class Outcome:
    """One run of one example: provenance, named values, the output of every code cell."""

    name: str
    hash: str
    started: str  # UTC
    seconds: float
    cpu_seconds: float
    machine: dict[str, Any]
    versions: dict[str, str]
    values: dict[str, Value]
    outputs: tuple[Output, ...]


@dataclass(frozen=True)
class Failure:
    """Why an example has no outcome: file and line, the error, what it had printed."""

    name: str
    place: str  # file:line
    message: str
    output: str = ""

    def __str__(self) -> str:
        return "\n".join(part for part in (f"{self.place}: {self.message}", self.output) if part)


def save(outcome: Outcome, folder: Path) -> None:
    """Keep an outcome under its name and hash."""
    content.write_atomic(_place(folder, outcome.name, outcome.hash), json.dumps(asdict(outcome)))


def load(folder: Path, name: str, digest: str) -> Outcome | None:
    """The outcome of these sources; None where there is none, or none that is whole."""
    try:
        return read(json.loads(_place(folder, name, digest).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def read(document: dict[str, Any]) -> Outcome:
    """An outcome from its JSON."""
    outputs = tuple(read_output(output) for output in document["outputs"])
    values = {key: (value, unit) for key, (value, unit) in document["values"].items()}
    return Outcome(**{**document, "outputs": outputs, "values": values})


def read_output(document: dict[str, Any]) -> Output:
    """One cell's output from its JSON."""
    figures = tuple(Figure(**figure) for figure in document["figures"])
    return Output(**{**document, "figures": figures})


def prune(folder: Path, names: set[str]) -> None:
    """Drop outcomes of examples that are gone, and all but the newest of the others."""
    by_name: dict[str, list[Path]] = {}
    for path in folder.glob("plot_*.json"):
        by_name.setdefault(path.name.partition(".")[0], []).append(path)
    for name, paths in by_name.items():
        paths.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for path in paths[KEPT:] if name in names else paths:
            path.unlink()


def _place(folder: Path, name: str, digest: str) -> Path:
    return folder / f"{name}.{digest[:24]}.json"
