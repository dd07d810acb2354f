"""``mlhpc bench list | run | submit``: the programs of the lesson, timed here or by jobs."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlhpc import cluster as clusters
from mlhpc import content
from mlhpc.bench.catalogue import PRESETS
from mlhpc.cli import Answer
from mlhpc.errors import InputError, ToolError
from mlhpc.record import in_words

if TYPE_CHECKING:
    from mlhpc.bench.catalogue import Program
    from mlhpc.bench.provenance import Machine
    from mlhpc.bench.records import Measured

HELP = "time the lesson's programs, here or by jobs of the cluster"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``list``; ``run`` here; ``submit`` as jobs."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="the programs, and what each preset does")
    listing.add_argument("--lesson", metavar="DIR", help="the lesson's folder")
    run_here = actions.add_parser("run", help="run programs here and show what they measured")
    run_here.add_argument("names", nargs="*", metavar="NAME", help="programs (all by default)")
    run_here.add_argument("--preset", default="lesson", metavar="P",
                          help="smoke (seconds), lesson (a minute), publish")  # fmt: skip
    run_here.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    run_here.add_argument("--cluster", metavar="NAME|FILE",
                          help="the cluster that this job runs on (default: none)")  # fmt: skip
    run_here.add_argument("--tier", metavar="NAME", help="name of the storage, for 'loading'")
    run_here.add_argument("--folder", metavar="DIR", help="a folder on that storage")
    run_here.add_argument("--save", nargs="?", const="", metavar="DIR",
                          help="write the records into the lesson, or into DIR")  # fmt: skip
    run_here.add_argument("--lesson", metavar="DIR", help="the lesson's folder")
    _add_submit(actions)


def _add_submit(actions: Any) -> None:
    from mlhpc.cli.refresh import add_options

    submit = actions.add_parser("submit", help="submit jobs for what is not current")
    add_options(submit)


def run(args: argparse.Namespace) -> Answer:
    """Answer ``list``, ``run`` or ``submit``."""
    if args.action == "submit":
        from mlhpc.cli import refresh

        return refresh.submit(args)
    return _list(args) if args.action == "list" else _run(args)


def _list(args: argparse.Namespace) -> Answer:
    from mlhpc.bench import catalogue

    known = catalogue.load(content.find(args.lesson))
    document: dict[str, object] = {"programs": [_entry(one) for one in known.values()]}
    width = max(len(name) for name in known)
    lines = [f"{one.name:<{width}}  {one.about}" for one in known.values()]
    return Answer(document, "\n".join(lines))


def _entry(one: "Program") -> dict[str, object]:
    return {
        "name": one.name,
        "title": one.title,
        "about": one.about,
        "device": one.device,
        "packages": list(one.packages),
        "presets": {name: {kind: list(given) for kind, given in by_device.items()}
                    for name, by_device in one.presets.items()},
    }  # fmt: skip


def _run(args: argparse.Namespace) -> Answer:
    from mlhpc.bench import catalogue

    lesson = content.find(args.lesson)
    if args.preset not in PRESETS:
        raise InputError(f"bench: preset {args.preset!r} is unknown; valid: {', '.join(PRESETS)}")
    programs = catalogue.choose(catalogue.load(lesson), args.names)
    machine = _machine(args.cluster, lesson)
    on_gpu = _on_gpu(args.device, machine)
    folder = _folder(args.save, lesson)
    tier = _tier(args)
    found = [
        _measure(one, args.preset, machine, on_gpu=on_gpu, folder=folder, tier=tier)
        for one in programs
    ]
    failed = [one for one in found if one.failure]
    document: dict[str, object] = {"programs": [one.document() for one in found]}
    return Answer(document, _text(found), ToolError.exit_code if failed else 0)


def _machine(cluster_name: str | None, lesson: content.Lesson) -> "Machine":
    from mlhpc.bench.provenance import Machine, require_job
    from mlhpc.detect import detect

    cluster = clusters.load(cluster_name) if cluster_name else None
    require_job(cluster, os.environ)
    return Machine(detect(), cluster, lesson.root.resolve().parent, dict(os.environ))


def _on_gpu(wanted: str, machine: "Machine") -> bool:
    """Whether to use a GPU. Raises ToolError where one is wanted and none can be used."""
    there = machine.report.gpu_status == "ok"
    if wanted == "cuda" and not there:
        why = machine.report.problems[0].evidence if machine.report.problems else "none is seen"
        raise ToolError(f"bench: no GPU that can be used here: {why}; see mlhpc detect")
    return wanted == "cuda" or (wanted == "auto" and there)


def _folder(save: str | None, lesson: content.Lesson) -> Path | None:
    if save is None:
        return None
    folder = Path(save) if save else lesson.measurements
    if folder.exists() and not folder.is_dir():
        raise InputError(f"bench: --save {folder}: is no folder")
    return folder


def _tier(args: argparse.Namespace) -> tuple[str, str] | None:
    """The storage that was named, with its folder."""
    if not args.tier and not args.folder:
        return None
    if not (args.tier and args.folder):
        raise InputError("bench: --tier NAME and --folder DIR go together")
    return args.tier, args.folder


def _measure(
    program: "Program",
    preset: str,
    machine: "Machine",
    *,
    on_gpu: bool,
    folder: Path | None,
    tier: tuple[str, str] | None,
) -> "Measured":
    from mlhpc import record
    from mlhpc.bench import records

    uses_gpu = on_gpu and program.device != "cpu"
    _say(f"bench: {program.name} ({preset}, {'GPU' if uses_gpu else 'CPU'})")
    found = records.measure(program, preset, machine, on_gpu=uses_gpu, hear=_hear, tier=tier)
    for document in found.records if folder else ():
        record.save(document, folder)  # type: ignore[arg-type]
    if found.failure:
        _say(f"bench: {program.name}: {found.failure}")
    return found


def _hear(line: dict[str, Any]) -> None:
    """Tell a person what was just measured."""
    import statistics

    params = in_words(line["params"])
    if line["kind"] == "finding":
        _say(f"  {line['benchmark']:<14} {params}: {line['finding']}")
        return
    from mlhpc.train.measure import spread

    median = statistics.median(line["samples"])
    _say(f"  {line['benchmark']:<14} {params}: {median:.4g} {line['unit']} "
         f"(spread {spread(line['samples']):.1%} of {len(line['samples'])})")  # fmt: skip


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _text(found: list["Measured"]) -> str:
    from mlhpc.bench import records

    rows = [row for one in found for row in records.table(one.records)]
    heads = ("benchmark", "parameters", "median", "spread", "device")
    widths = [max(len(row[at]) for row in [heads, *rows]) for at in range(len(heads))]
    lines = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [heads, *rows]
    ]
    for one in found:
        lines += [_finding(line) for line in one.findings]
        lines += [f"{one.program} failed: {one.failure}"] if one.failure else []
    return "\n".join(lines)


def _finding(line: dict[str, Any]) -> str:
    params = in_words(line["params"])
    return f"{line['benchmark']} {params}: {line['finding']}".replace("  ", " ")
