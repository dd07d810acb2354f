"""Plans' scripts on a real Slurm: it takes them, they run, and results survive a cut."""

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tests.plan_projects import HOSTILE, projects

from mlhpc import jobscript
from mlhpc.cluster import Cluster
from mlhpc.errors import InputError
from mlhpc.plan import Project, from_mapping, plan
from mlhpc.slurm import expect
from mlhpc.slurm.box import Box

COUNT = int(os.environ.get("MLHPC_PLAN_SCRIPTS", "500"))
SEED = int(os.environ.get("MLHPC_PLAN_SEED", "1"))
RUNS = int(os.environ.get("MLHPC_PLAN_RUNS", "20"))
CUTS = 4  # of the runs: half by the time limit, half cancelled

# What a learner's program does: it reads its data, writes a result, and saves when it gets TERM.
PROGRAM = """
import argparse, os, pathlib, signal, sys, time
parser = argparse.ArgumentParser()
for option in ("data", "output", "checkpoints", "trial", "trials", "study", "steps"):
    parser.add_argument(f"--{option}")
args = parser.parse_args()
output = pathlib.Path(args.output)
def cut(*_):
    (output / "saved").write_text("cut")
    sys.exit(0)
signal.signal(signal.SIGTERM, cut)
(output / "result").write_text(f"{os.environ['OMP_NUM_THREADS']} {args.data} {args.trial}")
if args.checkpoints:
    last = pathlib.Path(args.checkpoints) / "last"
    if last.exists():
        (output / "resumed").write_text(last.read_text())
        sys.exit(0)
    last.write_text(f"step 7 of job {os.environ['SLURM_JOB_ID']}")
(output / "started").touch()
time.sleep(float(os.environ.get("PROGRAM_S", "0")))
"""
FAKE_SMI = "#!/bin/bash\necho 'GPU 0: a stand-in: nodes of the tests have none'\n"


def scripts(cluster: Cluster) -> list[tuple[Project, str]]:
    """The scripts of the random projects, full runs and tests in turn."""
    found = []
    for number, project in enumerate(projects(4 * COUNT, SEED)):
        made = plan(project, cluster)
        if made.full:
            kind = "full" if number % 2 else "test"
            found.append((project, jobscript.render(made, project, cluster, kind)))
    return found[:COUNT]


def test_slurm_takes_the_scripts_of_random_projects(box: Box, box_cluster: Cluster) -> None:
    drawn = scripts(box_cluster)
    assert len(drawn) == COUNT
    for project, text in drawn:
        asked = box.test_only(text)
        assert asked.accepted, (project, text, asked.message)
        start = expect.parse(asked.message)
        assert start.start is not None, asked.message
        assert f"--partition={start.partition}" in text


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the program, and a stand-in for nvidia-smi."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "train.py").write_text(PROGRAM)
    smi = folder / "nvidia-smi"
    smi.write_text(FAKE_SMI)
    smi.chmod(smi.stat().st_mode | stat.S_IXUSR)
    return folder


def runnable(cluster: Cluster, programs: Path, lab: str) -> list[tuple[str, bool]]:
    """Full scripts of single runs on one GPU or none, of projects with hostile names.

    With each, whether its program is a network's: that trains with checkpoints.
    """
    found = []
    kinds = ("resnet50", "random_forest", "bert", "xgboost")
    for number in range(RUNS):
        given = {"name": HOSTILE[number % len(HOSTILE)], "model": kinds[number % len(kinds)]}
        size = {"data_size": "1 MB", "laptop_hours": 20, "team": 2, "memory": "200 MB"}
        project = from_mapping(given | size | {"lab": lab}, "x")
        project = replace(project, program=str(programs / "train.py"))
        made = plan(project, cluster)
        found.append((jobscript.render(made, project, cluster), bool(made.full and made.full.gpu)))
    return found


def results(cluster: Cluster, lab: str, job_id: str) -> Path:
    """The folder that a job copied its results to."""
    root = Path(str(cluster.storage["bigdata"].path).replace("$LAB", lab))
    found = list(root.glob(f"*/*/results/{job_id}"))
    assert len(found) == 1, f"results of job {job_id} under {root}: {found}"
    return found[0]


def test_jobs_run_to_their_end_and_keep_their_results_when_they_are_cut(
    box: Box, box_cluster: Cluster, programs: Path
) -> None:
    path = f"{programs}:{box.environ['PATH']}"
    lab = "smith"
    texts = [text for text, _ in runnable(box_cluster, programs, lab)]
    whole, cut = texts[CUTS:], texts[:CUTS]
    limit = ("--time=2", "--signal=B:USR1@45")
    long = [
        box.submit(text, f"--export=ALL,PATH={path},PROGRAM_S=300", "--cpus-per-task=1", *limit)
        for text in cut
    ]
    short = [box.submit(text, f"--export=ALL,PATH={path}", "--cpus-per-task=1") for text in whole]
    box.wait(short, 120)
    for job_id in short:
        assert box.state(job_id) == "COMPLETED", logs(box)
        assert (results(box_cluster, lab, job_id) / "result").read_text().startswith("1 ")
    for job_id in long[CUTS // 2 :]:
        box.run("scancel", "--batch", "--signal=TERM", job_id)
    box.wait(long, 180)
    for job_id in long:
        assert box.state(job_id) in ("FAILED", "TIMEOUT"), logs(box)
        assert (results(box_cluster, lab, job_id) / "saved").read_text() == "cut"
    assert not list(box.folder.glob("hacked*"))
    assert not list(Path.home().glob("hacked*"))


def logs(box: Box) -> str:
    """What the jobs wrote."""
    return "\n".join(log.read_text(errors="replace")[-500:] for log in box.folder.glob("*.out"))


def test_a_long_training_goes_back_into_the_queue_and_on_from_its_checkpoint(
    box: Box, box_cluster: Cluster, programs: Path
) -> None:
    given = {"model": "resnet50", "laptop_hours": "20 weeks", "lab": "again", "memory": "200 MB"}
    project = replace(from_mapping(given, "x"), program=str(programs / "train.py"))
    made = plan(project, box_cluster)
    text = jobscript.render(made, project, box_cluster)
    path = f"{programs}:{box.environ['PATH']}"
    job_id = box.submit(text, f"--export=ALL,PATH={path},PROGRAM_S=300", "--cpus-per-task=1")
    wait_for(box, job_id, "RUNNING")
    folder = started(box_cluster, job_id)
    box.run("scancel", "--batch", "--signal=USR1", job_id)
    for _ in range(300):
        if box.jobs(job_id)[0].restarts == 1:
            break
        box.run("sleep", "0.1")
    assert box.jobs(job_id)[0].restarts == 1, logs(box)
    assert (folder / "saved").read_text() == "cut"
    box.wait([job_id], 60)  # it starts again, finds the checkpoint, and ends
    assert box.state(job_id) == "COMPLETED", logs(box)
    assert (folder / "resumed").read_text() == f"step 7 of job {job_id}"


def wait_for(box: Box, job_id: str, state: str) -> None:
    for _ in range(300):
        if box.state(job_id) == state:
            return
        box.run("sleep", "0.1")
    pytest.fail(f"job {job_id} is {box.state(job_id)}, not {state}")


def started(cluster: Cluster, job_id: str) -> Path:
    """The results' folder of a job whose program has begun."""
    import time

    work = Path(str(cluster.storage["scratch"].path).split("$")[0])
    for _ in range(300):
        if list(work.glob(f"*/job-{job_id}/results/started")):
            return results(cluster, "again", job_id)
        time.sleep(0.1)
    raise InputError(f"job {job_id} has not begun")
