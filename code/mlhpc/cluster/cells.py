"""Single values as sinfo and scontrol print them: times, counts, lists, or nothing.

Every reader takes None or one of Slurm's words for 'nothing' and gives None for it. Errors name
the place: InputError.
"""

import math
import re
from collections.abc import Callable
from typing import TypeVar

from mlhpc import units
from mlhpc.cluster import gres, hosts
from mlhpc.errors import InputError

NOTHING = ("(null)", "N/A", "n/a", "NONE", "None", "")
NO_LIMIT = ("UNLIMITED", "infinite", "INFINITE")

Read = TypeVar("Read")


def hours(cell: str | None, place: str) -> float | None:
    """Hours in a time limit; whole ones as int, no limit as inf."""
    if cell is None or cell in NOTHING:
        return None
    # plain sinfo cuts its column: 30-00:00:0 is 30-00:00:00
    cut = re.fullmatch(r"(\d+-\d\d:\d\d):\d?", cell)
    seconds = units.parse_duration_s(cut[1] if cut else cell, "slurm", place)
    span = round(seconds / 3600, 6)  # exact to the second
    return int(span) if span.is_integer() else span


def whole(cell: str | None, place: str) -> int | None:
    """A whole number; None also for '64+' (at least) and for no limit."""
    if cell is None or cell in (*NOTHING, *NO_LIMIT) or cell.endswith("+"):
        return None
    return read(cell, _whole, place)


def limit(cell: str | None, place: str) -> float | None:
    """A whole number, or inf for no limit."""
    return math.inf if cell in NO_LIMIT else whole(cell, place)


def words(cell: str | None) -> tuple[str, ...] | None:
    """A list between commas; Slurm's word for nothing is an empty list."""
    if cell is None:
        return None
    return () if cell in NOTHING else tuple(cell.split(","))


def nodes(cell: str | None, place: str) -> tuple[str, ...] | None:
    """Names of nodes, written out."""
    if cell is None:
        return None
    return () if cell in NOTHING else tuple(read(cell, hosts.expand, place))


def gpus(cell: str | None, place: str) -> dict[str, int] | None:
    """GPUs by type in a Gres cell."""
    return None if cell is None else read(cell, gres.gpus, place)


def _whole(cell: str) -> int:
    if not re.fullmatch(r"\d+", cell):
        raise ValueError("is no whole number")
    return int(cell)


def read(cell: str, reader: Callable[[str], Read], place: str) -> Read:
    """What the reader makes of a cell; its ValueError as an InputError with the place."""
    try:
        return reader(cell)
    except ValueError as error:
        raise InputError(f"{place}: '{cell}' {error}") from None
