"""The form of a claim's table: which keys there are, of which type, and what excludes what."""

import datetime
import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from mlhpc.claims.claim import KINDS, VERDICTS, Claim
from mlhpc.errors import InputError

ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
ROW = re.compile(r"[WY]\d\d")
TEXTS = (
    "text",
    "kind",
    "verdict",
    "unit",
    "prefix",
    "condition",
    "was",
    "why",
    "check",
    "cluster",
    "machine",
    "source",
)
NUMBERS = ("value", "low", "high")
KEYS = (*TEXTS, *NUMBERS, "rows", "digits", "checked", "record")
REQUIRED = ("text", "kind", "verdict")
# where {id} stands for what another claim prints
FILLED = ("text", "condition", "why")


def claim(name: str, table: object, origin: str) -> Claim:
    """A table of the file to a Claim. Raises InputError: file, claim, key, value, choices."""
    place = f"{origin}: claim '{name}'"
    if not ID.fullmatch(name):
        raise InputError(f"{place}: an id is words of a-z and 0-9 joined by '-'")
    if not isinstance(table, dict):
        raise InputError(f"{place}: is not a table; write [claim.{name}] above its keys")
    only(table, KEYS, place)
    _check_required(table, place)
    texts = {key: _text(table, key, place) for key in TEXTS}
    _check_choice(texts["kind"], "kind", KINDS, place)
    _check_choice(texts["verdict"], "verdict", VERDICTS, place)
    low, high = _numbers(table, place)
    _check_value(texts, low, place)
    made = Claim(
        id=name,
        **texts,
        low=low,
        high=high,
        rows=_rows(table, place),
        digits=_digits(table, place),
        checked=_date(table, place),
        record=_record(table, place),
    )
    _check_printed(made, place)
    return made


def with_texts(made: Claim, change: Callable[[str], str]) -> Claim:
    """The claim with its texts changed, where one differs."""
    changed = {name: change(getattr(made, name)) for name in FILLED}
    same = all(changed[name] == getattr(made, name) for name in FILLED)
    return made if same else replace(made, **changed)  # type: ignore[arg-type]


def only(table: Mapping[str, object], known: Iterable[str], place: str) -> None:
    """Refuse a table that holds a key which is not among the known ones."""
    names = list(known)
    for key in table:
        if key not in names:
            choices = ", ".join(near(key, names))
            raise InputError(f"{place}: unknown key '{key}'; valid choices: {choices}")


def near(wrong: str, known: Iterable[str]) -> list[str]:
    """Of the known names those most like the wrong one; the first few where none is like it."""
    names = list(known)
    return difflib.get_close_matches(wrong, names, n=3, cutoff=0.5) or names[:12]


def _check_required(table: Mapping[str, object], place: str) -> None:
    for key in REQUIRED:
        if key not in table:
            raise InputError(f"{place}: {key} is missing")


def _text(table: Mapping[str, object], key: str, place: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise InputError(f"{place}: {key} = {value}: is not text in quotes")
    if key in table and not value.strip():
        raise InputError(f"{place}: {key} is empty; leave it out, or say it")
    return value


def _check_choice(value: str, key: str, choices: tuple[str, ...], place: str) -> None:
    if value not in choices:
        valid = ", ".join(choices)
        raise InputError(f"{place}: {key} = '{value}': is not known; valid choices: {valid}")


def _numbers(table: Mapping[str, object], place: str) -> tuple[Decimal | None, Decimal | None]:
    found = {key: _number(table[key], key, place) for key in NUMBERS if key in table}
    if not found:
        return None, None
    if set(found) == {"value"}:
        return found["value"], found["value"]
    if set(found) != {"low", "high"}:
        raise InputError(f"{place}: {' and '.join(found)}; valid choices: value, or low and high")
    if found["low"] >= found["high"]:
        raise InputError(f"{place}: low = {found['low']}: is not below high = {found['high']}")
    return found["low"], found["high"]


def _number(value: object, key: str, place: str) -> Decimal:
    # bool is an int to isinstance, and never meant where a number is
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise InputError(f"{place}: {key} = {value}: is not a number")
    number = Decimal(value)
    if not number.is_finite() or number < 0:
        raise InputError(f"{place}: {key} = {value}: is not a finite number from 0 on")
    return number


def _check_value(texts: Mapping[str, str], low: Decimal | None, place: str) -> None:
    if texts["cluster"] and low is not None:
        raise InputError(f"{place}: has a value and a cluster fact; the cluster file holds it")
    if low is None and (texts["unit"] or texts["prefix"]):
        raise InputError(f"{place}: has a unit or a prefix, but no value")


def _check_printed(made: Claim, place: str) -> None:
    """A number is written as it is printed; ``digits`` may only be coarser than that."""
    for number in made.numbers:
        if round(number, made.decimals(number)) != number:
            raise InputError(f"{place}: {number} has more digits than digits = {made.digits}")


def _digits(table: Mapping[str, object], place: str) -> int | None:
    value = table.get("digits")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not -9 <= value <= 9:
        raise InputError(f"{place}: digits = {value}: is not a whole number from -9 to 9")
    return value


def _rows(table: Mapping[str, Any], place: str) -> tuple[str, ...]:
    rows = table.get("rows", [])
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise InputError(f"{place}: rows is not a list like ['W01', 'Y30']")
    for row in rows:
        if not ROW.fullmatch(row):
            raise InputError(f"{place}: rows: '{row}'; valid choices: W01 to W70, Y01 to Y59")
    return tuple(rows)


def _date(table: Mapping[str, object], place: str) -> str:
    value = table.get("checked")
    if value is None:
        return ""
    if not isinstance(value, datetime.date) or isinstance(value, datetime.datetime):
        raise InputError(f"{place}: checked = {value}: is not a date like 2026-05-31")
    return value.isoformat()


def _record(table: Mapping[str, object], place: str) -> dict[str, object] | None:
    value = table.get("record")
    if value is None:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("benchmark"), str):
        raise InputError(f"{place}: record is not a table like {{ benchmark = 'resnet50' }}")
    return value
