"""Builds the site strictly, unless nothing that it is made from has changed since it was built.

mkdocs makes every page again each time. What it would be given (sources, tools, settings, the
last commit) and what it left are remembered; where both are the same there is nothing to do.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from mlhpc import content
from mlhpc.lesson import offline

SOURCES = ("mkdocs.yml", "episodes", "code", "tests/recorded")
LEFT_OUT = {"node_modules", "__pycache__"}
TOOLS = (
    "mkdocs",
    "mkdocs-material",
    "mkdocs-macros-plugin",
    "pymdown-extensions",
    "Markdown",
    "Pygments",
    "Jinja2",
)
VARIABLES = ("MLHPC_SITE_URL", "MLHPC_REPO_URL")
BUILD = (sys.executable, "-m", "mkdocs", "build", "--strict", "--clean")


def build(root: Path, command: tuple[str, ...] = BUILD) -> int:
    """Build the site of the checkout at ``root`` where it must be; return mkdocs' exit code."""
    stamp = root / ".cache" / "site.json"
    before = _state(root)
    if _read(stamp) == before:
        print("site: nothing has changed", file=sys.stderr)
        return 0
    stamp.unlink(missing_ok=True)
    code = subprocess.run(command, cwd=root, check=False).returncode
    # sources as they were before: an edit during the build is built the next time
    if code == 0:
        content.write_atomic(stamp, json.dumps({**before, "site": _left(root / "site")}))
    return code


def _state(root: Path) -> dict[str, object]:
    """All that decides what the site is, and what stands in its folder."""
    return {
        "sources": {_shown(path, root): _digest(path) for path in _sources(root)},
        "tools": {name: metadata.version(name) for name in TOOLS},
        "python": sys.version,
        "variables": {name: os.environ.get(name) for name in VARIABLES},
        "commit": _commit(root),
        "site": _left(root / "site"),
    }


def _sources(root: Path) -> Iterator[Path]:
    for name in SOURCES:
        yield from sorted(_files(root / name))


def _files(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
    for folder, folders, names in os.walk(place):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        yield from (Path(folder, name) for name in names)


def _left(site: Path) -> dict[str, list[int]]:
    """Size and time of each file of a built site: whoever changed one gets it built again."""
    found = (path for path in sorted(_files(site)) if path.name != offline.NAME)
    stats = {_shown(path, site): path.stat() for path in found}
    return {name: [stat.st_size, stat.st_mtime_ns] for name, stat in stats.items()}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _commit(root: Path) -> str | None:
    """The last commit, whose dates stand on the pages; None outside a repository."""
    command = ("git", "rev-parse", "HEAD")
    try:
        asked = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return asked.stdout.strip() or None


def _read(stamp: Path) -> object:
    try:
        return json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def main() -> int:
    """Build the site of the checkout in this folder."""
    return build(Path.cwd())


if __name__ == "__main__":
    raise SystemExit(main())
