"""The tables of a cluster file: one dataclass each, whose fields are the keys that it may hold.

A field says its kind, its unit and the command or question that tells where the file does not.
In an ``ask``, ``{key}`` stands for the table's own name (``gpu`` in ``[partition.gpu]``).
Every value is None where the file says nothing.
"""

from dataclasses import dataclass, field, fields
from typing import Any

from mlhpc.cluster.facts import Range

CENTRE = "ask the centre"


@dataclass(frozen=True)
class Spec:
    """What a key may hold, and what it means."""

    kind: str  # text, flag, count, number, names (a list), counts (name = number)
    about: str
    unit: str = ""
    ask: str = CENTRE
    choices: tuple[str, ...] = ()
    refers: str = ""  # the section whose names the value must be among
    unlimited: bool = False  # inf allowed
    span: bool = False  # { low, high } allowed
    unless: tuple[str, ...] = ()  # keys any of which, when known, leaves nothing to ask here


def _key(kind: str, about: str, **more: Any) -> Any:
    return field(default=None, metadata={"spec": Spec(kind, about, **more)})


def specs(table: type) -> dict[str, Spec]:
    """The keys of a table, in order."""
    return {item.name: item.metadata["spec"] for item in fields(table) if item.metadata}


@dataclass(frozen=True, kw_only=True)
class About:
    """``[cluster]``: what it is called and where its own pages are."""

    name: str | None = _key("text", "name of the cluster")
    institution: str | None = _key("text", "who runs it")
    docs_url: str | None = _key("text", "the centre's own pages")
    account_url: str | None = _key("text", "where to ask for an account")
    support: str | None = _key("text", "whom to ask for help")
    slurm_version: str | None = _key("text", "version of Slurm", ask="sinfo --version")


@dataclass(frozen=True, kw_only=True)
class Login:
    """``[login]``: the nodes that you log in to."""

    host: str | None = _key("text", "name to give to ssh")
    purpose: str | None = _key("text", "what login nodes are for")
    heavy_compute: bool | None = _key("flag", "heavy compute allowed on login nodes")


@dataclass(frozen=True, kw_only=True)
class Partition:
    """``[partition.NAME]``: a queue of Slurm's."""

    key: str
    purpose: str | None = _key("text", "what it is for")
    nodes: tuple[str, ...] | None = _key(
        "names", "groups of nodes in it", refers="node", ask='sinfo -p {key} -o "%P %D %N"'
    )
    node_count: int | None = _key("count", "number of nodes", ask='sinfo -p {key} -o "%P %D"')
    cores_min: int | None = _key(
        "count",
        "CPU cores of its smallest node",
        ask='sinfo -e -p {key} -o "%N %z" (sockets:cores:threads)',
    )
    cores_max: int | None = _key(
        "count",
        "CPU cores of its largest node",
        ask='sinfo -e -p {key} -o "%N %z" (sockets:cores:threads)',
    )
    cpu_model: str | None = _key("text", "model of the processors", ask="lscpu, inside a job")
    memory_gb_max: float | None = _key(
        "number",
        "memory of its largest node",
        unit="GB",
        ask='sinfo -e -p {key} -o "%N %m" (in MiB)',
    )
    gpus: tuple[str, ...] | None = _key(
        "names", "types of GPU in it", refers="gpu", ask='sinfo -p {key} -o "%P %G"'
    )
    max_time_h: float | None = _key(
        "number",
        "longest time limit",
        unit="hours",
        unlimited=True,
        ask='sinfo -p {key} -o "%P %l"',
    )
    default_time_h: float | None = _key(
        "number", "time limit of a job that names none", unit="hours", unlimited=True,
        ask='sinfo -p {key} -o "%P %L"',
    )  # fmt: skip
    default: bool | None = _key(
        "flag", "used by a job that names no partition", ask='sinfo -o "%P" (a star marks it)'
    )
    max_nodes: float | None = _key(
        "count", "most nodes for one job", unlimited=True,
        ask="scontrol show partition {key}  (MaxNodes)",
    )  # fmt: skip
    default_memory_per_cpu_mib: float | None = _key(
        "number", "memory for each core of a job that asks for none", unit="MiB", unlimited=True,
        ask="scontrol show partition {key}  (DefMemPerCPU)",
    )  # fmt: skip
    default_memory_mib: float | None = _key(
        "number", "memory on each node for a job that asks for none", unit="MiB",
        ask="scontrol show partition {key}  (DefMemPerNode)",
    )  # fmt: skip
    accounts: tuple[str, ...] | None = _key(
        "names", "accounts that may use it; ALL is every one", ask="scontrol show partition {key}"
    )
    qos: tuple[str, ...] | None = _key(
        "names", "qualities of service that may use it; ALL is every one",
        ask="scontrol show partition {key}",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class NodeGroup:
    """``[node.NAME]``: nodes that are alike. ``cpus`` and ``memory_mib`` are Slurm's own."""

    key: str
    hosts: str | None = _key("text", "names, as Slurm writes them: amd[01-03]", ask="sinfo -N")
    count: int | None = _key("count", "number of nodes", ask='sinfo -e -o "%D %N"')
    cpus: int | None = _key("count", "CPUs that Slurm hands out on one", ask='sinfo -e -o "%N %c"')
    memory_mib: int | None = _key(
        "count", "memory that Slurm hands out on one", unit="MiB", ask='sinfo -e -o "%N %m"'
    )
    gpus: dict[str, int] | None = _key(
        "counts", "GPUs in one, by type", refers="gpu", ask='sinfo -e -o "%N %G"'
    )
    features: tuple[str, ...] | None = _key(
        "names", "features for --constraint", ask='sinfo -e -o "%N %f"'
    )
    cpu_model: str | None = _key("text", "model of the processors", ask="lscpu, inside a job")


_SMI = "nvidia-smi --query-gpu={query} --format=csv, inside a job"
_SHEET = "the vendor's data sheet"


@dataclass(frozen=True, kw_only=True)
class Gpu:
    """``[gpu.NAME]``: a type of GPU: how many, and the vendor's peaks (dense, no sparsity)."""

    key: str
    name: str | None = _key("text", "name of the product", ask="nvidia-smi -L, inside a job")
    count: int | None = _key("count", "how many the cluster has", ask='sinfo -e -o "%D %G"')
    gres: str | None = _key("text", "its name in --gres=gpu:NAME:1", ask="sinfo -o %G")
    form_factor: str | None = _key(
        "text", "form factor or edition", ask="nvidia-smi -L, inside a job: the name ends with it"
    )
    best_for: str | None = _key("text", "what the centre suggests it for")
    memory_gb: float | None = _key(
        "number", "memory of one", unit="GB", ask=_SMI.format(query="memory.total")
    )
    memory_type: str | None = _key("text", "kind of memory", ask=_SHEET)
    ecc: bool | None = _key("flag", "error-correcting memory", ask="nvidia-smi -q -d ECC")
    memory_bandwidth_gbs: float | Range | None = _key(
        "number", "memory bandwidth, peak", unit="GB/s", span=True, ask=_SHEET
    )
    cuda_cores: int | None = _key("count", "CUDA cores: lanes of arithmetic", ask=_SHEET)
    sm_count: int | None = _key("count", "streaming multiprocessors", ask=_SHEET)
    fp64_tflops: float | Range | None = _key(
        "number", "FP64, peak", unit="TFLOPS", span=True, ask=_SHEET
    )
    fp32_tflops: float | Range | None = _key(
        "number", "FP32, peak", unit="TFLOPS", span=True, ask=_SHEET
    )
    tf32_tflops: float | Range | None = _key(
        "number", "TF32 on tensor cores, dense peak", unit="TFLOPS", span=True, ask=_SHEET
    )
    bf16_tflops: float | Range | None = _key(
        "number", "BF16 on tensor cores, dense peak", unit="TFLOPS", span=True, ask=_SHEET
    )
    compute_capability: str | None = _key(
        "text", "compute capability", ask=_SMI.format(query="compute_cap")
    )
    host_link: str | None = _key("text", "link to the host", ask=_SHEET)
    link: str | None = _key("text", "link to other GPUs", ask="nvidia-smi topo -m, inside a job")
    mig_instances_max: int | None = _key(
        "count", "parts it can be split into (MIG)", ask="nvidia-smi mig -lgip, inside a job"
    )


@dataclass(frozen=True, kw_only=True)
class Storage:
    """``[storage.NAME]``: a place for files."""

    key: str
    path: str | None = _key("text", "where it is")
    per: str | None = _key("text", "whom a quota is for", choices=("user", "lab", "job"))
    quota_gb: float | None = _key(
        "number", "quota", unit="GB", unlimited=True, unless=("quota_tb_min",)
    )
    quota_tb_min: float | None = _key("number", "quota, at least", unit="TB", unless=("quota_gb",))
    capacity_gb: float | None = _key(
        "number", "size", unit="GB", ask="df -h, inside a job", unless=("quota_gb", "quota_tb_min")
    )
    files_max: float | None = _key("count", "most files", unlimited=True)
    purpose: str | None = _key("text", "what it is for")
    best_for: str | None = _key("text", "what to put there")
    medium: str | None = _key("text", "file system or medium", ask="df -hT")
    speed: str | None = _key("text", "speed, in the centre's word")
    backed_up: bool | None = _key("flag", "backed up")
    shared: bool | None = _key("flag", "the same files on every node", ask="df -hT, on two nodes")
    lifetime: str | None = _key(
        "text", "how long files stay", choices=("kept", "purged", "job"),
        ask="ask the centre whether old files are deleted",
    )  # fmt: skip
    purged_after_days: int | None = _key(
        "count", "age at which files are deleted", unit="days", unless=("lifetime",)
    )


@dataclass(frozen=True, kw_only=True)
class OnDemand:
    """``[ondemand]``: Open OnDemand, the cluster in a browser."""

    url: str | None = _key("text", "address")
    purpose: str | None = _key("text", "what it is for")
    jupyter: bool | None = _key("flag", "offers Jupyter notebooks")
    gpu: bool | None = _key("flag", "a session may have a GPU")
    max_time_h: float | None = _key("number", "longest session", unit="hours", unlimited=True)


@dataclass(frozen=True, kw_only=True)
class Software:
    """``[software]``: how programs come to a job."""

    modules: bool | None = _key("flag", "has environment modules", ask="module --version")
    python: str | None = _key(
        "text", "shell line that gives a job its Python", ask="module avail python"
    )
    cuda: str | None = _key("text", "shell line that gives a job CUDA", ask="module avail cuda")
    containers: str | None = _key(
        "text", "container program", ask="command -v apptainer singularity"
    )
    login_python: str | None = _key(
        "text", "version of Python on the login node", ask="python3 --version, on the login node"
    )


_USER_LIMITS = "sacctmgr show assoc user=$USER format=account,qos,maxjobs,maxtres%40"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """``[limits]``: what Slurm allows one user, or one job, anywhere on the cluster."""

    max_array_size: int | None = _key(
        "count", "MaxArraySize: the largest index of an array is one less",
        ask="scontrol show config | grep MaxArraySize",
    )  # fmt: skip
    max_jobs_per_user: float | None = _key(
        "count", "most running jobs of one user", unlimited=True, ask=_USER_LIMITS
    )
    max_submitted_per_user: float | None = _key(
        "count", "most submitted jobs of one user", unlimited=True, ask=_USER_LIMITS
    )
    gpus_per_user_max: float | None = _key(
        "count", "most GPUs of one user at a time", unlimited=True,
        ask="sacctmgr show qos format=name,maxtrespu%40",
    )  # fmt: skip
    account_needed: bool | None = _key("flag", "a job must name an account", ask=_USER_LIMITS)
    qos_needed: bool | None = _key("flag", "a job must name a quality of service", ask=_USER_LIMITS)


SINGLE: dict[str, type] = {
    "cluster": About,
    "login": Login,
    "ondemand": OnDemand,
    "software": Software,
    "limits": Limits,
}
NAMED: dict[str, type] = {
    "partition": Partition,
    "node": NodeGroup,
    "gpu": Gpu,
    "storage": Storage,
}
SECTIONS = {**SINGLE, **NAMED}
ORDER = (  # for people: where to go, what is there, where files are, what else to know
    *("cluster", "login", "partition", "node", "gpu"),
    *("storage", "ondemand", "software", "limits"),
)
