"""From numbers to text that people, or Slurm, can read back."""

import math
from fractions import Fraction

from mlhpc.errors import InputError
from mlhpc.units.scales import (
    DAY_S,
    EIB,
    GIB,
    HOUR_S,
    KIB,
    LARGEST_SLURM_S,
    MIB,
    MINUTE_S,
    PIB,
    TIB,
    check_finite,
)

_DECIMAL_STEPS = (("EB", 10**18), ("PB", 10**15), ("TB", 10**12), ("GB", 10**9), ("MB", 10**6),
                  ("kB", 10**3))  # fmt: skip
_BINARY_STEPS = (("EiB", EIB), ("PiB", PIB), ("TiB", TIB), ("GiB", GIB), ("MiB", MIB),
                 ("KiB", KIB))  # fmt: skip
_COUNT_STEPS = (("T", 10**12), ("B", 10**9), ("M", 10**6), ("k", 10**3))
_SLURM_STEPS = (("T", TIB), ("G", GIB), ("M", MIB))


def format_duration(seconds: float, parts: int | None = None) -> str:
    """``2 h 30 min``: exact to the millisecond; ``parts`` rounds to that many units.

    ``math.inf`` is ``unlimited``. Raises InputError for negative numbers and nan.
    """
    if seconds == math.inf:
        return "unlimited"
    check_finite(seconds, "duration")
    total_ms = round(Fraction(seconds) * 1000)
    if total_ms == 0 and seconds > 0:
        return f"{seconds:.3g} s"
    steps = (("d", DAY_S * 1000), ("h", HOUR_S * 1000), ("min", MINUTE_S * 1000), ("s", 1000))
    if parts is not None:
        total_ms = _rounded(total_ms, [step for _, step in steps], parts)
    words = []
    for unit, step in steps[:-1]:
        count, total_ms = divmod(total_ms, step)
        words += [f"{count} {unit}"] if count else []
    words += [f"{_thousandths(total_ms)} s"] if total_ms or not words else []
    return " ".join(words)


def _rounded(total_ms: int, steps: list[int], parts: int) -> int:
    """``total_ms`` rounded to the smallest of its ``parts`` largest units."""
    largest = next((place for place, step in enumerate(steps) if total_ms >= step), len(steps))
    last = largest + max(parts, 1) - 1
    step = steps[last] if last < len(steps) else 1
    return round(Fraction(total_ms, step)) * step


def format_slurm_time(seconds: float) -> str:
    """``D-HH:MM:SS`` or ``HH:MM:SS`` as Slurm takes it, rounded up to whole seconds.

    ``math.inf`` is ``UNLIMITED``. Raises InputError for what Slurm cannot hold.
    """
    if seconds == math.inf:
        return "UNLIMITED"
    check_finite(seconds, "time limit")
    whole = math.ceil(seconds)
    if whole > LARGEST_SLURM_S:
        raise InputError(f"time limit: {whole} s is more than Slurm holds ({LARGEST_SLURM_S} s)")
    days, rest = divmod(whole, DAY_S)
    clock = f"{rest // HOUR_S:02}:{rest % HOUR_S // MINUTE_S:02}:{rest % MINUTE_S:02}"
    return f"{days}-{clock}" if days else clock


def format_size(size_bytes: float, binary: bool = False, digits: int | None = None) -> str:
    """``1.5 TB``, or with ``binary`` ``1.5 TiB``.

    Exact (three decimals at most, else plain bytes); with ``digits``, rounded to that many
    significant ones. Raises InputError for negative and unbounded numbers.
    """
    check_finite(size_bytes, "size")
    steps = _BINARY_STEPS if binary else _DECIMAL_STEPS
    shown, unit = _scaled(round(size_bytes), steps, digits, 1024 if binary else 1000)
    return f"{shown} {unit or 'B'}"


def format_slurm_memory(size_bytes: float) -> str:
    """``16G`` as ``--mem`` takes it, rounded up to whole MiB.

    Raises InputError for 0, which Slurm reads as 'all memory of the node'.
    """
    check_finite(size_bytes, "memory")
    size_mib = math.ceil(Fraction(size_bytes) / MIB)
    if size_mib == 0:
        raise InputError("memory: 0 means all memory of the node to Slurm; valid: from 1 byte")
    whole = ((unit, step // MIB) for unit, step in _SLURM_STEPS)
    unit, step = next((unit, step) for unit, step in whole if size_mib % step == 0)
    return f"{size_mib // step}{unit}"


def format_count(count: int, digits: int | None = None) -> str:
    """``1.5M``: exact, else with thousands commas; ``digits`` rounds. Raises InputError."""
    check_finite(count, "count")
    shown, unit = _scaled(count, _COUNT_STEPS, digits, 1000)
    return f"{shown}{unit}" if unit else f"{int(shown):,}"


def _scaled(
    whole: int, steps: tuple[tuple[str, int], ...], digits: int | None, base: int
) -> tuple[str, str]:
    """The number and the unit to show ``whole`` in; the unit is empty where none fits."""
    for unit, step in steps:
        scaled = Fraction(whole, step)
        if digits is not None:
            scaled = _significant(scaled, digits)
        largest = unit == steps[0][0]
        if scaled >= 1 and (largest or scaled < base) and (scaled * 1000).denominator == 1:
            return _thousandths(int(scaled * 1000)), unit
    return str(whole if digits is None else int(_significant(Fraction(whole), digits))), ""


def _significant(value: Fraction, digits: int) -> Fraction:
    """``value`` rounded to ``digits`` significant ones, at least to three decimals."""
    if value == 0:
        return value
    places = min(digits - 1 - math.floor(math.log10(value)), 3)
    return Fraction(round(value * Fraction(10) ** places)) / Fraction(10) ** places


def _thousandths(thousandths: int) -> str:
    """1500 thousandths are ``1.5``."""
    whole, rest = divmod(thousandths, 1000)
    return f"{whole}.{rest:03}".rstrip("0").rstrip(".") if rest else str(whole)
