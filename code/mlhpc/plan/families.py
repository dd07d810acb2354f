"""The models and methods that the planner knows: ``families.toml``, with their other names."""

import difflib
import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mlhpc.errors import InputError

FILE = Path(__file__).with_name("families.toml")


@dataclass(frozen=True)
class Family:
    """What is known of a kind of model.

    ``kind`` is network, trees, table or preprocessing; ``gpu`` says when a GPU pays: always,
    never, by-parameters or by-rows; ``gain`` are the claims of what one A100 gains over CPU
    cores; ``loaded`` is whether the data must be in memory all at once.
    """

    name: str
    title: str
    kind: str
    gpu: str
    also: tuple[str, ...]
    gain: tuple[str, ...]
    parameters: str
    rule: str
    loaded: bool


@functools.cache
def known() -> Mapping[str, Family]:
    """All families by name."""
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))["family"]
    return {
        name: Family(
            name=name,
            title=table["title"],
            kind=table["kind"],
            gpu=table["gpu"],
            also=tuple(table.get("also", ())),
            gain=tuple(table.get("gain", ())),
            parameters=table.get("parameters", ""),
            rule=table["rule"],
            loaded=table.get("loaded", False),
        )
        for name, table in tables.items()
    }


@functools.cache
def _spellings() -> Mapping[str, str]:
    """Every spelling, without signs and case, to the name of its family."""
    return {
        _plain(word): family.name
        for family in known().values()
        for word in (family.name, *family.also)
    }


def named(text: str, place: str = "model") -> str:
    """The family's name for what somebody wrote: 'ResNet-50', 'Random Forest'. InputError."""
    found = _spellings().get(_plain(text))
    if found is None:
        near = difflib.get_close_matches(_plain(text), _spellings(), 1, 0.6)
        hint = f"did you mean {_spellings()[near[0]]}? " if near else ""
        choices = ", ".join(known())
        raise InputError(f"{place}: {text[:60]!r} is unknown; {hint}valid choices: {choices}")
    return found


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()
