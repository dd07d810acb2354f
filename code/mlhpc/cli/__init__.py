"""The command line: arguments, printing and exit codes, and nothing else.

Exit codes: 0 done; 1 what was asked about is not so; 2 bad input; 3 a tool is missing or failed.
Each command is a module of this package with ``HELP``, ``add_arguments(parser)`` and
``run(args) -> Answer``; it is imported only when it is the one that was asked for, so that
``mlhpc detect`` stays quick on a login node.
"""

import argparse
import importlib
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from mlhpc import __version__
from mlhpc.errors import InputError, ToolError

SCHEMA = 1

# name -> one line of help; the module of the same name in this package does the work
COMMANDS = {
    "detect": "what this process may use: cores, memory, GPUs, and why not",
    "cluster": "show the cluster file, or compare it with the live cluster",
    "claims": "the ledger of what the lesson says, and its check",
    "estimate": "estimate memory and time, as ranges with their known error",
    "plan": "plan a project: where to run it, what to ask for, the job scripts, and why",
    "quiz": "questions whose answers are worked out: in the terminal, graded, on paper",
    "lint": "check job scripts: what Slurm would refuse, and what you would regret",
    "bench": "time the lesson's programs, here or by jobs of the cluster",
    "refresh": "measure the figures anew by jobs of the cluster; makes a branch to review",
    "record": "validate records of measurements, and bring them together",
    "gallery": "run the examples and write their pages",
}


@dataclass(frozen=True)
class Answer:
    """What a command found: a document for ``--json``, text for people, an exit code."""

    document: dict[str, object]
    text: str
    code: int = 0


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like every other error here."""

    def error(self, message: str) -> None:  # type: ignore[override]
        command = self.prog.removeprefix("mlhpc ")
        raise InputError(f"{command}: {message}; see '{self.prog} --help'".removeprefix("mlhpc: "))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code. Never lets a traceback reach a person."""
    try:
        answer, as_json = _run(sys.argv[1:] if argv is None else list(argv))
        _print(answer, as_json)
        return answer.code
    except (InputError, ToolError) as error:
        print(f"mlhpc: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # the reader (head, less) went away: silence the interpreter's own complaint at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("mlhpc: stopped", file=sys.stderr)
        # an interruption that came inside a library's exec() is remembered by the interpreter,
        # which would then end by a signal and not with our exit code; the next exec() forgets it
        exec("")  # noqa: S102
        return 130


def _run(argv: list[str]) -> tuple[Answer, bool]:
    name = next((word for word in argv if not word.startswith("-")), None)
    args = _parser(name).parse_args(argv)
    if args.command is None:
        return Answer({"commands": COMMANDS}, _parser(None).format_help().rstrip()), False
    module = importlib.import_module(f"mlhpc.cli.{args.command}")
    return module.run(args), args.json


def _parser(chosen: str | None) -> Parser:
    """The parser, with the arguments of the chosen command only (the others are not imported)."""
    parser = Parser(prog="mlhpc", description="Machine Learning on HPC: the lesson's own tools.")
    parser.add_argument("--version", action="version", version=f"mlhpc {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        if name == chosen:
            importlib.import_module(f"mlhpc.cli.{name}").add_arguments(command)
        _add_json(command)
    return parser


def _add_json(parser: argparse.ArgumentParser) -> None:
    """Offer ``--json`` on a command, and on each of its own subcommands where it has some."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                # suppressed, so that a default here does not undo the flag given before it
                _offer_json(sub, default=argparse.SUPPRESS)
    _offer_json(parser, default=False)


def _offer_json(parser: argparse.ArgumentParser, default: object) -> None:
    text = "print one JSON document"
    parser.add_argument("--json", action="store_true", default=default, help=text)


def _print(answer: Answer, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"schema": SCHEMA, **answer.document}, indent=2, ensure_ascii=False))
    elif answer.text:
        print(answer.text)
