"""What a question is, what one drawing of it is, and what an answer earns. Values only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mlhpc.claims.ledger import Ledger
from mlhpc.cluster import Cluster

KINDS = ("one", "many", "number", "order", "script")
Value = float | str


@dataclass(frozen=True)
class World:
    """What answers are worked out from: the cluster file and the ledger of claims."""

    cluster: Cluster
    ledger: Ledger


@dataclass(frozen=True)
class Quantity:
    """A number or a word of a question: the lesson's own, and what a variant may put there."""

    lesson: Value
    among: tuple[Value, ...] = ()
    unit: str = ""


@dataclass(frozen=True)
class Option:
    """A choice, or an item to put in order. ``misconception`` names what a wrong one believes."""

    key: str
    text: str
    feedback: str = ""
    misconception: str = ""


@dataclass(frozen=True)
class Slip:
    """A wrong number that a known mistake leads to: worked out by a derivation as well."""

    answer: str
    misconception: str
    feedback: str


@dataclass(frozen=True)
class Question:
    """A question of the bank, with its answer named and not written down."""

    id: str
    kind: str
    title: str
    text: str
    answer: str
    explain: str
    hint: str = ""
    place: str = ""  # the episode that it stands in; '' is the page of questions
    claims: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    unit: str = ""
    tolerance: float = 0.0
    start: str = ""  # the script to begin with
    table: str = ""  # what is read, as lines
    numbers: Mapping[str, Quantity] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    slips: tuple[Slip, ...] = ()


@dataclass(frozen=True)
class Drawn:
    """A question with its numbers put in; ``seed`` is None at the lesson's own."""

    question: Question
    seed: int | None
    numbers: Mapping[str, Value]
    text: str
    hint: str
    explain: str
    table: str
    options: tuple[Option, ...]
    key: Any  # the right answer: an option's key, keys, a number, or what a script must hold


@dataclass(frozen=True)
class Grade:
    """What an answer earned: ``credit`` from 0 to 1, and words on what was chosen."""

    correct: bool
    credit: float
    feedback: tuple[str, ...]
    right: str  # the right answer in words
    explain: str
    claims: tuple[str, ...]

    def document(self) -> dict[str, object]:
        """For JSON."""
        return {
            "correct": self.correct, "credit": round(self.credit, 3),
            "feedback": list(self.feedback), "right": self.right, "explain": self.explain,
            "receipts": list(self.claims),
        }  # fmt: skip
