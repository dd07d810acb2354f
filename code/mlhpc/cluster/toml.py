"""TOML, written: values, lines and headers, and where they stand in a text.

The standard library reads TOML but neither writes it nor tells the line of a key.
"""

import datetime
import json
import re
from collections.abc import Mapping


def literal(value: object) -> str:
    """A value as TOML spells it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime.date | int | float):
        return str(value)
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{name(key)} = {literal(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(literal(item) for item in value)}]"
    return json.dumps(str(value), ensure_ascii=False)


def name(key: str) -> str:
    """A key, quoted only where TOML asks for it."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def header(*path: str) -> str:
    """A table's header: [partition.gpu]."""
    return f"[{'.'.join(name(part) for part in path)}]"


def line_of(text: str, table: str, key: str | None = None) -> int | None:
    """The number (from 1) of the line with ``key`` in ``table``, or of the table's header.

    None where the text holds no such line in the usual spelling, one key a line.
    """
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        head = re.match(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$", line)
        if head:
            inside = _plain(head[1]) == table
            if inside and key is None:
                return number
        elif inside and key is not None and re.match(rf'\s*"?{re.escape(key)}"?\s*=', line):
            return number
    return None


def _plain(path: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in path.split("."))
