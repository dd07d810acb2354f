"""What a program stands on: its own file, the project's files that it imports, libraries.

Only code and data count: what they are is hashed, so that a result can be told to be of just these.
"""

import ast
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path

import mlhpc
from mlhpc.errors import InputError

PACKAGE = Path(mlhpc.__file__).resolve().parent
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
        return {distribution(name): version(name) for name in self.libraries()}


def of_program(program: Path) -> Sources:
    """All that a program stands on. Raises InputError where it cannot be read as Python."""
    found = Sources()
    follow(program, found)
    return found


def digest(files: Iterable[Path], root: Path) -> str:
    """The SHA-256 of files by their places under ``root`` or in this package."""
    parts = {label(path, root): file_digest(path) for path in sorted(files)}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def label(path: Path, root: Path) -> str:
    """The same name for the same file, wherever the checkout is."""
    if path.is_relative_to(PACKAGE):
        return f"mlhpc/{path.relative_to(PACKAGE).as_posix()}"
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def file_digest(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def follow(path: Path, found: Sources) -> None:
    """Add a file, and, where it is Python, all that it stands on."""
    if path in found.files:
        return
    found.files.add(path)
    if path.suffix == ".py":
        scan(_tree(path), path, found)


def scan(tree: ast.AST, path: Path, found: Sources) -> None:
    """Add all that the code of ``tree``, which stands in ``path``, imports or names."""
    for level, name in _imports(tree):
        own = list(_resolve(_folder(level, name, path), name))
        for file in own:
            follow(file, found)
        if not own and not level:
            found.modules.add(name)
    found.modules.update(_attributes(tree))
    found.files.update(_data(tree, path))


@cache
def _tree_of(path: Path, _stamp: int) -> ast.Module:
    return ast.parse(path.read_bytes(), filename=path.name)


def _tree(path: Path) -> ast.Module:
    try:
        return _tree_of(path, path.stat().st_mtime_ns)
    except SyntaxError as error:
        raise InputError(f"{path.name}:{error.lineno}: {error.msg}") from None


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
def distribution(name: str) -> str:
    """The name under which an importable module is installed."""
    return DISTRIBUTIONS.get(name, name)


@cache
def version(name: str) -> str:
    """The installed version of a module or distribution, or 'absent'."""
    try:
        return metadata.version(distribution(name))
    except metadata.PackageNotFoundError:
        pass
    for found in metadata.packages_distributions().get(name, ()):
        return metadata.version(found)
    return "absent"
