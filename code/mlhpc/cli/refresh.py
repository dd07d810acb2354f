"""``mlhpc refresh`` and ``mlhpc bench submit``: measure anew by jobs of the cluster."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlhpc import cluster as clusters
from mlhpc import content
from mlhpc.bench.catalogue import PRESETS
from mlhpc.cli import Answer
from mlhpc.errors import InputError

if TYPE_CHECKING:
    from mlhpc.bench.refresh import Options
    from mlhpc.bench.state import State

HELP = "measure the lesson's figures anew by jobs of the cluster; the result is a branch to review"
STATE = ".cache/refresh"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_options(parser)
    accept = "take results that differ from the last ones, and note why"
    parser.add_argument("--accept", default="", metavar="REASON", help=accept)
    parser.add_argument("--branch", default="", metavar="NAME", help="what to call the branch")
    parser.add_argument("--poll", default="30", metavar="S", help="seconds between two looks (30)")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that submitting and refreshing share."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs (all by default)")
    parser.add_argument("--cluster", default="sagehen", metavar="NAME|FILE")
    parser.add_argument("--device", action="append", default=[], metavar="D",
                        help="cpu or a GPU type of the cluster file (all by default)")  # fmt: skip
    parser.add_argument("--preset", default="publish", choices=PRESETS)
    parser.add_argument("--state", metavar="DIR", help=f"where it keeps what it did ({STATE})")
    parser.add_argument("--lab", default="", help="folder of your lab, for storage that is a lab's")
    parser.add_argument("--gpus-per-node", default="1", metavar="N",
                        help="where the cluster file does not say (1)")  # fmt: skip
    parser.add_argument("--max-age-days", default="90", metavar="N",
                        help="measure what is older (90)")  # fmt: skip
    parser.add_argument("--allow-dirty", action="store_true",
                        help="take results of a checkout with changes")  # fmt: skip
    parser.add_argument("--retry", action="store_true", help="submit again what failed")
    parser.add_argument("--lesson", metavar="DIR", help="the lesson's folder")


def run(args: argparse.Namespace) -> Answer:
    """All of a refresh; exit code 1 where a result was refused."""
    from mlhpc.bench import refresh
    from mlhpc.slurm.queue import Queue

    options = _options(args)
    state, found = refresh.refresh(options, Queue(os.environ), _say)
    document = {**_document(state), "refused": found.refused, "findings": found.findings,
                "records": len(found.records)}  # fmt: skip
    lines = [f"{task.key}: {task.outcome}{': ' + task.why if task.why else ''}"
             for task in state.tasks.values()]  # fmt: skip
    lines.append(f"branch: {state.branch}" if state.branch else "nothing to review")
    return Answer(document, "\n".join(lines), 1 if found.refused else 0)


def submit(args: argparse.Namespace) -> Answer:
    """Only submit."""
    from mlhpc.bench import refresh, state
    from mlhpc.slurm.queue import Queue

    options = _options(args)
    with state.only_one(options.folder):
        found = refresh.submit(options, Queue(os.environ), _say)
    lines = [f"{task.key}: job {task.job}" for task in found.tasks.values() if task.job]
    lines.append("mlhpc refresh, with the same options, waits for them and collects")
    return Answer(_document(found), "\n".join(lines if found.tasks else ["nothing is due"]))


def _options(args: argparse.Namespace) -> "Options":
    from mlhpc.bench.refresh import Options

    lesson = content.find(args.lesson)
    root = lesson.root.resolve().parent
    return Options(
        cluster=clusters.load(args.cluster),
        lesson=lesson,
        folder=Path(args.state).absolute() if args.state else root / STATE,
        names=tuple(args.names),
        devices=tuple(args.device),
        preset=args.preset,
        lab=args.lab,
        gpus_per_node=_count("gpus-per-node", args.gpus_per_node),
        max_age_days=_count("max-age-days", args.max_age_days),
        allow_dirty=args.allow_dirty,
        accept=" ".join(getattr(args, "accept", "").split()),
        retry=args.retry,
        branch=getattr(args, "branch", ""),
        poll_s=_seconds(getattr(args, "poll", "30")),
    )


def _count(name: str, text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise InputError(f"refresh: --{name} {text!r}: a whole number from 1")
    return int(text)


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0
    if not 0 < found <= 3600:
        raise InputError(f"refresh: --poll {text!r}: seconds, more than 0, at most 3600")
    return found


def _document(state: "State") -> dict[str, Any]:
    return {
        "cluster": state.cluster,
        "preset": state.preset,
        "commit": state.commit,
        "branch": state.branch or None,
        "tasks": [{"key": key, **vars(task)} for key, task in state.tasks.items()],
    }


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
