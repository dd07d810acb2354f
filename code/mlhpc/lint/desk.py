"""Where findings about one script and one cluster are collected."""

from mlhpc.cluster import Cluster
from mlhpc.lint.findings import Finding
from mlhpc.lint.reading import Script, Setting
from mlhpc.lint.request import Request


class Desk:
    """Where findings about one script and one cluster are written."""

    def __init__(self, script: Script, request: Request, cluster: Cluster) -> None:
        self.script, self.request, self.cluster = script, request, cluster
        self.found: list[Finding] = []

    def error(self, where: Setting | None, rule: str, message: str, value: str = "") -> None:
        """Note what Slurm refuses; ``value`` is the one to write instead."""
        self._add(where, rule, "error", message, value)

    def note(self, where: Setting | None, rule: str, message: str) -> None:
        """Note what is only worth knowing."""
        self._add(where, rule, "note", message, "")

    def _add(self, where: Setting | None, rule: str, weight: str, text: str, value: str) -> None:
        line, column = (where.line, where.column) if where else (1, 1)
        fix = ""
        if where and value and where.value:
            fix = self.script.with_value(where, value)
        self.found.append(Finding(line, column, rule, weight, text, fix))


def nearest(word: str, known: list[str]) -> str:
    """The one of the known words that a word was meant to be; '' where none is near."""
    from difflib import get_close_matches  # slow to load, and seldom needed

    lowered = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), lowered, 1, 0.5)
    return lowered[near[0]] if near else ""
