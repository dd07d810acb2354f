"""Where the lesson is, and writing that never leaves half a file."""

import os
from pathlib import Path

import pytest

from mlhpc import content
from mlhpc.errors import InputError


def test_the_folder_that_was_named_is_taken(tmp_path: Path) -> None:
    (tmp_path / "claims.toml").write_text("")
    assert content.find(tmp_path).claims == tmp_path / "claims.toml"


def test_a_folder_without_a_lesson_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"no claims.toml in {tmp_path}; .*--lesson DIR"):
        content.find(tmp_path)


def test_without_a_name_the_checkout_around_the_package_is_found() -> None:
    assert content.find().root.name == "episodes"


def test_pages_leave_out_what_is_generated(tmp_path: Path) -> None:
    for name in ("index.md", "instructor/index.md", "gallery/index.md"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("# x")
    found = [page.relative_to(tmp_path).as_posix() for page in content.Lesson(tmp_path).pages()]
    assert found == ["index.md", "instructor/index.md"]


def test_equal_bytes_are_not_written_again(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "file.txt"
    assert content.write_atomic(file, "text") is True
    os.utime(file, (1, 1))
    assert content.write_atomic(file, b"text") is False
    assert file.stat().st_mtime == 1
    assert content.write_atomic(file, "other") is True
    assert file.read_text() == "other"


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside(
    tmp_path: Path, monkeypatch
) -> None:
    file = tmp_path / "file.txt"
    file.write_text("old")

    def refuse(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        content.write_atomic(file, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]
    assert file.read_text() == "old"
