"""Questions on a page, whole without JavaScript: text, choices, and the answer to unfold.

The page's own script turns them into forms. Texts of question files are escaped: they cannot bring
markup, links or script into a page.
"""

import html
import re

from mlhpc.quiz import Book, Drawn, drawing, grading

PUNCTUATION = re.compile(r"([\\`*_{}\[\]()#+\-.!|~>])")


def question(book: Book, name: str, marks: str = "") -> str:
    """A question at the lesson's own numbers, as Markdown. ``marks`` ties it to its receipts."""
    drawn = book.draw(name)
    asked = drawn.question
    parts = [
        f'<div class="quiz no-figures" id="question-{name}" data-question="{name}" '
        f'data-kind="{asked.kind}" data-unit="{html.escape(asked.unit)}" markdown>',
        f"**{safe(asked.title)}**",
        safe(drawn.text),
    ]
    parts += [_block(drawn.table, "text")] if drawn.table else []
    parts += [_block(asked.start, "bash")] if asked.start else []
    parts += ["\n".join(f"1. {safe(option.text)}" for option in drawn.options)]
    parts += [_unfolded("hint", "A hint", safe(drawn.hint))] if drawn.hint else []
    parts += [_unfolded("solution", "Show the answer", _answer(drawn) + marks), "</div>"]
    return "\n\n".join(part for part in parts if part) + "\n"


def safe(text: str) -> str:
    """Text that Markdown and HTML show as it is."""
    return PUNCTUATION.sub(r"\\\1", html.escape(" ".join(text.split()), quote=False))


def _answer(drawn: Drawn) -> str:
    right = drawing.in_words(drawn.question, drawn.options, drawn.key)
    if drawn.question.kind == "script":
        right = "; ".join(f"{name} {value}" for name, value in drawn.key.items())
    lines = [f"**{safe(right)}**", safe(drawn.explain)]
    wrong = [
        f"- {letter}: {safe(option.feedback)}"
        for letter, option in zip(grading.LETTERS, drawn.options, strict=False)
        if option.feedback
    ]
    return "\n\n".join([*lines, *(["\n".join(wrong)] if wrong else [])])


def _unfolded(kind: str, title: str, text: str) -> str:
    body = "\n".join(f"    {line}" if line else "" for line in text.split("\n"))
    return f'??? {kind} "{title}"\n{body}'


def _block(text: str, language: str) -> str:
    """A code block; no line of it can end the block."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text.strip(chr(10))}\n{fence}"
