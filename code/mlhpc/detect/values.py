"""What detection finds, as plain values. None is 'unknown', and a reason stands beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Place = Literal["laptop", "login", "job", "ondemand", "unknown"]
Status = Literal["ok", "none", "unknown"]


@dataclass(frozen=True)
class Amount:
    """How much of something this process may use, and how much the machine has.

    ``source`` names what sets the limit, or says why an amount is unknown.
    """

    usable: float | None
    machine: float | None
    source: str

    def document(self) -> dict[str, object]:
        """The amount for ``--json``."""
        return {"usable": self.usable, "machine": self.machine, "source": self.source}


@dataclass(frozen=True)
class Gpu:
    """One GPU, or one slice of a GPU (``mig`` is then the slice's profile, ``1g.10gb``).

    ``unknown`` gives, for each field that is None because it could not be told, the reason.
    A whole GPU has ``mig`` None and no reason for it.
    """

    index: int | None
    name: str | None
    uuid: str | None = None
    memory_gib: float | None = None
    mig: str | None = None
    driver: str | None = None
    unknown: Mapping[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, object]:
        """The GPU for ``--json``."""
        return {
            "index": self.index,
            "name": self.name,
            "uuid": self.uuid,
            "memory_gib": self.memory_gib,
            "mig": self.mig,
            "driver": self.driver,
            "unknown": dict(self.unknown),
        }


@dataclass(frozen=True)
class Problem:
    """Why something cannot be used: a code to look up, what was seen, what to do.

    What to type stands between backticks in ``fix``.
    """

    code: str
    evidence: str
    fix: str

    def document(self) -> dict[str, object]:
        """The problem for ``--json``."""
        return {"code": self.code, "evidence": self.evidence, "fix": self.fix}


@dataclass(frozen=True)
class Framework:
    """A framework in this Python; ``version`` is None where it is not installed."""

    name: str
    version: str | None
    build: str | None
    sees_gpu: bool | None
    note: str

    def document(self) -> dict[str, object]:
        """The framework for ``--json``."""
        return {
            "name": self.name,
            "version": self.version,
            "build": self.build,
            "sees_gpu": self.sees_gpu,
            "note": self.note,
        }


@dataclass(frozen=True)
class Job:
    """A Slurm job, as far as the process can tell."""

    job_id: str
    node: str | None
    partition: str | None
    nodes: int | None
    tasks: int | None
    gpus_on_node: int | None
    array_task: str | None

    def document(self) -> dict[str, object]:
        """The job for ``--json``."""
        return {
            "job_id": self.job_id,
            "node": self.node,
            "partition": self.partition,
            "nodes": self.nodes,
            "tasks": self.tasks,
            "gpus_on_node": self.gpus_on_node,
            "array_task": self.array_task,
        }


@dataclass(frozen=True)
class Report:
    """All that ``mlhpc detect`` says. ``frameworks`` is empty unless they were asked for."""

    where: Place
    where_source: str
    slurm: Job | None
    cpus: Amount
    memory_gib: Amount
    gpu_status: Status
    gpus: tuple[Gpu, ...]
    problems: tuple[Problem, ...]
    frameworks: tuple[Framework, ...] = ()

    def document(self) -> dict[str, object]:
        """The report for ``--json``."""
        return {
            "cpus": self.cpus.document(),
            "memory_gib": self.memory_gib.document(),
            "gpus": [gpu.document() for gpu in self.gpus],
            "gpu_status": self.gpu_status,
            "problems": [problem.document() for problem in self.problems],
            "frameworks": [framework.document() for framework in self.frameworks],
            "slurm": self.slurm.document() if self.slurm else None,
            "where": self.where,
            "where_source": self.where_source,
        }
