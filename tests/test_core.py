"""The shape of the package: what the core may import, and that imports go downwards only."""

import ast
import subprocess
import sys
from pathlib import Path

import mlhpc

PACKAGE = Path(mlhpc.__file__).parent
CORE = ("errors", "units", "content", "cluster", "detect", "estimate", "record", "claims", "lint",
        "plan", "jobscript", "quiz", "page")  # fmt: skip
# each may import what stands before it; 'cli' and 'lesson' stand on everything
ORDER = (
    "errors",
    "units",
    "content",
    "cluster",
    "detect",
    "estimate",
    "record",
    "claims",
    "lint",
    "plan",
    "jobscript",
    "quiz",
    "quiz",
    "page",
    "train",
    "slurm",
    "bench",
    "lesson",
    "cli",
)

BLOCKER = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top != "mlhpc":
            raise ImportError(f"blocked: {name}")
sys.meta_path.insert(0, Blocker())
sys.path.insert(0, sys.argv[1])
for module in sys.argv[2:]:
    __import__(f"mlhpc.{module}")
print("imported", len(sys.argv) - 2)
"""


def test_the_core_imports_with_nothing_but_the_standard_library() -> None:
    command = [sys.executable, "-I", "-S", "-c", BLOCKER, str(PACKAGE.parent), *CORE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == f"imported {len(CORE)}", done.stderr


def test_the_blocker_of_that_test_does_block() -> None:
    command = [sys.executable, "-I", "-S", "-c", BLOCKER, str(PACKAGE.parent), "lesson.marks"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "blocked: markdown" in done.stderr


def imported(path: Path) -> set[str]:
    """The first-level modules of mlhpc that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "mlhpc":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mlhpc."):
            found.add(str(node.module).split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("mlhpc.")}
    return found & set(ORDER)


def test_imports_go_downwards_only() -> None:
    seen = 0
    for path in sorted(PACKAGE.rglob("*.py")):
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if own not in ORDER:
            continue
        for name in imported(path) - {own}:
            seen += 1
            assert ORDER.index(name) < ORDER.index(own), f"{path}: {own} imports {name}"
    assert seen > 10


def test_every_module_of_the_core_is_looked_at() -> None:
    found = {path.name.removesuffix(".py") for path in PACKAGE.iterdir()}
    assert set(CORE) <= found
