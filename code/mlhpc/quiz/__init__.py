"""Questions whose answers are worked out, and not written down.

>>> from mlhpc import quiz                                              # doctest: +SKIP
>>> book = quiz.open_book()
>>> book.grade("grid-on-four-gpus", "250 h").correct
True

``bank`` reads the questions, as data; ``drawing`` puts numbers in, the lesson's own or those of a
seed; ``derivations`` work out the answer from plan, cluster and claims; ``grading`` (``scripts``)
says what an answer earns; ``pages`` writes questions for the terminal and for paper.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlhpc import claims, cluster, content
from mlhpc.errors import InputError
from mlhpc.quiz import bank, drawing, grading, pages
from mlhpc.quiz.values import Drawn, Grade, Question, World

__all__ = ["Book", "Card", "Drawn", "Grade", "Question", "World", "ask", "open_book"]


@dataclass(frozen=True)
class Book:
    """All questions, with what their answers are worked out from."""

    questions: dict[str, Question]
    world: World

    def __getitem__(self, name: str) -> Question:
        """A question by its id. Raises InputError with near ones."""
        if name not in self.questions:
            near = [one for one in self.questions if one.startswith(name[:4])] or list(
                self.questions
            )
            raise InputError(f"quiz: no question '{name[:60]}'; valid: {', '.join(near[:8])}, ...")
        return self.questions[name]

    def draw(self, name: str, seed: int | None = None) -> Drawn:
        """A question at the lesson's own numbers, or a variant by seed."""
        return drawing.draw(self[name], self.world, seed)

    def grade(self, name: str, answer: Any, seed: int | None = None) -> Grade:
        """What an answer to a question earns. Raises InputError."""
        return grading.grade(self.draw(name, seed), answer, self.world)

    def of(self, place: str) -> Iterator[Question]:
        """The questions of an episode; '' is the page of questions."""
        return (one for one in self.questions.values() if one.place == place)

    def document(self, name: str, seed: int | None = None) -> dict[str, object]:
        """A question without its answer, for JSON; choices by letter."""
        drawn = self.draw(name, seed)
        question = drawn.question
        choices = zip(grading.LETTERS, drawn.options, strict=False)
        return {
            "id": question.id, "kind": question.kind, "title": question.title,
            "place": question.place, "seed": seed, "text": drawn.text, "table": drawn.table,
            "hint": drawn.hint, "unit": question.unit, "start": question.start,
            "options": [{"letter": letter, "text": option.text} for letter, option in choices],
        }  # fmt: skip


@dataclass(frozen=True)
class Card:
    """A question in a notebook: it shows itself; ``card.answer("b")`` grades."""

    book: Book
    drawn: Drawn

    def __repr__(self) -> str:
        """The question as text, in the terminal and in a notebook's cell alike."""
        return pages.shown(self.drawn)

    def hint(self) -> None:
        """Print the hint."""
        print(self.drawn.hint or "There is no hint for this one.")

    def answer(self, answer: Any) -> None:
        """Print what an answer earns."""
        print(pages.graded(grading.grade(self.drawn, answer, self.book.world)))

    def another(self, seed: int) -> "Card":
        """Another like this, with other numbers."""
        return Card(self.book, self.book.draw(self.drawn.question.id, seed))


def ask(name: str, seed: int | None = None, lesson: str | Path | None = None) -> Card:
    """A question to answer in a notebook or at a prompt. Raises InputError."""
    book = open_book(lesson)
    return Card(book, book.draw(name, seed))


def open_book(lesson: str | Path | None = None, described: cluster.Cluster | None = None) -> Book:
    """The questions of a lesson (the one around, or the one that came with the package)."""
    found = content.find(lesson)
    ledger = claims.load(found.claims)
    return Book(
        bank.load(found.quizzes, ledger), World(described or cluster.load("sagehen"), ledger)
    )
