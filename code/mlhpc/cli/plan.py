"""``mlhpc plan [PROJECT.toml]``: where to run a project, what to ask for, and why."""

import argparse
import textwrap
from pathlib import Path
from typing import Any

from mlhpc import cluster, content, jobscript, plan
from mlhpc.cli import Answer
from mlhpc.cluster import Cluster
from mlhpc.errors import InputError
from mlhpc.plan import Plan, Project, reading
from mlhpc.plan.desk import gib, hours

HELP = "plan a project: where to run it, what to ask for, the job scripts, and why"
FLAG = "flag"
WIDTH = 96
PLACES = {
    "laptop": "your laptop",
    "either": "your laptop or the cluster: both will do",
    "cpu": "the cluster, on CPU cores",
    "gpu": "the cluster, on a GPU",
    "none": "nowhere as it stands",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The project file, one flag for each of its fields, the cluster, files for the scripts."""
    parser.add_argument("project", nargs="?", metavar="PROJECT.toml", help="a file with the fields")
    for name, spec in plan.specs().items():
        flag = f"--{name.replace('_', '-')}"
        about = spec.about + (f": {', '.join(spec.choices)}" if spec.choices else "")
        constant: dict[str, Any] = {"nargs": "?", "const": "yes"} if spec.kind == FLAG else {}
        parser.add_argument(
            flag, dest=f"field_{name}", metavar=spec.example.replace(" ", ""), help=about,
            **constant,
        )  # fmt: skip
    parser.add_argument("--cluster", default="sagehen", metavar="NAME|FILE")
    parser.add_argument("--script", metavar="FILE", help="write the full run here, its test beside")


def run(args: argparse.Namespace) -> Answer:
    """The plan with its scripts. Raises InputError for values that make no sense."""
    described = cluster.load(args.cluster)
    project = read(args)
    made = plan.plan(project, described)
    scripts = write_scripts(made, project, described)
    start = expected(scripts["full"])
    written = save(args.script, scripts) if args.script else []
    document = {**made.document(), "scripts": scripts}
    return Answer(document, report(made, project, described, start, written))


def read(args: argparse.Namespace) -> Project:
    """The project of the file, with the flags over it."""
    given = reading.load(args.project) if args.project else {}
    flags = {name: getattr(args, f"field_{name}") for name in plan.specs()}
    told = {name: value for name, value in flags.items() if value is not None}
    if not given and not told:
        raise InputError(
            "plan: nothing is told of the project; valid: a PROJECT.toml, or flags such as"
            " --model resnet50 --data-size 1TB --laptop-hours 40"
        )
    kept = {key: one for key, one in given.items() if key.replace("-", "_") not in told}
    reading.from_mapping(kept, str(args.project))  # so that an error names the file
    return reading.from_mapping({**kept, **told}, "plan")


def write_scripts(made: Plan, project: Project, described: Cluster) -> dict[str, str | None]:
    """The texts of both scripts; None where the plan has no job."""
    if made.full is None:
        return {"test": None, "full": None}
    return {
        "test": jobscript.render(made, project, described, "test"),
        "full": jobscript.render(made, project, described, "full"),
    }


def expected(script: str | None) -> str | None:
    """When Slurm would start it; None where there is no Slurm, or no job."""
    from mlhpc.slurm import expect

    return expect.ask(script).shown() if script and expect.available() else None


def save(name: str, scripts: dict[str, str | None]) -> list[Path]:
    """Write both scripts, the test beside the other. Raises InputError where that cannot be."""
    if scripts["full"] is None:
        raise InputError("plan: --script: this plan has no job, so there is no script to write")
    full = Path(name)
    test = full.with_name(f"{full.stem}-test{full.suffix or '.sh'}")
    for path, text in ((full, scripts["full"]), (test, scripts["test"])):
        try:
            content.write_atomic(path, text or "")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"plan: --script: {name!r}: cannot be written: {reason}") from None
    return [full, test]


def report(
    made: Plan, project: Project, described: Cluster, start: str | None, written: list[Path]
) -> str:
    """The plan for people."""
    name = jobscript.quoting.comment(project.name)
    rows = [("where", PLACES[made.place]), *_request(made, described), *_rest(made)]
    if start:
        rows.append(("would start", start))
    rows += [("written", str(path)) for path in written]
    lines = [f"{name}, on {described.name}", ""]
    lines += [f"  {label:<13} {value}" for label, value in rows]
    lines += _section("Why", [f"{one.text}  [{one.source}]" for one in made.reasons])
    lines += _section("Taken for granted", list(made.assumptions))
    lines += _section("Not known here", [f"{one.what}: {one.ask}" for one in made.unknown])
    return "\n".join(lines)


def _request(made: Plan, described: Cluster) -> list[tuple[str, str]]:
    full = made.full
    if full is None:
        return []
    rows = [
        ("partition", full.partition),
        ("cores", str(full.cpus)),
        ("memory", gib(full.memory_gib)),
    ]
    if full.gpu:
        gpu = described.gpus[full.gpu].name or full.gpu
        rows.append(("GPUs", f"{full.gpus} x {gpu}"))
    if made.array:
        rows.append(("array", f"{made.array.tasks} tasks, {made.array.limit} at a time"))
    return [*rows, ("time limit", hours(full.time_limit_h))]


def _rest(made: Plan) -> list[tuple[str, str]]:
    stored = made.storage
    each, total = made.hours_per_task, made.hours_total
    rows = [("data", f"{stored.raw}; at work {stored.work}; results {stored.results}")]
    rows.append(("one task", _span(each)))
    if made.array:
        rows.append(("all of it", f"{_span(total)}, without waiting in the queue"))
    return rows


def _span(span: tuple[float, float] | None) -> str:
    if span is None:
        return "not known"
    low, high = (hours(end) for end in span)
    return low if low == high else f"{low} to {high}"


def _section(title: str, items: list[str]) -> list[str]:
    if not items:
        return []
    wrapped = [
        textwrap.fill(
            item, WIDTH, initial_indent="  - ", subsequent_indent="    ", break_on_hyphens=False
        )
        for item in items
    ]
    return ["", title, *wrapped]
