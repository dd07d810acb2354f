"""Where the lesson's content is: claims, quizzes, records, pages.

Looked for in this order: the folder that was named (``--lesson DIR``), the checkout around this
package, the copy inside the wheel.
"""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from mlhpc.errors import InputError

CLAIMS = "claims.toml"


@dataclass(frozen=True)
class Lesson:
    """The folder with a lesson's content."""

    root: Path

    @property
    def claims(self) -> Path:
        """The ledger, a TOML file."""
        return self.root / CLAIMS

    @property
    def quizzes(self) -> Path:
        """The folder of question files."""
        return self.root / "quizzes"

    @property
    def measurements(self) -> Path:
        """The folder of records, one JSON file each."""
        return self.root / "measurements"

    def pages(self) -> list[Path]:
        """The Markdown pages that people wrote, in order; generated ones are left out."""
        found = sorted(self.root.rglob("*.md"))
        return [page for page in found if "gallery" not in page.relative_to(self.root).parts]


def find(lesson_dir: str | Path | None = None) -> Lesson:
    """The lesson in ``lesson_dir``, else around this package, else in the wheel.

    Raises InputError where there is no ``claims.toml`` in it.
    """
    candidates = [Path(lesson_dir)] if lesson_dir else _default_folders()
    for folder in candidates:
        if (folder / CLAIMS).is_file():
            return Lesson(folder)
    looked = ", ".join(str(folder) for folder in candidates)
    raise InputError(f"lesson: no {CLAIMS} in {looked}; name the lesson's folder with --lesson DIR")


def _default_folders() -> list[Path]:
    package = Path(__file__).resolve().parent
    return [package.parent.parent / "episodes", package / "lesson_content"]


def write_atomic(path: Path, data: str | bytes) -> bool:
    """Write ``data`` to ``path`` whole or not at all; True where its bytes differ from before.

    Equal bytes are left alone, so that nothing downstream is built again for nothing.
    """
    content = data.encode() if isinstance(data, str) else data
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        # mkstemp makes private files; what is published has the usual rights
        Path(beside).chmod(0o644)
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
    return True
