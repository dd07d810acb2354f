"""The process of one example: forked, run, its result left in a folder, never returned from."""

import io
import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from mlhpc.bench import processes
from mlhpc.lesson.gallery import cells
from mlhpc.lesson.gallery.outcome import Failure
from mlhpc.lesson.gallery.project import Project
from mlhpc.lesson.gallery.script import Script

RESULT, LINE, STREAMS = "result.json", "line", ("stdout", "stderr")


def start(script: Script, project: Project, folder: Path) -> int:
    """Fork a process that runs ``script`` and leaves its result in ``folder``; return its id."""
    sys.stdout.flush()
    sys.stderr.flush()
    # what libraries do around a fork swallows exceptions: an interruption there would be lost
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        pid = os.fork()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
    if pid:
        return pid
    code = 1
    try:
        code = _main(script, project, folder)
    except BaseException:
        traceback.print_exc()
    finally:
        # nothing of the parent's may run twice: no exit handlers, no return to the caller
        os._exit(code)


def _main(script: Script, project: Project, folder: Path) -> int:
    processes.lead()
    streams = _redirect(folder)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        os.chdir(work)
        document = _run(script, project, folder, streams)
        os.chdir(folder)
    (folder / RESULT).write_text(json.dumps(document), encoding="utf-8")
    processes.end_below(os.getpid())
    return 0


def _run(script: Script, project: Project, folder: Path, streams: list[BinaryIO]) -> dict[str, Any]:
    """The result as JSON: outputs, values and GPU, or a failure."""

    def say(line: int) -> None:
        (folder / LINE).write_text(str(line))

    read = _reader(streams, project)
    try:
        outputs, values = cells.execute(script, project.shown(script.path), read, say)
    except cells.StoppedError as stopped:
        return {"failure": asdict(stopped.failure)}
    return {"outputs": [asdict(output) for output in outputs], "values": values, "gpu": _gpu()}


def _redirect(folder: Path) -> list[BinaryIO]:
    """Send this process's output, and that of all it starts, into files; return them to read."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in enumerate(STREAMS, 1):
        os.dup2(os.open(folder / name, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600), number)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(os.fdopen(number, "wb", closefd=False), line_buffering=True)
        for number in (1, 2)
    )
    return [(folder / name).open("rb") for name in STREAMS]


def _reader(streams: list[BinaryIO], project: Project) -> Callable[[], tuple[str, str]]:
    """A function that gives what is new on stdout and stderr, without this machine's folders."""

    def read() -> tuple[str, str]:
        sys.stdout.flush()
        sys.stderr.flush()
        texts = (stream.read().decode(errors="replace") for stream in streams)
        stdout, stderr = (without_folders(text, project) for text in texts)
        return stdout, stderr

    return read


def without_folders(text: str, project: Project) -> str:
    """``text`` with paths as seen from the project."""
    return text.replace(f"{project.root}/", "").replace(str(project.root), ".")


def _gpu() -> str | None:
    """The model of the GPU that this process used; None where it used none."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return None
    return str(torch.cuda.get_device_name())


def failure_of(script: Script, project: Project, folder: Path, why: str) -> Failure:
    """The Failure of a process that ended without a result: ``why``, its cell, what it printed."""
    line = (folder / LINE).read_text() if (folder / LINE).exists() else "1"
    printed = "".join(
        (folder / name).read_text(errors="replace") for name in STREAMS if (folder / name).exists()
    )
    place = f"{project.shown(script.path)}:{line}"
    return Failure(script.name, place, why, without_folders(printed, project))
