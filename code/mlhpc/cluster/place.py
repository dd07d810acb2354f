"""Where in a cluster file something is wrong, and the one line that says so."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mlhpc.cluster import toml
from mlhpc.errors import InputError


@dataclass(frozen=True)
class Place:
    """The file, the table ("" at the top level), and perhaps the key."""

    origin: str
    table: str = ""
    key: str = ""

    def at(self, key: str) -> "Place":
        """The same table, another key."""
        return Place(self.origin, self.table, key)

    def error(self, what: str, value: object = None, choices: Iterable[str] = ()) -> InputError:
        """The error to raise: 'file: [table] key = value: what is wrong; valid choices: a, b'."""
        table = f"[{self.table}]" if self.table else "top level"
        key = f" {self.key}" if self.key else ""
        given = f" = {toml.literal(value)}" if value is not None else ""
        valid = ", ".join(choices)
        ending = f"; valid choices: {valid}" if valid else ""
        return InputError(f"{self.origin}: {table}{key}{given}: {what}{ending}")


def only(entry: Mapping[str, object], known: Iterable[str], place: Place) -> None:
    """Refuse a table that holds a key which is not among the known ones."""
    names = list(known)
    for key, value in entry.items():
        if key not in names:
            # all of them, those most like it first
            choices = dict.fromkeys([*near(key, names), *names])
            raise place.at(key).error("unknown key", value, choices)


def near(wrong: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Of the known names those most like the wrong one; all where none is like it."""
    names = list(known)
    return difflib.get_close_matches(wrong, names, n=most, cutoff=0.6) or names
