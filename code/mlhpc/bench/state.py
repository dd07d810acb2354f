"""What a refresh has done so far: one file, written whole, so that it can go on after any end.

A folder holds ``state.json``, the job scripts, their logs and results. Each task is a program on a
target. Before a job is submitted the file says that it will be: whoever goes on later looks for a
job of that name before submitting another.
"""

import fcntl
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mlhpc import content
from mlhpc.errors import InputError

SCHEMA = 1
FILE = "state.json"


@dataclass
class Task:
    """One program on one target, and what became of it."""

    program: str
    target: str
    device: str  # 'cpu' or a GPU type
    attempt: int = 1
    submitting: bool = False
    job: str | None = None
    state: str = ""  # Slurm's word, once the job has ended
    outcome: str = ""  # accepted, refused, failed; empty until looked at
    why: str = ""

    @property
    def key(self) -> str:
        """Its name in the folder."""
        return f"{self.program}-{self.target}"


@dataclass
class State:
    """A refresh: of which commit, with which preset, on which cluster; its tasks."""

    folder: Path
    cluster: str
    preset: str
    commit: str
    dirty: bool
    token: str = field(default_factory=lambda: secrets.token_hex(4))
    branch: str = ""
    tasks: dict[str, Task] = field(default_factory=dict)

    def script(self, task: Task) -> Path:
        """Where the job script of a task is."""
        return self.folder / "scripts" / f"{task.key}.sh"

    def result(self, task: Task) -> Path:
        """Where the job leaves what it measured."""
        return self.folder / "results" / f"{task.key}.json"

    @property
    def logs(self) -> Path:
        """The folder of the jobs' logs."""
        return self.folder / "logs"

    def make_folders(self) -> None:
        """The folders for scripts, results and logs: Slurm makes none."""
        for name in ("scripts", "results", "logs"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    def save(self) -> None:
        """Write the file, whole or not at all."""
        document = {
            "schema": SCHEMA,
            "cluster": self.cluster,
            "preset": self.preset,
            "commit": self.commit,
            "dirty": self.dirty,
            "token": self.token,
            "branch": self.branch,
            "tasks": {key: asdict(task) for key, task in self.tasks.items()},
        }
        content.write_atomic(self.folder / FILE, json.dumps(document, indent=1) + "\n")


def load(folder: Path) -> State | None:
    """The state in a folder; None where there is none. Raises InputError where it is damaged."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["schema"] != SCHEMA:
            raise InputError(f"{path}: schema {found['schema']}; valid: {SCHEMA}")
        tasks = {key: Task(**fields) for key, fields in found["tasks"].items()}
        kept: dict[str, Any] = {
            name: found[name]
            for name in ("cluster", "preset", "commit", "dirty", "token", "branch")
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        words = f"{type(error).__name__}: {error}"
        raise InputError(f"{path}: is no state of a refresh: {words}") from None
    return State(folder, tasks=tasks, **kept)


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold the folder for this process alone. Raises InputError while another has it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"refresh: another one is at work in {folder}") from None
        yield
