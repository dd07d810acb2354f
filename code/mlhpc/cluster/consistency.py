"""What the tables of a cluster file say about each other."""

from collections.abc import Mapping
from typing import Any

from mlhpc.cluster import hosts
from mlhpc.cluster.parse import Entry, Tables
from mlhpc.cluster.place import Place
from mlhpc.cluster.tables import NAMED, specs

ORDERED = (
    ("partition", "cores_min", "cores_max"),
    ("partition", "default_time_h", "max_time_h"),
)


def check(tables: Tables, origin: str) -> None:
    """Raise InputError at the first place where one table contradicts another."""
    _references(tables.named, origin)
    for section, low, high in ORDERED:
        for key, entry in tables.named[section].items():
            _in_order(entry, low, high, Place(origin, f"{section}.{key}"))
    _one_default(tables.named["partition"], origin)
    for key, entry in tables.named["node"].items():
        _hosts(entry, Place(origin, f"node.{key}"))
    _gpu_counts(tables.named, origin)


def _references(named: Mapping[str, dict[str, Entry]], origin: str) -> None:
    for section, entries in named.items():
        for key, entry in entries.items():
            for name, spec in specs(NAMED[section]).items():
                value: Any = entry[name].value
                if spec.refers and value is not None:
                    place = Place(origin, f"{section}.{key}", name)
                    _known(value, list(named[spec.refers]), spec.refers, place)


def _known(value: Any, valid: list[str], section: str, place: Place) -> None:
    for name in value:
        if name not in valid:
            choices = valid or [f"none yet: add a table [{section}.{name}]"]
            raise place.error(f"there is no [{section}.{name}]", value, choices)


def _in_order(entry: Entry, low: str, high: str, place: Place) -> None:
    less: Any = entry[low].value
    more: Any = entry[high].value
    if less is not None and more is not None and less > more:
        raise place.at(low).error(f"is more than {high} = {more}", less)


def _one_default(partitions: Mapping[str, Entry], origin: str) -> None:
    marked = [key for key, entry in partitions.items() if entry["default"].value]
    if len(marked) > 1:
        place = Place(origin, f"partition.{marked[1]}", "default")
        raise place.error(f"[partition.{marked[0]}] is the default already", True)


def _hosts(entry: Entry, place: Place) -> None:
    names: Any = entry["hosts"].value
    if names is None:
        return
    try:
        found = len(hosts.expand(names))
    except ValueError as error:
        raise place.at("hosts").error(str(error), names) from None
    count: Any = entry["count"].value
    if count is not None and count != found:
        raise place.at("count").error(f"hosts = {names!r} are {found}", count)


def _gpu_counts(named: Mapping[str, dict[str, Entry]], origin: str) -> None:
    """A type's count and the nodes that hold it, where both are given, must agree."""
    for key, entry in named["gpu"].items():
        stated = entry["count"].value
        held = gpus_in_nodes(named["node"], key)
        if stated is not None and held is not None and stated != held:
            place = Place(origin, f"gpu.{key}", "count")
            raise place.error(f"the [node.*] tables hold {held}", stated)


def gpus_in_nodes(groups: Mapping[str, Entry], gpu: str) -> int | None:
    """How many GPUs of a type the groups of nodes hold; None where one does not say."""
    if not groups:
        return None
    total = 0
    for entry in groups.values():
        count, gpus = node_count(entry), entry["gpus"].value
        if count is None or not isinstance(gpus, dict):
            return None
        total += count * gpus.get(gpu, 0)
    return total


def node_count(entry: Entry) -> int | None:
    """How many nodes a group has, by its count or its hosts."""
    count: Any = entry["count"].value
    names: Any = entry["hosts"].value
    if count is None and names is not None:
        return len(hosts.expand(names))
    return None if count is None else int(count)
