"""``mlhpc record check | merge``: are these files records, whole and unchanged? Bring them in."""

import argparse
from pathlib import Path

from mlhpc import content, record
from mlhpc.cli import Answer
from mlhpc.errors import InputError

HELP = "validate records of measurements, and bring them together"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``check`` with files, or none for the lesson's own folder."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    check = actions.add_parser("check", help="validate files, or the lesson's own records")
    check.add_argument("files", nargs="*", type=Path, metavar="FILE")
    check.add_argument("--lesson", metavar="DIR", help="the folder with the lesson's content")
    merge = actions.add_parser("merge", help="copy records into the lesson's own folder")
    merge.add_argument("files", nargs="+", type=Path, metavar="FILE")
    merge.add_argument("--lesson", metavar="DIR", help="the folder with the lesson's content")


def run(args: argparse.Namespace) -> Answer:
    """Answer ``check`` or ``merge``."""
    return _merge(args) if args.action == "merge" else _check(args)


def _merge(args: argparse.Namespace) -> Answer:
    """All of them or none: a file that is no record stops it before anything is written."""
    new = record.merge(args.files, content.find(args.lesson).measurements)
    document: dict[str, object] = {"new": [path.name for path in new]}
    return Answer(document, f"{len(new)} new of {len(args.files)} records")


def _check(args: argparse.Namespace) -> Answer:
    """Every file is looked at; exit 2 where one is not a record."""
    files = args.files or sorted(content.find(args.lesson).measurements.glob("*.json"))
    errors = [error for file in files if (error := _error(file))]
    if errors:
        raise InputError("\nmlhpc: ".join(errors))
    document: dict[str, object] = {"records": [str(file) for file in files]}
    return Answer(document, f"{len(files)} records, all valid" if files else "no record here")


def _error(file: Path) -> str | None:
    try:
        record.load(file)
    except InputError as error:
        return str(error)
    return None
