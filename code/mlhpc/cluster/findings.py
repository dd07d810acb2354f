"""What a comparison finds: where the file and the cluster differ, and the line to write."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from mlhpc.cluster import toml
from mlhpc.cluster.facts import Value, shown_with_unit


@dataclass(frozen=True)
class Finding:
    """One thing to change in a cluster file.

    ``kind`` is 'difference' where the file is wrong, 'note' where it says nothing. ``file`` and
    ``cluster`` are what each says, for people. ``action`` says what to do with ``toml``, the text
    to write ("" where something is to be deleted); ``line`` is the line of the file to do it at,
    None for the end of the file.
    """

    kind: str
    path: str
    file: str
    cluster: str
    action: str
    toml: str
    line: int | None


@dataclass(frozen=True)
class Desk:
    """What writing a finding needs: the file's text, and where and when the answer came."""

    text: str
    source: str
    checked: datetime.date

    def key(self, table: str, key: str, old: Value | None, new: Value, unit: str = "") -> Finding:
        """A key that has another value in the file, or none."""
        known = old is not None
        line = toml.line_of(self.text, table, key if known else None)
        detail = {"value": new, "source": self.source, "checked": self.checked}
        written = f"{key} = {toml.literal(detail)}"
        return Finding(
            kind="difference" if known else "note",
            path=f"{table}.{key}",
            file="does not say" if old is None else shown_with_unit(old, unit),
            cluster=shown_with_unit(new, unit),
            action=f"change to, in [{table}]" if known else f"add to [{table}]",
            # a table that comes once may not be in the file at all
            toml=written if known or line else f"[{table}]\n{written}",
            line=line,
        )

    def table(self, table: str, values: Mapping[str, Value | None], kind: str) -> Finding:
        """Something of the cluster's that the file has no table for."""
        known = {key: value for key, value in values.items() if value is not None}
        lines = [
            f"[{table}]",
            f"source = {toml.literal(self.source)}",
            f"checked = {self.checked.isoformat()}",
            *(f"{key} = {toml.literal(value)}" for key, value in known.items()),
        ]
        return Finding(kind, table, "does not say", "has it", "add", "\n".join(lines), None)

    def gone(self, table: str, cluster: str) -> Finding:
        """A table of the file's for something that the cluster has not."""
        line = toml.line_of(self.text, table)
        return Finding(
            "difference", table, "has it", cluster, f"delete the table [{table}]", "", line
        )
