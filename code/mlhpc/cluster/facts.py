"""A fact of a cluster: its value, where it comes from, and how to find it out."""

import math
from dataclasses import dataclass

UNKNOWN = "ask the centre"
UNLIMITED = "no limit"


@dataclass(frozen=True)
class Range:
    """A figure known only between two ends, both included."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:,}–{self.high:,}"


Value = bool | int | float | str | tuple[str, ...] | dict[str, int] | Range


@dataclass(frozen=True)
class Fact:
    """One thing about the cluster; ``value`` is None where the file does not say.

    ``unit`` is "" for counts and words; ``checked`` is a date, "2026-05" or "2026-05-31";
    ``note`` says what the value depends on; ``ask`` is the command or question that tells.
    An infinite value stands for 'no limit'.
    """

    path: str
    value: Value | None
    unit: str
    source: str | None
    checked: str | None
    ask: str
    about: str = ""
    note: str | None = None

    @property
    def known(self) -> bool:
        """Whether the file (or a sum over it) says it."""
        return self.value is not None

    def bare(self) -> str:
        """The value for people, without its unit: '1,935–2,039', 'yes', 'ask the centre'."""
        return UNKNOWN if self.value is None else shown(self.value)

    def shown(self) -> str:
        """The value with its unit: '80 GB', '720 hours', 'no limit', 'ask the centre'."""
        return UNKNOWN if self.value is None else shown_with_unit(self.value, self.unit)


def is_unlimited(value: object) -> bool:
    """Whether a value is 'no limit', which is written ``inf`` in the file."""
    return isinstance(value, float) and math.isinf(value)


def shown_with_unit(value: Value, unit: str) -> str:
    """A value and its unit as people read them: '1 hour', '2 hours', 'no limit'."""
    if not unit or is_unlimited(value):
        return shown(value)
    one = value == 1 and unit.islower()  # hours and days, not GB/s or TFLOPS
    return f"{shown(value)} {unit.removesuffix('s') if one else unit}"


def shown(value: Value) -> str:
    """A value as people read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{count} {name}" for name, count in value.items()) or "none"
    if is_unlimited(value):
        return UNLIMITED
    if isinstance(value, float):
        value = round(value, 4)  # five minutes are 0.083333 hours
    return f"{value:,}" if isinstance(value, int | float) else str(value)
