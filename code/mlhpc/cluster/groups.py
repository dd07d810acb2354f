"""Groups of nodes that are alike: those of the file beside those of the cluster."""

import re
from collections.abc import Iterator

from mlhpc.cluster import hosts
from mlhpc.cluster.facts import Value
from mlhpc.cluster.findings import Finding
from mlhpc.cluster.live import LiveNode, LivePartition
from mlhpc.cluster.sides import Sides, Values, as_key

Kind = tuple[str, str]  # the letters that the names begin with, and all that is told of the node


def compare(sides: Sides) -> Iterator[Finding]:
    """Each group of the file beside its nodes, and the nodes that are in none.

    Groups without ``hosts`` cannot be told apart and are passed over. In a file without groups,
    the cluster's are notes.
    """
    live, file = sides.live.nodes, sides.file.nodes
    if live is None or any(group.hosts is None for group in file.values()):
        return
    grouped: set[str] = set()
    for key, group in file.items():
        names = hosts.expand(group.hosts or "")
        grouped.update(names)
        yield from _group(sides, f"node.{key}", names)
    kind = "difference" if file else "note"
    taken = set(file)
    for nodes in _alike([node for name, node in live.items() if name not in grouped]):
        table = f"node.{_new_key(nodes, taken)}"
        values = _values(sides, nodes[0])
        yield sides.desk("node").table(table, {"hosts": _short(nodes), **values}, kind)


def of_partition(sides: Sides, partition: LivePartition) -> Value | None:
    """The file's groups whose nodes are in a partition; None where that is not known."""
    if not sides.file.nodes or partition.hosts is None:
        return None
    inside: list[str] = []
    for key, group in sides.file.nodes.items():
        if group.hosts is None:
            return None
        if set(hosts.expand(group.hosts)) & set(partition.hosts):
            inside.append(key)
    return tuple(inside)


def _group(sides: Sides, table: str, names: list[str]) -> Iterator[Finding]:
    """One group of the file: are all its nodes there, and are they as it says?"""
    known, desk = sides.live.nodes or {}, sides.desk("node")
    there = [known[name] for name in names if name in known]
    if not there:
        yield desk.gone(table, "has none of these nodes")
        return
    if len(there) < len(names):
        yield from sides.keys(table, {"hosts": _short(there)}, desk)
    # nodes that are alike have one set of values: report each set once
    for nodes in _alike(there):
        yield from sides.keys(table, _values(sides, nodes[0]), desk)


def _values(sides: Sides, node: LiveNode) -> Values:
    gpus: dict[str, int] | None = None
    if node.gpus is not None and "" not in node.gpus:
        gpus = {sides.gpu_key(kind): count for kind, count in node.gpus.items()}
    return {
        "cpus": node.cpus,
        "memory_mib": node.memory_mib,
        "gpus": gpus,
        "features": node.features,
    }


def _alike(nodes: list[LiveNode]) -> list[list[LiveNode]]:
    """Nodes together that are described alike and whose names begin alike."""
    groups: dict[Kind, list[LiveNode]] = {}
    for node in nodes:
        described = repr((node.cpus, node.memory_mib, node.gpus, node.features))
        groups.setdefault((_prefix(node.name), described), []).append(node)
    return list(groups.values())


def _prefix(name: str) -> str:
    return re.sub(r"\d+$", "", name)


def _short(nodes: list[LiveNode]) -> str:
    return hosts.compress(node.name for node in nodes)


def _new_key(nodes: list[LiveNode], taken: set[str]) -> str:
    """A name for a group: amd for amd01 and amd02; with a number where that is taken."""
    base = as_key(_prefix(nodes[0].name))
    key, number = base, 2
    while key in taken:
        key, number = f"{base}-{number}", number + 1
    taken.add(key)
    return key
