"""The bank of questions: TOML files, read and checked as data.

Every error names the file, the question, the key and what is valid. The format::

    [sweep-in-parallel]                    # the question's id
    kind = "number"                        # one, many, number, order, script
    title = "A sweep on four GPUs"
    place = "01-why-hpc"                   # absent: the page of questions
    text = "{runs} runs of {hours_each} hours each ..."
    hint = "..."
    explain = "..."                        # shown after the answer; may hold {answer}
    answer = "sweep_hours"                 # a function of derivations
    unit = "h"
    tolerance = 0.05                       # relative
    claims = ["grid-four-gpus-same-speed"] # what the answer stands on

    [sweep-in-parallel.numbers]
    runs = { claim = "grid-combinations", low = 20, high = 400, step = 10 }
    model = { lesson = "resnet50", among = ["resnet50", "bert"] }

    [[sweep-in-parallel.slips]]            # numbers that a known mistake leads to
    answer = "sweep_hours_serial"
    misconception = "forgets-the-gpus"
    feedback = "..."

    [[other-question.options]]             # choices, or items in order
    key = "gpu"
    text = "..."
    feedback = "..."
    misconception = "..."                  # of a wrong one
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlhpc.claims.ledger import Ledger
from mlhpc.errors import InputError
from mlhpc.quiz import derivations
from mlhpc.quiz.values import KINDS, Option, Quantity, Question, Slip, Value

TEXTS = ("kind", "title", "text", "answer", "explain", "hint", "place", "unit", "start", "table")
LISTS = ("claims", "facts")
KEYS = {*TEXTS, *LISTS, "tolerance", "numbers", "options", "slips"}
NEEDED = ("kind", "title", "text", "answer", "explain")
ID = re.compile(r"[a-z][a-z0-9-]{2,60}")
NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")
LONGEST_TEXT, LARGEST_FILE_BYTES, MOST_QUESTIONS = 4000, 500_000, 500
CHOICES = {"one", "many", "order"}


def load(folder: Path, ledger: Ledger) -> dict[str, Question]:
    """All questions of a folder, by id, in the order of the files. Raises InputError."""
    found: dict[str, Question] = {}
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise InputError(f"quiz: {folder}: holds no question file (*.toml)")
    for path in paths:
        for name, question in from_text(_read(path), path.name, ledger).items():
            if name in found:
                raise InputError(f"{path.name}: '{name}' is in another file too")
            found[name] = question
    return found


def from_text(text: str, origin: str, ledger: Ledger) -> dict[str, Question]:
    """The questions of one file."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{origin}: not valid TOML: {error}") from None
    if not tables or len(tables) > MOST_QUESTIONS:
        raise InputError(f"{origin}: holds {len(tables)} questions; valid: 1 to {MOST_QUESTIONS}")
    return {name: _question(Place(origin, name), table, ledger) for name, table in tables.items()}


class Place:
    """Where in a file an error is."""

    def __init__(self, origin: str, question: str) -> None:
        self.origin, self.question = origin, question

    def error(self, key: str, message: str) -> InputError:
        """An error in one line; what the file holds is shown without what a terminal obeys."""
        text = f"{self.origin}: {self.question}: {key}: {message}"
        return InputError("".join(char if char.isprintable() else "?" for char in text[:300]))


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise InputError(f"quiz: {path.name}: larger than {LARGEST_FILE_BYTES} bytes")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"quiz: {path}: cannot be read: {reason}") from None


def _question(place: Place, table: Any, ledger: Ledger) -> Question:
    if not ID.fullmatch(place.question):
        raise place.error("id", "is no name; valid: small letters, digits, hyphens")
    if not isinstance(table, dict):
        raise place.error("table", f"write a table [{place.question}]")
    strange = sorted(set(table) - KEYS)
    if strange:
        raise place.error(strange[0], f"is no key; valid: {', '.join(sorted(KEYS))}")
    missing = [key for key in NEEDED if key not in table]
    if missing:
        raise place.error(missing[0], "is missing")
    texts = {key: _text(place, table, key) for key in TEXTS if key in table}
    question = Question(
        id=place.question,
        **texts,
        claims=_names(place, table, "claims", ledger),
        facts=_names(place, table, "facts", None),
        tolerance=_number(place, table.get("tolerance", 0.0), "tolerance"),
        numbers=_numbers(place, table.get("numbers", {}), ledger),
        options=tuple(_options(place, table.get("options", []))),
        slips=tuple(_slips(place, table.get("slips", []))),
    )
    _consistent(place, question)
    return question


def _text(place: Place, table: Mapping[str, Any], key: str) -> str:
    value = table[key]
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise place.error(key, f"must be text of at most {LONGEST_TEXT} characters")
    return value.strip()


def _names(
    place: Place, table: Mapping[str, Any], key: str, ledger: Ledger | None
) -> tuple[str, ...]:
    values = table.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise place.error(key, "must be a list of names")
    for value in values:
        if ledger is not None and value not in ledger:
            raise place.error(key, f"there is no claim '{value}'")
    return tuple(values)


def _number(place: Place, value: Any, key: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e15:
        raise place.error(key, "must be a number from 0")
    return float(value)


def _numbers(place: Place, table: Any, ledger: Ledger) -> dict[str, Quantity]:
    if not isinstance(table, dict):
        raise place.error("numbers", "must be a table")
    found = {}
    for name, entry in table.items():
        if not NAME.fullmatch(name) or not isinstance(entry, dict):
            raise place.error(f"numbers.{name}", "write name = { lesson = 8, low = 4, high = 12 }")
        found[name] = _quantity(place, f"numbers.{name}", entry, ledger)
    return found


def _quantity(place: Place, key: str, entry: Mapping[str, Any], ledger: Ledger) -> Quantity:
    valid = {"lesson", "claim", "among", "low", "high", "step", "unit"}
    strange = sorted(set(entry) - valid)
    if strange:
        raise place.error(f"{key}.{strange[0]}", f"is no key; valid: {', '.join(sorted(valid))}")
    lesson = _lesson(place, key, entry, ledger)
    return Quantity(lesson, _among(place, key, entry, lesson), str(entry.get("unit", "")))


def _lesson(place: Place, key: str, entry: Mapping[str, Any], ledger: Ledger) -> Value:
    if ("claim" in entry) == ("lesson" in entry):
        raise place.error(key, "needs either lesson = a value, or claim = the id of one")
    if "lesson" in entry:
        return _value(place, key, entry["lesson"])
    if entry["claim"] not in ledger:
        raise place.error(key, f"there is no claim '{entry['claim']}'")
    if len(ledger[entry["claim"]].numbers) != 1:
        raise place.error(key, f"claim '{entry['claim']}' holds no single number")
    return _plain(derivations.amount(ledger[entry["claim"]]))


def _among(place: Place, key: str, entry: Mapping[str, Any], lesson: Value) -> tuple[Value, ...]:
    if "among" in entry:
        values = entry["among"]
        if not isinstance(values, list) or not 1 <= len(values) <= 100:
            raise place.error(key, "among must be a list of 1 to 100 values")
        return tuple(_value(place, key, value) for value in values)
    if "low" not in entry:
        return (lesson,)
    low, high = (_number(place, entry.get(end), f"{key}.{end}") for end in ("low", "high"))
    step = _number(place, entry.get("step", 1), f"{key}.step")
    if step <= 0 or high < low or (high - low) / step > 10_000:
        raise place.error(key, "low, high and step make no list of at most 10,000 values")
    return tuple(_plain(low + step * at) for at in range(int((high - low) / step + 1e-9) + 1))


def _value(place: Place, key: str, value: Any) -> Value:
    if isinstance(value, str) and len(value) <= 200:
        return value
    return _plain(_number(place, value, key))


def _plain(value: float) -> float:
    """A whole number as int, so that it prints as one."""
    return int(value) if float(value).is_integer() else round(float(value), 9)


def _options(place: Place, entries: Any) -> list[Option]:
    found = [
        Option(**_entry(place, "options", entry, Option)) for entry in _entries(place, entries)
    ]
    keys = [option.key for option in found]
    if len(set(keys)) != len(keys):
        raise place.error("options", "two have the same key")
    return found


def _slips(place: Place, entries: Any) -> list[Slip]:
    found = [Slip(**_entry(place, "slips", entry, Slip)) for entry in _entries(place, entries)]
    for slip in found:
        _derivation(place, "slips.answer", slip.answer)
    return found


def _entries(place: Place, entries: Any) -> list[Any]:
    if not isinstance(entries, list) or len(entries) > 20:
        raise place.error("options", "must be a list of at most 20 tables")
    return entries


def _entry(place: Place, key: str, entry: Any, kind: type) -> dict[str, str]:
    valid = set(kind.__dataclass_fields__)  # type: ignore[attr-defined]
    if not isinstance(entry, dict) or not set(entry) <= valid:
        raise place.error(key, f"each holds only {', '.join(sorted(valid))}")
    needed = {"key", "text"} if kind is Option else valid
    if not needed <= set(entry):
        raise place.error(key, f"each needs {', '.join(sorted(needed))}")
    return {name: _text(place, entry, name) for name in entry}


def _consistent(place: Place, question: Question) -> None:
    if question.kind not in KINDS:
        raise place.error("kind", f"'{question.kind}' is unknown; valid: {', '.join(KINDS)}")
    _derivation(place, "answer", question.answer)
    if question.kind in CHOICES and len(question.options) < 2:
        raise place.error("options", f"a question of kind '{question.kind}' needs two at least")
    if question.kind not in CHOICES and question.options:
        raise place.error("options", f"a question of kind '{question.kind}' has none")
    if question.kind == "script" and not question.start:
        raise place.error("start", "is missing: the script to begin with")
    known = {*question.numbers, "answer"}
    for text in (question.text, question.hint, question.explain, question.table):
        for name in re.findall(r"\{(\w+)\}", text):
            if name not in known:
                raise place.error("text", f"there is no number '{name}'")


def _derivation(place: Place, key: str, name: str) -> None:
    if name not in derivations.REGISTRY:
        valid = ", ".join(sorted(derivations.REGISTRY))
        raise place.error(key, f"there is no derivation '{name}'; valid: {valid}")
