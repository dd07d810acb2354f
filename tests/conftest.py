"""What several test files share: the built site, and what to do where a program is missing."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mlhpc.lesson import offline

CHECKOUT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def need() -> Callable[[str, bool, str], None]:
    """``need("browser", found, "install chromium")``: skip without it, fail where it is required.

    ``MLHPC_REQUIRE`` names, with commas, the programs that must be here.
    """
    required = os.environ.get("MLHPC_REQUIRE", "").replace(" ", "").split(",")

    def check(program: str, found: bool, remedy: str) -> None:
        if found:
            return
        message = f"no {program} here: {remedy}"
        if program in required:
            pytest.fail(message)
        pytest.skip(message)

    return check


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site: the folder in ``MLHPC_SITE``, else a strict build of this checkout."""
    if os.environ.get("MLHPC_SITE"):
        return Path(os.environ["MLHPC_SITE"])
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"mkdocs build --strict failed:\n{done.stdout}{done.stderr}"
    offline.write(folder)
    return folder
