"""The one seam between detection and the machine: files, variables, commands, affinity.

Everything that detection learns comes through a System, so that a test can hand it any machine.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# how long a killed command may take to go before it is left behind
GRACE_S = 1.0


@dataclass(frozen=True)
class Outcome:
    """What came of running a command; ``code`` is None where it did not start or not finish."""

    code: int | None
    out: str = ""
    err: str = ""
    missing: bool = False
    timed_out: bool = False

    @property
    def said(self) -> str:
        """The first line that the command wrote, to quote as evidence."""
        lines = (line.strip() for line in f"{self.out}\n{self.err}".splitlines())
        return next((line for line in lines if line), "nothing")


Run = Callable[[Sequence[str], float], Outcome]
Affinity = Callable[[], int | None]


@dataclass(frozen=True)
class System:
    """A machine as detection sees it: the file system below ``root`` and three functions."""

    root: Path
    environ: Mapping[str, str]
    run: Run
    affinity: Affinity

    def text(self, path: str) -> str | None:
        """The text of a file, a path relative to the root; None where it cannot be read."""
        try:
            return (self.root / path).read_text(errors="replace")
        except OSError:
            return None

    def exists(self, path: str) -> bool:
        """Whether there is such a file or folder."""
        return os.path.lexists(self.root / path)

    def names(self, path: str) -> list[str]:
        """What a folder holds, sorted; empty where it cannot be read."""
        try:
            return sorted(os.listdir(self.root / path))  # noqa: PTH208 (names, not paths)
        except OSError:
            return []


def run_command(argv: Sequence[str], timeout_s: float) -> Outcome:
    """Run a command and wait at most ``timeout_s`` (and GRACE_S more) for it, come what may.

    A tool that asks a broken driver can sit in the kernel where no signal reaches it: it is
    killed with all that it started, and left behind where even that does not help.
    """
    try:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C"},
        )
    except OSError:
        return Outcome(None, missing=True)
    try:
        out, err = child.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        _abandon(child)
        return Outcome(None, timed_out=True)
    return Outcome(child.returncode, out, err)


def _abandon(child: subprocess.Popen[str]) -> None:
    with contextlib.suppress(OSError):
        os.killpg(child.pid, signal.SIGKILL)
    for pipe in (child.stdout, child.stderr):
        if pipe:
            pipe.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(timeout=GRACE_S)


def kernel_affinity() -> int | None:
    """How many cores the kernel lets this process run on; None where it does not say (macOS)."""
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return None
