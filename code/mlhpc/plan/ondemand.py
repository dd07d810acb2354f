"""What to fill in on OnDemand's form, for a session of trying out."""

import math

from mlhpc.plan import capacity
from mlhpc.plan.desk import Desk
from mlhpc.plan.values import Request

SESSION_H = 4
MOST_CORES = 8
MOST_GIB = 32


def values(desk: Desk, full: Request | None) -> dict[str, object] | None:
    """The form's values; None where the cluster offers no notebooks, or no job is planned."""
    offer = desk.cluster.ondemand
    if full is None or not offer.jupyter:
        return None
    if offer.max_time_h is None:
        desk.needs("ondemand.max_time_h")
    with_gpu = full.gpu is not None and offer.gpu is True
    return {
        "partition": _partition(desk, full, with_gpu),
        "cores": min(full.cpus, MOST_CORES),
        "memory_gib": min(full.memory_gib, MOST_GIB),
        "gpu": desk.cluster.gpus[full.gpu].gres or full.gpu if with_gpu and full.gpu else None,
        "gpus": int(with_gpu),
        "hours": min(SESSION_H, offer.max_time_h or math.inf),
    }


def _partition(desk: Desk, full: Request, with_gpu: bool) -> str:
    if full.gpu is None or with_gpu:
        return full.partition
    found = capacity.cpu_partition(desk.cluster)
    return found.key if found else full.partition
