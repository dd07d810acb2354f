"""Looks at what the jobs left: which results are taken, which are refused, and why."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from mlhpc import record
from mlhpc.bench.state import State, Task
from mlhpc.errors import InputError

# a new median may differ from the last one by this share, and by what both spread, unexplained
JUMP = 0.10
LONGEST_WORDS = 300
FALLBACK = "it asked for a GPU and ran on the CPU"


@dataclass(frozen=True)
class Terms:
    """What an operator lets pass: a checkout with changes; a jump, with its reason."""

    allow_dirty: bool = False
    accept: str = ""


@dataclass
class Collected:
    """Records to publish, and by task why others are not."""

    records: list[dict[str, Any]] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


def collect(state: State, known: Iterable[record.Record], terms: Terms) -> Collected:
    """Judge every task of a refresh that has ended; its outcome is noted in its task."""
    found, known = Collected(), list(known)
    for task in state.tasks.values():
        try:
            records, findings = judge(state, task, known, terms)
        except InputError as error:
            task.outcome, task.why = "refused", str(error)
            found.refused[task.key] = str(error)
            continue
        task.outcome, task.why = "accepted", ""
        found.records += records
        found.findings += findings
    return found


def judge(
    state: State, task: Task, known: list[record.Record], terms: Terms
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The records and findings of one task. Raises InputError with why they are not taken."""
    measured = read(state, task)
    if measured.get("failure"):
        raise InputError(f"the program failed: {measured['failure']}")
    if not isinstance(measured.get("seconds"), (int, float)) or measured["seconds"] <= 0:
        raise InputError("it is a run of no duration")
    documents = measured.get("records", [])
    if not documents and not measured.get("findings"):
        raise InputError("it measured nothing")
    taken = [_judge(document, state, task, known, terms) for document in documents]
    return taken, list(measured.get("findings", []))


def read(state: State, task: Task) -> dict[str, Any]:
    """What a job left. Raises InputError where there is nothing, or nothing whole."""
    path = state.result(task)
    if not path.is_file():
        ended = f"its job ended as {task.state}" if task.state else "its job has not run"
        said = _failed(path) or _last_line(state, task)
        raise InputError(f"no result: {ended}" + (f"; it said: {said}" if said else ""))
    try:
        programs = json.loads(path.read_text(encoding="utf-8"))["programs"]
        (measured,) = programs
        return dict(measured)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"its result cannot be read: {type(error).__name__}: {error}") from None


def _failed(path: Path) -> str:
    """What a run that failed said of it; '' where it said nothing."""
    beside = path.with_name(path.name + ".failed")
    try:
        (measured,) = json.loads(beside.read_text(encoding="utf-8"))["programs"]
        return str(measured["failure"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _last_line(state: State, task: Task) -> str:
    """The last line of the job's log that says why: '' where there is none."""
    logs = sorted(state.logs.glob(f"*-{task.job}.out")) if task.job else []
    lines = logs[-1].read_text(errors="replace").splitlines() if logs else []
    told = [line.strip() for line in lines if line.strip()]
    problem = [
        line for line in told if line.startswith(("Problem", "seen", "mlhpc:", "slurmstepd"))
    ]
    return " ".join((problem or told)[-2:])[:LONGEST_WORDS]


def _judge(
    document: dict[str, Any],
    state: State,
    task: Task,
    known: list[record.Record],
    terms: Terms,
) -> dict[str, Any]:
    """One record as it is to be published. Raises InputError with why it is not."""
    found = record.parse(document, task.key)
    where = found.provenance
    device = task.device
    if device != "cpu" and where["gpu_count"] == 0:
        raise InputError(f"{found.benchmark}: {FALLBACK}")
    if device != "cpu" and where["gpu_type"] != device:
        raise InputError(f"{found.benchmark}: asked for {device} and got {where['gpu_model']}")
    if device == "cpu" and where["gpu_count"]:
        raise InputError(f"{found.benchmark}: it asked for no GPU and used one")
    if where["cluster"] != state.cluster:
        raise InputError(f"{found.benchmark}: is of {where['cluster']}, not of {state.cluster}")
    if where["commit"] != state.commit:
        raise InputError(f"{found.benchmark}: was made from another commit: {where['commit']}")
    if where["dirty"] and not terms.allow_dirty:
        raise InputError(
            f"{found.benchmark}: the checkout had changes that no commit has; "
            "commit them, or say --allow-dirty"
        )
    return _explained(document, found, known, terms.accept)


def _explained(
    document: dict[str, Any], found: record.Record, known: list[record.Record], accept: str
) -> dict[str, Any]:
    """The document, with the reason of a jump among its notes. Raises InputError without one."""
    jump = jump_from(found, known)
    if not jump:
        return document
    if not accept:
        raise InputError(f"{jump}; if that is right, say why: --accept REASON")
    note = f"accepted: {accept} ({jump})"[: record.LONGEST_NOTE]
    return record.seal({**document, "notes": [*document["notes"], note]})


def jump_from(found: record.Record, known: Iterable[record.Record]) -> str:
    """How a record differs from the last of its machine, in words; '' where it hardly does."""
    earlier = [one for one in known if one.key == found.key and one.started < found.started]
    if not earlier:
        return ""
    last = max(earlier, key=lambda one: one.started)
    if last.unit != found.unit:
        return f"{found.key}: was in {last.unit}, is in {found.unit}"
    room = JUMP + (last.spread + found.spread) / 2
    ratio = found.median / last.median
    if 1 / (1 + room) <= ratio <= 1 + room:
        return ""
    was, now = f"{last.median:.4g}", f"{found.median:.4g} {found.unit}"
    return f"{found.key}: was {was} on {last.started:%Y-%m-%d}, is {now}"


@dataclass(frozen=True)
class Wanted:
    """What a command would measure now: on which device (None: the CPU), of which sources."""

    command: str
    cluster: str
    gpu: str | None
    digest: str
    packages: Mapping[str, str]


def is_current(
    records: Iterable[record.Record], wanted: Wanted, max_age_days: float, now: datetime
) -> bool:
    """Whether the newest result of a command is of these sources and versions, and not older."""
    fitting = [one for one in records if _is_of(one, wanted)]
    if not fitting:
        return False
    newest = max(fitting, key=lambda one: one.started)
    if newest.provenance["sources"] != wanted.digest:
        return False
    if newest.provenance["packages"] != dict(wanted.packages):
        return False
    return now - newest.started <= timedelta(days=max_age_days)


def _is_of(one: record.Record, wanted: Wanted) -> bool:
    where = one.provenance
    found = (where["command"], where["cluster"], where["gpu_type"])
    return found == (wanted.command, wanted.cluster, wanted.gpu)
