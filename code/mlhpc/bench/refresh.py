"""Refreshes the figures by jobs of a cluster: submit, wait, collect, publish; go on at any point.

Everything is by pull: this runs on a login node, by an operator or by cron. It can be killed and
started again: the folder of its state says what was submitted, and the jobs leave their results
there.
"""

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mlhpc import content, lint, record
from mlhpc.bench import catalogue, collect, provenance, publish, records, script, sources
from mlhpc.bench import state as states
from mlhpc.bench.catalogue import Program
from mlhpc.bench.script import Target
from mlhpc.bench.state import State, Task
from mlhpc.cluster import Cluster
from mlhpc.errors import InputError
from mlhpc.slurm import queue as queues
from mlhpc.slurm.queue import Queue

Say = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """What somebody asked for. ``names`` and ``devices`` are all where they are empty."""

    cluster: Cluster
    lesson: content.Lesson
    folder: Path
    names: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    preset: str = "publish"
    lab: str = ""
    gpus_per_node: int = 1
    max_age_days: float = 90
    allow_dirty: bool = False
    accept: str = ""
    retry: bool = False
    branch: str = ""
    poll_s: float = 30
    python: str = sys.executable

    @property
    def root(self) -> Path:
        """The checkout."""
        return self.lesson.root.resolve().parent


@dataclass(frozen=True)
class Work:
    """A task with what it is made from."""

    program: Program
    target: Target

    @property
    def key(self) -> str:
        """Its name, as in the state."""
        return f"{self.program.name}-{self.target.name}"


def plan(options: Options, now: datetime | None = None) -> tuple[list[Work], list[str]]:
    """What is to be measured, and the keys of what is current. Raises InputError."""
    known = catalogue.load(options.lesson)
    programs = catalogue.choose(known, options.names) if options.names else list(known.values())
    _check_devices(options)
    have = record.load_all(options.lesson.measurements)
    due: list[Work] = []
    current: list[Work] = []
    for program in programs:
        for target in script.targets(program, options.cluster, options.lab, options.gpus_per_node):
            if options.devices and target.device not in options.devices:
                continue
            work = Work(program, target)
            fresh = _is_current(work, options, have, now or datetime.now(UTC))
            (current if fresh else due).append(work)
    return due, [work.key for work in current]


def _check_devices(options: Options) -> None:
    valid = [script.CPU, *options.cluster.gpus]
    for name in options.devices:
        if name not in valid:
            raise InputError(f"refresh: device {name!r} is unknown; valid: {', '.join(valid)}")


def _is_current(work: Work, options: Options, have: Iterable[record.Record], now: datetime) -> bool:
    program, target = work.program, work.target
    wanted = collect.Wanted(
        command=records.spoken(program, options.preset, bool(target.gpus), target.tier),
        cluster=options.cluster.key,
        gpu=target.device if target.gpus else None,
        digest=sources.digest(sources.of_program(program.path).files, options.root),
        packages={name: sources.version(name) for name in program.packages},
    )
    return collect.is_current(have, wanted, options.max_age_days, now)


def open_state(options: Options) -> State:
    """The refresh that was begun in the folder, or a new one; InputError where they differ."""
    commit, dirty = provenance.git_state(options.root)
    if commit is None or dirty is None:
        raise InputError("refresh: this is not a checkout of git: records name their commit")
    if dirty and not options.allow_dirty:
        raise InputError("refresh: the checkout has changes that no commit has; commit them, or "
                         "say --allow-dirty")  # fmt: skip
    found = states.load(options.folder)
    if found is None:
        found = State(options.folder, options.cluster.key, options.preset, commit, dirty)
    given = {"cluster": options.cluster.key, "preset": options.preset, "commit": commit}
    for name, value in given.items():
        if getattr(found, name) != value:
            raise InputError(
                f"refresh: {options.folder} was begun with {name} {getattr(found, name)}, and this "
                f"is {value}; name another folder with --state"
            )
    return found


def submit(options: Options, queue: Queue, say: Say) -> State:
    """Submit a job for all that is due and not submitted yet. Raises InputError, ToolError."""
    state = open_state(options)
    due, current = plan(options)
    for key in current:
        say(f"refresh: {key}: current, nothing to do")
    state.make_folders()
    for work in due:
        task = state.tasks.setdefault(
            work.key, Task(work.program.name, work.target.name, work.target.device)
        )
        _submit(Submission(work, task, state, options), queue, say)
    state.save()
    return state


@dataclass(frozen=True)
class Submission:
    """One task on its way into the queue."""

    work: Work
    task: Task
    state: State
    options: Options

    @property
    def token(self) -> str:
        """What makes the job's name like no other's: this refresh and this attempt."""
        return f"{self.state.token}-{self.task.attempt}"

    @property
    def name(self) -> str:
        """The job's name."""
        return script.job_name(self.work.program, self.work.target, self.token)

    @property
    def is_done(self) -> bool:
        """Whether the job is in the queue, or has left its result."""
        return self.task.job is not None or self.state.result(self.task).is_file()

    def write(self) -> Path:
        """Write the script and check it. Raises InputError with what Slurm would refuse."""
        state, options = self.state, self.options
        deposit = script.Deposit(
            lesson=options.lesson.root.resolve(),
            result=state.result(self.task).resolve(),
            logs=state.logs.resolve(),
            python=options.python,
            token=self.token,
        )
        text = script.render(
            self.work.program, self.work.target, options.preset, options.cluster, deposit
        )
        errors = [one for one in lint.check(text, options.cluster) if one.severity == "error"]
        if errors:
            where = f"{self.task.key}: line {errors[0].line} of its script"
            raise InputError(f"{where}: {errors[0].message}")
        content.write_atomic(state.script(self.task), text)
        return state.script(self.task)


def _submit(one: Submission, queue: Queue, say: Say) -> None:
    """Submit one task, unless it was: the state says so before and after."""
    task, state = one.task, one.state
    if one.options.retry:
        _forget_failure(task, state)
    if one.is_done:
        return
    if task.submitting:
        task.job = queue.find(one.name)
        if task.job is not None:
            say(f"refresh: {task.key}: job {task.job} was submitted before")
            state.save()
            return
    path = one.write()
    task.submitting = True
    state.save()
    task.job = queue.submit(path, one.options.root)
    state.save()
    say(f"refresh: {task.key}: job {task.job}")


def _forget_failure(task: Task, state: State) -> None:
    """Make a task whose job ended without a result one that was never submitted."""
    if task.state and not state.result(task).is_file():
        task.job, task.submitting, task.state, task.outcome = None, False, "", ""
        task.attempt += 1


def wait(state: State, queue: Queue, say: Say, poll_s: float) -> None:
    """Wait until every job has ended, telling how many have. Raises ToolError."""
    said = ""
    while True:
        open_tasks = [task for task in state.tasks.values() if task.job and not task.state]
        found = queue.states(task.job for task in open_tasks if task.job)
        for task in open_tasks:
            now = found.get(task.job or "", queues.GONE)
            if queues.has_ended(now):
                task.state = now
        state.save()
        line = progress(state.tasks.values(), found)
        if line != said:
            said = line
            say(line)
        if all(task.state or not task.job for task in state.tasks.values()):
            return
        time.sleep(poll_s)


def progress(tasks: Iterable[Task], found: Mapping[str, str]) -> str:
    """'refresh: 3 of 8 jobs ended; 2 RUNNING, 3 PENDING'."""
    jobs = [task for task in tasks if task.job]
    ended = sum(bool(task.state) for task in jobs)
    going = [found[task.job] for task in jobs if task.job and task.job in found and not task.state]
    rest = ", ".join(f"{going.count(name)} {name}" for name in sorted(set(going)))
    return f"refresh: {ended} of {len(jobs)} jobs ended" + (f"; {rest}" if rest else "")


def finish(state: State, options: Options, say: Say) -> collect.Collected:
    """Judge the results and publish what is taken as a branch. Raises InputError, ToolError."""
    have = record.load_all(options.lesson.measurements)
    terms = collect.Terms(options.allow_dirty, options.accept)
    found = collect.collect(state, have, terms)
    state.save()
    for key, why in found.refused.items():
        say(f"refresh: {key}: refused: {why}")
    if found.records:
        branch = options.branch or state.branch or f"refresh-{state.cluster}-{state.token}"
        message = f"Measure {len(found.records)} results anew on {options.cluster.name}"
        commit = publish.publish(found.records, options.root, state.commit, branch, message)
        state.branch = branch
        state.save()
        say(f"refresh: branch {branch} ({commit[:12]}) holds {len(found.records)} records: "
            "review it, then merge it")  # fmt: skip
    return found


def refresh(options: Options, queue: Queue, say: Say) -> tuple[State, collect.Collected]:
    """All of it. Raises InputError, ToolError."""
    with states.only_one(options.folder):
        state = submit(options, queue, say)
        wait(state, queue, say, options.poll_s)
        if not state.tasks:
            return state, collect.Collected()
        return state, finish(state, options, say)
