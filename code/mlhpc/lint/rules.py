"""The rules of the check, described: read from rules.toml, which the page of rules is made from."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("rules.toml")


@dataclass(frozen=True)
class Rule:
    """One rule: what it is about, and a script that breaks it beside one that does not."""

    name: str
    severity: str
    title: str
    about: str
    bad: str
    good: str


@cache
def rules() -> dict[str, Rule]:
    """Every rule by its name, in the order of the file."""
    found = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: Rule(name=name, **table) for name, table in found.items()}
