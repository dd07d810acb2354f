"""A private Slurm in the shape of a cluster file: real daemons, on this machine alone.

>>> with Box(cluster.load("tests/slurm/box.toml")) as box:       # doctest: +SKIP
...     box.test_only("#!/bin/bash\\n#SBATCH --partition=nowhere\\n").accepted
False

It takes what a real one takes and refuses what a real one refuses; jobs run. Nodes only pose as
large: all of them are this machine. Nothing listens at an address other than this machine's own,
and nothing is left behind.
"""

import getpass
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from mlhpc.cluster import Cluster
from mlhpc.errors import ToolError
from mlhpc.slurm import processes, settings
from mlhpc.slurm.jobs import ENDED, Job, parse_jobs

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sinfo", "scancel")
PACKAGES = "slurm-wlm slurmctld slurmd slurm-client munge"
START_LIMIT_S = 30
# what a caller inside a job of another Slurm, or with habits of its own, would bring along
FOREIGN = ("SLURM", "SBATCH", "SALLOC", "SRUN", "SQUEUE", "SINFO", "SCANCEL", "PMI", "CUDA_VISIBLE")


def available() -> str | None:
    """None where a box can be started here, else what is missing, in one line."""
    missing = [program for program in PROGRAMS if processes.find(program) is None]
    if not missing:
        return None
    return f"{', '.join(missing)} not found: install the Debian packages {PACKAGES}"


@dataclass(frozen=True)
class TestOnly:
    """What ``sbatch --test-only`` said: whether Slurm would take the job, and its words."""

    __test__ = False  # no test of pytest's, in spite of its name

    accepted: bool
    message: str


class Box:
    """A running private Slurm, for as long as the ``with`` block lasts."""

    def __init__(self, cluster: Cluster, folder: Path | None = None) -> None:
        """``folder`` must be short (a socket's path is at most 107 bytes) and may not exist yet.

        Raises InputError where the cluster file does not say all that Slurm must know.
        """
        settings.require_complete(cluster)
        self.cluster = cluster
        self._given = folder
        self._daemons: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Box":
        """Start everything. Raises ToolError where a program is missing or does not start."""
        missing = available()
        if missing:
            raise ToolError(f"slurm: {missing}")
        self.layout = _layout(self.cluster, self._given)
        self.environ = environ(self.layout)
        try:
            _write_files(self.cluster, self.layout)
            self._start()
        except ToolError as error:
            words = self._last_words()
            self._stop()
            raise ToolError(f"{error}{words}") from None
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the jobs and the daemons; remove the folder."""
        self._stop()

    @property
    def folder(self) -> Path:
        """Where commands run and jobs write their logs."""
        return self.layout.folder / "work"

    def run(
        self, *command: str, text: str | None = None, check: bool = False, timeout_s: float = 60
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of Slurm's (or any other) against this Slurm, ``text`` as its input."""
        program = processes.find(command[0])
        if program is None:
            raise ToolError(f"{command[0]} not found")
        return subprocess.run(
            [program, *command[1:]],
            env=self.environ,
            cwd=self.folder,
            input=text or "",
            capture_output=True,
            text=True,
            check=check,
            timeout=timeout_s,
        )

    def test_only(self, script: str, *options: str) -> TestOnly:
        """Ask whether Slurm would take a script; nothing is submitted."""
        done = self.run("sbatch", "--test-only", *options, text=script)
        return TestOnly(done.returncode == 0, done.stderr.strip())

    def submit(self, script: str, *options: str) -> str:
        """Submit a script; return the job's id. Raises ToolError with Slurm's words."""
        done = self.run("sbatch", "--parsable", *options, text=script)
        if done.returncode != 0:
            raise ToolError(f"sbatch: {done.stderr.strip()}")
        return done.stdout.strip().split(";")[0]

    def jobs(self, job_id: str) -> list[Job]:
        """The job; for an array, each of its tasks. Raises ToolError for an unknown id."""
        done = self.run("scontrol", "-o", "show", "job", job_id)
        if done.returncode != 0:
            raise ToolError(f"scontrol: job {job_id}: {done.stderr.strip()}")
        return parse_jobs(done.stdout)

    def state(self, job_id: str) -> str:
        """The job's state in Slurm's word, such as COMPLETED; an array's states, joined by '+'."""
        return "+".join(sorted({job.state for job in self.jobs(job_id)}))

    def wait(self, job_ids: Iterable[str], timeout_s: float) -> None:
        """Wait until all have ended, well or not. Raises ToolError when the time is over."""
        until = time.monotonic() + timeout_s
        for job_id in job_ids:
            while not all(job.state in ENDED for job in self.jobs(job_id)):
                if time.monotonic() > until:
                    raise ToolError(f"job {job_id}: {self.state(job_id)} after {timeout_s:g} s")
                time.sleep(0.1)

    def _start(self) -> None:
        layout = self.layout
        self._daemon("munged", "--foreground", *_munge_options(layout))
        self._until(layout.socket.exists, "munged")
        self._daemon("slurmctld", "-D", "-f", str(layout.conf))
        self._until(lambda: processes.answers(layout.controller_port), "slurmctld")
        for name in layout.node_ports:
            self._daemon("slurmd", "-D", "-N", name, "-f", str(layout.conf))
        self._until(self._all_idle, "all nodes idle")

    def _daemon(self, program: str, *options: str) -> None:
        log = self.layout.folder / "log" / f"{program}.out"
        path = processes.find(program) or program
        self._daemons.append(processes.start([path, *options], self.environ, log))

    def _until(self, done: Callable[[], bool], what: str) -> None:
        processes.wait_until(done, self._daemons, START_LIMIT_S, what)

    def _all_idle(self) -> bool:
        done = self.run("sinfo", "-h", "-N", "-o", "%N %T")
        states = dict(line.split() for line in done.stdout.splitlines())
        return set(states) == set(self.layout.node_ports) and set(states.values()) == {"idle"}

    def _last_words(self) -> str:
        logs = sorted((self.layout.folder / "log").glob("*"))
        found = [line for log in logs for line in log.read_text(errors="replace").splitlines()]
        errors = [line for line in found if "error" in line.lower() or "fatal" in line.lower()]
        return f": {errors[-1].strip()}" if errors else ""

    def _stop(self) -> None:
        if processes.answers(self.layout.controller_port):
            # a controller that answers nothing must not keep us
            self.run("timeout", "5", "scancel", "--user", self.layout.user)
        processes.stop(reversed(self._daemons))
        processes.kill_all_with("SLURM_CONF", str(self.layout.conf))
        self._daemons.clear()
        shutil.rmtree(self.layout.folder, ignore_errors=True)


def environ(layout: settings.Layout) -> dict[str, str]:
    """The environment of everything in a box: the caller's, without what speaks of Slurm."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    person = pwd.getpwuid(os.getuid())
    kept |= {"USER": person.pw_name, "LOGNAME": person.pw_name, "HOME": person.pw_dir}
    return {**kept, "SLURM_CONF": str(layout.conf)}


def _layout(cluster: Cluster, folder: Path | None) -> settings.Layout:
    names = settings.node_names(cluster)
    ports = processes.free_ports(len(names) + 1)
    folder = folder or Path(tempfile.mkdtemp(prefix="box-"))
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)  # munged wants its socket to be within everybody's reach
    return settings.Layout(
        folder=folder,
        host=socket.gethostname().split(".")[0],
        user=getpass.getuser() if os.getuid() else "root",
        controller_port=ports[0],
        node_ports=dict(zip(names, ports[1:], strict=True)),
    )


def _write_files(cluster: Cluster, layout: settings.Layout) -> None:
    for name in ("etc", "munge", "dev", "run", "log", "state", "spool", "work"):
        (layout.folder / name).mkdir(mode=0o755)
    (layout.folder / "munge" / "munge.key").write_bytes(secrets.token_bytes(1024))
    (layout.folder / "munge" / "munge.key").chmod(0o600)
    for index in range(settings.gpus_in_largest_node(cluster)):
        (layout.folder / "dev" / f"nvidia{index}").symlink_to("/dev/null")
    layout.conf.write_text(settings.slurm_conf(cluster, layout))
    (layout.folder / "etc" / "gres.conf").write_text(settings.gres_conf(cluster, layout))
    (layout.folder / "etc" / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    (layout.folder / "etc" / "plugstack.conf").write_text("")


def _munge_options(layout: settings.Layout) -> Iterable[str]:
    folder = layout.folder / "munge"
    options: Mapping[str, str] = {
        "--key-file": f"{folder}/munge.key",
        "--socket": str(layout.socket),
        "--pid-file": f"{folder}/munged.pid",
        "--log-file": f"{folder}/munged.log",
        "--seed-file": f"{folder}/munged.seed",
        "--num-threads": "2",
    }
    return [f"{name}={value}" for name, value in options.items()]
