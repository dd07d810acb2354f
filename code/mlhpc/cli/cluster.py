"""``mlhpc cluster show`` and ``mlhpc cluster check``."""

import argparse
import datetime
from pathlib import Path

from mlhpc import cluster
from mlhpc.cli import Answer
from mlhpc.errors import InputError

HELP = "show the cluster file, or compare it with the live cluster"
SAVED = {
    "sinfo": "the output of sinfo, saved",
    "partitions": "the output of 'scontrol show partition', saved",
    "nodes": "the output of 'scontrol show node', saved",
    "config": "the output of 'scontrol show config', saved",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``show [NAME|FILE]`` and ``check [NAME|FILE]`` with files of saved output."""
    commands = parser.add_subparsers(dest="action", metavar="show|check", required=True)
    show = commands.add_parser("show", help="what the file says, and what it does not")
    check = commands.add_parser("check", help="compare the file with sinfo and scontrol")
    for command in (show, check):
        command.add_argument("named", nargs="?", metavar="NAME|FILE", help="default: sagehen")
        command.add_argument("--cluster", metavar="NAME|FILE", help="the same, as an option")
    for name, text in SAVED.items():
        check.add_argument(f"--{name}", type=Path, metavar="FILE", help=text)
    check.add_argument("--date", metavar="DAY", help="when the output was saved; default: today")


def run(args: argparse.Namespace) -> Answer:
    """Exit code 1 where the check finds a difference. Raises InputError, ToolError."""
    described = cluster.load(_chosen(args.named, args.cluster))
    return _show(described) if args.action == "show" else _check(described, args)


def _chosen(named: str | None, option: str | None) -> str:
    if named is not None and option is not None and named != option:
        raise InputError(f"cluster: '{named}' or --cluster '{option}'? Name one")
    chosen = named if named is not None else option
    return "sagehen" if chosen is None else chosen


def _show(described: cluster.Cluster) -> Answer:
    from mlhpc.cluster import render

    return Answer(render.document(described), render.table(described))


def _check(described: cluster.Cluster, args: argparse.Namespace) -> Answer:
    from mlhpc.cluster import collect, compare, render

    checked = _day(args.date)
    saved = {name: getattr(args, name) for name in SAVED if getattr(args, name) is not None}
    live = collect.from_files(saved) if saved else collect.from_tools()
    findings = compare.compare(described, live, checked)
    differ = any(finding.kind == "difference" for finding in findings)
    return Answer(
        render.report_document(described, live.sources, findings),
        render.report(described, live.sources, findings),
        int(differ),
    )


def _day(text: str | None) -> datetime.date:
    if text is None:
        return datetime.datetime.now().astimezone().date()
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise InputError(f"cluster: --date '{text}': must be a day such as 2026-05-31") from None
