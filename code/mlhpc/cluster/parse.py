"""Reading a cluster file: text to tables and facts."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mlhpc.cluster import values
from mlhpc.cluster.facts import Fact
from mlhpc.cluster.place import Place, only
from mlhpc.cluster.tables import NAMED, SECTIONS, SINGLE, Spec, specs
from mlhpc.errors import InputError

SCHEMA = 1
PROVENANCE = ("source", "checked")

Entry = dict[str, Fact]  # key -> Fact, of one table


@dataclass(frozen=True)
class Tables:
    """What a cluster file holds: facts by key for each single table and each named one."""

    single: dict[str, Entry]
    named: dict[str, dict[str, Entry]]


def read(text: str, origin: str) -> Tables:
    """The facts of a cluster file, each key checked by itself.

    Every key that the format knows is there, with the value None where the file does not say.
    ``origin`` is the file's name for messages. Raises InputError for whatever the format does
    not allow; references between tables are the business of ``consistency``.
    """
    data = _toml(text, origin)
    top = Place(origin)
    only(data, ("schema", *SECTIONS), top)
    if isinstance(data.get("schema"), bool) or data.get("schema") != SCHEMA:
        raise top.at("schema").error("missing or unknown", data.get("schema"), [str(SCHEMA)])
    single = {
        section: _entry(kind, data.get(section, {}), Place(origin, section))
        for section, kind in SINGLE.items()
    }
    named = {
        section: {
            key: _entry(kind, entry, Place(origin, f"{section}.{key}"))
            for key, entry in _named(data, section, origin)
        }
        for section, kind in NAMED.items()
    }
    return Tables(single, named)


def absent(kind: type, table: str) -> Entry:
    """The facts of a table that says nothing: all unknown, each with the way to find out."""
    return _entry(kind, {}, Place("", table))


def _toml(text: str, origin: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{origin}: not valid TOML: {error}") from None


def _named(data: dict[str, Any], section: str, origin: str) -> Iterator[tuple[str, Any]]:
    entries = data.get(section, {})
    if not isinstance(entries, dict):
        raise Place(origin, key=section).error(f"must be tables: [{section}.NAME]", entries)
    for key, entry in entries.items():
        # a name is part of a fact's path, of commands to type and of addresses on the site
        if not re.fullmatch(r"[A-Za-z0-9_-]+", key):
            raise Place(origin, section, key).error("a name has only letters, digits, _ and -")
        yield key, entry


def _entry(kind: type, entry: Any, place: Place) -> Entry:
    if not isinstance(entry, dict):
        section, _, key = place.table.rpartition(".")
        raise Place(place.origin, section, key).error(f"must be a table: [{place.table}]", entry)
    known = specs(kind)
    only(entry, (*PROVENANCE, *known), place)
    shared = _provenance(entry, place)
    return {key: _fact(spec, entry.get(key), shared, place.at(key)) for key, spec in known.items()}


def _fact(spec: Spec, raw: Any, shared: Mapping[str, str], place: Place) -> Fact:
    path = f"{place.table}.{place.key}"
    ask = spec.ask.replace("{key}", place.table.rpartition(".")[2])
    if raw is None:
        return Fact(path, None, spec.unit, None, None, ask, spec.about)
    given = values.detail(raw, spec, place)
    value = values.value(given, spec, place)
    origin = {**shared, **_provenance(given, place)}
    for name in PROVENANCE:
        if name not in origin:
            raise place.error(f"has no '{name}': give one to the table [{place.table}]", raw)
    note = values.text(given["note"], place.at(f"{place.key}.note")) if "note" in given else None
    return Fact(path, value, spec.unit, origin["source"], origin["checked"], ask, spec.about, note)


def _provenance(given: Mapping[str, Any], place: Place) -> dict[str, str]:
    read_as = {"source": values.text, "checked": values.date}
    spot = f"{place.key}." if place.key else ""
    return {
        name: read_as[name](given[name], place.at(f"{spot}{name}"))
        for name in PROVENANCE
        if name in given
    }
