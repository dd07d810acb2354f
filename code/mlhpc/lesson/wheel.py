"""Build the wheel that the site serves, so that learners install what the pages were made with."""

import subprocess
import sys
import tempfile
from pathlib import Path

from mlhpc import __version__, content
from mlhpc.errors import ToolError

NAME = f"mlhpc-{__version__}-py3-none-any.whl"
# a fixed date inside the archive: the same sources give the same bytes
EPOCH = "1767225600"


def build(checkout: Path, folder: Path) -> bool:
    """Build the wheel of ``checkout`` into ``folder``; True where its bytes changed.

    Raises ToolError with the builder's own words where it fails.
    """
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", scratch]
        environment = {"SOURCE_DATE_EPOCH": EPOCH, "PATH": str(Path(sys.executable).parent)}
        done = subprocess.run(
            command, cwd=checkout, env=environment, capture_output=True, text=True, check=False
        )
        built = Path(scratch) / NAME
        if done.returncode or not built.is_file():
            raise ToolError(
                f"wheel: hatchling failed: {(done.stderr or done.stdout).strip()[-400:]}"
            )
        _remove_others(folder)
        return content.write_atomic(folder / NAME, built.read_bytes())


def _remove_others(folder: Path) -> None:
    for old in folder.glob("*.whl"):
        if old.name != NAME:
            old.unlink()


def main() -> int:
    """Build it for the checkout around this package, where the site will serve it."""
    lesson = content.find()
    changed = build(lesson.root.parent, lesson.root / "wheels")
    size_kib = (lesson.root / "wheels" / NAME).stat().st_size / 1024
    print(f"{NAME}: {size_kib:.0f} KiB, {'built' if changed else 'unchanged'}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
