"""A question with its numbers put in: the lesson's own, or those of a seed."""

import math
import random
import re
from collections.abc import Mapping
from dataclasses import replace

from mlhpc.quiz import derivations
from mlhpc.quiz.values import Drawn, Option, Question, Value, World

MOST_TRIES = 200


def draw(question: Question, world: World, seed: int | None = None) -> Drawn:
    """The question at the lesson's own numbers and order, or a variant by seed.

    A variant whose numbers the derivation refuses (they would make two answers right, or a slip
    right) is drawn anew, by the same seed.
    """
    if seed is None:
        return _drawn(question, world, None, {n: q.lesson for n, q in question.numbers.items()})
    chance = random.Random(f"{question.id}:{seed}")  # noqa: S311
    for _ in range(MOST_TRIES):
        numbers = {name: chance.choice(q.among) for name, q in question.numbers.items()}
        try:
            drawn = _drawn(question, world, seed, numbers)
        except derivations.NotAsked:
            continue
        options = list(drawn.options)
        chance.shuffle(options)
        return replace(drawn, options=tuple(options))
    raise derivations.NotAsked(f"quiz: {question.id}: no variant in {MOST_TRIES} tries")


def _drawn(
    question: Question, world: World, seed: int | None, numbers: Mapping[str, Value]
) -> Drawn:
    key = derivations.REGISTRY[question.answer](world, numbers)
    _refuse_slips(question, world, numbers, key)
    shown = {name: text_of(value, question.numbers[name].unit) for name, value in numbers.items()}
    shown["answer"] = in_words(question, question.options, key)
    options = tuple(replace(o, text=fill(o.text, shown), feedback=fill(o.feedback, shown))
                    for o in question.options)  # fmt: skip
    return Drawn(
        question, seed, dict(numbers), fill(question.text, shown), fill(question.hint, shown),
        fill(question.explain, shown), fill(question.table, shown), options, key,
    )  # fmt: skip


def _refuse_slips(
    question: Question, world: World, numbers: Mapping[str, Value], key: object
) -> None:
    """A mistake must not lead to what counts as right."""
    if question.kind != "number" or not isinstance(key, int | float):
        return
    for slip in question.slips:
        wrong = derivations.REGISTRY[slip.answer](world, numbers)
        if abs(wrong - key) <= 2 * question.tolerance * abs(key) + 1e-12:
            raise derivations.NotAsked(f"quiz: {question.id}: '{slip.answer}' is right here")


def fill(text: str, shown: Mapping[str, str]) -> str:
    """A text with {name} replaced; braces around anything else stay."""
    return re.sub(r"\{(\w+)\}", lambda found: shown.get(found[1], found[0]), text)


def text_of(value: Value, unit: str = "") -> str:
    """A number as people write it: '1,000', '0.5', '2 TB'."""
    if isinstance(value, str):
        return value
    return f"{value:,.10g}" + (f" {unit}" if unit else "")


def in_words(question: Question, options: tuple[Option, ...], key: object) -> str:
    """The right answer in words."""
    texts = {option.key: option.text for option in options}
    if isinstance(key, str):
        return texts.get(key, key)
    if isinstance(key, int | float):
        return amount(float(key), question.unit)
    if isinstance(key, Mapping):
        return "; ".join(f"{name}: {value}" for name, value in key.items())
    between = ", then " if question.kind == "order" else "; "
    return between.join(texts.get(one, one) for one in key)  # type: ignore[attr-defined]


def amount(value: float, unit: str) -> str:
    """'25 h (1 day 1 hour)' is too much: three digits, and the unit."""
    if value == 0:
        return f"0 {unit}".strip()
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    rounded = round(value, digits)
    return (
        f"{rounded:,.{digits}f}".rstrip("0").rstrip(".") + f" {unit}" * bool(unit)
        if digits
        else (f"{rounded:,.0f}" + f" {unit}" * bool(unit))
    )
