"""Looks at the GPUs while a program runs: do they slow down, does somebody else use them?"""

import re
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from mlhpc.bench import processes
from mlhpc.detect.seam import Run, run_command

EVERY_S = 2.0
LIMIT_S = 10.0
LOOK_S = 0.5
# what nvidia-smi calls a clock that was taken back for power or heat; older drivers say 'throttle'
REASONS = {
    "hw_slowdown": "the hardware slowed the GPU down",
    "hw_thermal_slowdown": "the GPU slowed down for heat",
    "sw_thermal_slowdown": "the driver slowed the GPU down for heat",
    "hw_power_brake_slowdown": "the machine's power supply slowed the GPU down",
}
WORDS = ("clocks_event_reasons", "clocks_throttle_reasons")
SOMEBODY = "another process used the GPU"
CANNOT_TELL = "nvidia-smi does not say whether the GPU slowed down"


@dataclass
class Watch:
    """A ``with`` block around a program; afterwards ``notes`` say what was seen."""

    uuids: tuple[str, ...]
    pid: int | None = None  # the program's, once it runs
    run: Run = run_command
    notes: set[str] = field(default_factory=set)

    def __enter__(self) -> "Watch":
        """Who is on the GPU before the program starts?"""
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        if self.uuids:
            self._words = _words(self.run)
            if self._words is None:
                self.notes.add(CANNOT_TELL)
            self._note_others()
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop looking."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join(LIMIT_S)

    def _look_on(self) -> None:
        while not self._end.wait(EVERY_S):
            self._note_others()
            if self._words is not None:
                self.notes |= slowdowns(self.run, self._words, self.uuids)

    def _note_others(self) -> None:
        seen = {pid for uuid, pid in computing(self.run) if uuid in self.uuids}
        own = {self.pid, *processes.descendants(self.pid)} if self.pid else set()
        # in a container the numbers are other ones: where our own is not seen, none can be told
        if seen - own and (self.pid is None or seen & own):
            self.notes.add(SOMEBODY)


def busy_cores(stat: Path = Path("/proc/stat"), for_s: float = LOOK_S) -> float | None:
    """How many cores are at work now, seen for a moment; None where the system does not say."""
    before = _ticks(stat)
    time.sleep(for_s)
    after = _ticks(stat)
    if before is None or after is None or after[1] <= before[1]:
        return None
    cores = after[2]
    idle = (after[0] - before[0]) / (after[1] - before[1])
    return cores * (1 - idle)


def _ticks(stat: Path) -> tuple[int, int, int] | None:
    """(idle ticks, all ticks, cores) of /proc/stat; see proc(5)."""
    try:
        lines = stat.read_text(encoding="ascii").splitlines()
        ticks = [int(cell) for cell in lines[0].split()[1:9]]  # guests are in 'user' already
        idle = ticks[3] + ticks[4]
    except (OSError, ValueError, IndexError):
        return None
    cores = sum(re.match(r"cpu[0-9]", line) is not None for line in lines)
    return idle, sum(ticks), cores


def computing(run: Run) -> list[tuple[str, int]]:
    """(uuid of the GPU, process) of everything that computes on a GPU of this machine."""
    rows = _query(run, ["nvidia-smi", "--query-compute-apps=gpu_uuid,pid"])
    return [(row[0], int(row[1])) for row in rows if len(row) == 2 and row[1].isdigit()]


def slowdowns(run: Run, words: str, uuids: Iterable[str]) -> set[str]:
    """Why any of the GPUs runs slower now than it could."""
    fields = ",".join(["uuid", *(f"{words}.{name}" for name in REASONS)])
    found = set()
    for row in _query(run, ["nvidia-smi", f"--query-gpu={fields}"]):
        if row[0] in set(uuids):
            pairs = zip(REASONS.values(), row[1:], strict=False)
            found |= {text for text, cell in pairs if cell == "Active"}
    return found


def power_limit_w(run: Run, uuid: str) -> float | None:
    """The power that a GPU may draw, in W; None where nvidia-smi does not say."""
    for row in _query(run, ["nvidia-smi", "--query-gpu=uuid,power.limit"]):
        if row[0] == uuid:
            try:
                return float(row[1])
            except (IndexError, ValueError):
                return None
    return None


def _words(run: Run) -> str | None:
    """The name under which this driver gives the reasons; None where it gives none."""
    for words in WORDS:
        command = ["nvidia-smi", f"--query-gpu={words}.hw_slowdown", "--format=csv,noheader"]
        outcome = run(command, LIMIT_S)
        if not outcome.missing and "ctive" in outcome.out:
            return words
    return None


def _query(run: Run, command: list[str]) -> list[list[str]]:
    outcome = run([*command, "--format=csv,noheader,nounits"], LIMIT_S)
    return [[cell.strip() for cell in line.split(",")] for line in outcome.out.splitlines() if line]
