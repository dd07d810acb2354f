"""Jobs as ``scontrol -o show job`` prints them: one line a job, or a task of an array."""

import re
from dataclasses import dataclass

# States in which nothing more happens; scontrol(1), 'JOB STATE CODES' of squeue(1).
ENDED = frozenset(
    (
        *("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED"),
        *("NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT"),
    )
)


@dataclass(frozen=True)
class Job:
    """One job. ``array_task`` is None outside arrays; ``exit_code`` is 'code:signal'."""

    id: str
    name: str
    state: str
    reason: str
    exit_code: str
    restarts: int
    nodes: str
    tres: str  # what it holds: cpu=4,mem=8G,node=1,gres/gpu=1
    array_task: str | None
    fields: dict[str, str]


def parse_jobs(text: str) -> list[Job]:
    """The jobs in the output of ``scontrol -o show job``."""
    return [_job(line) for line in text.splitlines() if line.startswith("JobId=")]


def _job(line: str) -> Job:
    # a name or a command may hold blanks: a field goes on until the next Word=
    pairs = re.findall(r"(?:^|\s)([A-Z][\w/:]*)=(.*?)(?=\s[A-Z][\w/:]*=|\s*$)", line)
    fields = dict(reversed(pairs))  # of two with a name, the first is Slurm's
    return Job(
        id=fields["JobId"],
        name=fields.get("JobName", ""),
        state=fields["JobState"],
        reason=fields.get("Reason", ""),
        exit_code=fields.get("ExitCode", ""),
        restarts=int(fields.get("Restarts", "0")),
        nodes=fields.get("NodeList", ""),
        tres=fields.get("TRES", ""),
        array_task=fields.get("ArrayTaskId"),
        fields=fields,
    )
