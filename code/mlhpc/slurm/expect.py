"""When a job would start: what ``sbatch --test-only`` says on this cluster."""

import re
import shutil
import subprocess
from dataclasses import dataclass

TIME_LIMIT_S = 30
EXPECTED = re.compile(
    r"Job \S+ to start at (?P<start>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)"
    r" using (?P<cores>\d+) processors on (?:nodes )?(?P<nodes>\S+) in partition (?P<partition>\S+)"
)

REFUSED = re.compile(r"^(sbatch: error: |allocation failure: )+")


@dataclass(frozen=True)
class Start:
    """When and where Slurm would start a job, by the queue of this moment; or why it would not.

    ``start`` is the cluster's local time, None where the job is refused.
    """

    start: str | None
    nodes: str
    partition: str
    message: str

    def shown(self) -> str:
        """One line for people."""
        if self.start is None:
            return self.message
        return f"{self.start.replace('T', ' ')}, on {self.nodes} in {self.partition}"


def available() -> bool:
    """Whether there is a Slurm to ask."""
    return shutil.which("sbatch") is not None


def parse(message: str) -> Start:
    """What ``sbatch --test-only`` wrote."""
    found = EXPECTED.search(message)
    if found:
        return Start(found["start"], found["nodes"], found["partition"], found[0])
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    words = lines[-1] if lines else "sbatch said nothing"
    if words.startswith("sbatch: fatal:"):
        return Start(None, "", "", f"not asked: {words}")
    return Start(None, "", "", f"refused: {REFUSED.sub('', words)}")


def ask(script: str) -> Start:
    """Ask this cluster's Slurm about a script; nothing is submitted."""
    try:
        done = subprocess.run(
            ["sbatch", "--test-only"],
            input=script, capture_output=True, text=True, timeout=TIME_LIMIT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return Start(None, "", "", f"sbatch cannot be asked: {error}")
    return parse(done.stderr)
