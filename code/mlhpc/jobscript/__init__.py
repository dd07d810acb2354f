"""From a plan to the text of a Slurm job script that a learner can read. Pure: nothing is written.

>>> from mlhpc import cluster
>>> from mlhpc.plan import plan, read
>>> sagehen = cluster.load("sagehen")
>>> project = read({"name": "satellite", "model": "resnet50", "data-size": "1 TB"})
>>> render(plan(project, sagehen), project, sagehen).splitlines()[0]
'#!/bin/bash'

``directives`` writes the #SBATCH lines, ``commands`` what follows, ``quoting`` makes whatever
somebody typed harmless in both.
"""

from typing import Literal

from mlhpc.cluster import Cluster
from mlhpc.errors import InputError
from mlhpc.jobscript import commands, directives, quoting
from mlhpc.jobscript.job import Job
from mlhpc.plan import Plan, Project

__all__ = ["Kind", "quoting", "render"]

Kind = Literal["test", "full"]


def render(plan: Plan, project: Project, cluster: Cluster, kind: Kind = "full") -> str:
    """The script of the plan's full run, or of its test of minutes.

    Raises InputError where the plan has no job: it stays on the laptop, or nothing fits.
    """
    if kind not in ("test", "full"):
        raise InputError(f"jobscript: kind {kind!r} is unknown; valid choices: test, full")
    request = plan.full if kind == "full" else plan.test
    if request is None:
        raise InputError(f"jobscript: this plan has no job: its place is '{plan.place}'")
    job = Job(plan, project, cluster, request, kind == "test")
    return "\n".join([*directives.lines(job), *commands.lines(job)]) + "\n"
