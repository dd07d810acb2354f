"""What the planner has in hand: the project, the cluster, the rules, what it has said."""

from dataclasses import dataclass, field

from mlhpc import units
from mlhpc.cluster import Cluster
from mlhpc.plan import families
from mlhpc.plan.families import Family
from mlhpc.plan.project import Project
from mlhpc.plan.rules import Reason, Rules
from mlhpc.plan.values import Unknown


@dataclass
class Desk:
    """One planning; the lists grow as it goes."""

    project: Project
    cluster: Cluster
    rules: Rules
    reasons: list[Reason] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)

    @property
    def family(self) -> Family:
        """What is known of the project's kind of model."""
        return families.known()[self.project.model]

    @property
    def parameters(self) -> int | None:
        """Parameters: the project's own, else those of the family."""
        if self.project.parameters is not None:
            return self.project.parameters
        claim = self.family.parameters
        return round(self.rules.number(claim)) if claim else None

    def why(self, rule: str, **values: object) -> None:
        """Give a rule as a reason, once."""
        reason = self.rules.reason(rule, **values)
        if reason not in self.reasons:
            self.reasons.append(reason)

    def assume(self, text: str) -> None:
        """Note what the plan takes for granted."""
        if text not in self.assumptions:
            self.assumptions.append(text)

    def asks(self, what: str, ask: str) -> None:
        """Note what is not known, and the command or question that tells."""
        one = Unknown(what, ask)
        if one not in self.unknown:
            self.unknown.append(one)

    def needs(self, path: str) -> None:
        """Note a fact of the cluster that its file does not give."""
        fact = self.cluster.fact(path)
        if not fact.known:
            self.asks(path, fact.ask)


def hours(value_h: float) -> str:
    """Hours as people say them: '2 d 12 h'."""
    return units.format_duration(value_h * units.HOUR_S, 2)


def size(value_bytes: float) -> str:
    """A size as people say it: '50 GB'."""
    return units.format_size(value_bytes, digits=3)


def gib(value_gib: float) -> str:
    """Memory as people say it: '16 GiB'."""
    return units.format_size(value_gib * units.GIB, binary=True, digits=3)
