"""What the check of a script finds."""

from dataclasses import asdict, dataclass

SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True)
class Finding:
    """One finding. Lines and columns count from 1; ``fix`` is the line to write instead, or ''.

    An error is what Slurm refuses; a warning is what it takes and you regret; a note is advice,
    or something that the cluster file does not tell.
    """

    line: int
    column: int
    rule: str
    severity: str
    message: str
    fix: str = ""

    def document(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


def in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """By line, then by weight."""
    return tuple(
        sorted(findings, key=lambda one: (one.line, SEVERITIES.index(one.severity), one.column))
    )
