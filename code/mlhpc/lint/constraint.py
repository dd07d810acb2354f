"""The features of --constraint: which nodes have what is asked for."""

import re

WORD = re.compile(r"[\w.+-]+")


def features(text: str) -> set[str]:
    """The features that an expression names. Raises ValueError where it is none."""
    if not text:
        return set()
    if not re.fullmatch(r"[\w.+\-&|,*()\[\]]+", text) or text.count("(") != text.count(")"):
        raise ValueError("is no expression of features; valid are a, a&b, a|b, [a|b]")
    return set(WORD.findall(re.sub(r"\*\d+", "", text)))


def holds(text: str, has: frozenset[str]) -> bool:
    """Whether a node with these features satisfies an expression. A count, as in a*2, may be met
    by other nodes, and holds."""
    if not text:
        return True
    if "*" in text:
        return True
    return _or(re.sub(r"[\[\]]", lambda it: "(" if it[0] == "[" else ")", text), has)


def _or(text: str, has: frozenset[str]) -> bool:
    return any(_and(part, has) for part in _split(text, "|"))


def _and(text: str, has: frozenset[str]) -> bool:
    return all(_one(part, has) for part in _split(text, "&,"))


def _one(text: str, has: frozenset[str]) -> bool:
    if text.startswith("(") and text.endswith(")"):
        return _or(text[1:-1], has)
    return text in has


def _split(text: str, signs: str) -> list[str]:
    """Parts between signs that stand outside brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if char in signs and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts
