"""Writes records and figures as a branch to review, beside the checkout that somebody works in."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlhpc import record
from mlhpc.errors import ToolError


def publish(
    documents: Sequence[dict[str, Any]], root: Path, commit: str, branch: str, message: str
) -> str:
    """Make ``branch`` from ``commit`` with the records and the figures that follow; its commit.

    The branch is made anew each time: the same records give the same branch. The folder that
    somebody works in is not touched. Raises ToolError with git's words.
    """
    with tempfile.TemporaryDirectory(prefix="mlhpc-refresh-") as place:
        folder = Path(place) / "checkout"
        _git(root, "worktree", "prune")
        _git(root, "worktree", "add", "--quiet", "--force", "-B", branch, str(folder), commit)
        try:
            for document in documents:
                record.save(document, folder / "episodes" / "measurements")
            _draw(folder)
            _git(folder, "add", "--all", "episodes")
            if _git(folder, "status", "--porcelain").strip():
                _git(folder, "commit", "--quiet", "--message", message, when=_newest(documents))
            return _git(folder, "rev-parse", "HEAD").strip()
        finally:
            _git(root, "worktree", "remove", "--force", str(folder))


def _newest(documents: Sequence[dict[str, Any]]) -> str:
    """The moment of the newest record: the same records give the same commit."""
    return max(str(document["started"]) for document in documents)


def _draw(folder: Path) -> None:
    """Draw the figures anew, by the code of the branch."""
    command = [sys.executable, "-m", "mlhpc.lesson.figures", "--lesson", str(folder / "episodes")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or ["they failed without a word"]
        raise ToolError(f"figures: {words[-1]}")


def _git(folder: Path, *words: str, when: str = "") -> str:
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when} if when else {}
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], env={**os.environ, **dates},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    except OSError as error:
        raise ToolError(f"git: {error.strerror}") from None
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["it failed without a word"]
        raise ToolError(f"git {words[0]}: {said[-1]}")
    return done.stdout
