"""``mlhpc plan``: file and flags, table and JSON, the scripts it writes, the start it expects."""

import argparse
import json
from pathlib import Path

import pytest

from mlhpc import cluster, lint
from mlhpc.cli import Answer
from mlhpc.cli import plan as command
from mlhpc.errors import InputError
from mlhpc.slurm import expect

BOX = "tests/slurm/box.toml"
# sbatch 22.05.8 of a private Slurm, asked with --test-only
TAKEN = (
    "sbatch: Job 1 to start at 2026-12-01T11:02:56 using 1 processors on nodes small01"
    " in partition gpu"
)
REFUSED = "allocation failure: Requested node configuration is not available"


@pytest.fixture(autouse=True)
def no_slurm(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a laptop, also where there is a Slurm."""
    monkeypatch.setattr(expect, "available", lambda: False)


def run(*arguments: str) -> Answer:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(arguments))


def test_the_document_has_the_plan_and_both_scripts() -> None:
    answer = run("--model", "ResNet-50", "--data-size", "1TB", "--laptop-hours", "40")
    document = json.loads(json.dumps(answer.document))
    assert (document["place"], document["gpu"]) == ("gpu", "l40s")
    assert set(document["scripts"]) == {"test", "full"}
    assert "#SBATCH --partition=short" in document["scripts"]["test"]
    assert "#SBATCH --partition=gpu\n" in document["scripts"]["full"]
    assert list(document)[-2:] == ["ondemand", "scripts"]


def test_people_read_a_table_with_the_reasons_and_what_to_ask() -> None:
    text = run("--name", "satellite", "--model", "resnet50", "--data-size", "1TB").text
    assert text.startswith("satellite, on Sagehen\n")
    assert "  GPUs          1 x NVIDIA L40S\n" in text
    assert "[claim:save-a100s]" in text
    assert "  - gpu.l40s.gres: sinfo -o %G\n" in text


def test_flags_win_over_the_file(tmp_path: Path) -> None:
    path = tmp_path / "project.toml"
    path.write_text('[project]\nmodel = "bert"\nlaptop-hours = "10 min"\ndata-size = "1 GB"\n')
    assert run(str(path)).document["place"] == "laptop"
    assert run(str(path), "--laptop-hours", "9h").document["place"] == "gpu"


def test_a_mistake_in_the_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "project.toml"
    path.write_text('laptop-hours = "soon"\n')
    with pytest.raises(InputError, match=r"project\.toml: laptop-hours: 'soon'"):
        run(str(path), "--trials", "3")


def test_nothing_told_is_an_error_that_shows_how() -> None:
    with pytest.raises(InputError, match="--model resnet50 --data-size 1TB"):
        run()


def test_script_writes_the_full_run_and_its_test_beside_it(tmp_path: Path) -> None:
    full = tmp_path / "run.sh"
    run("--model", "bert", "--laptop-hours", "8", "--cluster", BOX, "--script", str(full))
    for path in (full, tmp_path / "run-test.sh"):
        found = lint.check(path.read_text(), cluster.load(BOX), tmp_path)
        assert not [one for one in found if one.severity != "note"]
    assert "nvidia_l40s:1" in full.read_text()


@pytest.mark.parametrize("name", ["file/x.sh", "\0"])
def test_a_script_that_cannot_be_written_is_one_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        run("--model", "bert", "--laptop-hours", "8", "--script", str(tmp_path / name))


def test_a_plan_without_a_job_writes_no_script(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no script to write"):
        run("--laptop-hours", "0.1", "--script", str(tmp_path / "x.sh"))
    assert not list(tmp_path.iterdir())


def test_on_a_cluster_the_expected_start_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expect, "available", lambda: True)
    monkeypatch.setattr(expect, "ask", lambda _script: expect.parse(TAKEN))
    text = run("--model", "bert", "--laptop-hours", "8").text
    assert "would start   2026-12-01 11:02:56, on small01 in gpu\n" in text


def test_a_refusal_is_told_in_slurm_s_words() -> None:
    assert expect.parse(REFUSED).shown() == (
        "refused: Requested node configuration is not available"
    )
    assert expect.parse("").shown() == "refused: sbatch said nothing"
