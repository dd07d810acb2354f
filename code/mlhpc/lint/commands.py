"""The commands of a shell script, as far as they can be told without running it."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
# a shell's own words before a command
LEADING = {"then", "do", "else", "elif", "if", "while", "until", "!", "time", "exec", "nohup",
           "command", "env", "nice", "{", "("}  # fmt: skip
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
LONGEST_LINE = 10_000


@dataclass(frozen=True)
class Command:
    """One command: its words without quotes, its line, whether it runs beside the shell."""

    words: tuple[str, ...]
    line: int
    background: bool
    assigned: tuple[str, ...] = ()  # NAME=value words before it, or all there is

    @property
    def name(self) -> str:
        """The program, without its folder; '' for a mere assignment."""
        return self.words[0].rpartition("/")[2] if self.words else ""


def read(lines: list[str], first: int) -> list[Command]:
    """The commands from line number ``first`` on; what cannot be read is left out."""
    return [command for number, text in _logical(lines, first) for command in _split(text, number)]


def _logical(lines: list[str], first: int) -> Iterator[tuple[int, str]]:
    """Lines with their continuations joined; here-documents left out."""
    number, until = first, ""
    held, start = "", 0
    while number <= len(lines):
        line = lines[number - 1]
        number += 1
        if until:
            until = "" if line.strip() == until else until
            continue
        if len(line) > LONGEST_LINE:
            continue
        start = start or number - 1
        if line.endswith("\\") and number <= len(lines):
            held += line[:-1] + " "
            continue
        text, held = held + line, ""
        found = HEREDOC.search(text)
        if found and "<<<" not in text:
            until = found[2]
        yield start, text
        start = 0


def _split(text: str, line: int) -> Iterator[Command]:
    stripped = text.strip()
    if not stripped or stripped.startswith("#"):
        return
    lexer = shlex.shlex(stripped, posix=True, punctuation_chars=";&|()<>")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    try:
        tokens = list(lexer)
    except ValueError:  # a quote that goes on over lines
        tokens = stripped.split()
    words: list[str] = []
    for token in [*tokens, ";"]:
        if set(token) <= set(";&|()"):
            if words:
                yield _command(words, line, token == "&")  # noqa: S105
            words = []
        else:
            words.append(token)


def _command(words: list[str], line: int, background: bool) -> Command:
    while words and words[0] in LEADING:
        words = words[1:]
    assigned = []
    rest = list(words)
    if rest and rest[0] in ("export", "declare", "local", "readonly"):
        return Command(tuple(rest), line, background, tuple(w for w in rest if ASSIGNMENT.match(w)))
    while rest and ASSIGNMENT.match(rest[0]):
        assigned.append(rest.pop(0))
    return Command(tuple(rest), line, background, tuple(assigned))
