"""An example script as values: what it is about, what it needs, its cells with their lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mlhpc.errors import InputError

GPU_CHOICES = ("no", "better", "needed")
KEYS = ("gpu", "exclusive", "timeout_s", "uses")
TIMEOUT_S = 120
_METADATA = re.compile(r"(\w+):\s*(.*)")


@dataclass(frozen=True)
class Needs:
    """What an example asks of the machine and of the project."""

    gpu: str = "no"
    exclusive: bool = False
    timeout_s: float = TIMEOUT_S
    uses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cell:
    """One cell: its kind ("markdown" or "code"), its text and its first line in the script."""

    kind: str
    source: str
    line: int

    def padded(self) -> str:
        """The source, moved down so that errors name the script's own lines."""
        return "\n" * (self.line - 1) + self.source


@dataclass(frozen=True)
class Script:
    """One example."""

    path: Path
    title: str
    summary: str
    needs: Needs
    cells: tuple[Cell, ...]

    @property
    def name(self) -> str:
        """``plot_NAME``: its key everywhere."""
        return self.path.stem

    def code(self) -> tuple[Cell, ...]:
        """The cells that are executed."""
        return tuple(cell for cell in self.cells if cell.kind == "code")


def read_docstring(text: str, place: str) -> tuple[str, str, Needs]:
    """Title, summary and needs from a script's docstring; ``place`` is the script's name.

    Raises InputError with the line of what is wrong. The docstring starts on line 1.
    """
    lines = list(enumerate((line.strip() for line in text.splitlines()), 1))
    if lines and not lines[0][1]:
        lines = lines[1:]  # the text may start on the line below the quotes
    title, rule = [*lines, (1, ""), (1, "")][:2]
    if not title[1] or set(rule[1]) != {"="} or len(rule[1]) < len(title[1]):
        raise InputError(f"{place}:1: docstring: start with a title and a line of = as long as it")
    body = [(number, line) for number, line in lines[2:] if line]
    summary = [line for _, line in body if not _METADATA.fullmatch(line)]
    if not summary:
        raise InputError(f"{place}:{rule[0]}: docstring: one sentence must follow the title")
    metadata = [(number, line) for number, line in body if _METADATA.fullmatch(line)]
    return title[1], " ".join(summary), _needs(metadata, place)


def _needs(metadata: list[tuple[int, str]], place: str) -> Needs:
    found: dict[str, str] = {}
    for number, line in metadata:
        key, value = _pair(line)
        if key in found and key != "uses":
            raise InputError(f"{place}:{number}: {key} is given twice")
        _check(key, value, f"{place}:{number}")
        found[key] = f"{found[key]},{value}" if key in found else value
    return Needs(
        gpu=found.get("gpu", "no"),
        exclusive=found.get("exclusive") == "yes",
        timeout_s=float(found.get("timeout_s", TIMEOUT_S)),
        uses=tuple(_listed(found.get("uses", ""))),
    )


def _pair(line: str) -> tuple[str, str]:
    key, _, value = line.partition(":")
    return key, value.strip()


def _listed(value: str) -> Iterator[str]:
    return (part.strip() for part in value.split(",") if part.strip())


def _check(key: str, value: str, place: str) -> None:
    """Raise InputError for an unknown key, and for a value that its key does not take."""
    if key not in KEYS:
        raise InputError(f"{place}: unknown key {key!r}; valid choices: {', '.join(KEYS)}")
    choices = {"gpu": GPU_CHOICES, "exclusive": ("yes", "no")}.get(key)
    if choices and value not in choices:
        raise InputError(f"{place}: {key}: {value!r}; valid choices: {', '.join(choices)}")
    if key == "timeout_s" and not (value.isdigit() and int(value) > 0):
        raise InputError(f"{place}: timeout_s: {value!r}; a whole number of seconds above 0")
    if key == "uses" and not value:
        raise InputError(f"{place}: uses: name a file of this project")
