"""What a result depends on: code cells, the project's files behind them, data, versions.

Prose is not among them, so that an edit of prose executes nothing.
"""

import ast
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path

import mlhpc
from mlhpc.errors import InputError
from mlhpc.lesson.gallery.project import Project
from mlhpc.lesson.gallery.script import Script

PACKAGE = Path(mlhpc.__file__).resolve().parent
# What draws and records is a source of every result too.
RUNNER = ("lesson/figures.py", "lesson/gallery/cells.py", "lesson/gallery/show.py")
# Where the name that is imported is not the name that is installed.
DISTRIBUTIONS = {"sklearn": "scikit-learn", "PIL": "pillow", "yaml": "PyYAML"}
_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)*")


@dataclass
class Sources:
    """Files of this project and libraries of others that a script stands on."""

    files: set[Path] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)  # dotted, of others

    def libraries(self) -> list[str]:
        """The top-level names of the libraries, without Python's own."""
        return sorted({name.partition(".")[0] for name in self.modules} - sys.stdlib_module_names)

    def versions(self) -> dict[str, str]:
        """Each library with the version that is installed, or 'absent'."""
        return {_distribution(name): _version(name) for name in self.libraries()}


def find(script: Script, project: Project) -> Sources:
    """All that ``script`` imports, launches or names under ``uses``, and what these import.

    Raises InputError where ``uses`` names a file that is not there, or a launched file is not
    named.
    """
    found = Sources()
    trees = [ast.parse(cell.padded()) for cell in script.code()]
    used = _used(script, project)
    for path in used:
        _follow(path, found)
    for tree in trees:
        _check_launched(tree, used, project.shown(script.path), project)
        _scan(tree, script.path, found)
    return found


def digest(script: Script, sources: Sources, project: Project) -> str:
    """The hash of everything that the result of ``script`` depends on."""
    parts = {
        "code": [cell.source for cell in script.code()],
        "files": {_label(path, project): _file_digest(path) for path in sorted(sources.files)},
        "runner": [_file_digest(PACKAGE / name) for name in RUNNER],
        "versions": sources.versions(),
        "python": sys.version.split()[0],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _label(path: Path, project: Project) -> str:
    """The same name for the same file, wherever the checkout is."""
    if path.is_relative_to(PACKAGE):
        return f"mlhpc/{path.relative_to(PACKAGE).as_posix()}"
    return project.shown(path)


def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


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


def _follow(path: Path, found: Sources) -> None:
    """Add a file, and, where it is Python, all that it stands on."""
    if path in found.files:
        return
    found.files.add(path)
    if path.suffix == ".py":
        _scan(_tree(path), path, found)


@cache
def _tree_of(path: Path, _stamp: int) -> ast.Module:
    return ast.parse(path.read_bytes(), filename=path.name)


def _tree(path: Path) -> ast.Module:
    try:
        return _tree_of(path, path.stat().st_mtime_ns)
    except SyntaxError as error:
        raise InputError(f"{path.name}:{error.lineno}: {error.msg}") from None


def _scan(tree: ast.AST, path: Path, found: Sources) -> None:
    for level, name in _imports(tree):
        own = list(_resolve(_folder(level, name, path), name))
        for file in own:
            _follow(file, found)
        if not own and not level:
            found.modules.add(name)
    found.modules.update(_attributes(tree))
    found.files.update(_data(tree, path))


def _imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Each imported name with the number of dots before it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            yield node.level, base
            for alias in node.names:
                yield node.level, f"{base}.{alias.name}".lstrip(".")


def _attributes(tree: ast.AST) -> Iterator[str]:
    """``torch.optim`` where a file only says ``import torch``: a submodule, perhaps."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_name(node.value, "torch"):
            yield f"torch.{node.attr}"


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _folder(level: int, name: str, path: Path) -> Path:
    """The folder in which ``path`` finds the first part of an imported name."""
    if level:
        return path.parents[level - 1]
    return PACKAGE.parent if name.partition(".")[0] == "mlhpc" else path.parent


def _resolve(root: Path, name: str) -> Iterator[Path]:
    """The files that importing ``name`` executes, where they are under ``root``."""
    folder = root
    for part in filter(None, name.split(".")):
        module, folder = folder / f"{part}.py", folder / part
        if module.is_file():
            yield module
        elif (folder / "__init__.py").is_file():
            yield folder / "__init__.py"
        else:
            return


def _data(tree: ast.AST, path: Path) -> Iterator[Path]:
    """Files that a script or module names and that lie beside it, or in the package."""
    bases = [path.parent, PACKAGE] if path.is_relative_to(PACKAGE) else [path.parent]
    names = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if len(node.value) < 100 and _NAME.fullmatch(node.value)
    }
    for base in bases:
        for name in names:
            yield from _data_at(base / name)


def _data_at(place: Path) -> Iterator[Path]:
    files = place.iterdir() if place.is_dir() else [place]
    return (file for file in files if file.is_file() and file.suffix not in (".py", ".pyc"))


@cache
def _distribution(name: str) -> str:
    return DISTRIBUTIONS.get(name, name)


@cache
def _version(name: str) -> str:
    try:
        return metadata.version(_distribution(name))
    except metadata.PackageNotFoundError:
        pass
    for distribution in metadata.packages_distributions().get(name, ()):
        return metadata.version(distribution)
    return "absent"
