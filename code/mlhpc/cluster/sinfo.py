"""Reading the table that sinfo prints: any columns, as long as PARTITION is there."""

import re
from collections.abc import Mapping
from dataclasses import replace

from mlhpc.cluster import cells
from mlhpc.cluster.live import Live, LiveNode, LivePartition
from mlhpc.errors import InputError

FORMAT = "%P|%a|%l|%L|%D|%c|%z|%m|%G|%f|%N|%s"  # all that parse() can use; -e keeps nodes apart

Row = Mapping[str, str]


def parse(text: str, origin: str) -> Live:
    """A cluster from sinfo's table, columns apart by blanks or by '|'.

    Nodes are known where a column names them (NODELIST, HOSTNAMES). ``origin`` is the text's name
    in messages. Raises InputError where the text is no such table.
    """
    rows = _rows(text, origin)
    # %R names partitions without the star that marks the default
    starred = any(row["PARTITION"].endswith("*") for row in rows.values())
    partitions: dict[str, LivePartition] = {}
    nodes: dict[str, LiveNode] = {}
    for number, row in rows.items():
        place = f"{origin}: line {number}"
        found = _partition(row, starred, place)
        before = partitions.get(found.name)
        partitions[found.name] = _joined(before, found) if before else found
        nodes |= {name: _node(row, name, place) for name in found.hosts or ()}
    return Live((origin,), partitions, nodes if _names_nodes(rows) else None)


def _rows(text: str, origin: str) -> Mapping[int, Row]:
    """Line number -> column -> cell."""
    lines = {n: line for n, line in enumerate(text.splitlines(), 1) if line.strip()}
    first = min(lines, default=0)
    divider = "|" if "|" in lines.get(first, "") else None
    columns = [word.strip() for word in lines.pop(first, "").split(divider)]
    if "PARTITION" not in columns or not lines:
        raise InputError(
            f"{origin}: is no table of sinfo's with a column PARTITION; "
            f"valid choices: the output of sinfo, with its header, or of sinfo -a -e -o '{FORMAT}'"
        )
    rows = {}
    for number, line in lines.items():
        # apart by blanks, the last column may hold some
        most = -1 if divider else len(columns) - 1
        found = [cell.strip() for cell in line.split(divider, most)]
        if len(found) != len(columns):
            raise InputError(
                f"{origin}: line {number}: {len(found)} columns, the header has {len(columns)}"
            )
        rows[number] = dict(zip(columns, found, strict=True))
    return rows


def _names_nodes(rows: Mapping[int, Row]) -> bool:
    return any("NODELIST" in row or "HOSTNAMES" in row for row in rows.values())


def _partition(row: Row, starred: bool, place: str) -> LivePartition:
    name = row["PARTITION"]
    gpus = cells.gpus(row.get("GRES"), place)
    max_time_h = cells.hours(row.get("TIMELIMIT"), place)
    default_time_h = cells.hours(row.get("DEFAULTTIME"), place)
    if default_time_h is None and "DEFAULTTIME" in row:
        default_time_h = max_time_h  # Slurm's own rule
    most = row["JOB_SIZE"].rpartition("-")[2] if "JOB_SIZE" in row else None
    return LivePartition(
        name=name.removesuffix("*"),
        hosts=cells.nodes(row.get("NODELIST", row.get("HOSTNAMES")), place),
        gpu_types=None if gpus is None else tuple(gpus),
        default=name.endswith("*") if starred else None,
        max_time_h=max_time_h,
        default_time_h=default_time_h,
        max_nodes=cells.limit(most, place),
    )


def _joined(first: LivePartition, second: LivePartition) -> LivePartition:
    """Two rows of one partition: nodes and types of both."""
    return replace(
        first,
        hosts=_union(first.hosts, second.hosts),
        gpu_types=_union(first.gpu_types, second.gpu_types),
    )


def _union(first: tuple[str, ...] | None, second: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if first is None or second is None:
        return None
    return tuple(dict.fromkeys((*first, *second)))


def _node(row: Row, name: str, place: str) -> LiveNode:
    shape = row.get("S:C:T")
    return LiveNode(
        name=name,
        cpus=cells.whole(row.get("CPUS"), place),
        cores=None if shape is None else cells.read(shape, _cores, place),
        memory_mib=cells.whole(row.get("MEMORY"), place),
        gpus=cells.gpus(row.get("GRES"), place),
        features=cells.words(row.get("AVAIL_FEATURES")),
    )


def _cores(shape: str) -> int | None:
    """Cores of '2:16:2', sockets:cores:threads; unknown in '2+:16+:2', a mixture."""
    if "+" in shape:
        return None
    parts = re.fullmatch(r"(\d+):(\d+):\d+", shape)
    if parts is None:
        raise ValueError("is not sockets:cores:threads")
    return int(parts[1]) * int(parts[2])
