"""The sizes of units, and the largest amounts that can be meant."""

import math

from mlhpc.errors import InputError

MINUTE_S, HOUR_S, DAY_S, WEEK_S = 60, 3600, 86400, 604800
KIB, MIB, GIB = 1024, 1024 * 1024, 1024 * 1024 * 1024
TIB, PIB, EIB = GIB * KIB, GIB * MIB, GIB * GIB

# Slurm holds seconds of a time limit in a signed 32-bit number (time_str2secs)
LARGEST_SLURM_S = 2**31 - 1
LARGEST_S = 10**12
LARGEST_WHOLE = 2**63 - 1


def check_finite(value: float, name: str) -> None:
    """Raise InputError for negative and unbounded numbers and for nan."""
    if not (0 <= value < math.inf):
        raise InputError(f"{name}: {value!r} cannot be shown; valid: finite numbers from 0")
