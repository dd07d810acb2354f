"""Job scripts in the code blocks of a page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})(.*)$")
DIRECTIVE = re.compile(r"^\s*#\s*SBATCH", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A code block: its text, the number of its first line in the page, and whether it is a whole
    script (it begins with #!) or only directives."""

    text: str
    line: int
    whole: bool


def scripts(page: str) -> Iterator[Block]:
    """The code blocks that hold directives of Slurm's."""
    lines = page.split("\n")
    at = 0
    while at < len(lines):
        opened = FENCE.match(lines[at])
        at += 1
        if not opened:
            continue
        start, indent = at, len(opened[1])
        while at < len(lines) and not _closes(lines[at], opened[2]):
            at += 1
        text = "\n".join(line[indent:] if line[:indent].isspace() or not indent else line
                         for line in lines[start:at])  # fmt: skip
        at += 1
        if DIRECTIVE.search(text):
            yield Block(text + "\n", start + 1, text.startswith("#!"))


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return stripped.startswith(fence) and set(stripped) == {fence[0]}
