"""What a result depends on: code cells, the project's files behind them, data, versions.

Prose is not among them, so that an edit of prose executes nothing.
"""

import ast
import hashlib
import json
import re
import sys
from pathlib import Path

from mlhpc.bench.sources import PACKAGE, Sources, file_digest, follow, label, scan
from mlhpc.errors import InputError
from mlhpc.lesson.gallery.project import Project
from mlhpc.lesson.gallery.script import Script

__all__ = ["Sources", "digest", "find"]

# What draws and records is a source of every result too.
RUNNER = ("lesson/figures/style.py", "lesson/gallery/cells.py", "lesson/gallery/show.py")


def find(script: Script, project: Project) -> Sources:
    """All that ``script`` imports, launches or names under ``uses``, and what these import.

    Raises InputError where ``uses`` names a file that is not there, or a launched file is not
    named.
    """
    found = Sources()
    trees = [ast.parse(cell.padded()) for cell in script.code()]
    used = _used(script, project)
    for path in used:
        follow(path, found)
    for tree in trees:
        _check_launched(tree, used, project.shown(script.path), project)
        scan(tree, script.path, found)
    return found


def digest(script: Script, sources: Sources, project: Project) -> str:
    """The hash of everything that the result of ``script`` depends on."""
    parts = {
        "code": [cell.source for cell in script.code()],
        "files": {label(path, project.root): file_digest(path) for path in sorted(sources.files)},
        "runner": [file_digest(PACKAGE / name) for name in RUNNER],
        "versions": sources.versions(),
        "python": sys.version.split()[0],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _used(script: Script, project: Project) -> list[Path]:
    """The files under ``uses``; a pattern with * may match none."""
    found: list[Path] = []
    for name in script.needs.uses:
        matches = sorted(path for path in project.root.glob(name) if path.is_file())
        if not matches and "*" not in name:
            place = project.shown(script.path)
            raise InputError(f"{place}: uses: there is no file {name} in this project")
        found += matches
    return found


def _check_launched(tree: ast.AST, used: list[Path], place: str, project: Project) -> None:
    """Refuse a .py file of the project that the script names and does not list."""
    listed = {path.name for path in used}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and _is_launched(node.value, project):
            name = Path(str(node.value)).name
            if name not in listed:
                raise InputError(f"{place}:{node.lineno}: it launches {name}: say so under uses")


def _is_launched(value: object, project: Project) -> bool:
    if not isinstance(value, str) or not re.fullmatch(r"[\w./-]+\.py", value):
        return False
    return any((project.root / "code").glob(f"*/{Path(value).name}"))
