"""A real Slurm for the tests: one private box for all of them."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mlhpc import cluster
from mlhpc.cluster import Cluster
from mlhpc.slurm import box as boxes
from mlhpc.slurm.box import Box

BOX_FILE = Path(__file__).parent / "box.toml"


@pytest.fixture(scope="session")
def need_slurm(need: Callable[[str, bool, str], None]) -> None:
    """Skip, or fail where Slurm is required, with what to install."""
    missing = boxes.available()
    need("slurm", missing is None, missing or "")


@pytest.fixture(scope="session")
def box_cluster(tmp_path_factory: pytest.TempPathFactory) -> Cluster:
    """box.toml, whose storage is a folder of the tests' own, and whose Python is this one."""
    folder = tmp_path_factory.mktemp("storage")
    text = BOX_FILE.read_text()
    for tier in ("rhome", "bigdata", "scratch"):
        text = text.replace(f'path = "/{tier}/', f'path = "{folder}/{tier}/')
        (folder / tier).mkdir()
    python = "source $HOME/venv/bin/activate"
    assert python in text
    text = text.replace(python, f"export PATH={Path(sys.executable).parent}:$PATH")
    return cluster.from_text(text, "box", str(BOX_FILE))


@pytest.fixture(scope="session")
def box(need_slurm: None, box_cluster: Cluster) -> Iterator[Box]:  # noqa: ARG001
    """The running Slurm. Tests share it: wait for your jobs, and leave none behind."""
    with Box(box_cluster) as running:
        yield running
