"""What a plan is: values only."""

from collections.abc import Mapping
from dataclasses import dataclass

from mlhpc.plan.rules import Reason

Hours = tuple[float, float]


@dataclass(frozen=True)
class Unknown:
    """A fact that the cluster file does not give, and the command or question that tells."""

    what: str
    ask: str


@dataclass(frozen=True)
class Array:
    """An array of jobs: how many tasks, how many at once, how many runs in each."""

    tasks: int
    limit: int
    runs_each: int = 1


@dataclass(frozen=True)
class Storage:
    """Names of storage tiers, as in the cluster file; ``work`` dies with the job where it can.

    ``staged`` says whether a job copies the data to ``work`` first.
    """

    raw: str
    work: str
    results: str
    staged: bool = False


@dataclass(frozen=True)
class Request:
    """What a job asks for. ``gpu`` is a name of the cluster file; the limit is None at 'laptop'."""

    partition: str
    cpus: int
    memory_gib: int
    gpu: str | None = None
    gpus: int = 0
    time_limit_h: float = 1
    segments: int = 1


@dataclass(frozen=True)
class Plan:
    """Where and how to do a project.

    ``place`` is laptop, cpu, gpu, either or none; ``full`` and ``test`` are None where there is no
    job: at laptop and none. Hours are ranges, None where nothing tells them.
    """

    place: str
    full: Request | None
    test: Request | None
    array: Array | None
    storage: Storage
    hours_per_task: Hours | None
    hours_total: Hours | None
    reasons: tuple[Reason, ...]
    assumptions: tuple[str, ...]
    unknown: tuple[Unknown, ...]
    ondemand: Mapping[str, object] | None

    def document(self) -> dict[str, object]:
        """The plan for programs."""
        full = self.full
        return {
            "place": self.place,
            "partition": full and full.partition,
            "nodes": full and 1,
            "tasks": full and 1,
            "cpus_per_task": full and full.cpus,
            "memory_gib": full and full.memory_gib,
            "gpu": full and full.gpu,
            "gpus_per_node": full.gpus if full else None,
            "array": _array(self.array),
            "storage": {name: getattr(self.storage, name) for name in ("raw", "work", "results")},
            "hours_per_task": _hours(self.hours_per_task),
            "hours_total": _hours(self.hours_total),
            "time_limit_h": full and round(full.time_limit_h, 4),
            "reasons": [vars(one) for one in self.reasons],
            "assumptions": list(self.assumptions),
            "unknown": [vars(one) for one in self.unknown],
            "ondemand": self.ondemand,
        }


def _array(array: Array | None) -> dict[str, int] | None:
    return None if array is None else {"tasks": array.tasks, "limit": array.limit}


def _hours(hours: Hours | None) -> list[float] | None:
    return None if hours is None else [float(f"{one:.3g}") for one in hours]
