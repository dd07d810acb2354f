"""Programs that run beside this one and must not outlive it. Linux only, as Slurm is."""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from mlhpc.errors import ToolError

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PR_SET_PDEATHSIG = 1  # of prctl(2)


def find(program: str) -> str | None:
    """The path of a program, looked for where daemons stand too (ordinary users' PATH leaves
    /usr/sbin out)."""
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}")


def start(command: list[str], environ: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    """Start a program that gets SIGTERM when this process ends, however it ends."""
    with log.open("ab") as file:
        return subprocess.Popen(
            command,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for us: we stop them in order
            # safe: it only makes one system call
            preexec_fn=_die_with_parent,  # noqa: PLW1509
        )


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def wait_until(
    done: Callable[[], bool], watched: Iterable[subprocess.Popen[bytes]], limit_s: float, what: str
) -> None:
    """Wait for ``done()``. Raises ToolError when the time is over or a watched program ended."""
    until = time.monotonic() + limit_s
    while not done():
        ended = [process for process in watched if process.poll() is not None]
        if ended:
            raise ToolError(f"{_name(ended[0])}: ended with exit code {ended[0].returncode}")
        if time.monotonic() > until:
            raise ToolError(f"{what}: not after {limit_s:g} s")
        time.sleep(0.02)


def stop(processes: Iterable[subprocess.Popen[bytes]], limit_s: float = 5) -> None:
    """End programs: first asked, then killed."""
    running = [process for process in processes if process.poll() is None]
    for process in running:
        process.terminate()
    until = time.monotonic() + limit_s
    for process in running:
        try:
            process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def kill_all_with(variable: str, value: str) -> int:
    """Kill every process that has this variable in its environment; return how many."""
    wanted = f"{variable}={value}".encode()
    killed = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "environ").read_bytes().split(b"\0")
            if int(folder.name) != os.getpid() and wanted in words:
                os.kill(int(folder.name), signal.SIGKILL)
                killed += 1
        except OSError:  # it ended, or it belongs to somebody else
            continue
    return killed


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nobody listens at, all different."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def answers(port: int) -> bool:
    """Whether something listens at a port of this machine."""
    with socket.socket() as probe:
        probe.settimeout(0.2)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _name(process: subprocess.Popen[bytes]) -> str:
    words = process.args
    return Path(str(words[0] if isinstance(words, list) else words)).name
