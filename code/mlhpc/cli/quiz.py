"""``mlhpc quiz list|show|ask|grade|export``: the questions in the terminal and on paper."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from mlhpc import cluster, content, quiz
from mlhpc.cli import Answer
from mlhpc.errors import InputError
from mlhpc.quiz import pages
from mlhpc.quiz.values import Drawn

HELP = "questions whose answers are worked out: in the terminal, graded, on paper"
LARGEST_BYTES = 2 * 2**20
QUIT = ("q", "quit", "exit")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The five things to do with questions."""
    commands = parser.add_subparsers(
        dest="action", metavar="list|show|ask|grade|export", required=True
    )
    _command(commands, "list", "all questions", named=False)
    for name, text in (("show", "a question"), ("ask", "answer questions, one after another")):
        _command(commands, name, text, named=True)
    grade = _command(commands, "grade", "grade answers", named=False)
    grade.add_argument("answers", metavar="ANSWERS.json|ID=ANSWER", nargs="+")
    export = _command(commands, "export", "questions on paper, the answers apart", named=True)
    export.add_argument(
        "--paper", metavar="FILE", required=True, help="answers go to FILE's own name + -answers"
    )


def _command(commands: Any, name: str, text: str, named: bool) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text)
    if named:
        parser.add_argument("ids", metavar="ID", nargs="*", help="which; none: all")
    parser.add_argument("--place", metavar="EPISODE", help="only those of an episode: 01-why-hpc")
    parser.add_argument("--seed", type=int, metavar="N", help="other numbers, drawn by this seed")
    parser.add_argument("--cluster", default="sagehen", metavar="NAME|FILE")
    parser.add_argument("--lesson", metavar="DIR", help="the lesson whose questions to ask")
    if name == "ask":
        parser.add_argument("--progress", type=Path, metavar="FILE", help="keep what was answered")
    return parser


def run(args: argparse.Namespace) -> Answer:
    """Exit code 1 where an answer is wrong. Raises InputError."""
    book = quiz.open_book(args.lesson, cluster.load(args.cluster))
    asked = {"list": _list, "show": _show, "ask": _ask, "grade": _grade, "export": _export}
    return asked[args.action](book, args)


def _chosen(book: quiz.Book, args: argparse.Namespace) -> list[Drawn]:
    """The questions that are meant, drawn. Raises InputError for an unknown id or episode."""
    names = list(getattr(args, "ids", []) or book.questions)
    if args.place is not None:
        places = sorted({one.place for one in book.questions.values() if one.place})
        if args.place not in places:
            raise InputError(f"quiz: no episode '{args.place}'; valid: {', '.join(places)}")
        names = [name for name in names if book[name].place == args.place]
    return [book.draw(name, args.seed) for name in names]


def _list(book: quiz.Book, args: argparse.Namespace) -> Answer:
    drawn = [one.question for one in _chosen(book, args)]
    rows = [f"  {one.id:22} {one.kind:7} {one.place or 'page':15} {one.title}" for one in drawn]
    document = [{"id": one.id, "kind": one.kind, "place": one.place, "title": one.title}
                for one in drawn]  # fmt: skip
    return Answer({"questions": document}, "\n".join([f"{len(drawn)} questions", *rows]))


def _show(book: quiz.Book, args: argparse.Namespace) -> Answer:
    drawn = _chosen(book, args)
    document = [book.document(one.question.id, args.seed) for one in drawn]
    return Answer({"questions": document}, "\n\n".join(pages.shown(one) for one in drawn))


def _grade(book: quiz.Book, args: argparse.Namespace) -> Answer:
    results, shown = [], []
    for name, answer, seed in _answers(args):
        grade = book.grade(name, answer, seed if seed is not None else args.seed)
        results.append({"id": name, "seed": seed, **grade.document()})
        shown.append(f"{name}\n{pages.graded(grade)}")
    wrong = not all(one["correct"] for one in results)
    return Answer({"results": results}, "\n\n".join(shown), int(wrong))


def _answers(args: argparse.Namespace) -> list[tuple[str, Any, int | None]]:
    """Answers on the line (ID=ANSWER), or of a file {"ID": answer or {"answer", "seed"}}."""
    found: list[tuple[str, Any, int | None]] = []
    for word in args.answers:
        name, equals, value = word.partition("=")
        if equals:
            found.append((name, value, None))
            continue
        for key, entry in _document(Path(word)).items():
            if isinstance(entry, dict):
                seed = entry.get("seed")
                if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
                    raise InputError(f"{word}: {key[:60]}: seed must be a whole number")
                found.append((key, entry.get("answer"), seed))
            else:
                found.append((key, entry, None))
    return found


def _document(path: Path) -> dict[str, Any]:
    """A JSON object in a file. Raises InputError."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise InputError(f"{path}: larger than {LARGEST_BYTES} bytes")
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f'{path}: is no JSON: {{"ID": answer, ...}}') from None
    if not isinstance(found, dict):
        raise InputError(f'{path}: must hold one object: {{"ID": answer, ...}}')
    return found


def _export(book: quiz.Book, args: argparse.Namespace) -> Answer:
    drawn = _chosen(book, args)
    questions, answers = pages.paper(drawn)
    path = Path(args.paper)
    apart = path.with_name(f"{path.stem}-answers{path.suffix}")
    try:
        content.write_atomic(path, questions)
        content.write_atomic(apart, answers)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    files = [str(path), str(apart)]
    return Answer(
        {"files": files, "questions": len(drawn)}, f"{len(drawn)} questions: {', '.join(files)}"
    )


def _ask(book: quiz.Book, args: argparse.Namespace) -> Answer:
    """Ask in the terminal: an answer a line, ? for a hint, an empty line passes, q ends."""
    done = progress(args.progress)
    drawn = [one for one in _chosen(book, args) if not done.get(_mark(one), {}).get("correct")]
    for at, one in enumerate(drawn, 1):
        _say(
            f"\n{pages.shown(one)}\n"
            f"[{at} of {len(drawn)}] your answer (? hint, empty: pass, q: end)"
        )
        answer = _reply(one)
        if answer is None:
            break
        if not answer:
            continue
        grade = _graded(book, one, answer)
        if grade is not None:
            done[_mark(one)] = {"correct": grade.correct, "credit": round(grade.credit, 3)}
            _say(pages.graded(grade))
            keep(args.progress, done)
    right = sum(bool(entry.get("correct")) for entry in done.values())
    return Answer({"progress": done}, f"{right} right of {len(book.questions)} questions")


def _mark(drawn: Drawn) -> str:
    return drawn.question.id if drawn.seed is None else f"{drawn.question.id}:{drawn.seed}"


def _reply(drawn: Drawn) -> str | None:
    """The answer; None at the end. A script goes on until a line with a single dot."""
    while True:
        line = sys.stdin.readline()
        if not line or line.strip().lower() in QUIT:
            return None
        if line.strip() == "?":
            _say(drawn.hint or "There is no hint for this one.")
            continue
        if drawn.question.kind != "script" or not line.strip():
            return line.strip()
        lines = [line]
        while (line := sys.stdin.readline()) and line.strip() != ".":
            lines.append(line)
        return "".join(lines)


def _graded(book: quiz.Book, drawn: Drawn, answer: str) -> quiz.Grade | None:
    """The grade; None, with a word on it, where the answer is none."""
    try:
        return book.grade(drawn.question.id, answer, drawn.seed)
    except InputError as error:
        _say(str(error))
        return None


def progress(path: Path | None) -> dict[str, dict[str, Any]]:
    """What was answered before. Raises InputError for a file that is none."""
    if path is None or not path.exists():
        return {}
    found = _document(path)
    return {str(key): value for key, value in found.items() if isinstance(value, dict)}


def keep(path: Path | None, done: dict[str, dict[str, Any]]) -> None:
    """Write what was answered."""
    if path is not None:
        content.write_atomic(path, json.dumps(done, indent=2) + "\n")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
