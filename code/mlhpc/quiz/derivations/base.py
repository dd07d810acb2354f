"""What derivations have in common: their registry, numbers of a question and of the ledger."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from mlhpc.claims.claim import Claim
from mlhpc.quiz.values import Value, World

Numbers = Mapping[str, Value]
Derivation = Callable[[World, Numbers], Any]
F = TypeVar("F", bound=Derivation)
REGISTRY: dict[str, Derivation] = {}


class NotAsked(Exception):  # noqa: N818
    """These numbers make no good question: two answers would be right, or none."""


def derivation(function: F) -> F:
    """Register a function under its name."""
    REGISTRY[function.__name__] = function
    return function


def number(numbers: Numbers, name: str) -> float:
    """A number of the question."""
    value = numbers[name]
    if isinstance(value, str):
        raise TypeError(f"{name} is no number")
    return float(value)


def claim(world: World, name: str) -> float:
    """A single number of the ledger, in plain units."""
    return amount(world.ledger[name])


def amount(found: Claim) -> float:
    """The number of a claim; '10 million rows' is ten million."""
    word = (found.unit or "").partition(" ")[0]
    return float(found.numbers[0]) * {"million": 10**6, "billion": 10**9}.get(word, 1)
