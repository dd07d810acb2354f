"""Whatever somebody typed, made harmless in a comment, a directive, a folder's name, a command."""

import re
import shlex

LONGEST_NAME = 40
LONGEST_COMMENT = 80


def slug(name: str) -> str:
    """A name of letters, digits, '.', '_' and '-': for --job-name and folders."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:LONGEST_NAME].strip("-.")
    return plain or "project"


def comment(text: str) -> str:
    """One line of printable characters, cut where it is long."""
    line = "".join(sign if sign.isprintable() else " " for sign in text)
    line = " ".join(line.split())
    return line if len(line) <= LONGEST_COMMENT else line[: LONGEST_COMMENT - 3] + "..."


def word(text: str) -> str:
    """One word of a shell's; what cannot stand on one line is left out, and no option begins."""
    line = "".join(sign for sign in text if sign.isprintable())
    return shlex.quote(f"./{line}" if line.startswith("-") else line or "-")


def path(text: str) -> str:
    """One word for a path; a leading ~/ still means the home folder."""
    if text.startswith("~/"):
        return '"$HOME"/' + word(text[2:].lstrip("/") or ".").removeprefix("./")
    return word(text)
