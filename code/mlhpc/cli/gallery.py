"""``mlhpc gallery``: run the examples that changed and write their pages."""

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mlhpc import content
from mlhpc.cli import Answer
from mlhpc.errors import InputError

if TYPE_CHECKING:
    from mlhpc.lesson.gallery.build import Report

HELP = "run the examples that changed and write their pages"
JOBS = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="examples to run (all by default)")
    parser.add_argument("--force", action="store_true", help="run them although nothing changed")
    parser.add_argument("--jobs", default=str(JOBS), metavar="N", help="how many at a time (2)")
    parser.add_argument("--lesson", metavar="DIR", help="the lesson's folder")


def run(args: argparse.Namespace) -> Answer:
    """Build the gallery; exit code 1 where an example failed."""
    from mlhpc.lesson.gallery.build import build
    from mlhpc.lesson.gallery.project import Project

    jobs = _jobs(args.jobs)
    project = Project.around(content.find(args.lesson).root)
    report = build(project, tuple(args.names), args.force, jobs, _say)
    return Answer(_document(report), _text(report), 1 if report.failures else 0)


def _jobs(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise InputError(f"gallery: --jobs {text!r}: a whole number from 1")
    return int(text)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _document(report: "Report") -> dict[str, Any]:
    return {
        "executed": [
            {"name": done.name, "seconds": done.seconds, "cpu_seconds": done.cpu_seconds}
            for done in report.executed
        ],
        "reused": report.reused,
        "pending": report.pending,
        "failures": [asdict(failure) for failure in report.failures],
        "written": report.written,
        "removed": report.removed,
    }


def _text(report: "Report") -> str:
    if report.failures:
        return "\n\n".join(str(failure) for failure in report.failures)
    lines = [f"{done.name}  {done.seconds:.1f} s" for done in report.executed]
    lines.append(
        f"{len(report.executed)} executed, {len(report.reused)} unchanged, "
        f"{report.written} files written, {report.removed} removed"
    )
    if report.pending:
        lines.append(f"not run yet, so not shown: {', '.join(report.pending)}")
    return "\n".join(lines)
