"""The zip for a USB stick: unpacked, started by its one line, everything in it works."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from mlhpc.errors import InputError
from mlhpc.lesson import offline

from .conftest import Visit
from .test_tools import COLD_MS


@pytest.fixture(scope="module")
def unpacked(site_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the zip unpacks to."""
    folder = tmp_path_factory.mktemp("stick")
    with zipfile.ZipFile(site_folder / offline.NAME) as archive:
        archive.extractall(folder)
    return folder / offline.FOLDER


@pytest.fixture(scope="module")
def stick(unpacked: Path) -> Iterator[str]:
    """The address at which the unpacked zip shows the lesson."""
    start = subprocess.Popen(
        [sys.executable, "start.py"],
        cwd=unpacked,
        env={**os.environ, "BROWSER": "true"},  # opens nothing
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert start.stdout is not None
    line = start.stdout.readline()
    yield line.split()[4]
    start.terminate()
    start.wait(10)
    start.stdout.close()


def test_a_question_a_plan_and_a_check_work_from_the_zip(
    stick: str, visit: Callable[..., Visit]
) -> None:
    reader = visit()
    reader.host = stick
    tab = reader.open("01-why-hpc/")
    box = tab.locator("#question-project-b")
    box.get_by_label("Your laptop").check()
    box.get_by_role("button", name="Check", exact=True).click()
    expect(box.locator(".verdict")).to_have_text("Right.", timeout=COLD_MS)
    reader.open("planner/#model=bert&laptop_hours=8+h&data_size=5+GB")
    expect(tab.locator(".answer .verdict")).to_have_text(
        "On the cluster, on a GPU.", timeout=COLD_MS
    )
    reader.open("check-script/")
    tab.get_by_role("button", name="Check", exact=True).click()
    expect(tab.locator(".finding").first).to_be_visible(timeout=COLD_MS)
    assert reader.errors == []
    assert reader.elsewhere == []


def test_the_same_site_gives_the_same_zip_and_it_does_not_hold_itself(site_folder: Path) -> None:
    first = offline.pack(site_folder)
    assert first == offline.pack(site_folder)
    with zipfile.ZipFile(site_folder / offline.NAME) as archive:
        names = archive.namelist()
    assert f"{offline.FOLDER}/start.py" in names
    assert f"{offline.FOLDER}/site/index.html" in names
    assert f"{offline.FOLDER}/start.bat" in names
    assert not any(name.endswith(offline.NAME) for name in names)


def test_no_page_in_the_zip_links_to_the_zip(site_folder: Path, unpacked: Path) -> None:
    assert offline.NAME in (site_folder / "setup/index.html").read_text(encoding="utf-8")
    for page in (unpacked / "site").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert f'{offline.NAME}"' not in text, page


def test_what_others_wrote_comes_with_its_licence(unpacked: Path) -> None:
    texts = [
        (unpacked / "site/assets/python" / name).read_text(encoding="utf-8")
        for name in ("python-LICENSE.txt", "editor-LICENSE.txt")
    ]
    assert "Mozilla\nPublic License 2.0" in texts[0]
    assert "Python Software Foundation" in texts[0]
    assert "MIT License" in texts[1]


def test_a_cell_runs_from_the_zip(stick: str, visit: Callable[..., Visit]) -> None:
    reader = visit()
    reader.host = stick
    cell = reader.open("01-why-hpc/").locator("#cell-sweep")
    cell.get_by_role("button", name="Run").click()
    expect(cell.locator(".cell__live")).to_contain_text("25 rounds", timeout=COLD_MS)
    assert reader.errors == []
    assert reader.elsewhere == []


def test_a_folder_without_a_site_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="build the site first"):
        offline.pack(tmp_path)
