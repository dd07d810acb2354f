"""What the page asks of Python: one function a question, plain data in, plain data out.

Runs in the browser, in a worker of its own, on the standard library alone. ``call`` is the only
door: a name that is not in CALLS is refused.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from mlhpc import cluster, jobscript, lint, plan, quiz
from mlhpc.errors import InputError

CALLS: dict[str, Callable[..., Any]] = {}
LARGEST_SCRIPT = 200_000


def offered(function: Callable[..., Any]) -> Callable[..., Any]:
    """Offer a function to the page under its name."""
    CALLS[function.__name__] = function
    return function


def call(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """``{"answer": ...}``, or ``{"error": one line}`` where the input makes no sense."""
    if name not in CALLS:
        return {"error": f"page: no call '{name[:40]}'"}
    try:
        return {"answer": CALLS[name](**given)}
    except InputError as error:
        return {"error": str(error)}
    except TypeError:
        return {"error": f"page: {name}: wrong fields"}


@cache
def _book() -> quiz.Book:
    return quiz.open_book()


@cache
def _cluster() -> cluster.Cluster:
    return cluster.load("sagehen")


@offered
def question(name: str, seed: int | None = None) -> dict[str, Any]:
    """A question without its answer."""
    return _book().document(name, seed)


@offered
def grade(name: str, answer: Any, seed: int | None = None) -> dict[str, Any]:
    """What an answer earns."""
    return _book().grade(name, answer, seed).document()


@offered
def check(script: str) -> list[dict[str, Any]]:
    """The findings on a job script."""
    if not isinstance(script, str) or len(script) > LARGEST_SCRIPT:
        raise InputError(f"script: longer than {LARGEST_SCRIPT:,} characters")
    return [one.document() for one in lint.check(script, _cluster())]


@offered
def plan_project(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The plan of a project, with its two scripts (None where there is no job)."""
    given = {name: value for name, value in fields.items() if value not in ("", None)}
    if not given:
        raise InputError("plan: say something of your project: its model, its data, its time")
    project = plan.from_mapping(given, "your project")
    made = plan.plan(project, _cluster())
    scripts = {
        kind: jobscript.render(made, project, _cluster(), kind) if made.full else None
        for kind in ("test", "full")
    }
    return {**made.document(), "scripts": scripts}
