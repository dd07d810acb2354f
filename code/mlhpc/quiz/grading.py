"""What an answer earns. Answers are data: a letter, letters, a number in any usual spelling, or a
script; whatever else comes is refused in one line."""

import math
import re
from collections.abc import Sequence
from typing import Any

from mlhpc import units
from mlhpc.errors import InputError
from mlhpc.quiz import drawing, scripts
from mlhpc.quiz.derivations import REGISTRY
from mlhpc.quiz.values import Drawn, Grade, Option, World

LETTERS = "abcdefghijklmnopqrst"
LONGEST_ANSWER = 100_000
TIMES = {"h": 3600, "hours": 3600, "days": 86400, "minutes": 60, "s": 1}
SIZES = {"GB": 10**9, "TB": 10**12, "GiB": 2**30, "MiB": 2**20}


def grade(drawn: Drawn, answer: Any, world: World) -> Grade:
    """Grade an answer. Raises InputError where it is no answer to this kind of question."""
    if isinstance(answer, str) and len(answer) > LONGEST_ANSWER:
        raise InputError(f"answer: longer than {LONGEST_ANSWER} characters")
    kind = drawn.question.kind
    if kind == "number":
        return _number(drawn, _text(answer), world)
    if kind == "script":
        correct, credit, words = scripts.grade(drawn, _text(answer), world)
        return _grade(drawn, credit if not correct else 1.0, words)
    chosen = letters(drawn, answer)
    if kind == "one":
        return _one(drawn, chosen)
    return _many(drawn, chosen) if kind == "many" else _order(drawn, chosen)


def letters(drawn: Drawn, answer: Any) -> list[Option]:
    """The options of 'b', 'a, c', 'bca' or ['a', 'c']. Raises InputError with the valid ones."""
    words = answer if isinstance(answer, list | tuple) else re.findall(r"\w", _text(answer))
    valid = dict(zip(LETTERS, drawn.options, strict=False))
    found = []
    for word in words:
        if not isinstance(word, str) or word.strip().lower() not in valid:
            raise InputError(f"answer: '{str(word)[:20]}' is no choice; valid: {', '.join(valid)}")
        found.append(valid[word.strip().lower()])
    if len(set(found)) != len(found):
        raise InputError("answer: a choice is named twice")
    return found


def measured(text: str, unit: str) -> float:
    """A number in the question's unit, from any usual spelling. Raises InputError."""
    cleaned = (
        text.strip().removesuffix("×").removesuffix("x").strip() if unit in ("", "×") else text
    )
    if re.fullmatch(r"\s*[\d.,eE+-]+\s*", cleaned):  # a bare number is in the unit asked for
        return _plain(cleaned)
    if unit in TIMES:
        return float(units.parse_duration_s(cleaned, "people", "answer")) / TIMES[unit]
    if unit in SIZES:
        return float(units.parse_size_bytes(cleaned, "people", "answer")) / SIZES[unit]
    word = re.fullmatch(r"\s*([\d.,eE+-]+)\s*(\S+)\s*", cleaned)
    if word and unit and word[2].casefold().rstrip("s") == unit.casefold().rstrip("s"):
        return _plain(word[1])
    raise InputError(f"answer: '{text[:40]}' is no number; valid: 25{' ' + unit if unit else ''}")


def _plain(text: str) -> float:
    """A number without a unit: '1,000', '2.5', '1e3'."""
    try:
        value = float(re.sub(r",(?=\d{3})", "", text.strip()))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"answer: '{text.strip()[:40]}' is no number; valid: 25, 1,000, 2.5")
    return value


def _text(answer: Any) -> str:
    if isinstance(answer, bool) or not isinstance(answer, str | int | float):
        raise InputError("answer: must be text or a number")
    return str(answer)


def _grade(drawn: Drawn, credit: float, feedback: Sequence[str]) -> Grade:
    question = drawn.question
    right = drawing.in_words(question, drawn.options, drawn.key)
    words = tuple(word for word in feedback if word)
    return Grade(credit >= 1, credit, words, right, drawn.explain, question.claims)


def _one(drawn: Drawn, chosen: list[Option]) -> Grade:
    if len(chosen) != 1:
        raise InputError("answer: choose one")
    return _grade(drawn, float(chosen[0].key == drawn.key), [chosen[0].feedback])


def _many(drawn: Drawn, chosen: list[Option]) -> Grade:
    """The share of right ones found, less that of wrong ones chosen."""
    right = set(drawn.key)
    hits = sum(option.key in right for option in chosen)
    wrong = len(chosen) - hits
    credit = max(0.0, (hits - wrong) / len(right))
    missed = len(right) - hits
    words = [option.feedback for option in chosen if option.key not in right]
    if missed and not wrong:
        words.append(f"{missed} more {'is' if missed == 1 else 'are'} right.")
    return _grade(drawn, credit, words)


def _order(drawn: Drawn, chosen: list[Option]) -> Grade:
    """The share of pairs that stand in the right order."""
    if len(chosen) != len(drawn.options):
        raise InputError(f"answer: put all {len(drawn.options)} in order")
    at = {option.key: place for place, option in enumerate(chosen)}
    key = list(drawn.key)
    pairs = [(a, b) for i, a in enumerate(key) for b in key[i + 1 :]]
    good = [at[a] < at[b] for a, b in pairs]
    words = []
    if not all(good):
        first = next(option for place, option in enumerate(chosen) if option.key != key[place])
        words = [first.feedback or f"'{first.text}' stands too early or too late."]
    return _grade(drawn, sum(good) / len(good), words)


def _number(drawn: Drawn, text: str, world: World) -> Grade:
    question = drawn.question
    given = measured(text, question.unit)
    if near(given, drawn.key, question.tolerance):
        return _grade(drawn, 1.0, [])
    for slip in question.slips:
        if near(given, REGISTRY[slip.answer](world, drawn.numbers), question.tolerance):
            return _grade(drawn, 0.0, [slip.feedback])
    if drawn.key and 0.5 <= given / drawn.key <= 2:
        return _grade(drawn, 0.5, ["Close: the right size, and not yet the right number."])
    direction = "large" if given > drawn.key else "small"
    return _grade(drawn, 0.0, [f"Too {direction}."])


def near(given: float, right: float, tolerance: float) -> bool:
    """Whether a number is right, to the tolerance (relative)."""
    return abs(given - right) <= tolerance * abs(right) + 1e-9
