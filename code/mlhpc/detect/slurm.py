"""What Slurm says in the environment and in the control group's name.

The variables and their formats are those of sbatch(1) and srun(1), 'output environment
variables': memory in MiB, counts a node as ``24(x2)`` or ``16,24(x2)``.
"""

import re
from collections.abc import Mapping

from mlhpc.detect.seam import System
from mlhpc.detect.values import Job
from mlhpc.errors import InputError
from mlhpc.units import GIB, parse_size_bytes

_RUN = r"([0-9]+)(?:\(x([0-9]+)\))?"
_JOB_GROUP = r"slurm[^\n]*?/job_([0-9]+)"
# what Slurm sets when it gives a job GPUs: lists of numbers (0 is a GPU) and counts (0 is none)
GPU_LISTS = ("SLURM_JOB_GPUS", "SLURM_STEP_GPUS")
GPU_COUNTS = (
    "SLURM_GPUS_ON_NODE",
    "SLURM_GPUS",
    "SLURM_GPUS_PER_NODE",
    "SLURM_GPUS_PER_TASK",
    "SLURM_GPUS_PER_SOCKET",
)
GPU_REQUESTS = ("SLURM_TRES_PER_TASK", "SLURM_TRES_PER_NODE", "SLURM_JOB_GRES")


def job(system: System) -> Job | None:
    """The job that this process belongs to or holds; None outside of any."""
    environ = system.environ
    job_id = _job_id(environ) or _job_id_of_group(system)
    if job_id is None:
        return None
    return Job(
        job_id=job_id,
        node=environ.get("SLURMD_NODENAME"),
        partition=environ.get("SLURM_JOB_PARTITION"),
        nodes=whole(environ, "SLURM_JOB_NUM_NODES"),
        tasks=whole(environ, "SLURM_NTASKS"),
        gpus_on_node=whole(environ, "SLURM_GPUS_ON_NODE"),
        array_task=environ.get("SLURM_ARRAY_TASK_ID"),
    )


def outside_its_allocation(system: System) -> bool:
    """Whether this is the shell of ``salloc``, which stays where it was typed.

    slurmd names its node to all that it starts; this shell it did not start.
    """
    environ = system.environ
    host = (system.text("proc/sys/kernel/hostname") or "").strip()
    return (
        _job_id(environ) is not None
        and "SLURMD_NODENAME" not in environ
        and _job_id_of_group(system) is None
        and host != ""
        and environ.get("SLURM_SUBMIT_HOST", "").split(".")[0] == host.split(".")[0]
    )


def cpus(environ: Mapping[str, str]) -> tuple[list[tuple[int, str]], list[str]]:
    """Each limit on cores with the variable that sets it, and the variables not understood."""
    limits, puzzles = [], []
    for name in ("SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE", "SLURM_JOB_CPUS_PER_NODE"):
        text = environ.get(name)
        if not text:
            continue
        count = count_here(text, environ)
        if count:
            limits.append((count, f"{name}={text}"))
        else:
            puzzles.append(f"{name}={text[:40]!r} was not understood")
    return limits, puzzles


def count_here(text: str, environ: Mapping[str, str]) -> int | None:
    """This node's count in ``16,24(x2)``; the smallest where the node's place is unknown.

    None where the text is no such list, or holds no positive count.
    """
    runs = [re.fullmatch(_RUN, part.strip()) for part in text.split(",")]
    counts = [(int(run[1][:9]), int((run[2] or "1")[:9])) for run in runs if run]
    if len(counts) < len(runs):
        return None
    place = whole(environ, "SLURM_NODEID")
    if place is not None:
        for count, times in counts:
            if place < times:
                return count or None
            place -= times
    return min(count for count, _ in counts) or None


def memory_gib(environ: Mapping[str, str]) -> tuple[float, str] | None:
    """The memory that the job may use on this node, and the variables that say so.

    None where none is set, where it is 0 (all memory of the node), or where a factor is unknown.
    """
    per_node = _memory(environ, "SLURM_MEM_PER_NODE")
    if per_node:
        return per_node, f"SLURM_MEM_PER_NODE={environ['SLURM_MEM_PER_NODE']}"
    per_cpu = _memory(environ, "SLURM_MEM_PER_CPU")
    cores = count_here(
        environ.get("SLURM_CPUS_ON_NODE") or environ.get("SLURM_JOB_CPUS_PER_NODE") or "", environ
    )
    if per_cpu and cores:
        return per_cpu * cores, f"SLURM_MEM_PER_CPU={environ['SLURM_MEM_PER_CPU']} x {cores} cores"
    per_gpu = _memory(environ, "SLURM_MEM_PER_GPU")
    gpus = whole(environ, "SLURM_GPUS_ON_NODE")
    if per_gpu and gpus:
        return per_gpu * gpus, f"SLURM_MEM_PER_GPU={environ['SLURM_MEM_PER_GPU']} x {gpus} GPUs"
    return None


def gpu_grant(environ: Mapping[str, str]) -> str | None:
    """The variable that shows that the job was given GPUs; None where no variable does."""
    given = [name for name in GPU_LISTS if environ.get(name, "") not in {"", "(null)"}]
    given += [name for name in GPU_COUNTS if environ.get(name, "") not in {"", "0", "(null)"}]
    given += [name for name in GPU_REQUESTS if "gpu" in environ.get(name, "")]
    return f"{given[0]}={environ[given[0]]}" if given else None


def whole(environ: Mapping[str, str], name: str) -> int | None:
    """A variable that is a whole number; None where it is absent or something else."""
    text = environ.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _memory(environ: Mapping[str, str], name: str) -> float:
    """GiB of a variable in MiB (some sites export 64G); 0 where absent or not understood."""
    try:
        return parse_size_bytes(environ.get(name, ""), style="slurm") / GIB
    except InputError:
        return 0


def _job_id(environ: Mapping[str, str]) -> str | None:
    return environ.get("SLURM_JOB_ID") or environ.get("SLURM_JOBID") or None


def _job_id_of_group(system: System) -> str | None:
    """The job in the control group's name: a login by ssh into a job has no variables."""
    match = re.search(_JOB_GROUP, system.text("proc/self/cgroup") or "")
    return match[1] if match else None
