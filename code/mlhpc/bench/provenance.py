"""Where a measurement was made, in words that name no person and no machine.

What is not known is null, and its reason stands beside it. A node is told by its place in the
sorted list of its partition's nodes, a GPU by its model; neither by a name or a number of its own.
"""

import platform
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlhpc import record
from mlhpc.bench import sources, watch
from mlhpc.cluster import Cluster
from mlhpc.detect import Gpu, Report
from mlhpc.detect.seam import Run, run_command
from mlhpc.errors import InputError

LIMIT_S = 10.0
NO_GPU = "no GPU took part"
MADE = (":(exclude)episodes/measurements", ":(exclude)episodes/figures")


@dataclass(frozen=True)
class Machine:
    """What is known before a program runs; the same for all of its results."""

    report: Report
    cluster: Cluster | None
    root: Path
    environ: Mapping[str, str]
    run: Run = run_command

    @property
    def uuids(self) -> tuple[str, ...]:
        """The GPUs that this process may use; for watching, never for a record."""
        return tuple(gpu.uuid for gpu in self.report.gpus if gpu.uuid)


@dataclass
class Fields:
    """Provenance in the making: values, and the reasons of those that are unknown."""

    values: dict[str, Any] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)

    def put(self, name: str, value: Any, reason: str) -> None:
        """A value, or null with its reason."""
        self.values[name] = value
        if value is None:
            self.unknown[name] = reason


def require_job(cluster: Cluster | None, environ: Mapping[str, str]) -> None:
    """Refuse to speak for a cluster outside of its jobs. Raises InputError."""
    if cluster is not None and not environ.get("SLURM_JOB_ID"):
        raise InputError(
            f"cluster: {cluster.key}: a result speaks for a cluster only from one of its jobs; "
            "leave --cluster out to measure this machine"
        )


def describe(
    machine: Machine,
    device: Mapping[str, Any],
    command: str,
    packages: Mapping[str, str],
    digest: str,
) -> Fields:
    """The provenance of one result; ``device`` is what the program says it worked on."""
    found = Fields()
    _place(machine, found)
    found.put("cpu_model", cpu_model(), "the system does not say")
    usable = machine.report.cpus.usable
    found.put("cpus", None if usable is None else int(usable), machine.report.cpus.source)
    _gpu(machine, device, found)
    found.values["python"] = platform.python_version()
    found.values["packages"] = dict(packages)
    _commit(machine, found)
    found.values["sources"] = digest
    found.values["command"] = command
    kept = {name: machine.environ[name] for name in record.VARIABLES if name in machine.environ}
    found.values["variables"] = dict(sorted(kept.items()))
    return found


def _place(machine: Machine, found: Fields) -> None:
    cluster = machine.cluster
    found.put("cluster", cluster and cluster.key, "no cluster: this machine speaks for itself")
    partition = machine.environ.get("SLURM_JOB_PARTITION") if cluster else None
    found.put("partition", partition, "not in a job of a cluster")
    node = ordinal(machine, partition) if partition else None
    found.put("node", node, "not in a job of a cluster" if not partition else "sinfo does not say")


def ordinal(machine: Machine, partition: str) -> int | None:
    """The place of this node among its partition's, from 1; None where Slurm does not tell."""
    own = machine.environ.get("SLURMD_NODENAME")
    listed = machine.run(["sinfo", "-h", "-N", "-p", partition, "-o", "%N"], LIMIT_S)
    names = sorted(set(listed.out.split()))
    return names.index(own) + 1 if own in names else None


def _gpu(machine: Machine, device: Mapping[str, Any], found: Fields) -> None:
    """GPU fields; they are of a GPU only where the program itself says that it used one."""
    count = int(device["count"]) if device["type"] == "cuda" else 0
    found.values["gpu_count"] = count
    if not count:
        for name in ("gpu_type", "gpu_model", "driver", "cuda", "power_limit_w"):
            found.put(name, None, NO_GPU)
        return
    gpu = _first(machine.report.gpus)
    model = device["name"] or (gpu.name if gpu else None)
    found.put("gpu_model", model, "neither torch nor nvidia-smi says")
    kind = gpu_type(model, machine.cluster)
    reason = "no GPU type of the cluster file has this model" if machine.cluster else "no cluster"
    found.put("gpu_type", kind, reason)
    found.put("driver", gpu.driver if gpu else None, "nvidia-smi does not say")
    found.put("cuda", cuda_version(), "torch is not built with CUDA")
    watts = watch.power_limit_w(machine.run, gpu.uuid) if gpu and gpu.uuid else None
    found.put("power_limit_w", watts, "nvidia-smi does not say")


def _first(gpus: tuple[Gpu, ...]) -> Gpu | None:
    return gpus[0] if gpus else None


def gpu_type(model: str | None, cluster: Cluster | None) -> str | None:
    """The cluster file's name for a GPU's model: 'NVIDIA A100-SXM4-80GB' is its a100."""
    if model is None or cluster is None:
        return None
    words = [word for word in re.split(r"[^a-z0-9]+", model.lower()) if word]
    spans = {
        "".join(words[first:last])
        for first in range(len(words))
        for last in range(first + 1, len(words) + 1)
    }
    fitting = [name for name in cluster.gpus if name in spans]
    return max(fitting, key=len) if fitting else None


def cuda_version() -> str | None:
    """The CUDA that torch was built with, from its version's file: torch is not imported."""
    found = sources.version("torch")
    if found == "absent":
        return None
    from importlib import metadata

    for path in metadata.files("torch") or ():
        if str(path) == "torch/version.py":
            text = Path(str(path.locate())).read_text(encoding="utf-8")
            match = re.search(r"^cuda: .*= '([\d.]+)'", text, flags=re.MULTILINE)
            return match[1] if match else None
    return None


def cpu_model() -> str | None:
    """The processor's model without trade marks and clock; None where the system does not say."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text(encoding="utf-8", errors="replace") if cpuinfo.exists() else ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, flags=re.MULTILINE)
    model = found[1] if found else platform.processor()
    short = re.sub(r"\((R|TM)\)|\bCPU\b|@.*|\b\d+-Core\b|\bProcessor\b", "", model)
    return " ".join(short.split()) or None


def _commit(machine: Machine, found: Fields) -> None:
    commit, dirty = git_state(machine.root)
    reason = "not in a checkout of git"
    found.put("commit", commit, reason)
    found.put("dirty", dirty, reason)


def git_state(root: Path) -> tuple[str | None, bool | None]:
    """(commit, whether anything else differs from it); None and None outside of git.

    Records and figures are what is being made: they are no sources, and do not count.
    """
    commit = _git(root, "rev-parse", "HEAD")
    if commit is None:
        return None, None
    changes = _git(root, "status", "--porcelain", "--", ".", *MADE)
    return commit.strip(), bool((changes or "").strip())


def _git(root: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
