"""A project from a TOML file, from flags, or from any mapping: all usual spellings of values."""

import difflib
import math
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlhpc import units
from mlhpc.errors import InputError
from mlhpc.plan import families
from mlhpc.plan.project import Project, Spec, specs

LARGEST_FILE_BYTES = 1_000_000
LONGEST_TEXT = 500
FOLDER = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}"
LARGEST_COUNT = 10**15
LONGEST_HOURS = 10 * 365 * 24
WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def read(source: str | Path | Mapping[str, Any]) -> Project:
    """The project in a TOML file (keys at the top, or in [project]) or in a mapping.

    Raises InputError, one line with the file, the key and the valid forms.
    """
    if isinstance(source, Mapping):
        return from_mapping(source, "project")
    return from_mapping(load(source), str(source))


def load(path: str | Path) -> dict[str, Any]:
    """The keys of a project file, as written. Raises InputError where it is none."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"plan: {str(path)!r}: cannot be read: {reason}") from None
    if len(data) > LARGEST_FILE_BYTES:
        raise InputError(f"plan: {path}: larger than {LARGEST_FILE_BYTES} bytes: no project file")
    try:
        found = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(f"plan: {path}: is not UTF-8 text; valid: a TOML file") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"plan: {path}: not valid TOML: {error}") from None
    table = found.get("project", found)
    if not isinstance(table, dict) or (table is not found and len(found) > 1):
        raise InputError(f"plan: {path}: valid: all keys in one table [project], or none in any")
    return table


def from_mapping(given: Mapping[str, Any], place: str) -> Project:
    """The project of a mapping; ``place`` names it in errors. None is the same as absent."""
    known = specs()
    values: dict[str, Any] = {}
    for key, value in given.items():
        name = str(key).replace("-", "_")
        if name not in known:
            raise _unknown(str(key), known, place)
        if value is not None:
            where = f"{place}: {name.replace('_', '-')}"
            values[name] = _READERS[known[name].kind](value, known[name], where)
    return Project(**values)


def _unknown(key: str, known: Mapping[str, Spec], place: str) -> InputError:
    near = difflib.get_close_matches(key.replace("-", "_"), known, 1, 0.5)
    hint = f"did you mean {near[0].replace('_', '-')}? " if near else ""
    choices = ", ".join(name.replace("_", "-") for name in known)
    return InputError(f"{place}: unknown key {key[:60]!r}; {hint}valid choices: {choices}")


def _text(value: object, spec: Spec, place: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{place}: {value!r:.60} is no text; valid form: {spec.example}")
    if len(value) > LONGEST_TEXT or "\0" in value:
        raise InputError(
            f"{place}: has more than {LONGEST_TEXT} characters, or NUL; valid form: {spec.example}"
        )
    return value


def _folder(value: object, spec: Spec, place: str) -> str:
    """One folder's name, which cannot lead anywhere else."""
    text = _text(value, spec, place)
    if not re.fullmatch(FOLDER, text):
        raise InputError(
            f"{place}: {text[:60]!r} is no folder's name; valid: letters, digits, '.', '_' and"
            f" '-', not first a '.' or '-': {spec.example}"
        )
    return text


def _model(value: object, spec: Spec, place: str) -> str:
    return families.named(_text(value, spec, place), place)


def _choice(value: object, spec: Spec, place: str) -> str:
    if not isinstance(value, str) or value.strip().lower() not in spec.choices:
        choices = ", ".join(spec.choices)
        raise InputError(f"{place}: {value!r:.60} is unknown; valid choices: {choices}")
    return value.strip().lower()


def _flag(value: object, _spec: Spec, place: str) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if not isinstance(value, str) or word not in WORDS:
        raise InputError(f"{place}: {value!r:.60} is neither; valid choices: yes, no, true, false")
    return WORDS[word]


def _count(value: object, spec: Spec, place: str) -> int:
    number = units.parse_count(_written(value, place, spec), place)
    if not spec.least <= number <= LARGEST_COUNT:
        raise InputError(
            f"{place}: {number} is out of range; valid: {spec.least} to {LARGEST_COUNT}"
        )
    return number


def _size(value: object, spec: Spec, place: str) -> int:
    return units.parse_size_bytes(_written(value, place, spec), name=place)


def _hours(value: object, spec: Spec, place: str) -> float:
    """Hours; a bare number is hours, as the field's name says."""
    if isinstance(value, str) and not _is_number(value):
        hours = units.parse_duration_s(value, name=place) / units.HOUR_S
    else:
        hours = float(_written(value, place, spec))
    if not math.isfinite(hours) or not 0 < hours <= LONGEST_HOURS:
        raise InputError(
            f"{place}: {value!r:.60} is out of range; valid: up to 10 years: {spec.example}"
        )
    return hours


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def _written(value: object, place: str, spec: Spec) -> str:
    """A number as text, for the one parser of quantities."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InputError(f"{place}: {value!r:.60} is no quantity; valid form: {spec.example}")
    return value if isinstance(value, str) else repr(value)


_READERS = {
    "text": _text,
    "folder": _folder,
    "model": _model,
    "choice": _choice,
    "flag": _flag,
    "count": _count,
    "size": _size,
    "hours": _hours,
}
