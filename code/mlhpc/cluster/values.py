"""One value of a cluster file against what its key may hold."""

import datetime
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from mlhpc.cluster.facts import Range, Value, is_unlimited
from mlhpc.cluster.place import Place, only
from mlhpc.cluster.tables import Spec

DETAILED = ("value", "low", "high", "source", "checked", "note")
MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


def detail(raw: Any, spec: Spec, place: Place) -> Mapping[str, Any]:
    """``key = 4`` and ``key = { value = 4, source = "..." }`` alike, in the second form."""
    if not isinstance(raw, dict) or (spec.kind == "counts" and "value" not in raw):
        return {"value": raw}
    known = DETAILED if spec.span else [name for name in DETAILED if name not in ("low", "high")]
    only(raw, known, Place(place.origin, f"{place.table}.{place.key}"))
    return raw


def value(given: Mapping[str, Any], spec: Spec, place: Place) -> Value:
    """The value of a detailed key, checked. Raises InputError where it is not what it may be."""
    if "value" in given:
        if "low" in given or "high" in given:
            raise place.error("has both a value and a range: give one", given["value"])
        return _KINDS[spec.kind](given["value"], spec, place)
    if not spec.span:
        raise place.error("holds no 'value'")
    return _range(given, spec, place)


def text(raw: Any, place: Place) -> str:
    """A string that says something, on one line."""
    if not isinstance(raw, str) or not raw.strip() or "\n" in raw:
        raise place.error("must be text in quotes, on one line and not empty", raw)
    return raw


def date(raw: Any, place: Place) -> str:
    """A day (2026-05-31) or, in quotes, a month ("2026-05"), as text."""
    if isinstance(raw, datetime.date) and not isinstance(raw, datetime.datetime):
        return raw.isoformat()
    if isinstance(raw, str) and (MONTH.fullmatch(raw) or _is_day(raw)):
        return raw
    raise place.error('must be a date: 2026-05-31, or a month in quotes: "2026-05"', raw)


def _is_day(raw: str) -> bool:
    try:
        return datetime.date.fromisoformat(raw).isoformat() == raw
    except ValueError:
        return False


def _range(given: Mapping[str, Any], spec: Spec, place: Place) -> Range:
    if "low" not in given or "high" not in given:
        raise place.error("needs 'value', or both 'low' and 'high'")
    low, high = (_number(given[end], spec, place) for end in ("low", "high"))
    if not low < high:
        raise place.error(f"'low' ({low}) must be less than 'high' ({high})")
    return Range(low, high)


def _text(raw: Any, spec: Spec, place: Place) -> str:
    word = text(raw, place)
    if spec.choices and word not in spec.choices:
        raise place.error("unknown word", raw, spec.choices)
    return word


def _flag(raw: Any, _spec: Spec, place: Place) -> bool:
    if not isinstance(raw, bool):
        raise place.error("must be one of two words, without quotes", raw, ("true", "false"))
    return raw


def _number(raw: Any, spec: Spec, place: Place) -> float:
    limit = "; inf means no limit" if spec.unlimited else ""
    if isinstance(raw, bool) or not isinstance(raw, int | float) or math.isnan(raw):
        raise place.error(f"must be a number{limit}", raw)
    if raw < 0:
        raise place.error("must not be negative", raw)
    if is_unlimited(raw) and not spec.unlimited:
        raise place.error("must be finite", raw)
    return raw


def _count(raw: Any, spec: Spec, place: Place) -> float:
    number = _number(raw, spec, place)
    if not isinstance(number, int) and not is_unlimited(number):
        raise place.error("must be a whole number", raw)
    return number


def _names(raw: Any, _spec: Spec, place: Place) -> tuple[str, ...]:
    if not isinstance(raw, list):
        raise place.error('must be a list: ["a", "b"]', raw)
    names = tuple(text(item, place) for item in raw)
    if len(set(names)) < len(names):
        raise place.error("names one thing twice", raw)
    return names


def _counts(raw: Any, spec: Spec, place: Place) -> dict[str, int]:
    if not isinstance(raw, dict):
        raise place.error("must be a table: { name = 4 }", raw)
    counts = {key: _count(item, spec, place.at(f"{place.key}.{key}")) for key, item in raw.items()}
    return {key: int(item) for key, item in counts.items()}


_KINDS: dict[str, Callable[[Any, Spec, Place], Value]] = {
    "text": _text,
    "flag": _flag,
    "number": _number,
    "count": _count,
    "names": _names,
    "counts": _counts,
}
