"""The two sides of a comparison: the file and the running cluster."""

import datetime
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mlhpc.cluster import gres
from mlhpc.cluster.facts import Value
from mlhpc.cluster.findings import Desk, Finding
from mlhpc.cluster.live import Live
from mlhpc.cluster.model import Cluster

Values = dict[str, Value | None]


@dataclass(frozen=True)
class Sides:
    """The file, what the cluster answered, and the day of the answer."""

    file: Cluster
    live: Live
    checked: datetime.date

    def desk(self, what: str) -> Desk:
        """Where findings about 'partition', 'node' or 'config' are written.

        Their source is the command that told: scontrol's, else sinfo.
        """
        wanted = f"scontrol show {what}"
        source = wanted if wanted in self.live.sources else "sinfo"
        return Desk(self.file.text, source, self.checked)

    def keys(self, table: str, values: Mapping[str, Value | None], desk: Desk) -> Iterator[Finding]:
        """A finding for each value that the table says otherwise, or not at all.

        A value that is None is not known, and is passed over.
        """
        for key, value in values.items():
            fact = self.file.by_path[f"{table}.{key}"]
            if value is not None and (fact.value is None or not same(fact.value, value)):
                yield desk.key(table, key, fact.value, value, fact.unit)

    def gpu_key(self, gres_type: str) -> str:
        """What the file calls a type of GPU of Slurm's; a new name where it does not have it."""
        known = [(key, gpu.gres) for key, gpu in self.file.gpus.items()]
        return gres.match(gres_type, known) or as_key(gres_type)


def same(old: Value, new: Value) -> bool:
    """Whether two values say the same: numbers to a ten-thousandth, lists in any order."""
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if isinstance(old, int | float) and isinstance(new, int | float):
        return math.isclose(old, new, rel_tol=1e-4)
    if isinstance(old, tuple) and isinstance(new, tuple):
        return set(old) == set(new)
    return old == new


def as_key(text: str) -> str:
    """A name for a table, from one of Slurm's."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-") or "unnamed"
