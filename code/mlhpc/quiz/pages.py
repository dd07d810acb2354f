"""Questions and answers as text: for the terminal, and for paper with the key apart."""

import textwrap
from collections.abc import Iterable

from mlhpc.quiz import drawing
from mlhpc.quiz.grading import LETTERS
from mlhpc.quiz.values import Drawn, Grade

WIDTH = 80
HOW = {
    "one": "Choose one.",
    "many": "Choose all that are right.",
    "order": "Put all letters in order.",
    "number": "Give a number{unit}.",
    "script": "Write the script.",
}


def shown(drawn: Drawn, number: int | None = None) -> str:
    """A question, without its answer."""
    question = drawn.question
    head = question.title if number is None else f"{number}. {question.title}"
    parts = [head, "=" * len(head), wrapped(drawn.text)]
    parts += [indented(text) for text in (drawn.table, question.start) if text]
    parts += [
        textwrap.fill(option.text, WIDTH, initial_indent=f"  {letter}) ", subsequent_indent="     ")
        for letter, option in zip(LETTERS, drawn.options, strict=False)
    ]
    unit = f" in {question.unit}" if question.unit else ""
    return "\n".join([*parts, f"({HOW[question.kind].format(unit=unit)})"])


def graded(grade: Grade) -> str:
    """What an answer earned, what is right, and why."""
    verdict = "Right." if grade.correct else f"Not yet: {grade.credit:.0%} of it."
    lines = [verdict, *grade.feedback]
    if not grade.correct:
        lines.append(f"Right is: {grade.right}")
    lines.append(grade.explain)
    if grade.claims:
        lines.append(f"Receipts: {', '.join(grade.claims)}")
    return "\n".join(wrapped(line) for line in lines if line)


def key(drawn: Drawn, number: int) -> str:
    """The right answer and its reason, for the page of answers."""
    letters = {option.key: letter for letter, option in zip(LETTERS, drawn.options, strict=False)}
    right = drawing.in_words(drawn.question, drawn.options, drawn.key)
    if drawn.options:
        named = [drawn.key] if isinstance(drawn.key, str) else list(drawn.key)
        right = f"{', '.join(letters[one] for one in named)} ({right})"
    return "\n".join([f"{number}. {drawn.question.title}: {right}", indented(drawn.explain)])


def paper(drawings: Iterable[Drawn]) -> tuple[str, str]:
    """All questions, and apart from them all answers."""
    found = list(drawings)
    questions = "\n\n\n".join(shown(drawn, at) for at, drawn in enumerate(found, 1))
    answers = "\n\n".join(key(drawn, at) for at, drawn in enumerate(found, 1))
    return f"{questions}\n", f"Answers\n=======\n\n{answers}\n"


def wrapped(text: str) -> str:
    """Text in lines that a terminal holds."""
    return "\n".join(textwrap.fill(line, WIDTH) for line in text.splitlines())


def indented(text: str) -> str:
    """Text as a block."""
    return textwrap.indent(text, "    ")
