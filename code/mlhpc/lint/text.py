"""What is wrong with the text of a script before anything in it is understood."""

import re
from collections.abc import Iterator

from mlhpc.lint.findings import Finding
from mlhpc.lint.reading import MARK, Script

SMART = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "--", "—": "--", "\u00a0": " "})
ODD = re.compile("[“”‘’–—\u00a0]")
SPACED = re.compile(r"^(\s+#\s*|#\s+)SBATCH\b", re.IGNORECASE)
WRONG_CASE = re.compile(r"^#(?!SBATCH)(?i:SBATCH)\b")
VARIABLE = re.compile(r"\$\{?\w+\}?|(?<=[=\s])~(?=/)|\$\(")


def before_all(text: str) -> Iterator[Finding]:
    """What makes sbatch refuse the file as a whole."""
    if not text:
        yield Finding(1, 1, "empty", "error", "the script is empty", "#!/bin/bash")
        return
    first = text.split("\n", 1)[0]
    if not first.startswith("#!"):
        message = "the first line must name the interpreter"
        yield Finding(1, 1, "shebang", "error", message, "#!/bin/bash")
    for number, line in enumerate(text.split("\n"), 1):
        if line.endswith("\r"):
            message = "lines end as on Windows: dos2unix FILE, or sed -i 's/\\r$//' FILE"
            yield Finding(
                number, max(1, len(line)), "dos-lines", "error", message, line.rstrip("\r")
            )
            return
    if "\0" in text:
        number = text[: text.index("\0")].count("\n") + 1
        yield Finding(number, 1, "nul-byte", "error", "there is a NUL byte: this is no text")


def directives(script: Script) -> Iterator[Finding]:
    """Lines that look like directives and are none, or hold what does not belong there."""
    for number, line in enumerate(script.lines, 1):
        if line.startswith(MARK):
            yield from _directive(script, number, line)
        elif "SBATCH" in line.upper():
            yield from _nearly(script, number, line)


def _directive(script: Script, number: int, line: str) -> Iterator[Finding]:
    if number >= script.body:
        message = f"Slurm ignores directives after the first command (line {script.body})"
        yield Finding(number, 1, "late-directive", "warning", message)
        return
    if ODD.search(line) or "\t" in line:
        at = next(i for i, char in enumerate(line, 1) if ODD.match(char) or char == "\t")
        fix = line.translate(SMART).replace("\t", " ")
        fix = re.sub(r"(?<!\S)----", "--", fix)
        message = "a tab, or a quote, hyphen or blank of a word processor, in a directive"
        yield Finding(number, at, "odd-character", "warning", message, fix)
    found = VARIABLE.search(line.split(" #", 1)[0])
    if found and not (script.lines[0].startswith("#!") and "--wrap" in line):
        message = (
            f"'{found[0]}' stays as it is: Slurm expands no variables in directives"
            " (but %u user, %x job name, %j job number in names of logs)"
        )
        fix = re.sub(r"\$\{?USER\}?", "%u", line) if re.search("output|error|-o|-e", line) else ""
        yield Finding(number, found.start() + 1, "variable", "warning", message, _other(fix, line))


def _nearly(script: Script, number: int, line: str) -> Iterator[Finding]:
    if number >= script.body:
        return
    if SPACED.match(line) or WRONG_CASE.match(line):
        fix = re.sub(r"^\s*#\s*SBATCH", MARK, line, flags=re.IGNORECASE)
        message = "this is a remark to Slurm: a directive begins with #SBATCH at the left margin"
        yield Finding(number, 1, "not-a-directive", "warning", message, fix)


def _other(fix: str, line: str) -> str:
    return fix if fix != line else ""
