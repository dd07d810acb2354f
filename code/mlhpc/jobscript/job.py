"""What one script is made from."""

from dataclasses import dataclass

from mlhpc import units
from mlhpc.cluster import Cluster
from mlhpc.plan import Plan, Project, Request
from mlhpc.plan.families import Family, known


@dataclass(frozen=True)
class Job:
    """One script: the plan, and which of its two requests this is."""

    plan: Plan
    project: Project
    cluster: Cluster
    request: Request
    is_test: bool

    @property
    def family(self) -> Family:
        """The kind of model."""
        return known()[self.project.model]

    @property
    def is_array(self) -> bool:
        """Whether the plan is a search: also its test runs one task of it."""
        return self.plan.array is not None

    @property
    def trains(self) -> bool:
        """Whether the program saves checkpoints as it goes."""
        return self.family.kind == "network" and self.project.checkpoints

    @property
    def segments(self) -> int:
        """How many jobs of the time limit the run takes; more than one is queued again."""
        return self.request.segments if self.trains else 1

    @property
    def notice_s(self) -> int:
        """How long before the time limit the script is told: for saving and copying."""
        return 120 if self.request.time_limit_h * units.HOUR_S <= units.HOUR_S else 600

    @property
    def patience_s(self) -> int:
        """How long the program may take to save before it is stopped."""
        return self.notice_s // 4
