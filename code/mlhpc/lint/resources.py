"""What a script asks for beside what the cluster has: errors, and notes where a fact is absent."""

import math
from collections.abc import Iterator

from mlhpc import units
from mlhpc.cluster import Cluster, Partition, gres, hosts
from mlhpc.lint import constraint, fit, shapes
from mlhpc.lint.desk import Desk, nearest
from mlhpc.lint.findings import Finding
from mlhpc.lint.reading import Script, Setting
from mlhpc.lint.request import Request


def check(script: Script, request: Request, cluster: Cluster) -> list[Finding]:
    """All findings on what is asked for. Values that could not be read are left out."""
    desk = Desk(script, request, cluster)
    names = _partitions(desk)
    if names is not None:
        _limits(desk, names)
        _gpu_types(desk, names)
        _hosts(desk, names)
        _features(desk)
        if not any(finding.severity == "error" for finding in desk.found):
            fit.check(desk, names)
    _array(desk)
    return desk.found


def _partitions(desk: Desk) -> list[str] | None:
    """The partitions asked for; None where one is not there, or none can be told."""
    cluster, setting = desk.cluster, desk.request.first("partition")
    known = list(cluster.partitions)
    if setting is None:
        defaults = [key for key in known if cluster.partitions[key].default]
        if not defaults:
            message = "no partition is named, and which one is then used is not known here"
            desk.note(None, "no-partition", f"{message}: {_ask(cluster, 'partition', 'default')}")
        return defaults or None
    asked = [name for name in (setting.value or "").split(",") if name]
    strange = [name for name in asked if name not in cluster.partitions]
    if not asked or strange:
        wrong = strange[0] if strange else ""
        near = nearest(wrong, known)
        message = f"{cluster.name} has no partition '{wrong}'; valid are {', '.join(known)}"
        desk.error(setting, "partition", message, near)
        return None
    return asked


def _ask(cluster: Cluster, section: str, key: str) -> str:
    """The command that tells a fact, for any table of a section."""
    tables = getattr(cluster, f"{section}s")
    first = next(iter(tables), None)
    return cluster.fact(f"{section}.{first}.{key}").ask if first else "ask the centre"


def _limits(desk: Desk, names: list[str]) -> None:
    """Time and number of nodes: each of several partitions must allow them."""
    for name in names:
        partition = desk.cluster.partitions[name]
        _time(desk, partition)
        _least_time(desk, partition)
        _node_count(desk, partition)


def _time(desk: Desk, partition: Partition) -> None:
    setting, wanted_s = desk.request.first("time"), desk.request.get("time")
    if wanted_s is None:
        return
    if wanted_s <= 0:
        desk.error(setting, "time", "a time limit of nothing", "1:00:00")
        return
    if partition.max_time_h is None:
        fact = desk.cluster.fact(f"partition.{partition.key}.max_time_h")
        message = f"the longest time limit of '{partition.key}' is not known here: {fact.ask}"
        desk.note(setting, "unknown-limit", message)
        return
    # Slurm counts whole minutes, and rounds up
    if math.isinf(wanted_s) and math.isinf(partition.max_time_h):
        return
    if math.isinf(wanted_s) or math.ceil(wanted_s / 60) > partition.max_time_h * 60:
        longest_s = partition.max_time_h * units.HOUR_S
        longest = units.format_slurm_time(longest_s)
        message = f"'{partition.key}' ends jobs after {longest} (days-hours:minutes:seconds)"
        desk.error(setting, "time", message, longest)


def _least_time(desk: Desk, partition: Partition) -> None:
    least_s = desk.request.get("time-min")
    if least_s is None:
        return
    wanted_s = desk.request.get("time", (partition.default_time_h or math.inf) * units.HOUR_S)
    longest_s = (partition.max_time_h or math.inf) * units.HOUR_S
    if least_s <= 0 or least_s > min(wanted_s, longest_s):
        setting = desk.request.first("time-min")
        desk.error(setting, "time", "--time-min is longer than the time limit")


def _node_count(desk: Desk, partition: Partition) -> None:
    setting = desk.request.first("nodes", "ntasks")
    low, high = shapes.wanted_nodes(desk.request)
    said = desk.request.get("nodes", (low, None))[1]
    limits = [partition.node_count, partition.max_nodes]
    if partition.node_count is None and partition.max_nodes is None:
        if low > 1:
            fact = desk.cluster.fact(f"partition.{partition.key}.node_count")
            text = f"how many nodes '{partition.key}' has is not known here: {fact.ask}"
            desk.note(setting, "unknown-limit", text)
        return
    most = min(limit for limit in limits if limit is not None)
    beyond = low > most or (
        said is not None
        and partition.max_nodes is not None
        and said > partition.max_nodes
        and (high or 0) > partition.max_nodes
    )
    if beyond:
        message = f"'{partition.key}' gives a job at most {most:.0f} nodes"
        desk.error(setting, "nodes", message, f"{most:.0f}")


def _gpu_types(desk: Desk, names: list[str]) -> None:
    """Each type asked for is one of the cluster's, in one of the partitions."""
    for option in ("gres", "gpus-per-node", "gpus", "gpus-per-task"):
        for kind in filter(None, desk.request.gpus(option)):
            _gpu_type(desk, desk.request.settings[option], kind, names)


def _gpu_type(desk: Desk, setting: Setting, kind: str, names: list[str]) -> None:
    cluster = desk.cluster
    known = {key: gpu.gres for key, gpu in cluster.gpus.items()}
    if not known:
        return
    exact = [key for key, name in known.items() if name == kind]
    alike = gres.match(kind, [(key, name) for key, name in known.items() if name is None])
    if not exact and alike is None:
        meant = gres.match(kind, known.items()) or nearest(kind, list(known))
        value = _renamed(setting, kind, known.get(meant) or meant) if meant else ""
        valid = ", ".join(name or key for key, name in known.items())
        desk.error(
            setting, "gpu-type", f"Slurm knows no GPU '{kind}' here; valid are {valid}", value
        )
        return
    key = exact[0] if exact else str(alike)
    if not exact:
        fact = cluster.fact(f"gpu.{key}.gres")
        message = (
            f"whether Slurm calls the {cluster.gpus[key].name or key} '{kind}' is not known here"
        )
        desk.note(setting, "unconfirmed-name", f"{message}: {fact.ask}")
    having = [cluster.partitions[name].gpus for name in names]
    if all(gpus is not None and key not in gpus for gpus in having):
        others = [name for name, one in cluster.partitions.items() if key in (one.gpus or ())]
        where = f"it is in {', '.join(others)}" if others else "no partition has it"
        desk.error(
            desk.request.first("partition"), "gpu-partition",
            f"'{','.join(names)}' has no {kind}: {where}", others[0] if others else "",
        )  # fmt: skip


def _renamed(setting: Setting, old: str, new: str) -> str:
    return (setting.value or "").replace(old, new, 1)


def _hosts(desk: Desk, names: list[str]) -> None:
    everywhere = [shapes.of_partition(desk.cluster, name) for name in desk.cluster.partitions]
    if any(nodes is None for nodes in everywhere):
        return
    known = {name for nodes in everywhere for one in nodes or () for name in one.names}
    for option in ("nodelist", "exclude"):
        setting = desk.request.first(option)
        if setting is None or not setting.value:
            continue
        try:
            asked = hosts.expand(setting.value)
        except ValueError as error:
            desk.error(setting, "node-name", f"--{option}: '{setting.value}' {error}")
            continue
        strange = [name for name in asked if name not in known]
        if strange:
            desk.error(setting, "node-name", f"there is no node '{strange[0]}'")
        elif option == "nodelist":
            _nodelist(desk, setting, asked, names)


def _nodelist(desk: Desk, setting: Setting, asked: list[str], names: list[str]) -> None:
    own = [shapes.of_partition(desk.cluster, name) or () for name in names]
    inside = [{name for one in nodes for name in one.names} for nodes in own]
    if not all(set(asked) <= part for part in inside):
        desk.error(setting, "node-name", f"'{','.join(names)}' has not all of {setting.value}")
    high = desk.request.get("nodes", (1, None))[1]
    if high is not None and len(set(asked)) > high:
        message = f"{len(set(asked))} nodes are named, and at most {high} asked for"
        desk.error(setting, "node-name", message)
    total = sum(desk.request.gpus("gpus").values())
    if 0 < total < len(set(asked)):
        message = (
            f"{len(set(asked))} nodes are named, and {total} GPUs asked for: one each at least"
        )
        desk.error(setting, "node-name", message)


def _features(desk: Desk) -> None:
    setting = desk.request.first("constraint")
    if setting is None or not setting.value:
        return
    try:
        wanted = constraint.features(setting.value)
    except ValueError as error:
        desk.error(setting, "feature", f"--constraint: '{setting.value}' {error}")
        return
    groups = desk.cluster.nodes.values()
    if not groups or any(group.features is None for group in groups):
        message = 'which features nodes have is not known here: sinfo -e -o "%N %f"'
        desk.note(setting, "unknown-limit", message)
        return
    known = {feature for group in groups for feature in group.features or ()}
    for name in sorted(wanted - known):
        near = nearest(name, sorted(known))
        message = f"no node has the feature '{name}'; valid are {', '.join(sorted(known))}"
        desk.error(setting, "feature", message, _renamed(setting, name, near) if near else "")


def _array(desk: Desk) -> None:
    setting, wanted = desk.request.first("array"), desk.request.get("array")
    if setting is None or wanted is None:
        return
    size = desk.cluster.limits.max_array_size
    if size is None:
        if wanted[1] > 0:
            fact = desk.cluster.fact("limits.max_array_size")
            message = f"how large an index may be is not known here: {fact.ask}"
            desk.note(setting, "unknown-limit", message)
    elif wanted[1] >= size:
        message = f"the largest index is {wanted[1]}, and Slurm here takes at most {size - 1}"
        desk.error(setting, "array", message)


def unchecked(script: Script) -> Iterator[Finding]:
    """Notes on options that are real and not looked into."""
    for setting in script.settings:
        if setting.option.level == "none":
            message = f"--{setting.name} is an option of sbatch that is not checked here"
            yield Finding(setting.line, setting.column, "unchecked-option", "note", message)
