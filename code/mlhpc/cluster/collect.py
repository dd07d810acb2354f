"""Asking the cluster, or reading what somebody saved of its answers."""

import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mlhpc.cluster import scontrol, sinfo
from mlhpc.cluster.live import Live, merge
from mlhpc.errors import InputError, ToolError

TIME_LIMIT_S = 60

Run = Callable[[Sequence[str]], str]

# later ones say more of the same thing, and win
READERS: dict[str, tuple[list[str], Callable[[str, str], Live]]] = {
    "sinfo": (["sinfo", "-a", "-e", "-o", sinfo.FORMAT], sinfo.parse),
    "partitions": (["scontrol", "-a", "show", "partition"], scontrol.parse_partitions),
    "nodes": (["scontrol", "-a", "show", "node"], scontrol.parse_nodes),
    "config": (["scontrol", "show", "config"], scontrol.parse_config),
}


def from_files(files: Mapping[str, Path]) -> Live:
    """The cluster from saved outputs, by the names in READERS. Raises InputError."""
    live = Live()
    for name, (command, parse) in READERS.items():
        if name in files:
            answer = parse(_text(files[name]), str(files[name]))
            live = merge(live, replace(answer, sources=(_named(command),)))
    return live


def from_tools(run: Run | None = None) -> Live:
    """The cluster as it answers now. Raises ToolError where a program is missing or fails."""
    live = Live()
    for command, parse in READERS.values():
        live = merge(live, parse((run or run_tool)(command), _named(command)))
    return live


def _named(command: Sequence[str]) -> str:
    """'scontrol show node' of the whole command: what a fact names as its source."""
    return " ".join(re.findall(r"^sinfo|scontrol|show \w+", " ".join(command)))


def run_tool(command: Sequence[str]) -> str:
    """What the program prints. Raises ToolError with its own last words where it fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIME_LIMIT_S, check=False
        )
    except FileNotFoundError:
        raise ToolError(
            f"{command[0]} is not here: run this on a login node of the cluster, "
            "or give saved output with --sinfo, --partitions, --nodes"
        ) from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"{command[0]}: {_reason(error)}") from None
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or [f"it ended with exit code {done.returncode}"]
        raise ToolError(f"{command[0]}: {words[-1]}")
    return done.stdout


def _reason(error: OSError | subprocess.TimeoutExpired) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"no answer within {TIME_LIMIT_S} s"
    return str(error.strerror)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"{path}: cannot be read: {reason}") from None
