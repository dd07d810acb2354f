"""The site is built again where, and only where, something that it is made from has changed."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mlhpc.lesson import rebuild

# stands for mkdocs: leaves a page, and counts
COMMAND = (
    sys.executable,
    "-c",
    "from pathlib import Path; Path('site').mkdir(exist_ok=True);"
    "Path('site/index.html').write_text(Path('episodes/index.md').read_text());"
    "Path('count').open('a').write('x')",
)
FAIL = (sys.executable, "-c", "import sys; sys.exit(1)")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("episodes/index.md", "mkdocs.yml", "code/mlhpc/a.py", "tests/recorded/a.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    return tmp_path


def builds(checkout: Path) -> int:
    """How many builds there were after asking once more."""
    assert rebuild.build(checkout, COMMAND) == 0
    return len((checkout / "count").read_text())


def test_an_unchanged_site_is_left_alone(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert builds(checkout) == 1
    assert builds(checkout) == 1
    assert "nothing has changed" in capsys.readouterr().err


def _new_page(checkout: Path) -> None:
    (checkout / "episodes" / "new.md").touch()


def _no_site(checkout: Path) -> None:
    (checkout / "site" / "index.html").unlink()


def _edited_site(checkout: Path) -> None:
    (checkout / "site" / "index.html").write_text("2")


def _broken_stamp(checkout: Path) -> None:
    (checkout / ".cache" / "site.json").write_text("{")


@pytest.mark.parametrize("change", [_new_page, _no_site, _edited_site, _broken_stamp])
def test_a_change_of_what_is_there_builds_again(
    checkout: Path, change: Callable[[Path], None]
) -> None:
    assert builds(checkout) == 1
    change(checkout)
    assert builds(checkout) == 2
    assert builds(checkout) == 2


@pytest.mark.parametrize(
    "name", ["episodes/index.md", "mkdocs.yml", "code/mlhpc/a.py", "tests/recorded/a.txt"]
)
def test_an_edit_of_any_source_builds_again(checkout: Path, name: str) -> None:
    assert builds(checkout) == 1
    (checkout / name).write_text("2")
    assert builds(checkout) == 2


def test_another_address_or_tool_builds_again(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert builds(checkout) == 1
    monkeypatch.setenv("MLHPC_SITE_URL", "https://example.org/")
    assert builds(checkout) == 2
    monkeypatch.setattr(rebuild.metadata, "version", lambda _: "0")
    assert builds(checkout) == 3


def test_caches_of_python_and_packages_of_node_are_no_sources(checkout: Path) -> None:
    assert builds(checkout) == 1
    for name in ("code/mlhpc/__pycache__/a.pyc", "code/web/node_modules/x/a.js"):
        (checkout / name).parent.mkdir(parents=True)
        (checkout / name).touch()
    assert builds(checkout) == 1


def test_a_failed_build_says_so_and_is_tried_again(checkout: Path) -> None:
    assert builds(checkout) == 1
    (checkout / "episodes" / "index.md").write_text("2")
    assert rebuild.build(checkout, FAIL) == 1
    assert rebuild.build(checkout, FAIL) == 1
    assert builds(checkout) == 2
