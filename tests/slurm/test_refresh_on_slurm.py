"""Refreshing on a real Slurm: the whole path, its refusals, and going on after any end."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mlhpc import record
from mlhpc.slurm.box import Box

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 120
# a program that takes no libraries: the path is what is tested here
PROGRAM = """
import json, os, pathlib, sys, time
mode = pathlib.Path(__file__).with_name("mode").read_text().strip()
count = pathlib.Path(__file__).with_name("count")
with count.open("a") as stream:
    stream.write("x")
if mode == "fail":
    sys.exit("the data are missing")
if mode == "slow":
    time.sleep(600)
if mode == "short":
    time.sleep(3)
samples = [float(mode)] * 3 if mode.isdigit() else [100.0, 101.0, 102.0]
device = {"type": "cpu", "name": None, "count": 0}
time.sleep(0.05)
print(json.dumps({"kind": "result", "benchmark": "tiny", "params": {"n": 1}, "unit": "x/s",
                  "samples": samples, "seconds": [0.01] * 3, "device": device, "settled": True}))
"""
CATALOGUE = """
title = "Tiny"
about = "A program of the tests."
program = "tiny.py"
packages = []
device = "any"
benchmarks = ["tiny"]
[job]
cpus = 1
memory_gib = 1
time_limit_h = 1
[preset.smoke]
cpu = []
[preset.lesson]
cpu = []
[preset.publish]
cpu = []
"""


class Operator:
    """Somebody on the login node, with a checkout of a small lesson."""

    def __init__(self, box: Box, folder: Path) -> None:
        self.box, self.root, self.state = box, folder / "checkout", folder / "state"
        self.job = self.root / "code" / "jobs" / "tiny"
        self.job.mkdir(parents=True)
        (self.job / "tiny.py").write_text(PROGRAM)
        (self.job / "bench.toml").write_text(CATALOGUE)
        (self.root / "code" / "examples").mkdir()
        (self.root / "episodes").mkdir()
        (self.root / "episodes" / "claims.toml").write_text("schema = 1\n")
        (self.root / ".gitignore").write_text("mode\ncount\n")
        self.mode("good")
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "A lesson")

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=operator", "-c", "user.email=operator@example.org"]
        done = subprocess.run(
            ["git", "-C", str(self.root), *who, *words], capture_output=True, text=True, check=True
        )
        return done.stdout

    def mode(self, word: str) -> None:
        (self.job / "mode").write_text(word)

    @property
    def runs(self) -> int:
        """How often the program was started."""
        count = self.job / "count"
        return len(count.read_text()) if count.exists() else 0

    def command(self, *options: str) -> list[str]:
        where = ["--cluster", self.box.cluster.origin, "--lesson", str(self.root / "episodes")]
        more = ["--state", str(self.state), "--poll", "0.2"]
        return [sys.executable, "-m", "mlhpc", "refresh", *where, *more, "--json", *options]

    @property
    def environ(self) -> dict[str, str]:
        identity = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "operator"), ("EMAIL", "operator@example.org"))
        }
        return {**self.box.environ, **identity}

    def refresh(self, *options: str) -> tuple[int, dict, str]:
        """(exit code, document, what was said)."""
        done = subprocess.run(
            self.command(*options), env=self.environ, capture_output=True, text=True,
            timeout=WAIT_S, check=False,
        )  # fmt: skip
        return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr

    def start(self, *options: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            self.command(*options), env=self.environ, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def published(self, branch: str) -> list[str]:
        """The files that a branch has and main has not."""
        return self.git("diff", "--name-only", "main", branch).split()

    def is_running(self) -> bool:
        """Whether a process of the program or of its job is there."""
        found = subprocess.run(["pgrep", "-f", str(self.job / "tiny.py")], check=False)
        jobs = subprocess.run(["pgrep", "-f", "bench run tiny"], check=False)
        return found.returncode == 0 or jobs.returncode == 0

    def task(self) -> dict:
        """The only task, as the state has it."""
        (found,) = json.loads((self.state / "state.json").read_text())["tasks"].values()
        return found


@pytest.fixture
def operator(box: Box, tmp_path: Path) -> Operator:
    return Operator(box, tmp_path)


def until(what: Callable[[], object], limit_s: float = 60) -> None:
    end = time.monotonic() + limit_s
    while not what():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)


def test_a_refresh_on_cpus_ends_as_a_branch_and_is_not_done_again(operator: Operator) -> None:
    code, found, said = operator.refresh("tiny", "--device", "cpu")
    assert code == 0, said
    (task,) = found["tasks"]
    assert (task["state"], task["outcome"], found["records"]) == ("COMPLETED", "accepted", 1)
    (path,) = operator.published(found["branch"])
    assert path.startswith("episodes/measurements/tiny-")
    operator.git("merge", "--quiet", found["branch"])
    kept = record.load_all(operator.root / "episodes" / "measurements")
    assert [one.samples for one in kept] == [(100.0, 101.0, 102.0)]
    assert kept[0].provenance["cluster"] == "box"
    assert kept[0].provenance["partition"] == "cpu"
    assert kept[0].provenance["node"] >= 1
    assert kept[0].provenance["dirty"] is False
    assert operator.git("status", "--porcelain") == ""
    assert "mlhpc-refresh" not in operator.git("worktree", "list")

    code, found, said = operator.refresh("tiny", "--device", "cpu", "--state",
                                         str(operator.state) + "-2")  # fmt: skip
    assert (code, found["tasks"]) == (0, [])
    assert "tiny-cpu: current, nothing to do" in said
    assert operator.runs == 1


def test_gpus_that_are_not_there_are_refused_each(operator: Operator) -> None:
    code, found, said = operator.refresh("tiny", "--device", "a100", "--device", "l40s")
    assert code == 1
    assert set(found["refused"]) == {"tiny-a100", "tiny-l40s"}
    for why in found["refused"].values():
        assert "its job ended as FAILED" in why
        assert "SLURM_JOB_GPUS" in why
    assert found["branch"] is None
    assert "refused" in said
    assert operator.runs == 0


def test_a_program_that_falls_back_to_the_cpu_is_refused(
    operator: Operator, tmp_path: Path
) -> None:
    # an nvidia-smi that shows a GPU; the program then says that it worked on the CPU
    tool = tmp_path / "bin" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text(
        '#!/bin/sh\ncase "$*" in *index,name*) '
        'echo "0, NVIDIA A100 80GB PCIe, GPU-1, 81920, 550.54, Disabled";; esac\n'
    )
    tool.chmod(0o755)
    environ = operator.environ
    environ["PATH"] = f"{tool.parent}:{environ['PATH']}"
    done = subprocess.run(
        operator.command("tiny", "--device", "a100"), env=environ, capture_output=True, text=True,
        timeout=WAIT_S, check=False,
    )  # fmt: skip
    why = json.loads(done.stdout)["refused"]["tiny-a100"]
    assert "it asked for a GPU and ran on the CPU" in why, done.stderr
    assert operator.runs == 1


def test_a_job_that_fails_says_why_and_is_tried_again_only_when_asked(operator: Operator) -> None:
    operator.mode("fail")
    code, found, _ = operator.refresh("tiny", "--device", "cpu")
    assert code == 1
    assert found["refused"]["tiny-cpu"].endswith("it said: the data are missing")
    operator.mode("good")
    assert operator.refresh("tiny", "--device", "cpu")[0] == 1
    assert operator.runs == 1
    code, found, said = operator.refresh("tiny", "--device", "cpu", "--retry")
    assert (code, found["records"]) == (0, 1), said
    assert operator.runs == 2


@pytest.mark.parametrize(
    ("end", "state"),
    [
        (["scancel"], "CANCELLED"),
        (["scontrol", "update", "TimeLimit=0:01"], "TIMEOUT"),
    ],
)
def test_a_job_that_is_cut_short_is_refused_by_its_state(
    operator: Operator, end: list[str], state: str
) -> None:
    operator.mode("slow")
    running = operator.start("tiny", "--device", "cpu")
    until(lambda: operator.runs == 1)
    job = operator.task()["job"]
    if state == "TIMEOUT":
        # Slurm looks at limits once in half a minute: give this job one that is over
        operator.box.run("scontrol", "update", f"JobId={job}", "TimeLimit=1", check=True)
    else:
        operator.box.run(*end, job, check=True)
    # a limit is looked at twice a minute, and a job has half a minute more to end
    out, said = running.communicate(timeout=2 * WAIT_S)
    assert running.returncode == 1, said
    assert f"its job ended as {state}" in json.loads(out)["refused"]["tiny-cpu"]


def test_a_job_that_is_requeued_is_waited_for(operator: Operator) -> None:
    operator.mode("slow")
    running = operator.start("tiny", "--device", "cpu")
    until(lambda: operator.runs == 1)
    operator.mode("good")
    operator.box.run("scontrol", "requeue", operator.task()["job"], check=True)
    release = ["scontrol", "update", f"JobId={operator.task()['job']}", "StartTime=now"]

    def is_pending() -> bool:
        return "PENDING" in operator.box.state(operator.task()["job"])

    until(is_pending)
    until(lambda: not operator.is_running())
    time.sleep(2)  # Slurm itself waits two minutes for the node to be rid of the first run
    operator.box.run(*release, check=True)
    out, said = running.communicate(timeout=WAIT_S + 120)
    assert running.returncode == 0, said
    assert json.loads(out)["records"] == 1
    assert operator.runs == 2


@pytest.mark.parametrize("after_s", [0.05, 0.3, 0.6, 0.9, 1.3, 1.8, 2.5, 4.0])
def test_killed_at_any_point_and_started_again_it_does_nothing_twice(
    operator: Operator, after_s: float
) -> None:
    operator.mode("short")
    running = operator.start("tiny", "--device", "cpu")
    time.sleep(after_s)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    code, found, said = operator.refresh("tiny", "--device", "cpu")
    assert code == 0, said
    assert found["records"] == 1
    assert operator.runs == 1
    assert len(operator.published(found["branch"])) == 1


def test_killed_between_the_submission_and_its_note_the_job_is_found_again(
    operator: Operator,
) -> None:
    assert operator.refresh("tiny", "--device", "cpu")[0] == 0
    path = operator.state / "state.json"
    document = json.loads(path.read_text())
    task = document["tasks"]["tiny-cpu"]
    first = task["job"]
    task.update(job=None, state="", outcome="")
    path.write_text(json.dumps(document))
    (operator.state / "results" / "tiny-cpu.json").rename(operator.state / "aside.json")
    _, found, said = operator.refresh("tiny", "--device", "cpu")
    assert found["tasks"][0]["job"] == first
    assert "was submitted before" in said
    assert operator.runs == 1


def test_a_jump_is_refused_until_somebody_says_why(operator: Operator) -> None:
    assert operator.refresh("tiny", "--device", "cpu")[0] == 0
    operator.git("merge", "--quiet", operator.refresh("tiny", "--device", "cpu")[1]["branch"])
    operator.mode("200")
    again = ["tiny", "--device", "cpu", "--max-age-days", "1", "--state", f"{operator.state}-2"]
    (operator.job / "tiny.py").write_text(PROGRAM + "\n")
    operator.git("commit", "--quiet", "--all", "--message", "Another program")
    code, found, _ = operator.refresh(*again)
    assert code == 1
    assert "was 101 on" in found["refused"]["tiny-cpu"]
    assert "is 200 x/s" in found["refused"]["tiny-cpu"]
    code, found, said = operator.refresh(*again, "--accept", "a faster program")
    assert code == 0, said
    assert operator.runs == 2
    operator.git("merge", "--quiet", found["branch"])
    kept = record.load_all(operator.root / "episodes" / "measurements")
    assert kept[-1].notes[-1].startswith("accepted: a faster program (tiny (n=1) on box")


def test_a_checkout_with_changes_submits_nothing(operator: Operator) -> None:
    (operator.root / "notes.txt").write_text("not committed")
    code, _, said = operator.refresh("tiny", "--device", "cpu")
    assert code == 2
    assert "the checkout has changes that no commit has" in said
    assert operator.runs == 0
    code, found, said = operator.refresh("tiny", "--device", "cpu", "--allow-dirty")
    assert code == 0, said
    assert found["records"] == 1


def test_what_cannot_be_is_refused_in_one_line(operator: Operator) -> None:
    for options, message in (
        (["tiny", "--device", "h100"], "device 'h100' is unknown; valid: cpu, a100, l40s"),
        (["tinny"], "there is no program 'tinny'; valid: tiny"),
        (["--poll", "never"], "--poll 'never': seconds"),
        (["--max-age-days", "-1"], "--max-age-days '-1': a whole number from 1"),
        (["tiny", "--state", "/tmp/a b"], "letters, digits and / . _ - + only"),
    ):
        code, _, said = operator.refresh(*options)
        assert code == 2, said
        assert message in said
        assert "Traceback" not in said
    assert operator.runs == 0


def test_another_commit_wants_another_folder(operator: Operator) -> None:
    assert operator.refresh("tiny", "--device", "cpu")[0] == 0
    operator.git("commit", "--quiet", "--allow-empty", "--message", "More")
    code, _, said = operator.refresh("tiny", "--device", "cpu")
    assert code == 2
    assert "was begun with commit" in said


def test_where_slurm_does_not_answer_the_command_says_so(
    operator: Operator, tmp_path: Path
) -> None:
    conf = tmp_path / "slurm.conf"
    conf.write_text("this is no configuration\n")
    environ = {**operator.environ, "SLURM_CONF": str(conf)}
    done = subprocess.run(
        operator.command("tiny", "--device", "cpu"), env=environ, capture_output=True, text=True,
        timeout=WAIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith("mlhpc: sbatch: ")
    assert "Traceback" not in done.stderr
