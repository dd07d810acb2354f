"""The job scripts of the programs: one program on one kind of device."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mlhpc import cluster as clusters
from mlhpc import units
from mlhpc.bench.catalogue import Program
from mlhpc.cluster import Cluster
from mlhpc.errors import InputError
from mlhpc.jobscript import quoting
from mlhpc.plan import capacity

CPU = "cpu"
COLUMN = 36


@dataclass(frozen=True)
class Target:
    """Where a program is to run: 'cpu' or a GPU type; for reading, the storage as well."""

    device: str
    gpus: int = 0
    tier: str | None = None
    folder: str | None = None  # of the tier, in the shell's words

    @property
    def name(self) -> str:
        """Short: cpu, a100, cpu-scratch."""
        return f"{self.device}-{self.tier}" if self.tier else self.device


def targets(program: Program, cluster: Cluster, lab: str, gpus_per_node: int) -> list[Target]:
    """Everywhere that a program should run on a cluster.

    ``gpus_per_node`` counts where the cluster file does not say how many a node has.
    """
    if "loading" in program.benchmarks:
        return [Target(CPU, tier=name, folder=folder) for name, folder in _tiers(cluster, lab)]
    found = [Target(CPU)]
    if program.device == "any":
        found += [
            Target(gpu, gpus_of(program, cluster, gpu, gpus_per_node)) for gpu in cluster.gpus
        ]
    return found


def gpus_of(program: Program, cluster: Cluster, gpu: str, gpus_per_node: int) -> int:
    """How many GPUs a job asks for: as many as its processes, at most what a node has."""
    most, known = capacity.gpus_on_node(cluster, gpu)
    return max(1, min(program.processes, most if known else gpus_per_node))


def _tiers(cluster: Cluster, lab: str) -> Iterator[tuple[str, str]]:
    """(name, folder) of each storage tier that has a path; a lab's needs the lab."""
    for name, tier in cluster.storage.items():
        path = (tier.path or "").rstrip("/")
        if not path or ("$LAB" in path and not lab):
            continue
        path = path.replace("$LAB", quoting.slug(lab))
        yield name, path if "$USER" in path else f"{path}/$USER"


def job_name(program: Program, target: Target, token: str = "") -> str:
    """The job's name; with a token it is like no other's."""
    return f"mlhpc-{program.name}-{target.name}" + (f"-{token}" if token else "")


@dataclass(frozen=True)
class Deposit:
    """Where a job finds the checkout and leaves what it measured, and how its name is made one."""

    lesson: Path
    result: Path
    logs: Path
    python: str
    token: str


def render(
    program: Program,
    target: Target,
    preset: str,
    cluster: Cluster,
    deposit: Deposit | None = None,
) -> str:
    """The text of a job script.

    With a ``deposit`` it leaves what it measured there, once; without, it only prints it. Raises
    InputError where the cluster has no partition for the target.
    """
    job = _Job(program, target, preset, cluster, deposit)
    return "\n".join([*_head(job), *_environment(job), *_measuring(job)]) + "\n"


@dataclass(frozen=True)
class _Job:
    program: Program
    target: Target
    preset: str
    cluster: Cluster
    deposit: Deposit | None

    @property
    def mlhpc(self) -> str:
        """How the job calls this package."""
        return f"{shlex.quote(self.deposit.python)} -m mlhpc" if self.deposit else "mlhpc"


def _head(job: _Job) -> Iterator[str]:
    program, target, deposit = job.program, job.target, job.deposit
    on = f"{target.gpus} GPU of type {target.device}" if target.gpus else "CPU cores"
    yield "#!/bin/bash"
    yield f"# {program.title}: timed on {on}, preset {job.preset}. Written by mlhpc bench submit."
    yield f"#SBATCH --job-name={job_name(program, target, deposit.token if deposit else '')}"
    yield f"#SBATCH --partition={_partition(target, job.cluster)}"
    yield "#SBATCH --nodes=1"
    yield "#SBATCH --ntasks=1"
    yield f"#SBATCH --cpus-per-task={program.job.cpus}"
    if target.gpus:
        known = job.cluster.gpus[target.device].gres
        line = f"#SBATCH --gres=gpu:{known or target.device}:{target.gpus}"
        ask = job.cluster.fact(f"gpu.{target.device}.gres").ask
        yield line if known else f"{line:<{COLUMN}} # is that its name? {ask}"
    yield f"#SBATCH --mem={units.format_slurm_memory(program.job.memory_gib * units.GIB)}"
    limit = units.format_slurm_time(program.job.time_limit_h * units.HOUR_S)
    yield f"#SBATCH --time={limit}"
    yield "#SBATCH --requeue"
    yield f"#SBATCH --output={_plain(deposit.logs) + '/' if deposit else ''}%x-%j.out"


def _partition(target: Target, cluster: Cluster) -> str:
    found = (
        capacity.gpu_partition(cluster, target.device)
        if target.gpus
        else capacity.cpu_partition(cluster)
    )
    if found is None:
        raise InputError(f"bench: cluster {cluster.key} has no partition for {target.device}")
    return found.key


def _plain(path: Path) -> str:
    """A path for a directive, where nothing can be quoted."""
    text = str(path)
    if any(not (sign.isalnum() or sign in "/._-+") for sign in text):
        raise InputError(f"bench: --state {text}: letters, digits and / . _ - + only: Slurm's "
                         "directives take no others")  # fmt: skip
    return text


def _environment(job: _Job) -> Iterator[str]:
    yield from ("", "set -uo pipefail")
    if job.deposit:
        yield "# below, the Python that submitted this job"
    elif job.cluster.software.python:
        yield job.cluster.software.python
    else:
        ask = job.cluster.fact("software.python").ask
        yield f"# CHANGE ME to the line that gives you your Python. What there is: {ask}"
        yield 'source "$HOME/envs/mlhpc/bin/activate" || exit 1'
    yield 'export OMP_NUM_THREADS="$SLURM_CPUS_PER_TASK"'
    if job.target.gpus:
        yield f"{job.mlhpc} detect --require-gpu || exit 1"


def _measuring(job: _Job) -> Iterator[str]:
    yield ""
    run = f"{job.mlhpc} bench run {job.program.name} --preset {job.preset}"
    run += f" --device {'cuda' if job.target.gpus else 'cpu'}"
    run += f" --cluster {shlex.quote(_named(job.cluster))}"
    if job.deposit is None:
        yield "# from the folder of the checkout"
    else:
        yield f"cd {shlex.quote(str(job.deposit.lesson.parent))} || exit 1"
        run += f" --lesson {shlex.quote(str(job.deposit.lesson))}"
    if job.target.tier:
        yield f'folder="{job.target.folder}/mlhpc-bench-$SLURM_JOB_ID"'
        yield 'mkdir -p "$folder" || exit 1'
        yield "trap 'rm -rf \"$folder\"' EXIT"
        run += f' --tier {quoting.word(job.target.tier)} --folder "$folder"'
    yield from _left(run, job.deposit) if job.deposit else (run,)


def _left(run: str, deposit: Deposit) -> Iterator[str]:
    """Run once, and leave the result whole or not at all; what a failure said stays beside it."""
    yield f"result={shlex.quote(str(deposit.result))}"
    yield '[ ! -s "$result" ] || { echo "Measured before: $result"; exit 0; }'
    yield "# a file of its own: a run that is requeued may still be ending when the next begins"
    yield 'part=$(mktemp "$result.XXXXXX") || exit 1'
    yield f'{run} --json > "$part"'
    yield "status=$?"
    yield 'if [ "$status" = 0 ]; then mv "$part" "$result"; else mv "$part" "$result.failed"; fi'
    yield 'exit "$status"'


def _named(cluster: Cluster) -> str:
    """How a job names the cluster: by name where this package has it, else by its file."""
    return cluster.key if cluster.key in clusters.names() else str(Path(cluster.origin).resolve())
