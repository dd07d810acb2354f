"""Where pages print claims and facts of the cluster: a scan of their macro calls."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mlhpc.content import Lesson

# The page of receipts lists everything, so what it prints is no use of a claim.
NOT_USES = ("receipts.md",)

SKIPPED = re.compile(r"\{##.*?##\}|\{%-?\s*raw\s*-?%\}.*?\{%-?\s*endraw\s*-?%\}", re.DOTALL)
EXPRESSION = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
CLAIM_CALL = re.compile(r"\b(claim|see|history|evidence)\(([^()]*)\)")
FACT_CALL = re.compile(r"\bfact\(\s*[\"']([^\"']+)[\"']")
TABLE_CALL = re.compile(r"\b(gpu|partition|storage)\(\s*[\"']([^\"']+)[\"']\s*\)\.(\w+)")
POSITIONAL = re.compile(r"(?:^|,)\s*[\"']([^\"']*)[\"']")


@dataclass(frozen=True)
class Use:
    """One macro call: the page, relative to the lesson, and the line, from 1."""

    page: str
    line: int

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


Found = dict[str, list[Use]]
Finder = Callable[[str], Iterator[tuple[str, int]]]


def uses(lesson: Lesson) -> Found:
    """Every claim that a page names, known or not, with its places, in the order of the pages."""
    return _scan(lesson, claims_named)


def facts_used(lesson: Lesson) -> Found:
    """Every path of a cluster fact that a page prints, with its places."""
    return _scan(lesson, facts_named)


def claims_named(expression: str) -> Iterator[tuple[str, int]]:
    """The ids in one expression, with their offsets: all of see(), the first of the others."""
    for call in CLAIM_CALL.finditer(expression):
        ids = list(POSITIONAL.finditer(call[2]))
        for found in ids if call[1] == "see" else ids[:1]:
            yield found[1], call.start(2) + found.start(1)


def facts_named(expression: str) -> Iterator[tuple[str, int]]:
    """The paths of cluster facts in one expression, with their offsets."""
    for call in FACT_CALL.finditer(expression):
        yield call[1], call.start()
    for call in TABLE_CALL.finditer(expression):
        yield f"{call[1]}.{call[2]}.{call[3]}", call.start()


def _scan(lesson: Lesson, find: Finder) -> Found:
    found: Found = {}
    for page in lesson.pages():
        name = page.relative_to(lesson.root).as_posix()
        if name not in NOT_USES:
            for item, line in _on_page(page, find):
                found.setdefault(item, []).append(Use(name, line))
    return found


def _on_page(page: Path, find: Finder) -> Iterator[tuple[str, int]]:
    text = SKIPPED.sub(_blank, page.read_text(encoding="utf-8"))
    for expression in EXPRESSION.finditer(text):
        for item, offset in find(expression[0]):
            yield item, text.count("\n", 0, expression.start() + offset) + 1


def _blank(match: re.Match[str]) -> str:
    """Nothing, but as many lines, so that the lines below keep their numbers."""
    return "\n" * match[0].count("\n")
