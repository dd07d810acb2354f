"""The lesson's rules as data: each with the one claim that its figure comes from."""

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mlhpc import claims, content, units
from mlhpc.errors import InputError

FILE = Path(__file__).with_name("rules.toml")
SCALES: dict[str, float] = {  # of a claim's unit, to hours, bytes or plain numbers
    "minutes": 1 / 60,
    "hours": 1,
    "days": 24,
    "weeks": 168,
    "GB": 10**9,
    "TB": 10**12,
    "MiB": units.MIB,
    "GiB": units.GIB,
    "million parameters": 10**6,
    "million rows": 10**6,
    "million images": 10**6,
    "%": 0.01,
}


@dataclass(frozen=True)
class Reason:
    """Why the plan says something: the rule, in words for this project, and its source."""

    rule: str
    text: str
    source: str


@dataclass(frozen=True)
class Rule:
    """A rule: its name, its text with places to fill, and the claim of its figure."""

    name: str
    text: str
    claim: str
    figure: str
    source: str

    def reason(self, **values: object) -> Reason:
        """The rule in words for one project."""
        text = self.text.format(figure=self.figure, **values)
        return Reason(self.name, text[0].upper() + text[1:], self.source)


@dataclass(frozen=True)
class Rules:
    """All rules by name, and the numbers of the ledger by claim."""

    by_name: Mapping[str, Rule]
    ranges: Mapping[str, tuple[float, float]]

    def reason(self, name: str, **values: object) -> Reason:
        """The reason that a rule gives."""
        return self.by_name[name].reason(**values)

    def span(self, claim: str) -> tuple[float, float]:
        """The claim's range: hours, bytes, shares or plain numbers."""
        return self.ranges[claim]

    def number(self, claim: str) -> float:
        """The claim's number; the middle of a range."""
        low, high = self.ranges[claim]
        return (low + high) / 2


@functools.cache
def load(lesson_dir: str | None = None) -> Rules:
    """The rules with the figures of the lesson's ledger. Raises InputError where one is absent."""
    ledger = claims.load(content.find(lesson_dir).claims)
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))["rule"]
    by_name = {name: _rule(name, table, ledger) for name, table in tables.items()}
    ranges = {claim.id: _range(claim) for claim in ledger.values() if claim.numbers}
    return Rules(by_name, ranges)


def _rule(name: str, table: Mapping[str, str], ledger: claims.Ledger) -> Rule:
    claim = ledger[table["claim"]]
    if "{figure}" in table["text"] and not claim.numbers:
        raise InputError(f"rules: {name}: the claim {claim.id} has no figure")
    return Rule(name, table["text"], claim.id, claim.shown(), f"claim:{claim.id}")


def _range(claim: claims.Claim) -> tuple[float, float]:
    scale = SCALES.get(claim.unit, 1)
    return float(claim.numbers[0]) * scale, float(claim.numbers[-1]) * scale
