"""``mlhpc lint FILE...``: what is wrong with job scripts."""

import argparse
import sys
from pathlib import Path

from mlhpc import cluster, lint
from mlhpc.cli import Answer
from mlhpc.cluster import Cluster
from mlhpc.errors import InputError
from mlhpc.lint import Finding

HELP = "check job scripts: what Slurm would refuse, and what you would regret"
LARGEST_BYTES = 4 * 2**20  # Slurm's own largest script (max_script_size in slurm.conf(5))
STDIN = "-"
GITHUB = {"error": "error", "warning": "warning", "note": "notice"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Files, the cluster, and the form of the answer."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a job script; - for stdin")
    parser.add_argument("--cluster", default="sagehen", metavar="NAME|FILE")
    parser.add_argument("--format", choices=("text", "github"), default="text",
                        help="github: annotations of a workflow")  # fmt: skip


def run(args: argparse.Namespace) -> Answer:
    """Exit code 1 where there is an error. Raises InputError for a file that cannot be read."""
    described = cluster.load(args.cluster)
    texts = {name: read(name) for name in args.files}
    checked = {name: check(name, text, described) for name, text in texts.items()}
    wrong = any(one.severity == "error" for found in checked.values() for one in found)
    if args.format == "github":
        shown = "\n".join(annotation(n, one) for n, found in checked.items() for one in found)
    else:
        shown = "\n\n".join(report(name, found, texts[name]) for name, found in checked.items())
    return Answer({"files": [document(*item) for item in checked.items()]}, shown, int(wrong))


def read(name: str) -> str:
    """The text of a script. Raises InputError where it is none, or too large."""
    place = "stdin" if name == STDIN else name
    try:
        if name == STDIN:
            data = sys.stdin.buffer.read(LARGEST_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise InputError(f"lint: {place}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # a NUL byte in the name
        raise InputError(f"lint: {place!r}: cannot be read: {error}") from None
    if len(data) > LARGEST_BYTES:
        raise InputError(
            f"lint: {place}: larger than {LARGEST_BYTES} bytes: Slurm takes no such script"
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"lint: {place}: is not UTF-8 text (byte {error.start}): a job script is a text file"
        ) from None


def check(name: str, text: str, described: Cluster) -> tuple[Finding, ...]:
    """The findings on a file; folders of logs are looked for where it is submitted from: here."""
    return lint.check(text, described, None if name == STDIN else Path.cwd())


def document(name: str, found: tuple[Finding, ...]) -> dict[str, object]:
    """A file and its findings, for JSON."""
    good = not any(one.severity == "error" for one in found)
    return {"file": name, "ok": good, "findings": [one.document() for one in found]}


def report(name: str, found: tuple[Finding, ...], text: str) -> str:
    """A file and its findings, for people."""
    if not found:
        return f"{name}: nothing to say"
    lines = [f"{name}: {summary(found)}"]
    for one in found:
        lines.append(f"  {one.line}:{one.column}  {one.severity}  {one.message}  [{one.rule}]")
        source = text.split("\n")[one.line - 1] if text else ""
        if one.fix and one.fix != source:
            lines += [f"      instead of  {source}", f"      write       {one.fix}"]
    return "\n".join(lines)


def summary(found: tuple[Finding, ...]) -> str:
    """'1 error, 2 warnings'."""
    counts = {weight: sum(one.severity == weight for one in found) for weight in lint.SEVERITIES}
    return ", ".join(f"{n} {weight}{'s' * (n > 1)}" for weight, n in counts.items() if n)


def annotation(name: str, one: Finding) -> str:
    """A finding as a command of a GitHub workflow."""
    message = one.message + (f"; write: {one.fix}" if one.fix else "")
    place = f"file={escaped(name, True)},line={one.line},col={one.column},title={one.rule}"
    return f"::{GITHUB[one.severity]} {place}::{escaped(message)}"


def escaped(text: str, inside: bool = False) -> str:
    """Text that cannot end the annotation, nor begin another; ``inside`` its properties."""
    for sign, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(sign, code)
    return text.replace(":", "%3A").replace(",", "%2C") if inside else text
