"""The #SBATCH lines of a script."""

from collections.abc import Iterator

from mlhpc import units
from mlhpc.jobscript import quoting
from mlhpc.jobscript.job import Job

COLUMN = 36


def lines(job: Job) -> Iterator[str]:
    """The head of the script: what it is, and what it asks for."""
    request, cluster = job.request, job.cluster
    yield "#!/bin/bash"
    what = "A test of minutes: does everything work?" if job.is_test else "The full run."
    yield f"# Project: {quoting.comment(job.project.name)}"
    yield f"# {what} Written by mlhpc plan; change what you know better."
    file = "test.sh" if job.is_test else "full.sh"
    yield f"# Submit it from a folder that you keep, where your program is: sbatch {file}"
    yield _line(f"job-name={quoting.slug(job.project.name)}{'-test' if job.is_test else ''}")
    yield _partition(job)
    yield _line("nodes=1")
    yield _line("ntasks=1")
    yield _line(f"cpus-per-task={request.cpus}", "OMP_NUM_THREADS below follows")
    if request.gpu:
        fact = cluster.fact(f"gpu.{request.gpu}.gres")
        name = cluster.gpus[request.gpu].gres
        told = "" if name else f"is that its name? {fact.ask}"
        yield _line(f"gres=gpu:{name or request.gpu}:{request.gpus}", told)
    yield _line(f"mem={units.format_slurm_memory(request.memory_gib * units.GIB)}", _memory(job))
    limit_s = request.time_limit_h * units.HOUR_S
    yield _line(f"time={units.format_slurm_time(limit_s)}", _time(job))
    if job.is_array:
        yield _array(job)
    log = "%x-%A_%a.out" if job.is_array else "%x-%j.out"
    yield _line(f"output={log}", "beside this script: Slurm makes no folders")
    told = f"tells this script {job.notice_s} s before the end"
    yield _line(f"signal=B:USR1@{job.notice_s}", told)
    if job.segments > 1:
        yield _line("requeue", "goes on in a new job, from its checkpoint")
        yield _line("open-mode=append", "and in the same log")


def _line(option: str, comment: str = "") -> str:
    text = f"#SBATCH --{option}"
    return f"{text:<{COLUMN}} # {comment}" if comment else text


def _partition(job: Job) -> str:
    name = job.request.partition
    partition, own = job.cluster.partitions[name], job.plan.full
    if job.request.gpu and partition.gpus is None and own is not None:
        fact = job.cluster.fact(f"partition.{name}.gpus")
        return _line(f"partition={name}", f"no such GPU there? then {own.partition}: {fact.ask}")
    return _line(f"partition={name}")


def _memory(job: Job) -> str:
    partition = job.cluster.partitions[job.request.partition]
    if partition.nodes or partition.memory_gb_max is not None:
        return ""
    return f"is there so much? {job.cluster.fact(f'partition.{partition.key}.memory_gb_max').ask}"


def _time(job: Job) -> str:
    partition = job.cluster.partitions[job.request.partition]
    if partition.max_time_h is not None:
        return ""
    return f"may it be so long? {job.cluster.fact(f'partition.{partition.key}.max_time_h').ask}"


def _array(job: Job) -> str:
    array = job.plan.array
    if array is None or job.is_test or array.tasks == 1:
        return _line("array=0", "the first task alone")
    return _line(f"array=0-{array.tasks - 1}%{array.limit}", f"{array.limit} at a time")
