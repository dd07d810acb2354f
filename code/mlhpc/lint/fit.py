"""Whether some nodes of a partition can hold a job, and if not, what is too much."""

from mlhpc import units
from mlhpc.cluster import Partition, gres, hosts
from mlhpc.lint import constraint, shapes
from mlhpc.lint.desk import Desk
from mlhpc.lint.reading import Setting
from mlhpc.lint.request import Request

ROUND_FIGURE = 1.1  # '512 GB' may be 512 GiB: only a tenth above it is surely too much
MIB_PER_GB = 10**9 / 2**20


def check(desk: Desk, names: list[str]) -> None:
    """Whether some nodes of one of the partitions can hold the job."""
    reasons = []
    for name in names:
        nodes = shapes.of_partition(desk.cluster, name)
        partition = desk.cluster.partitions[name]
        if nodes is None:
            reasons.append(_by_bounds(desk, partition))
        else:
            reasons.append(_by_nodes(desk, partition, nodes))
    if all(reasons):
        setting, rule, message, value = next(reason for reason in reasons if reason)
        desk.error(setting, rule, message, value)
    elif not any(reasons) and all(
        shapes.of_partition(desk.cluster, name) is None for name in names
    ):
        _unknown_nodes(desk, names)


Reason = tuple[Setting | None, str, str, str]


def _by_nodes(desk: Desk, partition: Partition, nodes: tuple[shapes.Nodes, ...]) -> Reason | None:
    """Why the job does not fit on these nodes, in what is too much; None where it does."""
    request = desk.request
    setting = request.first("exclude")
    excluded = hosts.expand(setting.value) if setting and setting.value else []
    left = shapes.without(nodes, frozenset(excluded))
    named = request.first("nodelist")
    text = request.get("constraint") or ""
    left = tuple(one for one in left if constraint.holds(text, one.features))
    if named and named.value and not _named_fit(request, left, named.value, partition):
        return named, "node-name", f"the nodes {named.value} cannot hold this job", ""
    if shapes.fits(request, left, partition.default_memory_per_cpu_mib, partition.max_nodes):
        return None
    return _too_much(desk, partition.key, left or nodes) or (
        request.first("nodes", "gpus", "gres", "gpus-per-node", "ntasks", "cpus-per-task", "mem"),
        "no-fit",
        f"no nodes of '{partition.key}' have all of this at once",
        "",
    )


def _named_fit(
    request: Request, nodes: tuple[shapes.Nodes, ...], named: str, partition: Partition
) -> bool:
    wanted = set(hosts.expand(named))
    kept = [shapes.without((one,), frozenset(set(one.names) - wanted)) for one in nodes]
    inside = tuple(one for group in kept for one in group)
    if sum(one.count for one in inside) < len(wanted):
        return False
    low, _ = shapes.wanted_nodes(request)
    if low <= len(wanted):
        return shapes.fits(request, inside, partition.default_memory_per_cpu_mib)
    return False


def _too_much(desk: Desk, name: str, nodes: tuple[shapes.Nodes, ...]) -> Reason | None:
    """The one thing that no node of the partition has, where it is one thing."""
    request = desk.request
    cpus = max(one.cpus for one in nodes)
    if request.cpus_per_task > cpus or request.get("mincpus", 1) > cpus:
        where = request.first("cpus-per-task", "mincpus")
        return where, "cores", f"the largest node of '{name}' has {cpus} cores", str(cpus)
    memory = max(one.memory_mib for one in nodes)
    wanted = shapes.memory_on_node_mib(request, sum(request.gpus_per_node.values()))
    if wanted > memory:
        value = units.format_slurm_memory(memory * 2**20)
        where = request.first("mem", "mem-per-gpu")
        right = value if where and where.name == "mem" else ""
        return where, "memory", f"a node of '{name}' has at most {memory} MiB ({value})", right
    for kind, number in request.gpus_per_node.items():
        most = max(shapes.available(one, kind) for one in nodes)
        if number > most:
            return _too_many_gpus(desk, name, kind, most, "in one node")
    for kind, number in request.gpus("gpus").items():
        most = sum(one.count * shapes.available(one, kind) for one in nodes)
        if number > most:
            return _too_many_gpus(desk, name, kind, most, "in all")
    return None


def _too_many_gpus(desk: Desk, name: str, kind: str, most: int, where: str) -> Reason:
    setting = desk.request.first("gres", "gpus-per-node", "gpus")
    if most == 0:
        others = [key for key, one in desk.cluster.partitions.items() if one.gpus]
        hint = f"; GPUs are in {', '.join(others)}" if others else ""
        right = others[0] if others else ""
        partition = desk.request.first("partition")
        return (
            partition or setting,
            "gpu-partition",
            f"'{name}' has no {kind or 'GPU'}{hint}",
            right,
        )
    words = f"{most} {kind or 'GPUs'} {where}"
    value = ""
    if setting and setting.value:
        head, _, tail = setting.value.rpartition(":")
        value = f"{head}:{most}" if tail.isdigit() and head else str(most)
    return setting, "gpu-count", f"'{name}' has at most {words}", value


def _by_bounds(desk: Desk, partition: Partition) -> Reason | None:
    """Why the job is too large for what is known of a partition whose nodes are not told."""
    request, name = desk.request, partition.key
    most = partition.cores_max
    per_node = request.get("mincpus", 1)
    if most is not None and max(request.cpus_per_task, per_node) > most:
        where = request.first("cpus-per-task", "mincpus")
        return where, "cores", f"the largest node of '{name}' has {most} cores", str(most)
    memory_gb = partition.memory_gb_max
    wanted_mib = shapes.memory_on_node_mib(request, sum(request.gpus_per_node.values()))
    if memory_gb is not None and wanted_mib > memory_gb * MIB_PER_GB * ROUND_FIGURE:
        where = request.first("mem", "mem-per-gpu")
        right = f"{memory_gb * 10**9 / 2**30:.0f}G" if where and where.name == "mem" else ""
        return where, "memory", f"a node of '{name}' has at most {memory_gb:g} GB", right
    if partition.gpus is not None and not partition.gpus and request.wants_gpus:
        return _too_many_gpus(desk, name, "", 0, "")
    return _gpus_by_bounds(desk, partition)


def _gpus_by_bounds(desk: Desk, partition: Partition) -> Reason | None:
    request, cluster = desk.request, desk.cluster
    if partition.gpus is None:
        return None
    counts = {key: cluster.gpus[key].count for key in partition.gpus}
    asked = {**request.gpus_per_node}
    for kind, number in request.gpus("gpus").items():
        asked[kind] = max(asked.get(kind, 0), number)
    for kind, number in asked.items():
        key = gres.match(kind, [(one, cluster.gpus[one].gres) for one in counts]) if kind else None
        having = [counts[key]] if key else list(counts.values())
        if None in having:
            continue
        most = sum(count or 0 for count in having)
        if number > most:
            return _too_many_gpus(desk, partition.key, kind, most, "in all")
    return None


def _unknown_nodes(desk: Desk, names: list[str]) -> None:
    """Say once what the file does not tell of the nodes, where the job depends on it."""
    request = desk.request
    several = sum(request.gpus_per_node.values()) > 1 or request.get("cpus-per-task", 1) > 1
    if not several and not request.first("mem", "mem-per-cpu", "mem-per-gpu"):
        return
    where = request.first("gres", "gpus-per-node", "cpus-per-task", "mem", "mem-per-cpu")
    fact = desk.cluster.fact(f"partition.{names[0]}.nodes")
    message = (
        f"the nodes of '{names[0]}' are not described here, so that they hold it is not checked"
    )
    desk.note(where, "unknown-limit", f"{message}: {fact.ask}")
