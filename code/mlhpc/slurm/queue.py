"""Submitting jobs and reading their states, on whatever Slurm this shell talks to.

Accounting is not needed: states come from ``squeue``, which forgets a job some minutes after its
end. What it no longer knows is 'GONE': the job's own results then tell how it ended.
"""

import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from mlhpc.errors import ToolError
from mlhpc.slurm import processes
from mlhpc.slurm.jobs import ENDED

GONE = "GONE"
NO_SUCH_JOB = "Invalid job id"  # squeue's word where it knows none of them
LIMIT_S = 60


class Queue:
    """A Slurm, as the commands of this shell reach it."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """``environ``: with the ``PATH`` and, where it is not the usual one, ``SLURM_CONF``."""
        self.environ = environ

    def submit(self, script: Path, folder: Path) -> str:
        """Submit a script from ``folder``; the job's id. Raises ToolError with Slurm's words."""
        done = self._run(["sbatch", "--parsable", str(script)], folder)
        if done.returncode != 0:
            raise ToolError(f"sbatch: {_last(done.stderr)}")
        return done.stdout.strip().split(";")[0]

    def states(self, ids: Iterable[str]) -> dict[str, str]:
        """The state of each job in Slurm's word; GONE where Slurm knows it no longer."""
        wanted = list(ids)
        if not wanted:
            return {}
        found = dict(self._listed("--jobs", ",".join(wanted)))
        return {one: found.get(one, GONE) for one in wanted}

    def find(self, name: str) -> str | None:
        """The id of the newest job of this name that Slurm still knows."""
        found = [job_id for job_id, _ in self._listed("--me", "--name", name)]
        return max(found, key=int) if found else None

    def _listed(self, *which: str) -> list[tuple[str, str]]:
        """(id, state) of these jobs, also of those that ended lately. Raises ToolError.

        Only our own jobs are asked for: on a large cluster all of them are many.
        """
        done = self._run(["squeue", "--noheader", "--states=all", "--format=%i %T", *which])
        if done.returncode != 0 and NO_SUCH_JOB not in done.stderr:
            raise ToolError(f"squeue: {_last(done.stderr)}")
        rows = (line.split() for line in done.stdout.splitlines())
        return [(row[0], row[1]) for row in rows if len(row) == 2]

    def _run(
        self, command: list[str], folder: Path | None = None
    ) -> "subprocess.CompletedProcess[str]":
        program = processes.find(command[0])
        if program is None:
            raise ToolError(f"{command[0]} not found: this is for a login node of a Slurm cluster")
        # what a job inherits must not come from the job that this may itself run in
        environ = {name: value for name, value in self.environ.items() if not _foreign(name)}
        try:
            return subprocess.run(
                [program, *command[1:]], env=environ, cwd=folder, capture_output=True, text=True,
                timeout=LIMIT_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ToolError(f"{command[0]}: no answer within {LIMIT_S} s") from None


def has_ended(state: str) -> bool:
    """Whether nothing more happens to a job of this state."""
    return state in ENDED or state == GONE


def _foreign(name: str) -> bool:
    return name.startswith(("SLURM_", "SBATCH_")) and name != "SLURM_CONF"


def _last(words: str) -> str:
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    return lines[-1] if lines else "it failed without a word"
