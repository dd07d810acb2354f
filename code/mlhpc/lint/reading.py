"""A script as sbatch reads it: which lines are directives, and which options they set.

Seen in Slurm 22.05: a directive begins at the first column with ``#SBATCH``; reading ends at the
first line that is neither blank nor a comment; words are separated by blanks, quotes are taken
away, ``#`` begins a comment even inside a word; the words of all lines are one command line, so
that a value may stand on the next directive.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from mlhpc.lint import options
from mlhpc.lint.findings import Finding
from mlhpc.lint.options import Option

MARK, OLD_MARK = "#SBATCH", "#SLURM"
NEXT_JOB = ("hetjob", "packjob")


@dataclass(frozen=True)
class Word:
    """A word of a directive, without its quotes."""

    text: str
    line: int
    column: int


@dataclass(frozen=True)
class Setting:
    """An option as a directive sets it: ``value`` is None where it has none."""

    option: Option
    value: str | None
    line: int
    column: int

    @property
    def name(self) -> str:
        """The long name; of two for one option, the usual one."""
        return options.SAME.get(self.option.name, self.option.name)


@dataclass
class Script:
    """A script, taken apart. ``body`` is the number of the first line that is a command."""

    lines: list[str]
    settings: list[Setting] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    body: int = 1
    parts: int = 1  # of a heterogeneous job

    def line(self, number: int) -> str:
        """The text of a line."""
        return self.lines[number - 1] if number <= len(self.lines) else ""

    def with_value(self, setting: "Setting", value: str) -> str:
        """The line of a setting with another value; '' where it cannot be told apart."""
        line, at = self.line(setting.line), setting.column - 1
        old = setting.value or ""
        start = line.find(old, at + 1) if old else -1
        return f"{line[:start]}{value}{line[start + len(old) :]}" if start >= 0 else ""

    def fault(self, where: Word | Setting, rule: str, message: str, fix: str = "") -> None:
        """Note an error at a place."""
        self.findings.append(Finding(where.line, where.column, rule, "error", message, fix))


def read(text: str) -> Script:
    """Take a script apart; what sbatch would refuse while reading is among its findings."""
    script = Script(text.split("\n"))
    words = list(_words(script))
    _settings(script, words)
    return script


def _words(script: Script) -> Iterator[Word]:
    for number, line in enumerate(script.lines, 1):
        mark = next((mark for mark in (MARK, OLD_MARK) if line.startswith(mark)), None)
        if mark is None:
            stripped = line.strip(" \t\v\f\r")
            if stripped and not stripped.startswith("#"):
                script.body = number
                return
            continue
        if mark == OLD_MARK:
            fix = line.replace(OLD_MARK, MARK, 1)
            message = "Slurm's directives begin with #SBATCH"
            script.findings.append(Finding(number, 1, "old-mark", "warning", message, fix))
        yield from _line_words(script, line, number, len(mark))
    script.body = len(script.lines) + 1


def _line_words(script: Script, line: str, number: int, start: int) -> Iterator[Word]:
    at = start
    while True:
        while at < len(line) and line[at] in " \t\v\f\r":
            at += 1
        if at >= len(line) or line[at] == "#":
            return
        first, text, quote = at, [], ""
        while at < len(line):
            char = line[at]
            if quote:
                if char == quote:
                    quote = ""
                else:
                    text.append(char)
            elif char in "\"'":
                quote = char
            elif char in " \t\v\f\r#":
                break
            else:
                text.append(char)
            at += 1
        word = Word("".join(text), number, first + 1)
        if quote:
            script.fault(word, "quote", f"a {quote} is not closed on this line", f"{line}{quote}")
            return
        if line[first] == ":":
            script.fault(word, "stray-word", "a directive's words must not begin with ':'")
            return
        yield word


def _settings(script: Script, words: list[Word]) -> None:
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word.text in NEXT_JOB:
            script.parts += 1
        elif word.text == "--":
            at += _stray(script, words[at:])
        elif word.text.startswith("--"):
            at += _long(script, word, words[at:])
        elif word.text.startswith("-") and len(word.text) > 1:
            at += _short(script, word, words[at:])
        else:
            _stray(script, [word])


def _stray(script: Script, words: list[Word]) -> int:
    for word in words[:1]:
        name = word.text if word.text.strip("–—-") == word.text else f"--{word.text.lstrip('–—-')}"
        known = options.candidates(name.removeprefix("--").partition("=")[0])
        fix = script.line(word.line).replace(word.text, name) if len(known) == 1 else ""
        hint = "options begin with two hyphens" if fix and name != word.text else ""
        hint = hint or "a value with a blank needs quotes; a remark begins with #"
        script.fault(word, "stray-word", f"'{word.text}' is no option: {hint}", fix)
    return len(words)


def _long(script: Script, word: Word, rest: list[Word]) -> int:
    """Take a long option; return how many further words it used."""
    name, equals, value = word.text[2:].partition("=")
    found = options.candidates(name) if name else []
    if len(found) != 1:
        _unclear(script, word, name, found)
        return 0
    option = options.BY_NAME[found[0]]
    if option.takes == "none" and equals:
        fix = script.line(word.line).replace(word.text, f"--{option.name}")
        script.fault(word, "value-unwanted", f"--{option.name} takes no value", fix)
        return 0
    if option.takes == "value" and not equals:
        return _with_next(script, option, word, rest)
    script.settings.append(Setting(option, value if equals else None, word.line, word.column))
    return 0


def _short(script: Script, word: Word, rest: list[Word]) -> int:
    """Take a bundle of short options such as -Hp; return how many further words it used."""
    for at, letter in enumerate(word.text[1:], 2):
        option = options.BY_SHORT.get(letter)
        if option is None:
            script.fault(word, "unknown-option", f"sbatch has no option -{letter}")
            return 0
        value = word.text[at:]
        if option.takes == "none":
            script.settings.append(Setting(option, None, word.line, word.column))
        elif value or option.takes == "maybe":
            script.settings.append(Setting(option, value or None, word.line, word.column))
            return 0
        else:
            return _with_next(script, option, word, rest)
    return 0


def _with_next(script: Script, option: Option, word: Word, rest: list[Word]) -> int:
    if not rest:
        script.fault(word, "value-missing", f"--{option.name} needs a value")
        return 0
    script.settings.append(Setting(option, rest[0].text, word.line, word.column))
    return 1


def _unclear(script: Script, word: Word, name: str, found: list[str]) -> None:
    if found:
        choices = ", ".join(f"--{one}" for one in found[:8])
        script.fault(word, "ambiguous-option", f"--{name} may stand for {choices}")
        return
    near = _nearest(name)
    fix = script.line(word.line).replace(f"--{name}", f"--{near}", 1) if near else ""
    hint = f"; did you mean --{near}?" if near else ""
    script.fault(word, "unknown-option", f"sbatch has no option --{name}{hint}", fix)


def _nearest(name: str) -> str:
    from difflib import get_close_matches  # slow to load, and seldom needed

    plain = name.replace("_", "-").lower()
    exact = options.candidates(plain) if plain else []
    near = exact if len(exact) == 1 else get_close_matches(plain, options.BY_NAME, 1, 0.75)
    return near[0] if near else ""
