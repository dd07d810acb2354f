"""Directives that Slurm takes and their writer regrets."""

import math
import re
from collections.abc import Iterator
from pathlib import Path

from mlhpc import units
from mlhpc.cluster import Cluster
from mlhpc.lint import shapes
from mlhpc.lint.findings import Finding
from mlhpc.lint.reading import Script, Setting
from mlhpc.lint.request import MEMORY, Request

PLAIN_NUMBER = re.compile(r"\d+")
LEAST_MEMORY_MIB = 1024  # a bare number below it was meant as GiB
LIKELY_HOURS = (2, 6, 8, 10, 12, 16, 20, 24, 36, 48, 72, 96, 120, 168)


def check(
    script: Script, request: Request, cluster: Cluster, folder: Path | None
) -> Iterator[Finding]:
    """All warnings and notes on the directives."""
    yield from _minutes(script, request)
    yield from _mebibytes(script, request)
    yield from _logs(request, folder)
    yield from _gpu_partition(request, cluster)
    yield from _gpus_apart(script, request, cluster)
    yield from _unsaid(script, request, cluster)


def _warn(where: Setting, rule: str, message: str, fix: str = "") -> Finding:
    return Finding(where.line, where.column, rule, "warning", message, fix)


def _minutes(script: Script, request: Request) -> Iterator[Finding]:
    setting = request.first("time")
    if not setting or not setting.value or not PLAIN_NUMBER.fullmatch(setting.value):
        return
    number = int(setting.value)
    if number not in LIKELY_HOURS:
        return
    right = units.format_slurm_time(number * units.HOUR_S)
    fix = script.with_value(setting, right)
    minutes = units.format_slurm_time(number * units.MINUTE_S)
    message = f"a bare number is minutes: {minutes}; {number} hours are {right}"
    yield _warn(setting, "minutes", message, fix)


def _mebibytes(script: Script, request: Request) -> Iterator[Finding]:
    for name in MEMORY:
        setting = request.first(name)
        if not setting or not setting.value or not PLAIN_NUMBER.fullmatch(setting.value):
            continue
        if 0 < int(setting.value) < LEAST_MEMORY_MIB:
            right = f"{setting.value}G"
            fix = script.with_value(setting, right)
            message = f"a bare number is MiB: write {right} for {setting.value} GiB"
            yield _warn(setting, "mebibytes", message, fix)


def _logs(request: Request, folder: Path | None) -> Iterator[Finding]:
    for name in ("output", "error"):
        setting = request.first(name)
        parent = Path(setting.value or "").parent if setting else Path()
        if setting is None or parent == Path() or "%" in str(parent) or "$" in str(parent):
            continue
        make = f"mkdir -p {parent}"
        if folder is None and not parent.is_absolute():
            message = f"the folder {parent} must exist before you submit: {make}"
            yield Finding(setting.line, setting.column, "log-folder-unseen", "note", message)
        elif folder is not None and not (folder / parent).is_dir():
            message = (
                f"there is no folder {parent}, and Slurm makes none: the job ends without a log"
            )
            yield _warn(setting, "log-folder", f"{message}; first {make}")


def _gpu_partition(request: Request, cluster: Cluster) -> Iterator[Finding]:
    setting = request.first("partition")
    if setting is None or request.wants_gpus or not setting.value:
        return
    names = [name for name in setting.value.split(",") if name in cluster.partitions]
    if names and all(_only_gpu_nodes(cluster, name) for name in names):
        message = f"'{setting.value}' is for GPUs, and this job asks for none: it sees no GPU"
        yield _warn(setting, "no-gpu-asked", f"{message}; add #SBATCH --gres=gpu:1")


def _only_gpu_nodes(cluster: Cluster, name: str) -> bool:
    """Whether every node of a partition has GPUs, or, its nodes unknown, GPUs are its purpose."""
    partition = cluster.partitions[name]
    nodes = shapes.of_partition(cluster, name)
    if nodes is None:
        return bool(partition.gpus)
    return bool(nodes) and all(sum(one.gpus.values()) for one in nodes)


def _gpus_apart(script: Script, request: Request, cluster: Cluster) -> Iterator[Finding]:
    """--gpus counts over all nodes: Slurm may spread them where no one node has so many."""
    setting = request.first("gpus")
    if setting is None or request.nodes[0] > 1 or request.gpus_per_node:
        return
    names = _asked_partitions(request, cluster)
    nodes = [shapes.of_partition(cluster, name) for name in names]
    if not nodes or any(one is None for one in nodes):
        return
    every = [one for part in nodes for one in part or ()]
    for kind, number in request.gpus("gpus").items():
        most = max((shapes.available(one, kind) for one in every), default=0)
        if most < number <= sum(one.count * shapes.available(one, kind) for one in every):
            message = (
                f"no one node has {number} {kind or 'GPUs'}: Slurm takes them from several, and a"
                f" program on one node sees at most {most}"
            )
            value = re.sub(rf"(?<![^:,]){number}$", str(most), setting.value or "")
            fix = script.with_value(setting, value)
            yield _warn(setting, "gpus-apart", message, fix)


def _asked_partitions(request: Request, cluster: Cluster) -> list[str]:
    value = request.get("partition")
    if value:
        return [name for name in value.split(",") if name in cluster.partitions]
    return [name for name, one in cluster.partitions.items() if one.default]


def _unsaid(script: Script, request: Request, cluster: Cluster) -> Iterator[Finding]:
    """Notes on what a job should say and does not."""
    if not script.settings:
        return
    if not request.first(*MEMORY, "exclusive"):
        per_core = _default_memory(request, cluster)
        message = f"no memory is asked for: {per_core}; add #SBATCH --mem=16G, say"
        yield Finding(1, 1, "no-memory", "note", message)
    if not request.first("time"):
        message = f"no time limit is asked for: {_default_time(request, cluster)}"
        yield Finding(1, 1, "no-time", "note", f"{message}; a short one starts sooner")


def _default_memory(request: Request, cluster: Cluster) -> str:
    names = _asked_partitions(request, cluster)
    found = {cluster.partitions[name].default_memory_per_cpu_mib for name in names}
    known = next(iter(found)) if len(found) == 1 else None
    if known is None or math.isinf(known):
        return "the cluster's own default is used"
    return f"you get {known:g} MiB for each core"


def _default_time(request: Request, cluster: Cluster) -> str:
    names = _asked_partitions(request, cluster)
    found = {cluster.partitions[name].default_time_h for name in names}
    known = next(iter(found)) if len(found) == 1 else None
    if known is None or math.isinf(known):
        return "the cluster's own default is used"
    return f"the job ends after {units.format_duration(known * units.HOUR_S)}"


def gpus_on_one_node(request: Request) -> int | None:
    """How many GPUs the job holds on each of its nodes; None where that cannot be told."""
    per_node = sum(request.gpus_per_node.values())
    if per_node:
        return per_node
    total = sum(request.gpus("gpus").values())
    if total and request.nodes == (1, 1):
        return total
    if total and not request.first("nodes"):
        return total
    per_task = sum(request.gpus("gpus-per-task").values())
    if per_task and request.get("ntasks-per-node"):
        return per_task * int(request.get("ntasks-per-node"))
    if per_task and not request.first("nodes"):
        return per_task * request.tasks
    return None if request.wants_gpus else 0
