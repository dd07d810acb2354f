"""Reading what ``scontrol show partition``, ``show node`` and ``show config`` print.

Both forms: several lines for each, or (``-o``) one.
"""

import math
import re
from collections.abc import Mapping

from mlhpc.cluster import cells, gres
from mlhpc.cluster.live import Live, LiveNode, LivePartition
from mlhpc.errors import InputError

Record = Mapping[str, str]


def parse_partitions(text: str, origin: str) -> Live:
    """All partitions, with limits and names of nodes. Raises InputError where there is none."""
    records = _records(text, "PartitionName", "partition", origin)
    found = (_partition(record, f"{origin}: {name}") for name, record in records.items())
    return Live((origin,), partitions={item.name: item for item in found})


def parse_nodes(text: str, origin: str) -> Live:
    """All nodes, with CPUs, memory, GPUs, features. Raises InputError where there is none."""
    records = _records(text, "NodeName", "node", origin)
    found = (_node(record, f"{origin}: {name}") for name, record in records.items())
    return Live((origin,), nodes={item.name: item for item in found})


def parse_config(text: str, origin: str) -> Live:
    """The settings of the whole cluster. Raises InputError where there is none."""
    settings = dict(re.findall(r"(?m)^(\S+)\s*= (.*?)\s*$", text))
    if "SLURM_VERSION" not in settings:
        raise _not_from("config", "SLURM_VERSION", origin)
    return Live(
        (origin,),
        max_array_size=cells.whole(settings.get("MaxArraySize"), origin),
        default_memory_per_cpu_mib=_memory_per_cpu(settings, origin),
        slurm_version=settings["SLURM_VERSION"],
    )


def _records(text: str, first: str, what: str, origin: str) -> dict[str, Record]:
    """name -> key -> value, of 'PartitionName=gpu AllowGroups=ALL ...'."""
    parts = re.split(rf"(?m)^(?={first}=)", text)
    fields = [_fields(part) for part in parts if part.startswith(first)]
    if not fields:
        raise _not_from(what, f"{first}=...", origin)
    return {record[first]: record for record in fields}


def _fields(part: str) -> Record:
    """Values may hold blanks (OS=Linux 6.1 #1); of a key that comes twice, the first counts."""
    keys = list(re.finditer(r"(?:^|\s)([A-Z][\w/:]*)=", part))
    ends = [*(key.start() for key in keys[1:]), len(part)]
    found: dict[str, str] = {}
    for key, end in zip(keys, ends, strict=True):
        found.setdefault(key[1], part[key.end() : end].strip())
    return found


def _not_from(what: str, missing: str, origin: str) -> InputError:
    return InputError(
        f"{origin}: there is no '{missing}' in it; valid choices: the output of "
        f"scontrol show {what}"
    )


def _partition(record: Record, place: str) -> LivePartition:
    max_time_h = cells.hours(record.get("MaxTime"), place)
    default_time_h = cells.hours(record.get("DefaultTime"), place)
    if default_time_h is None and "DefaultTime" in record:
        default_time_h = max_time_h  # Slurm's own rule
    return LivePartition(
        name=record["PartitionName"],
        hosts=cells.nodes(record.get("Nodes"), place),
        default=record["Default"] == "YES" if "Default" in record else None,
        max_time_h=max_time_h,
        default_time_h=default_time_h,
        max_nodes=cells.limit(record.get("MaxNodes"), place),
        # without a number of its own, the cluster's setting holds: see parse_config
        default_memory_per_cpu_mib=cells.whole(record.get("DefMemPerCPU"), place),
        default_memory_mib=cells.whole(record.get("DefMemPerNode"), place),
        accounts=cells.words(record.get("AllowAccounts")),
        qos=cells.words(record.get("AllowQos")),
    )


def _memory_per_cpu(settings: Record, place: str) -> float | None:
    if settings.get("DefMemPerNode") in cells.NO_LIMIT:
        return math.inf
    return cells.limit(settings.get("DefMemPerCPU"), place)


def _node(record: Record, place: str) -> LiveNode:
    # CPUEfctv leaves out what Slurm keeps for itself; versions before 22.05 have CPUTot only
    cpus = cells.whole(record.get("CPUEfctv", record.get("CPUTot")), place)
    return LiveNode(
        name=record["NodeName"],
        cpus=cpus,
        cores=_cores(record, place),
        memory_mib=cells.whole(record.get("RealMemory"), place),
        gpus=_gpus(record, place),
        features=cells.words(record.get("AvailableFeatures")),
    )


def _cores(record: Record, place: str) -> int | None:
    sockets = cells.whole(record.get("Sockets"), place)
    each = cells.whole(record.get("CoresPerSocket"), place)
    return None if sockets is None or each is None else sockets * each


def _gpus(record: Record, place: str) -> dict[str, int] | None:
    """By type, from Gres; where that names no type, CfgTRES may."""
    found = cells.gpus(record.get("Gres"), place)
    counted = gres.tres_gpus(record.get("CfgTRES", ""))
    untyped = found is not None and set(found) == {""}
    same_number = found is not None and sum(found.values()) == sum(counted.values())
    return counted if untyped and same_number else found
