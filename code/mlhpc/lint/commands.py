"""The commands of a shell script, as far as they can be told without running it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
# a shell's own words before a command
LEADING = {"then", "do", "else", "elif", "if", "while", "until", "!", "time", "exec", "nohup",
           "command", "env", "nice", "{", "("}  # fmt: skip
# a remark, signs that end a command or redirect, or a word whose parts may be quoted; a quote that
# goes on over lines is a part by itself
TOKEN = re.compile(
    r"(?P<remark>(?<!\S)#.*)|(?P<sign>[;&|()<>]+)"
    r"|(?P<word>(?:[^\s;&|()<>'\"\\]+|'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|['\"\\])+)"
)
# what a line must hold to matter here: most of a long script is echo, test and the like
TELLING = re.compile(
    r"python|run|exec|trap|wait|cd |cp |rsync|mv |tar |clone|scp |accelerate|deepspeed|parallel"
    r"|&$|\w="
)
PART = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)")
QUOTING = re.compile(r"['\"\\]")
ENDS = set(";&|()")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
LONGEST_LINE = 10_000


class Command(NamedTuple):
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
    if stripped.startswith("#") or not TELLING.search(stripped):
        return
    words: list[str] = []
    for token in TOKEN.finditer(stripped):
        kind, found = token.lastgroup, token[0]
        if kind == "remark":
            break
        if kind == "word":
            words.append(_unquoted(found))
        elif words and set(found) <= ENDS:
            yield _command(words, line, found == "&")
            words = []
    if words:
        yield _command(words, line, False)


def _unquoted(word: str) -> str:
    """A word as the shell hands it on: without quotes and backslashes."""
    if not QUOTING.search(word):
        return word
    return PART.sub(lambda part: part[1] or part[2] or part[3] or "", word)


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
