"""A search as an array of jobs: throttled, and bundled where single runs are too many or short."""

import math

from mlhpc.plan import capacity
from mlhpc.plan.desk import Desk
from mlhpc.plan.values import Array, Hours

LEAST_HOURS = 0.5  # of a task: the scheduler's own work is not worth less
SLURM_DEFAULT = 1001  # MaxArraySize where a cluster sets none; slurm.conf(5)


def choose(desk: Desk, gpu: str | None, each_h: Hours | None) -> Array | None:
    """The array for the project's trials; None for a single run."""
    trials = desk.project.trials
    if trials == 1:
        return None
    limit = _limit(desk, gpu)
    if desk.project.search == "bayes":
        return _workers(desk, min(limit, trials))
    runs_each = _bundle(desk, each_h)
    tasks = math.ceil(trials / runs_each)
    limit = min(limit, tasks)
    if tasks == 1:
        return Array(1, 1, runs_each)
    desk.why("array", tasks=tasks, limit=limit)
    return Array(tasks, limit, runs_each)


def _workers(desk: Desk, workers: int) -> Array:
    each = math.ceil(desk.project.trials / workers)
    desk.why("bayes", tasks=workers, each=each)
    return Array(workers, workers, each)


def _limit(desk: Desk, gpu: str | None) -> int:
    """How many at once: the lesson's number, no more GPUs than there are."""
    wanted = round(desk.rules.number("grid-gpus"))
    limits = desk.cluster.limits
    most: list[float] = [wanted, limits.max_jobs_per_user or math.inf]
    if limits.max_jobs_per_user is None:
        desk.needs("limits.max_jobs_per_user")
    if gpu is not None:
        most.append(desk.cluster.gpus[gpu].count or 1)
        most.append(limits.gpus_per_user_max or math.inf)
        desk.needs("limits.gpus_per_user_max")
    return max(int(min(most)), 1)


def _bundle(desk: Desk, each_h: Hours | None) -> int:
    """How many runs one task makes, one after the other."""
    trials, size = desk.project.trials, desk.cluster.limits.max_array_size
    desk.needs("limits.max_array_size")
    most = (size or SLURM_DEFAULT) - 1
    submitted = desk.cluster.limits.max_submitted_per_user
    if submitted is not None:
        most = int(min(most, submitted))
    for_number = math.ceil(trials / max(most, 1))
    for_time = 1
    if each_h is not None and each_h[1] < LEAST_HOURS:
        for_time = min(math.ceil(LEAST_HOURS / each_h[1]), trials)
    runs_each = max(for_number, for_time)
    if runs_each > 1:
        many = for_number >= for_time
        why = f"an array has at most {most} tasks" if many else "a job of minutes is not worth it"
        desk.why("bundle", each=runs_each, why=why)
    return runs_each


def of_cpus(desk: Desk, name: str, wanted: int) -> int:
    """Cores for one run: no more than every node of the partition has."""
    known = [one.cpus for one in capacity.shapes(desk.cluster, name) if one.cpus is not None]
    if not known:
        desk.needs(f"partition.{name}.cores_min")
    return min([wanted, *known])
