"""Where the work belongs: laptop, either, or the cluster; and there on CPU cores or a GPU."""

from typing import Literal

from mlhpc.plan.desk import Desk, hours, size

Where = Literal["laptop", "either", "cluster"]


def where(desk: Desk) -> Where:
    """Laptop, either or cluster, by the thresholds of the lesson, with the reasons."""
    project = desk.project
    total_h = _total_h(desk)
    large = _large_data(desk)
    if total_h is None:
        return _without_time(desk, large)
    own = _own_time(desk, total_h)
    short = total_h < desk.rules.number("not-worth-it-minutes")
    if short:
        desk.why("too-short", own=own)
        return _moved(desk, "either" if large else "laptop", total_h)
    if project.trials > 1:
        desk.why("sweep", trials=project.trials)
    if total_h > desk.rules.number("worth-it-hours"):
        desk.why("long", own=own)
        return "cluster"
    if large:
        return "cluster"
    desk.why("between", own=own)
    return _moved(desk, "either", total_h)


def _total_h(desk: Desk) -> float | None:
    """Hours of all runs, one after the other, on the laptop."""
    each_h = desk.project.laptop_hours
    return None if each_h is None else each_h * desk.project.trials


def _own_time(desk: Desk, total_h: float) -> str:
    trials = desk.project.trials
    if trials == 1:
        return hours(total_h)
    return f"{hours(total_h)} ({trials} runs of {hours(total_h / trials)})"


def _large_data(desk: Desk) -> bool:
    data = desk.project.data_size
    large = data is not None and data > desk.rules.number("worth-it-data")
    if large:
        desk.why("large-data", data=size(data or 0))
    return large


def _moved(desk: Desk, there: Where, total_h: float) -> Where:
    """What else speaks for the cluster, where time alone does not decide."""
    project = desk.project
    if project.deadline is not None and project.deadline < total_h:
        desk.why("deadline-moves", own=hours(total_h), deadline=hours(project.deadline))
        return "cluster"
    if not project.code_ready:
        return there
    if project.team > 1:
        desk.why("team", team=project.team)
        there = "cluster" if there == "either" else "either"
    if project.often and there == "either":
        desk.why("often")
        there = "cluster"
    return there


def _without_time(desk: Desk, large: bool) -> Where:
    desk.why("time-unknown")
    desk.asks("the time of one run", "time one epoch on a small sample, on the laptop")
    project, few = desk.project, desk.rules.number("data-small")
    if project.trials > 1:
        desk.why("sweep", trials=project.trials)
    if large or project.trials > 1 or _is_large(desk):
        return "cluster"
    if project.team > 1:
        desk.why("team", team=project.team)
        return "cluster"
    if project.data_size is not None and project.data_size <= few:
        desk.why("small-data", data=size(project.data_size))
        return "either" if wants_gpu(desk, aloud=False) else "laptop"
    return "either"


def _is_large(desk: Desk) -> bool:
    parameters = desk.parameters
    return parameters is not None and parameters >= desk.rules.number("model-large")


def wants_gpu(desk: Desk, aloud: bool = True) -> bool:
    """Whether a GPU pays for this kind of work; ``aloud``: with the reason."""
    rule, yes = _processor(desk)
    if aloud:
        desk.why(rule, **_words(desk))
        if yes and _is_large(desk):
            desk.why("large-model", **_words(desk))
    return yes


def _processor(desk: Desk) -> tuple[str, bool]:
    family = desk.family
    if family.gpu == "always":
        return family.rule, True
    if family.gpu == "by-parameters":
        return _by_parameters(desk)
    if family.gpu == "by-rows":
        rows, many = desk.project.samples, desk.rules.number("xgboost-rows-large")
        return ("trees-gpu", True) if rows is not None and rows >= many else (family.rule, False)
    return family.rule, False


def _by_parameters(desk: Desk) -> tuple[str, bool]:
    if desk.parameters is None:
        return "size-unknown", True
    if desk.parameters < desk.rules.number("model-small"):
        return "small-network", False
    return desk.family.rule, True


def _words(desk: Desk) -> dict[str, object]:
    parameters = desk.parameters
    return {
        "model": desk.family.title,
        "parameters": "" if parameters is None else f"{parameters:,}",
        "samples": f"{desk.project.samples or 0:,}",
    }
