"""Ten thousand random projects: every script passes the check, and asks for what there is."""

import os
import subprocess
from collections import Counter

import pytest
from tests.plan_projects import projects

from mlhpc import cluster, jobscript, lint
from mlhpc.cluster import Cluster
from mlhpc.plan import Plan, plan

COUNT = int(os.environ.get("MLHPC_PLANS", "10000"))
SEED = int(os.environ.get("MLHPC_PLANS_SEED", "1"))
IN_SHELL = 100
CLUSTERS = [cluster.load("sagehen"), cluster.load("tests/slurm/box.toml")]


def serious(text: str, where: Cluster) -> list[lint.Finding]:
    return [one for one in lint.check(text, where) if one.severity != "note"]


def too_much(made: Plan, where: Cluster) -> list[str]:
    """What a plan asks for and the cluster file says there is not."""
    wrong = []
    for request in filter(None, (made.full, made.test)):
        partition = where.partitions[request.partition]
        if partition.max_time_h is not None and request.time_limit_h > partition.max_time_h:
            wrong.append("time")
        if partition.cores_max is not None and request.cpus > partition.cores_max:
            wrong.append("cores")
        if (
            partition.memory_gb_max
            and request.memory_gib * 2**30 > partition.memory_gb_max * 1e9 * 1.05
        ):
            wrong.append("memory")
        if request.gpu and request.gpus > (where.gpus[request.gpu].count or 0):
            wrong.append("GPUs")
    size = where.limits.max_array_size
    if made.array and size is not None and made.array.tasks > size:
        wrong.append("array")
    return wrong


@pytest.mark.parametrize("where", CLUSTERS, ids=lambda one: one.key)
def test_scripts_of_random_projects_pass_the_check_and_ask_for_what_there_is(
    where: Cluster,
) -> None:
    seen: Counter[str] = Counter()
    for number, project in enumerate(projects(COUNT, SEED)):
        made = plan(project, where)
        seen[made.place] += 1
        assert made.reasons, project
        assert not too_much(made, where), project
        assert (made.full is None) == (made.place in ("laptop", "none")), project
        for kind in ("test", "full") if made.full else ():
            text = jobscript.render(made, project, where, kind)
            assert not serious(text, where), (project, text, serious(text, where))
            if number < IN_SHELL:
                done = subprocess.run(["bash", "-n"], input=text, text=True, check=False)
                assert done.returncode == 0, (project, text)
    assert set(seen) == {"laptop", "either", "cpu", "gpu", "none"}
    assert seen["cpu"] + seen["gpu"] + seen["either"] > COUNT / 2
