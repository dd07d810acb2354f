"""The private Slurm: the shape of its cluster file, real jobs, and nothing left behind."""

import datetime
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mlhpc import cluster
from mlhpc.cluster import Cluster, collect, compare
from mlhpc.errors import InputError, ToolError
from mlhpc.slurm import box as boxes
from mlhpc.slurm import processes, settings
from mlhpc.slurm.box import Box
from mlhpc.slurm.jobs import parse_jobs

from .conftest import BOX_FILE

LIMIT_S = 60


def script(*directives: str, command: str = "true") -> str:
    lines = "".join(f"#SBATCH {directive}\n" for directive in directives)
    return f"#!/bin/bash\n{lines}{command}\n"


def log(box: Box, job_id: str) -> str:
    return (box.folder / f"slurm-{job_id}.out").read_text()


def done(box: Box, text: str, *options: str) -> str:
    job_id = box.submit(text, *options)
    box.wait([job_id], LIMIT_S)
    return job_id


def test_the_running_slurm_is_just_what_the_cluster_file_says(box: Box) -> None:
    live = collect.from_tools(lambda command: box.run(*command, check=True).stdout)
    findings = compare.compare(cluster.load(str(BOX_FILE)), live, datetime.date(2026, 12, 1))
    assert [finding for finding in findings if finding.kind == "difference"] == []
    assert len(live.nodes or {}) == 7
    assert set(live.partitions or {}) == {"cpu", "gpu", "debug"}


def test_a_job_runs_and_its_output_is_in_the_log(box: Box) -> None:
    job_id = done(box, script("--partition=cpu", command='echo "$((6 * 7)) $USER"'))
    assert box.state(job_id) == "COMPLETED"
    assert log(box, job_id).split()[0] == "42"
    assert log(box, job_id).split()[1] == box.environ["USER"]


def test_a_job_that_fails_says_so_with_its_exit_code(box: Box) -> None:
    job_id = done(box, script(command="exit 7"))
    assert box.state(job_id) == "FAILED"
    assert box.jobs(job_id)[0].exit_code == "7:0"


def test_a_job_that_asks_for_gpus_sees_only_those(box: Box) -> None:
    job_id = done(
        box, script("-p gpu", "--gres=gpu:a100:2", command="echo gpus $CUDA_VISIBLE_DEVICES")
    )
    assert log(box, job_id).strip() == "gpus 0,1"
    assert box.jobs(job_id)[0].nodes == "big01"
    assert box.jobs(job_id)[0].fields["TresPerNode"] == "gres:gpu:a100:2"


def test_two_jobs_at_once_get_different_gpus(box: Box) -> None:
    text = script(
        "-p gpu", "--gres=gpu:nvidia_l40s:1", "-w small01",
        command="echo $CUDA_VISIBLE_DEVICES; sleep 2",
    )  # fmt: skip
    ids = [box.submit(text), box.submit(text)]
    box.wait(ids, LIMIT_S)
    assert {log(box, job_id).strip() for job_id in ids} == {"0", "1"}


def test_an_array_runs_no_more_tasks_at_once_than_its_limit(box: Box, tmp_path: Path) -> None:
    command = f"touch {tmp_path}/on.$SLURM_ARRAY_TASK_ID; ls {tmp_path} | grep -c on >> "
    command += f"{tmp_path}/seen; sleep 1; rm {tmp_path}/on.$SLURM_ARRAY_TASK_ID"
    done(box, script("--array=1-5%2", "--output=/dev/null", command=command))
    seen = [int(line) for line in (tmp_path / "seen").read_text().split()]
    assert len(seen) == 5
    assert max(seen) == 2


def test_a_job_over_its_time_limit_is_ended_with_a_signal_it_can_catch(box: Box) -> None:
    text = script(
        "--time=1", "--signal=B:USR1@50",
        command="trap 'echo caught; exit 0' USR1; sleep 200 & wait",
    )  # fmt: skip
    job_id = done(box, text)
    # Slurm may add a line of its own, on a process that has just ended
    assert log(box, job_id).splitlines()[0] == "caught"


def test_a_job_put_back_into_the_queue_starts_again_and_knows_it(box: Box, tmp_path: Path) -> None:
    command = f"echo start $SLURM_RESTART_COUNT >> {tmp_path}/starts; "
    command += '[ -n "$SLURM_RESTART_COUNT" ] || sleep 100'
    job_id = box.submit(script("--requeue", command=command))
    until = time.monotonic() + LIMIT_S
    while not (tmp_path / "starts").exists():
        assert time.monotonic() < until
        time.sleep(0.1)
    assert box.run("scontrol", "requeue", job_id).returncode == 0
    box.wait([job_id], LIMIT_S)
    assert box.state(job_id) == "COMPLETED"
    assert (tmp_path / "starts").read_text().splitlines() == ["start", "start 1"]


@pytest.mark.parametrize(
    ("directive", "words"),
    [
        ("--partition=nowhere", "Invalid partition name"),
        ("--partition=cpu --gres=gpu:1", "node configuration is not available"),
        ("--partition=gpu --gres=gpu:a100:5", "node configuration is not available"),
        ("--partition=gpu --gres=gpu:l40s:1", "node configuration is not available"),
        ("--partition=cpu --cpus-per-task=129", "node configuration is not available"),
        ("--partition=cpu --mem=2T", "node configuration is not available"),
        ("--partition=debug --time=2:00:00", "time limit is invalid"),
        ("--partition=debug --nodes=3", "Node count specification invalid"),
        ("--array=0-1001", "Invalid job array specification"),
        ("--constraint=h100", "Invalid feature specification"),
    ],
)
def test_what_the_cluster_has_not_is_refused_in_slurms_own_words(
    box: Box, directive: str, words: str
) -> None:
    asked = box.test_only(script(directive))
    assert not asked.accepted
    assert words in asked.message


def test_what_the_cluster_has_is_taken(box: Box) -> None:
    asked = box.test_only(script("-p gpu --gres=gpu:a100:4 -c 64 --mem=500G --time=7-0"))
    assert asked.accepted, asked.message
    assert "on nodes big01 in partition gpu" in asked.message


def test_habits_and_jobs_of_the_caller_stay_outside(
    box: Box, box_cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SBATCH_PARTITION", "nowhere")
    monkeypatch.setenv("SLURM_JOB_ID", "99")
    monkeypatch.setenv("SLURM_CONF", "/nowhere/slurm.conf")
    environ = boxes.environ(box.layout)
    assert environ["SLURM_CONF"] == str(box.layout.conf)
    assert not {"SBATCH_PARTITION", "SLURM_JOB_ID"} & set(environ)
    with Box(box_cluster) as other:  # and two run side by side
        job_id = done(other, script(command="echo $SLURM_JOB_ID $SLURM_JOB_PARTITION"))
        assert log(other, job_id).split() == [job_id, "cpu"]


@pytest.mark.usefixtures("need_slurm")
def test_a_job_still_running_at_the_end_is_ended_and_nothing_stays(box_cluster: Cluster) -> None:
    with pytest.raises(RuntimeError, match="stop here"), Box(box_cluster) as short:
        marker = f"sleep 98{os.getpid()}"
        job_id = short.submit(script(command=marker))
        until = time.monotonic() + LIMIT_S
        while short.state(job_id) != "RUNNING":
            assert time.monotonic() < until
            time.sleep(0.05)
        raise RuntimeError("stop here")
    assert not short.layout.folder.exists()
    assert processes_of(short.layout) == []


@pytest.mark.usefixtures("need_slurm")
def test_a_caller_that_is_killed_leaves_no_daemon() -> None:
    code = (
        "import sys, time; from pathlib import Path; from mlhpc import cluster\n"
        "from mlhpc.slurm.box import Box\n"
        "with Box(cluster.load(sys.argv[1])) as box:\n"
        "    print(box.layout.folder, flush=True); time.sleep(60)\n"
    )
    caller = subprocess.Popen(
        [sys.executable, "-c", code, str(BOX_FILE)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert caller.stdout is not None
    conf = Path(caller.stdout.readline().strip()) / "etc" / "slurm.conf"
    assert len(running_with(conf)) >= 9  # munged, slurmctld, 7 slurmd
    caller.send_signal(signal.SIGKILL)
    caller.wait()
    caller.stdout.close()
    until = time.monotonic() + 10
    while running_with(conf):
        assert time.monotonic() < until, running_with(conf)
        time.sleep(0.1)
    shutil.rmtree(conf.parent.parent)  # a process that is killed cannot tidy its folder


def processes_of(layout: settings.Layout) -> list[str]:
    return running_with(layout.conf)


def running_with(conf: Path) -> list[str]:
    """Programs of the Slurm with that configuration."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"SLURM_CONF={conf}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append((folder / "comm").read_text().strip())
        except OSError:
            continue
    return found


def test_an_incomplete_cluster_file_is_refused_with_what_it_lacks() -> None:
    with pytest.raises(InputError, match=r"does not say partition\.amd\.nodes.*\[node\.\*\]"):
        Box(cluster.load("sagehen"))


@pytest.mark.usefixtures("need_slurm")
def test_a_daemon_that_does_not_start_is_named_with_its_own_words(
    box_cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = settings.slurm_conf
    monkeypatch.setattr(
        settings, "slurm_conf", lambda *given: right(*given) + "SelectType=select/nothing\n"
    )
    broken = Box(box_cluster)
    with pytest.raises(ToolError, match=r"slurmctld: ended with exit code 1.*select/nothing"):
        broken.__enter__()
    assert not broken.layout.folder.exists()
    assert processes_of(broken.layout) == []


def test_where_slurm_is_not_installed_the_packages_are_named(
    monkeypatch: pytest.MonkeyPatch, box_cluster: Cluster
) -> None:
    monkeypatch.setattr(processes, "find", lambda _: None)
    with pytest.raises(ToolError, match=r"munged, slurmctld.* install the Debian packages"):
        Box(box_cluster).__enter__()


def test_a_job_whose_name_looks_like_fields_is_read_right() -> None:
    line = "JobId=7 JobName=a Reason=b c UserId=me(1) JobState=RUNNING Reason=None ExitCode=0:0"
    job = parse_jobs(line + " Restarts=2 NodeList=thin01 TRES=cpu=1,mem=1G ArrayTaskId=3\n")[0]
    assert (job.id, job.state, job.restarts, job.array_task) == ("7", "RUNNING", 2, "3")
    assert job.tres == "cpu=1,mem=1G"
