"""What building the lesson costs here, beside Sphinx with sphinx-gallery on the same content.

Run as a program it prints one line of JSON. Three things run in turn, ``repeats`` times: the bare
scripts in one plain process, Sphinx with the pydata theme, and this project's gallery and site.
CPU seconds are those of all processes of a build. What a build *adds* is all that it takes beyond
the scripts' own cells, less what the bare process takes beyond them (starting Python, importing
the libraries): scripts that time something differ from run to run by more than that. What the
cells took is given for each, so that a builder which slows them down is seen.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import corpus

from mlhpc.lesson.gallery import parse, run, sources
from mlhpc.lesson.gallery.project import Project


@dataclass(frozen=True)
class Cost:
    """One build, in seconds; ``cells_s`` is the CPU of the scripts' own cells."""

    wall_s: float
    cpu_s: float
    cells_s: float

    @property
    def beyond_s(self) -> float:
        """CPU beyond the scripts' own cells."""
        return self.cpu_s - self.cells_s


@dataclass(frozen=True)
class Builder:
    """Commands that build, the folder they run in, and what a cold build starts without."""

    folder: Path
    commands: tuple[tuple[str, ...], ...]
    made: tuple[str, ...] = ()

    def cold(self) -> Cost:
        """Build with nothing there."""
        for name in self.made:
            path = self.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        return self.again()

    def again(self) -> Cost:
        """Build with what is there."""
        cells = self.folder / "cells.txt"
        cells.unlink(missing_ok=True)
        begun, cpu_s = time.perf_counter(), 0.0
        for command in self.commands:
            cpu_s += _cpu_s(command, self.folder, cells)
        wall_s = time.perf_counter() - begun
        lines = cells.read_text().split() if cells.exists() else []
        return Cost(wall_s, cpu_s, sum(map(float, lines)))


def _cpu_s(command: tuple[str, ...], folder: Path, cells: Path) -> float:
    """Run a command; CPU seconds of it and of all that it started."""
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "NO_MKDOCS_2_WARNING": "1",
        "PYTHONPATH": f"{folder}/code{os.pathsep}{folder}/examples",
        "BENCH_CELLS": str(cells),
    }
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        tail = (folder / "log.txt").read_text(errors="replace")[-2000:]
        raise RuntimeError(f"{' '.join(command)} failed:\n{tail}")
    return usage.ru_utime + usage.ru_stime


def measure(repeats: int) -> dict[str, float | int]:
    """Medians over ``repeats`` rounds of what each build takes, and the ratios ours / theirs."""
    with tempfile.TemporaryDirectory() as place:
        bare, theirs, ours = _builders(Path(place))
        rounds = [_round(bare, theirs, ours) for _ in range(repeats)]
    return _summary(rounds) | {"repeats": repeats}


def _builders(place: Path) -> tuple[Builder, Builder, Builder]:
    python = sys.executable
    ours = Builder(
        place / "ours",
        ((python, "-m", "mlhpc", "gallery"), (python, "-m", "mlhpc.lesson.rebuild")),
        (".cache", "site", "episodes/gallery"),
    )
    corpus.make_ours(ours.folder)
    ours.cold()  # its pages are Sphinx's pages
    corpus.make_theirs(place / "theirs", ours.folder, _shared(ours.folder))
    theirs = Builder(
        place / "theirs",
        ((python, "-m", "sphinx", "-q", "source", "built"),),
        ("built", "source/gallery", "source/sg_execution_times.rst"),
    )
    bare = Builder(place / "theirs", ((python, "bare.py"),))
    return bare, theirs, ours


def _shared(folder: Path) -> list[str]:
    """What this project's gallery loads once: the others load it before the first script too."""
    project = Project.around(folder / "episodes")
    found = [sources.find(script, project) for script in parse.read_all(project)]
    return run.shared_modules(found)


def _round(bare: Builder, theirs: Builder, ours: Builder) -> dict[str, Cost]:
    costs = {"bare": bare.again()}
    for name, builder in (("theirs", theirs), ("ours", ours)):
        costs[name] = builder.cold()
        costs[f"{name}_unchanged"] = builder.again()
    for name, cost in costs.items():
        print(f"  {name:17} {cost.wall_s:6.1f} s  CPU {cost.cpu_s:6.1f} s", file=sys.stderr)
    return costs


def _summary(rounds: list[dict[str, Cost]]) -> dict[str, float | int]:
    def middle(name: str, what: str) -> float:
        return statistics.median(getattr(costs[name], what) for costs in rounds)

    added = {name: middle(name, "beyond_s") - middle("bare", "beyond_s") for name in SIDES}
    found = {f"{name}_added_cpu_s": seconds for name, seconds in added.items()}
    for name in ("bare", *SIDES):
        found[f"{name}_cells_cpu_s"] = middle(name, "cells_s")
        found[f"{name}_cpu_s"] = middle(name, "cpu_s")
        found[f"{name}_wall_s"] = middle(name, "wall_s")
    for name in SIDES:
        found[f"{name}_unchanged_cpu_s"] = middle(f"{name}_unchanged", "cpu_s")
    ratios = {
        "added_cpu_ratio": added["ours"] / added["theirs"],
        # the same from totals alone, the scripts' own scatter included
        "added_total_ratio": (found["ours_cpu_s"] - found["bare_cpu_s"])
        / (found["theirs_cpu_s"] - found["bare_cpu_s"]),
        "total_cpu_ratio": found["ours_cpu_s"] / found["theirs_cpu_s"],
        "wall_ratio": found["ours_wall_s"] / found["theirs_wall_s"],
        "unchanged_ratio": found["ours_unchanged_cpu_s"] / found["theirs_unchanged_cpu_s"],
    }
    return {name: round(value, 3) for name, value in (ratios | found).items()}


SIDES = ("ours", "theirs")


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5)))
