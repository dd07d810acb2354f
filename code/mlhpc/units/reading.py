"""From text to exact numbers; see the package for what each spelling means."""

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from mlhpc.errors import InputError
from mlhpc.units.scales import (
    DAY_S,
    EIB,
    GIB,
    HOUR_S,
    KIB,
    LARGEST_S,
    LARGEST_SLURM_S,
    LARGEST_WHOLE,
    MIB,
    MINUTE_S,
    PIB,
    TIB,
    WEEK_S,
)

Style = Literal["people", "slurm"]

LONGEST_TEXT = 60
LARGEST_EXPONENT = 30

DURATION_FORMS = "90 s, 45 min, 1.5 h, 2 h 30 min, 3 days, 3 weeks, 250 ms, 12:30:00, 2-12:00:00"
SLURM_TIME_FORMS = (
    "minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, "
    "days-hours:minutes:seconds, UNLIMITED"
)
SIZE_FORMS = "500 MB, 1.5 TB (powers of 1000), 16 GiB (powers of 1024), 1e12 (bytes)"
SLURM_SIZE_FORMS = "16 (MiB), 512K, 16M, 16G, 1T (whole numbers, powers of 1024)"
COUNT_FORMS = "100, 1,281,167, 1e6, 3k, 1.5M, 7B, 1.28 million"

# patterns are compiled where first used: most commands read few of them, and start faster
_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+"
_QUANTITY = rf"(?P<number>(?:{_DIGITS})(?:[eE][+-]?[0-9]+)?) ?(?P<unit>[A-Za-zµμ]*) ?"
_SLURM_DAYS = r"([0-9]+)-(?:([0-9]+)(?::([0-9]+))?(?::([0-9]+))?)?"
_SLURM_CLOCK = r"([0-9]+)(?::([0-9]+))?(?::([0-9]+))?"
_SLURM_SIZE = r"(?i:([0-9]+)(?:([KMGT])B?)?)"
# a clock that means the same to people and to Slurm; 1:30 does not, and is refused from people
_SAME_CLOCK = r"[0-9]+:[0-9]{2}:[0-9]{2}|[0-9]+-[0-9]{1,2}(:[0-9]{2}){1,2}"


def _names(*groups: tuple[str, Fraction | int]) -> dict[str, Fraction]:
    """Every spelling of every unit: ("h hour hours", 3600) gives three entries."""
    return {word: Fraction(value) for words, value in groups for word in words.split()}


_DURATION_UNITS = _names(
    ("us µs μs microsecond microseconds", Fraction(1, 10**6)),
    ("ms millisecond milliseconds", Fraction(1, 1000)),
    ("s sec secs second seconds", 1),
    ("m min mins minute minutes", MINUTE_S),
    ("h hr hrs hour hours", HOUR_S),
    ("d day days", DAY_S),
    ("w wk wks week weeks", WEEK_S),
)
_SIZE_UNITS = _names(
    ("b byte bytes", 1),
    ("k kb kilobyte kilobytes", 10**3),
    ("m mb megabyte megabytes", 10**6),
    ("g gb gigabyte gigabytes", 10**9),
    ("t tb terabyte terabytes", 10**12),
    ("p pb petabyte petabytes", 10**15),
    ("e eb exabyte exabytes", 10**18),
    ("ki kib kibibyte kibibytes", KIB),
    ("mi mib mebibyte mebibytes", MIB),
    ("gi gib gibibyte gibibytes", GIB),
    ("ti tib tebibyte tebibytes", TIB),
    ("pi pib pebibyte pebibytes", PIB),
    ("ei eib exbibyte exbibytes", EIB),
)
_COUNT_UNITS = _names(
    ("k thousand", 10**3),
    ("m million", 10**6),
    ("b g bn billion", 10**9),
    ("t trillion", 10**12),
)


def parse_duration_s(text: str, style: Style = "people", name: str = "duration") -> float:
    """Seconds in a duration; Slurm's UNLIMITED, INFINITE and -1 are ``math.inf``.

    People's: one or more amounts, largest unit first (``2 h 30 min``). Slurm's: as ``--time``
    takes it. ``name`` is what the error calls the input. Raises InputError.
    """
    if style == "slurm":
        return _slurm_duration_s(text, name)
    _only("style", style, ("people", "slurm"))
    cleaned = _clean(text, name, DURATION_FORMS)
    if re.fullmatch(_SAME_CLOCK, cleaned):
        return _slurm_duration_s(cleaned, name)
    total = _sum_of_amounts(cleaned, name)
    _at_most(total, LARGEST_S, text, name, DURATION_FORMS)
    return float(total)


def parse_size_bytes(text: str, style: Style = "people", name: str = "size") -> int:
    """Bytes in a size, rounded to the nearest whole one.

    People's: case does not matter, a letter alone is the decimal unit, a bare number is bytes.
    Slurm's: as ``--mem`` takes it; a bare number is MiB. Raises InputError.
    """
    if style == "slurm":
        return _slurm_size_bytes(text, name)
    _only("style", style, ("people", "slurm"))
    return round(_quantity(text, _SIZE_UNITS, name, SIZE_FORMS))


def parse_count(text: str, name: str = "count") -> int:
    """A whole number of things: ``1,281,167``, ``1.5M``, ``7B``, ``1e6``. Raises InputError."""
    count = _quantity(text, _COUNT_UNITS, name, COUNT_FORMS)
    if count.denominator != 1:
        raise _refuse(name, text, "is not a whole number", COUNT_FORMS)
    return count.numerator


def _sum_of_amounts(cleaned: str, name: str) -> Fraction:
    """Seconds of ``2 h 30 min``: each amount with its unit, each unit smaller than the last."""
    rest = " ".join(re.sub(r"\band\b|,(?= )", " ", cleaned).split())
    total, last_unit = Fraction(0), Fraction(LARGEST_S)
    while rest:
        amount, unit, rest = _first_amount(rest, cleaned, name)
        if unit >= last_unit:
            raise _refuse(name, cleaned, "has its units out of order", DURATION_FORMS)
        total, last_unit = total + amount * unit, unit
    return total


def _first_amount(rest: str, cleaned: str, name: str) -> tuple[Fraction, Fraction, str]:
    """The first amount, its unit in seconds, and the text after it."""
    if re.fullmatch(r"[0-9]+:[0-9]+", rest):
        raise _refuse(name, cleaned, "can be h:min or min:s", DURATION_FORMS)
    match = re.match(_QUANTITY, rest)
    if match is None:
        raise _refuse(name, cleaned, "is not a duration", DURATION_FORMS)
    if not match["unit"]:
        raise _refuse(name, cleaned, f"has no unit after {match['number']}", DURATION_FORMS)
    unit = _unit(match["unit"], _DURATION_UNITS, cleaned, name, DURATION_FORMS)
    return _number(match["number"], cleaned, name, DURATION_FORMS), unit, rest[match.end() :]


def _quantity(text: str, units: Mapping[str, Fraction], name: str, forms: str) -> Fraction:
    """One number with at most one unit, times that unit."""
    cleaned = _clean(text, name, forms)
    match = re.fullmatch(_QUANTITY, cleaned)
    if match is None:
        raise _refuse(name, cleaned, "is not a number with a unit", forms)
    value = _number(match["number"], cleaned, name, forms)
    if match["unit"]:
        value *= _unit(match["unit"], units, cleaned, name, forms)
    _at_most(value, LARGEST_WHOLE, cleaned, name, forms)
    return value


def _number(digits: str, text: str, name: str, forms: str) -> Fraction:
    exponent = re.search(r"[eE]([+-]?[0-9]+)$", digits)
    if exponent and abs(int(exponent[1])) > LARGEST_EXPONENT:
        raise _refuse(name, text, "is out of range", forms)
    return Fraction(digits.replace(",", ""))


def _unit(word: str, units: Mapping[str, Fraction], text: str, name: str, forms: str) -> Fraction:
    try:
        return units[word.lower()]
    except KeyError:
        raise _refuse(name, text, f"has the unknown unit {word!r}", forms) from None


def _slurm_duration_s(text: str, name: str) -> float:
    _is_text(text, name, SLURM_TIME_FORMS)
    if text.upper() in {"UNLIMITED", "INFINITE", "-1"}:
        return math.inf
    if match := re.fullmatch(_SLURM_DAYS, text):
        scales = (DAY_S, HOUR_S, MINUTE_S, 1)
    elif match := re.fullmatch(_SLURM_CLOCK, text):
        # without days, three fields start with hours and fewer start with minutes
        scales = (HOUR_S, MINUTE_S, 1, 0) if match[3] else (MINUTE_S, 1, 0, 0)
    else:
        raise _refuse(name, text, "is not a time that Slurm takes", SLURM_TIME_FORMS)
    fields = (int(field or 0) for field in match.groups())
    total = sum(field * scale for field, scale in zip(fields, scales, strict=False))
    _at_most(total, LARGEST_SLURM_S, text, name, SLURM_TIME_FORMS)
    return float(total)


def _slurm_size_bytes(text: str, name: str) -> int:
    _is_text(text, name, SLURM_SIZE_FORMS)
    match = re.fullmatch(_SLURM_SIZE, text)
    if match is None:
        raise _refuse(name, text, "is not a size that Slurm takes", SLURM_SIZE_FORMS)
    scale = {"K": KIB, "M": MIB, "G": GIB, "T": TIB}[(match[2] or "M").upper()]
    size_bytes = int(match[1]) * scale
    _at_most(size_bytes, LARGEST_WHOLE, text, name, SLURM_SIZE_FORMS)
    # Slurm rounds K up to whole MiB
    return -(-size_bytes // MIB) * MIB


# --- refusing ------------------------------------------------------------------------------


def _refuse(name: str, value: object, wrong: str, forms: str) -> InputError:
    shown = repr(value)
    if len(shown) > LONGEST_TEXT:
        shown = shown[: LONGEST_TEXT - 3] + "..."
    return InputError(f"{name}: {shown} {wrong}; valid forms: {forms}")


def _is_text(value: object, name: str, forms: str) -> None:
    if not isinstance(value, str):
        raise _refuse(name, value, f"is a {type(value).__name__}, not text", forms)
    if not value.strip():
        raise _refuse(name, value, "is empty", forms)
    if len(value) > LONGEST_TEXT:
        raise _refuse(name, value, f"is longer than {LONGEST_TEXT} characters", forms)


def _clean(text: str, name: str, forms: str) -> str:
    """The text with plain spaces (no-break ones come from web pages), or InputError."""
    _is_text(text, name, forms)
    cleaned = " ".join(text.split())
    if cleaned.startswith(("-", "−", "–")):
        raise _refuse(name, text, "is negative", forms)
    if cleaned.lower().lstrip("+") in {"nan", "inf", "infinity"}:
        raise _refuse(name, text, "is not a finite number", forms)
    return cleaned


def _at_most(value: Fraction | int, largest: int, text: str, name: str, forms: str) -> None:
    if value > largest:
        raise _refuse(name, text, f"is more than {largest:,}, which cannot be meant", forms)


def _only(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"{name}: {value!r} is unknown; valid choices: {', '.join(choices)}")
