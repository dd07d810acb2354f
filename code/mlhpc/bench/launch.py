"""Runs one program and listens to it: results and findings as they come, and how it ended."""

import contextlib
import json
import os
import secrets
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from mlhpc.bench import processes
from mlhpc.bench.sources import PACKAGE
from mlhpc.errors import ToolError
from mlhpc.slurm.processes import kill_all_with

LINE_FIELDS = {
    "result": ("benchmark", "params", "unit", "samples", "seconds", "device", "settled"),
    "finding": ("benchmark", "params", "finding"),
}
KILLED = "ended by the system, as it does where the memory is full"
LAST_WORDS = 400
MARK = "MLHPC_BENCH_RUN"  # a variable that all that a program starts has, and nothing else
PATIENCE_S = 10

Hear = Callable[[dict[str, Any]], None]


def nobody(_: object) -> None:
    """Who is told, where nobody listens."""


@dataclass
class Ran:
    """What one run of a program gave. ``failure`` is empty where it ended well."""

    started: datetime
    lines: list[dict[str, Any]] = field(default_factory=list)
    moments: list[datetime] = field(default_factory=list)  # of the lines
    seconds: float = 0.0
    failure: str = ""


def run(
    command: list[str],
    environ: Mapping[str, str],
    limit_s: float,
    hear: Hear = nobody,
    begun: Callable[[int], None] = nobody,
) -> Ran:
    """Run a program to its end; ``hear`` is called with each line, ``begun`` with its process.

    What it started ends with it, also where this is interrupted. Raises ToolError where it cannot
    be started.
    """
    environ = {**environ, MARK: secrets.token_hex(8)}
    with tempfile.TemporaryFile("w+", errors="replace") as words:
        begin = time.monotonic()
        found = Ran(datetime.now(UTC))
        child = _start(command, environ, words)
        timer = _Timer(child, limit_s)
        reader = threading.Thread(target=_listen, args=(child, found, hear), daemon=True)
        try:
            begun(child.pid)
            timer.begin()
            reader.start()
            code = child.wait()
        finally:
            timer.end()
            processes.end_tree(child.pid)
            child.wait()
            # what it left behind is nobody's child now, and may hold the pipe open
            kill_all_with(MARK, environ[MARK])
            reader.join(PATIENCE_S)
        found.seconds = time.monotonic() - begin
        found.failure = _failure(code, timer.rang, limit_s, words)
    return found


def _start(
    command: list[str], environ: Mapping[str, str], words: IO[str]
) -> "subprocess.Popen[str]":
    path = os.pathsep.join(filter(None, [str(PACKAGE.parent), environ.get("PYTHONPATH", "")]))
    try:
        return subprocess.Popen(
            command,
            env={**environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=words,
            text=True,
            errors="replace",
            preexec_fn=processes.lead,  # noqa: PLW1509 (few system calls)
        )
    except OSError as error:
        raise ToolError(f"bench: {Path(command[0]).name}: {error.strerror}") from None


def _listen(child: "subprocess.Popen[str]", found: Ran, hear: Hear) -> None:
    """Hear every line until all that write to the pipe have ended."""
    for text in child.stdout or ():
        _hear(text, found, hear)


class _Timer:
    """Ends a program that takes too long."""

    def __init__(self, child: "subprocess.Popen[str]", limit_s: float) -> None:
        self.rang = False
        self._child = child
        self._timer = threading.Timer(limit_s, self._ring)

    def begin(self) -> None:
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        self._timer.cancel()

    def _ring(self) -> None:
        self.rang = True
        with contextlib.suppress(ProcessLookupError):
            processes.end_tree(self._child.pid)


def _hear(text: str, found: Ran, hear: Hear) -> None:
    """A line of JSON that is a result or a finding; other words are of no interest here."""
    line = parse(text)
    if line is not None:
        found.lines.append(line)
        found.moments.append(datetime.now(UTC))
        hear(line)


def parse(text: str) -> dict[str, Any] | None:
    """The result or finding of one line of a program's output; None for any other line."""
    if not text.startswith("{"):
        return None
    try:
        line = json.loads(text)
    except ValueError:
        return None
    needed = LINE_FIELDS.get(line.get("kind", ""))
    return line if needed and all(name in line for name in needed) else None


def _failure(code: int, late: bool, limit_s: float, words: IO[str]) -> str:
    if late:
        return f"not done after {limit_s:g} s"
    if code == 0:
        return ""
    if code == -signal.SIGKILL:
        return KILLED
    words.seek(0)
    said = [line.strip() for line in words.read().splitlines() if line.strip()]
    return (said[-1] if said else f"it ended with exit code {code}")[:LAST_WORDS]
