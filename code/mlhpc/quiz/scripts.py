"""Grading a job script: the check finds what is wrong with it, its directives are compared."""

from typing import Any

from mlhpc import lint
from mlhpc.errors import InputError
from mlhpc.lint import reading, request
from mlhpc.quiz.values import Drawn, World

NAMES = {"gpus": "GPUs", "gpu": "type of GPU", "cpus": "cores", "memory_gib": "memory in GiB",
         "time_h": "hours of time limit", "tasks_at_once": "tasks at once"}  # fmt: skip


def grade(drawn: Drawn, text: str, world: World) -> tuple[bool, float, list[str]]:
    """Whether the script is right, what it earns, and what to change."""
    found = [one for one in lint.check(text, world.cluster) if one.severity != "note"]
    words = [f"Line {one.line}: {one.message}." for one in found[:5]]
    asked = request.of(reading.read(text))
    wants: dict[str, Any] = drawn.key
    missed = [name for name, value in wants.items() if not _holds(_asked(asked, name), value)]
    words += [f"It should ask for {NAMES.get(name, name)}: {wants[name]}." for name in missed]
    done = len(wants) - len(missed) + (not found)
    credit = done / (len(wants) + 1)
    return not found and not missed, min(credit, 0.9), words


def _asked(asked: request.Request, name: str) -> Any:
    """What a script asks for, by the name that a question uses. Raises InputError."""
    types = {**asked.gpus_per_node, **asked.gpus("gpus")}
    found = {
        "partition": asked.get("partition"),
        "gpus": sum(types.values()),
        "gpu": next(iter(types), None),
        "cpus": asked.cpus_per_task,
        "memory_gib": (asked.get("mem") or 0) / 1024,
        "time_h": (asked.get("time") or 0) / 3600,
        "tasks_at_once": _throttle(asked),
    }
    if name not in found:
        raise InputError(f"quiz: a script cannot be asked for '{name}'; valid: {', '.join(found)}")
    return found[name]


def _holds(given: Any, wanted: Any) -> bool:
    if isinstance(wanted, str):
        return bool(given == wanted)
    return given is not None and abs(float(given) - float(wanted)) < 1e-6


def _throttle(asked: request.Request) -> int | None:
    setting = asked.first("array")
    tail = (setting.value or "").rpartition("%")[2] if setting else ""
    return int(tail) if tail.isdigit() and "%" in str(setting and setting.value) else None
