"""What a running cluster says of itself; None wherever the output at hand does not tell."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TypeVar


@dataclass(frozen=True)
class LiveNode:
    """A node. ``gpus`` counts them by Slurm's name of the type ("" where it has none)."""

    name: str
    cpus: int | None = None
    cores: int | None = None
    memory_mib: int | None = None
    gpus: Mapping[str, int] | None = None
    features: tuple[str, ...] | None = None


@dataclass(frozen=True)
class LivePartition:
    """A partition. ``gpu_types`` are Slurm's names of the types in it."""

    name: str
    hosts: tuple[str, ...] | None = None
    gpu_types: tuple[str, ...] | None = None
    default: bool | None = None
    max_time_h: float | None = None
    default_time_h: float | None = None
    max_nodes: float | None = None
    default_memory_per_cpu_mib: float | None = None
    default_memory_mib: float | None = None
    accounts: tuple[str, ...] | None = None
    qos: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Live:
    """A cluster: its partitions (all of them, or None), its nodes (likewise), its settings."""

    sources: tuple[str, ...] = ()
    partitions: Mapping[str, LivePartition] | None = None
    nodes: Mapping[str, LiveNode] | None = None
    max_array_size: int | None = None
    default_memory_per_cpu_mib: float | None = None
    slurm_version: str | None = None


Named = TypeVar("Named", LiveNode, LivePartition)
Either = TypeVar("Either", Live, LiveNode, LivePartition)


def merge(first: Live, second: Live) -> Live:
    """Both together; where both tell, the second."""
    joined = _override(first, second)
    return replace(
        joined,
        sources=(*first.sources, *second.sources),
        partitions=_merge_named(first.partitions, second.partitions),
        nodes=_merge_named(first.nodes, second.nodes),
    )


def _merge_named(
    first: Mapping[str, Named] | None, second: Mapping[str, Named] | None
) -> Mapping[str, Named] | None:
    if first is None or second is None:
        return second if first is None else first
    merged = dict(first)
    for name, item in second.items():
        merged[name] = _override(merged[name], item) if name in merged else item
    return merged


def _override(first: Either, second: Either) -> Either:
    told = {item.name: getattr(second, item.name) for item in fields(second)}
    return replace(first, **{name: value for name, value in told.items() if value is not None})
