"""A complete cluster file as Slurm's own configuration files. Text only: nothing is started here.

What the settings do and take is in Slurm's manual pages, slurm.conf(5) and gres.conf(5).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mlhpc import units
from mlhpc.cluster import Cluster, NodeGroup, Partition, hosts
from mlhpc.cluster.facts import is_unlimited
from mlhpc.errors import InputError

NEEDED = {
    "partition": ("nodes", "max_time_h", "default_time_h", "default", "max_nodes"),
    "node": ("hosts", "cpus", "memory_mib", "gpus", "features"),
    "gpu": ("gres",),
}
LIMITS = ("limits.max_array_size",)


@dataclass(frozen=True)
class Layout:
    """Where a private Slurm keeps its files, and the ports it listens at, all on this machine."""

    folder: Path
    host: str
    user: str
    controller_port: int
    node_ports: dict[str, int]  # by the name of the node

    @property
    def conf(self) -> Path:
        """The configuration that every program of this Slurm is pointed at."""
        return self.folder / "etc" / "slurm.conf"

    @property
    def socket(self) -> Path:
        """Where munged, which signs all messages, listens."""
        return self.folder / "munge" / "munge.socket"


def require_complete(cluster: Cluster) -> None:
    """Raise InputError, naming the facts, where the file does not say all that Slurm must know."""
    sections = {"partition": cluster.partitions, "node": cluster.nodes, "gpu": cluster.gpus}
    wanted = [
        f"{section}.{key}.{name}"
        for section, tables in sections.items()
        for key in tables
        for name in NEEDED[section]
    ]
    absent = [path for path in (*wanted, *LIMITS) if not cluster.fact(path).known]
    absent += [f"[{section}.*]" for section in ("partition", "node") if not sections[section]]
    if absent:
        raise InputError(
            f"{cluster.origin}: cannot be started as a Slurm of its own: "
            f"it does not say {', '.join(absent)}"
        )


def node_names(cluster: Cluster) -> list[str]:
    """Every node, by name."""
    return [name for group in cluster.nodes.values() for name in _names(group)]


def gpus_in_largest_node(cluster: Cluster) -> int:
    """How many GPU devices a node must pretend to have at most."""
    return max((sum((group.gpus or {}).values()) for group in cluster.nodes.values()), default=0)


def slurm_conf(cluster: Cluster, layout: Layout) -> str:
    """The text of slurm.conf. The cluster file must be complete (``require_complete``)."""
    lines = [*_identity(layout), *_files(layout), *_behaviour(cluster)]
    lines += [line for group in cluster.nodes.values() for line in _nodes(cluster, group, layout)]
    lines += [_partition(cluster, partition) for partition in cluster.partitions.values()]
    return "\n".join(lines) + "\n"


def gres_conf(cluster: Cluster, layout: Layout) -> str:
    """The text of gres.conf: each node's GPUs by type, as device files that lead nowhere."""
    lines = []
    for group in cluster.nodes.values():
        first = 0
        for key, count in (group.gpus or {}).items():
            devices = f"{layout.folder}/dev/nvidia[{first}-{first + count - 1}]"
            lines.append(
                f"NodeName={group.hosts} Name=gpu Type={gres_name(cluster, key)} "
                f"File={devices} Flags=nvidia_gpu_env"
            )
            first += count
    return "\n".join(lines) + "\n"


def gres_name(cluster: Cluster, gpu: str) -> str:
    """What Slurm calls a type of GPU."""
    return cluster.gpus[gpu].gres or gpu


def _identity(layout: Layout) -> Iterator[str]:
    yield "ClusterName=box"
    yield f"SlurmctldHost={layout.host}(127.0.0.1)"
    yield f"SlurmUser={layout.user}"
    yield f"SlurmdUser={layout.user}"
    yield f"SlurmctldPort={layout.controller_port}"
    yield "AuthType=auth/munge"
    yield "CredType=cred/munge"
    # a short credential lets a job start again soon after it was requeued
    yield f"AuthInfo=socket={layout.socket},cred_expire=5"
    yield "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny"


def _files(layout: Layout) -> Iterator[str]:
    folder = layout.folder
    yield f"StateSaveLocation={folder}/state"
    yield f"SlurmdSpoolDir={folder}/spool/%n"
    yield f"SlurmctldPidFile={folder}/run/slurmctld.pid"
    yield f"SlurmdPidFile={folder}/run/slurmd.%n.pid"
    yield f"SlurmctldLogFile={folder}/log/slurmctld.log"
    yield f"SlurmdLogFile={folder}/log/slurmd.%n.log"
    yield f"PlugStackConfig={folder}/etc/plugstack.conf"
    yield "JobCompType=jobcomp/filetxt"
    yield f"JobCompLoc={folder}/log/jobcomp.txt"


def _behaviour(cluster: Cluster) -> Iterator[str]:
    yield from (
        "ProctrackType=proctrack/linuxproc",
        "TaskPlugin=task/none",
        "JobAcctGatherType=jobacct_gather/linux",
        "JobAcctGatherFrequency=task=1",
        "JobAcctGatherParams=OverMemoryKill",
        "SwitchType=switch/none",
        "MpiDefault=none",
        "SelectType=select/cons_tres",
        "SelectTypeParameters=CR_CPU_Memory",
        "GresTypes=gpu",
        "SlurmdParameters=config_overrides",  # a small host may pose as many cores
        "SchedulerType=sched/backfill",
        "SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0",
        "EnforcePartLimits=ALL",
        "ReturnToService=2",
        "KillWait=2",
        "MinJobAge=3600",  # ended jobs stay on show: there is no accounting
        "AccountingStorageType=accounting_storage/none",
    )
    yield f"MaxArraySize={cluster.limits.max_array_size}"


def _nodes(cluster: Cluster, group: NodeGroup, layout: Layout) -> Iterator[str]:
    gpus = ",".join(f"gpu:{gres_name(cluster, key)}:{n}" for key, n in (group.gpus or {}).items())
    words = [f"CPUs={group.cpus}", f"RealMemory={group.memory_mib}", "State=UNKNOWN"]
    words += [f"Feature={','.join(group.features)}"] if group.features else []
    words += [f"Gres={gpus}"] if gpus else []
    for name in _names(group):
        where = f"NodeHostname={layout.host} NodeAddr=127.0.0.1 Port={layout.node_ports[name]}"
        yield f"NodeName={name} {where} {' '.join(words)}"


def _partition(cluster: Cluster, partition: Partition) -> str:
    groups = [cluster.nodes[key] for key in partition.nodes or ()]
    words = {
        "PartitionName": partition.key,
        "Nodes": ",".join(str(group.hosts) for group in groups),
        "Default": "YES" if partition.default else "NO",
        "MaxTime": _time(partition.max_time_h),
        "DefaultTime": _time(partition.default_time_h),
        "MaxNodes": _count(partition.max_nodes),
        "DefMemPerCPU": _memory(partition.default_memory_per_cpu_mib),
        "DefMemPerNode": _memory(partition.default_memory_mib),
        "AllowAccounts": ",".join(partition.accounts or ()),
        "AllowQos": ",".join(partition.qos or ()),
        "State": "UP",
    }
    return " ".join(f"{name}={value}" for name, value in words.items() if value)


def _names(group: NodeGroup) -> list[str]:
    return hosts.expand(str(group.hosts))


def _time(hours: float | None) -> str:
    if hours is None or is_unlimited(hours):
        return "UNLIMITED"
    return units.format_slurm_time(hours * units.HOUR_S)


def _count(count: float | None) -> str:
    return "UNLIMITED" if count is None or is_unlimited(count) else f"{count:.0f}"


def _memory(mib: float | None) -> str:
    if mib is None:
        return ""
    return "UNLIMITED" if is_unlimited(mib) else f"{mib:.0f}"
