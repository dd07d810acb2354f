"""What this process may use: cores, memory, GPUs; and without a GPU, why, and what to do.

``detect()`` looks at files, variables and a few tools' output; it imports no framework. Asked
for frameworks, it starts a child for each, with a time limit. What cannot be told is None, with
a reason: never a guess, and never 0.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from mlhpc.detect import apple, causes, cpu, frameworks, gpus, memory, slurm, where
from mlhpc.detect.seam import Affinity, Outcome, Run, System, kernel_affinity, run_command
from mlhpc.detect.values import Amount, Framework, Gpu, Job, Problem, Report

__all__ = [
    "Amount",
    "Framework",
    "Gpu",
    "Job",
    "Outcome",
    "Problem",
    "Report",
    "detect",
]


def detect(
    root: str | Path = "/",
    environ: Mapping[str, str] = os.environ,
    run: Run = run_command,
    affinity: Affinity = kernel_affinity,
    with_frameworks: bool = False,
) -> Report:
    """Look at the machine whose file system is at ``root``.

    ``run(argv, timeout_s)`` runs a command; ``affinity()`` is the number of cores that this
    process is bound to, or None. ``with_frameworks`` also imports, each in a child process, the
    frameworks that are installed beside this package.
    """
    system = System(Path(root), environ, run, affinity)
    mac = apple.facts(system)
    job = slurm.job(system)
    place, place_source = where.place(system, job)
    in_allocation = not (job and place == "login")
    facts = gpus.find(system, mac, place, job)
    status, problems = causes.judge(facts)
    usable = facts.usable if status == "ok" else ()
    found: tuple[Framework, ...] = ()
    if with_frameworks:
        found, more = frameworks.ask(system, status)
        problems += more
    if status == "unknown" and (proof := frameworks.gpu_by_proof(found)):
        status, usable = "ok", (proof,)
        problems = tuple(problem for problem in problems if problem.code != "cannot_tell")
    return Report(
        where=place,
        where_source=place_source,
        slurm=job,
        cpus=cpu.find(system, mac, in_allocation),
        memory_gib=memory.find(system, mac, in_allocation),
        gpu_status=status,
        gpus=usable,
        problems=problems,
        frameworks=found,
    )
