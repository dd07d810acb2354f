"""Job scripts: what stands in them, that hostile words stay words, and that they really run.

``python -m tests.test_jobscript --update`` writes the golden files anew, to be read before they
are kept.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.plan_projects import HOSTILE

from mlhpc import cluster, jobscript, lint
from mlhpc.cluster import Cluster
from mlhpc.errors import InputError
from mlhpc.plan import from_mapping, plan

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"
CLUSTERS = {
    "sagehen": cluster.load("sagehen"),
    "box": cluster.load(str(ROOT / "tests" / "slurm" / "box.toml")),
}
WORKED: dict[str, dict[str, object]] = {
    "project-a": {"name": "Project A", "model": "bert", "data_size": "5 GB", "laptop_hours": "8 h"},
    "project-b": {"name": "Project B", "model": "rf", "data_size": "2 GB", "laptop_hours": 0.25},
    "project-c": {"name": "Project C", "model": "unet3d", "data_size": "50 GB",
                  "laptop_hours": "2 weeks"},
    "project-c-deadline": {"name": "Project C", "model": "unet3d", "data_size": "50 GB",
                           "laptop_hours": "2 weeks", "deadline": "1 day"},
    "satellite": {"name": "satellite", "model": "resnet50", "data_size": "1 TB"},
    "grid": {"name": "grid", "model": "resnet50", "data_size": "5 GB", "laptop_hours": 10,
             "trials": 100},
    "forest": {"name": "forest", "model": "rf", "data_size": "60 GB", "laptop_hours": "30 h"},
}  # fmt: skip


def made(given: dict[str, object], where: str = "box", kind: str = "full") -> str:
    project = from_mapping(given, "x")
    return jobscript.render(
        plan(project, CLUSTERS[where]), project, CLUSTERS[where], kind  # type: ignore[arg-type]
    )  # fmt: skip


def golden_files() -> dict[Path, str]:
    """Every golden file with the text that it should have."""
    files = {}
    for name, given in WORKED.items():
        project = from_mapping(given, "x")
        for key, where in CLUSTERS.items():
            found = plan(project, where)
            document = json.dumps(found.document(), indent=2, ensure_ascii=False) + "\n"
            files[GOLDEN / key / f"{name}.json"] = document
            for kind in ("test", "full") if found.full else ():
                text = jobscript.render(found, project, where, kind)
                files[GOLDEN / key / f"{name}-{kind}.sh"] = text
    return files


@pytest.mark.parametrize("path", golden_files(), ids=lambda one: f"{one.parent.name}/{one.name}")
def test_a_worked_project_has_the_plan_and_the_scripts_that_were_read(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == golden_files()[path]


def test_there_is_no_golden_file_that_nothing_is_compared_with() -> None:
    assert {path for path in GOLDEN.rglob("*") if path.is_file()} == set(golden_files())


def test_several_gpus_get_as_many_processes() -> None:
    text = made(WORKED["project-c-deadline"])
    assert "#SBATCH --gres=gpu:a100:2\n" in text
    assert "run torchrun --standalone --nproc-per-node=2 train.py" in text


def test_names_that_the_cluster_file_does_not_confirm_are_marked_with_the_command_that_does() -> (
    None
):
    text = made(WORKED["project-a"], "sagehen", "test")
    line = next(one for one in text.splitlines() if "--gres" in one)
    assert line.startswith("#SBATCH --gres=gpu:l40s:1 ")
    assert line.endswith("# is that its name? sinfo -o %G")
    assert "CHANGE ME to the line that gives you your Python. What there is: module avail" in text
    assert "is that its name" not in made(WORKED["project-a"], "box")


@pytest.mark.parametrize("kind", ["test", "full"])
def test_a_plan_that_stays_on_the_laptop_has_no_script(kind: str) -> None:
    with pytest.raises(InputError, match="its place is 'laptop'"):
        made(WORKED["project-b"], "box", kind)


@pytest.mark.parametrize("word", HOSTILE)
@pytest.mark.parametrize("field", ["name", "program", "environment", "data_path"])
def test_no_word_of_a_person_adds_a_line_or_a_directive(word: str, field: str) -> None:
    usual = {"name": "x", "program": "x.py", "lab": "x", "environment": "x", "data_path": "x"}
    base = {**WORKED["project-a"], **usual}
    harmless, text = made(base), made({**base, field: word})
    assert len(text.splitlines()) == len(harmless.splitlines())
    before, after = directives(harmless), directives(text)
    assert [line.partition("=")[0] for line in after] == [line.partition("=")[0] for line in before]
    if field != "name":
        assert after == before
    assert not [one for one in lint.check(text, CLUSTERS["box"]) if one.severity != "note"]


def directives(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("#SBATCH")]


def placed(folder: Path) -> Cluster:
    """The complete cluster, its storage in a folder of the test's own."""
    text = (ROOT / "tests" / "slurm" / "box.toml").read_text()
    for tier in ("rhome", "bigdata", "scratch"):
        text = text.replace(f'path = "/{tier}/', f'path = "{folder}/{tier}/')
    text = text.replace("source $HOME/venv/bin/activate", "true")
    return cluster.from_text(text, "box", "box.toml")


def start(script: str, folder: Path) -> subprocess.Popen[bytes]:
    """Run a script as Slurm would: in a folder, with a job's variables."""
    (folder / "job.sh").write_text(script)
    job = {"SLURM_JOB_ID": "7", "SLURM_CPUS_PER_TASK": "1", "USER": "somebody"}
    own = Path(sys.executable).parent
    environ = {**os.environ, **job, "PATH": f"{folder}:{own}:{os.environ['PATH']}"}
    return subprocess.Popen(["bash", "job.sh"], cwd=folder, env=environ, start_new_session=True)


PROGRAM = """
import pathlib, signal, sys, time
output = pathlib.Path(sys.argv[sys.argv.index("--output") + 1])
def cut(*_):
    (output / "saved").write_text("cut")
    sys.exit(0)
signal.signal(signal.SIGTERM, cut)
(output / "result").write_text("7")
time.sleep(float(pathlib.Path("seconds").read_text()))
"""


@pytest.mark.parametrize("word", [one for one in HOSTILE if "\\" not in one])
def test_a_script_with_hostile_words_runs_and_touches_nothing(word: str, tmp_path: Path) -> None:
    where = placed(tmp_path)
    given = {**WORKED["forest"], "name": word, "lab": "lab", "data_path": word, "data_size": "1 MB"}
    project = from_mapping(given, "x")
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "seconds").write_text("0")
    done = start(jobscript.render(plan(project, where), project, where), tmp_path)
    assert done.wait(30) == 0
    assert [path.read_text() for path in tmp_path.rglob("results/7/result")] == ["7"]
    assert not list(tmp_path.rglob("hacked*"))


@pytest.mark.parametrize("cut", [signal.SIGUSR1, signal.SIGTERM])
def test_results_come_back_when_the_job_is_cut(cut: signal.Signals, tmp_path: Path) -> None:
    where = placed(tmp_path)
    given = {**WORKED["forest"], "lab": "lab", "data_size": "1 MB"}
    project = from_mapping(given, "x")
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "seconds").write_text("60")
    running = start(jobscript.render(plan(project, where), project, where), tmp_path)
    until = time.monotonic() + 20
    while not list(tmp_path.rglob("job-7/results/result")) and time.monotonic() < until:
        time.sleep(0.05)
    running.send_signal(cut)
    assert running.wait(20) == 1
    saved = list((tmp_path / "bigdata").rglob("results/7/saved"))
    assert [path.read_text() for path in saved] == ["cut"]


def update() -> None:
    """Write every golden file anew, and remove those of nothing."""
    files = golden_files()
    for path in GOLDEN.rglob("*"):
        if path.is_file() and path not in files:
            path.unlink()
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"{len(files)} files in {GOLDEN}")


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python -m tests.test_jobscript --update")
    update()
