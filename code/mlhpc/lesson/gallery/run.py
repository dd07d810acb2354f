"""Runs examples: each in a process forked from this one, which has loaded the libraries once."""

import gc
import importlib
import importlib.util
import json
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mlhpc.bench import processes
from mlhpc.lesson.gallery import child, machine
from mlhpc.lesson.gallery.outcome import Failure, Outcome, read_output
from mlhpc.lesson.gallery.project import Project
from mlhpc.lesson.gallery.script import Script
from mlhpc.lesson.gallery.sources import Sources

# Slow to import and safe to fork from: importing them starts no thread of its own and no CUDA.
SHARED = ("numpy", "scipy", "pandas", "matplotlib", "sklearn", "torch")
# What the first use of a module imports, and takes longer over than the module itself.
ON_FIRST_USE = {"torch.optim": "torch._dynamo"}
POLL_S = 0.05

Result = Outcome | Failure
Done = Callable[[Result], None]


@dataclass(frozen=True)
class Task:
    """One example to run, with what its result depends on."""

    script: Script
    sources: Sources
    hash: str


@dataclass
class Running:
    """A process that is at work."""

    task: Task
    pid: int
    folder: Path
    started: datetime
    clock: float  # time.monotonic() at the start
    ended: bool = False

    def overdue(self) -> bool:
        """True past the example's own time limit."""
        return time.monotonic() - self.clock > self.task.script.needs.timeout_s


def run_all(tasks: list[Task], project: Project, jobs: int, done: Done) -> None:
    """Run every task, ``jobs`` at a time, then those that time something, each alone.

    ``done`` is given each result as it comes. Whatever ends this function early ends every
    process that it started.
    """
    load(task.sources for task in tasks)
    together = [task for task in tasks if not task.script.needs.exclusive]
    alone = [task for task in tasks if task.script.needs.exclusive]
    with _terminable():
        _run_batch(together, project, jobs, done)
        _run_batch(alone, project, 1, done)


def load(sources: Iterable[Sources]) -> None:
    """Import, once, what the examples will import, and warm up what drawing needs."""
    names = shared_modules(sources)
    for name in names:
        importlib.import_module(name)
    if any(name.startswith("matplotlib") for name in names):
        _warm_up()
    # what is loaded will not be collected in any child, so its pages stay shared
    gc.freeze()


def shared_modules(sources: Iterable[Sources]) -> list[str]:
    """The modules that are worth loading before the first example starts."""
    names = {name for found in sources for name in found.modules}
    names |= {later for name, later in ON_FIRST_USE.items() if name in names}
    return [name for name in sorted(names) if name.partition(".")[0] in SHARED and _is_module(name)]


def _is_module(name: str) -> bool:
    """False for a class or function that was imported from a module, and for what is not here."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, AttributeError, ValueError):
        return False


def _warm_up() -> None:
    """Draw one figure: fonts and the SVG writer are then ready in every child."""
    from mlhpc.lesson import figures

    figures.use_style()
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    axes.plot([1, 2], label="1")
    axes.legend()
    figures.draw(figure, "")
    pyplot.close(figure)


def _run_batch(tasks: list[Task], project: Project, slots: int, done: Done) -> None:
    waiting, running = list(tasks), list[Running]()
    try:
        while waiting or running:
            while waiting and len(running) < slots:
                running.append(_start(waiting.pop(0), project))
            time.sleep(POLL_S)
            for work in list(running):
                result = _look(work, project)
                if result is not None:
                    running.remove(work)
                    shutil.rmtree(work.folder, ignore_errors=True)
                    done(result)
    finally:
        for work in running:
            _end(work)
            shutil.rmtree(work.folder, ignore_errors=True)


def _start(task: Task, project: Project) -> Running:
    folder = Path(tempfile.mkdtemp(prefix="mlhpc-gallery-"))
    started, clock = datetime.now(UTC), time.monotonic()
    return Running(task, child.start(task.script, project, folder), folder, started, clock)


def _look(work: Running, project: Project) -> Result | None:
    """The result of a process that has ended, or that has just been ended; None while it works."""
    pid, status, usage = os.wait4(work.pid, os.WNOHANG)
    if pid:
        work.ended = True
        seconds = time.monotonic() - work.clock
        return _result(work, project, status, seconds, usage.ru_utime + usage.ru_stime)
    if work.overdue():
        _end(work)
        limit = work.task.script.needs.timeout_s
        why = f"it ran longer than its time limit of {limit:g} s"
        return child.failure_of(work.task.script, project, work.folder, why)
    return None


def _end(work: Running) -> None:
    if work.ended:
        return
    work.ended = True
    processes.end_tree(work.pid)
    # an interruption may have come just after its end was noticed
    with suppress(ChildProcessError):
        os.waitpid(work.pid, 0)


def _result(
    work: Running, project: Project, status: int, seconds: float, cpu_seconds: float
) -> Result:
    document = _document(work.folder)
    if document is None or status:
        return child.failure_of(work.task.script, project, work.folder, _how(status))
    if "failure" in document:
        return Failure(**document["failure"])
    script, versions = work.task.script, work.task.sources.versions()
    return Outcome(
        name=script.name,
        hash=work.task.hash,
        started=work.started.isoformat(timespec="seconds"),
        seconds=round(seconds, 3),
        cpu_seconds=round(cpu_seconds, 3),
        machine=machine.describe(document["gpu"], script.needs.gpu != "no", versions),
        versions=versions,
        values={key: (value, unit) for key, (value, unit) in document["values"].items()},
        outputs=tuple(read_output(output) for output in document["outputs"]),
    )


def _document(folder: Path) -> dict[str, Any] | None:
    path = folder / child.RESULT
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def _how(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"the process was ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"the process left with exit code {os.waitstatus_to_exitcode(status)} before its end"


@contextmanager
def _terminable() -> Iterator[None]:
    """Within, a request to terminate is an interruption like Ctrl-C: what runs is ended first."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt
