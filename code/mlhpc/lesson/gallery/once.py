"""One example run some times, its named values printed as results of a benchmark.

``python -m mlhpc.lesson.gallery.once SCRIPT --device cuda`` runs the file that the site's build
runs, on the device that was asked for: so that both results can stand side by side.
"""

import argparse
import math
import os
import sys
from pathlib import Path
from typing import Any

from mlhpc import content
from mlhpc.bench.catalogue import example_name
from mlhpc.errors import ToolError
from mlhpc.train import program, report
from mlhpc.train.device import CPU, Device

REPEATS = 3


def main() -> None:
    """Run the example, and print each of its numbers once, with a sample a repetition."""
    parser = argparse.ArgumentParser(prog="mlhpc.lesson.gallery.once")
    parser.add_argument("script", type=Path)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    options = parser.parse_args()
    if options.device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    outcomes = [run(options.script) for _ in range(REPEATS)]
    device = device_of(outcomes, options.device)
    seconds = [one.seconds for one in outcomes]
    for name, samples, unit in numbers(outcomes):
        benchmark = example_name(options.script.stem)
        report.result(benchmark, {"value": name}, unit, samples, seconds=seconds, device=device)


def run(script: Path) -> Any:
    """One outcome of the example. Raises ToolError where it fails."""
    from mlhpc.lesson.gallery import parse, run, sources
    from mlhpc.lesson.gallery.outcome import Failure
    from mlhpc.lesson.gallery.project import Project

    project = Project.around(content.find().root)
    read = next(one for one in parse.read_all(project) if one.path.name == script.name)
    results: list[Any] = []
    run.run_all([run.Task(read, sources.find(read, project), "")], project, 1, results.append)
    if isinstance(results[0], Failure):
        raise ToolError(f"{script.name}: {results[0].message}")
    return results[0]


def device_of(outcomes: list[Any], wanted: str) -> Device:
    """The device of all runs. Raises ToolError where a GPU was wanted and not used."""
    used = {one.machine["gpu_used"] for one in outcomes}
    if wanted == "cpu":
        return CPU
    if None in used or len(used) != 1:
        raise ToolError("device: cuda was asked for, and the example used no GPU of its own")
    return Device("cuda", used.pop(), 1)


def numbers(outcomes: list[Any]) -> list[tuple[str, list[float], str]]:
    """(name, samples, unit) of each value that is a number above 0 in every run."""
    found = []
    for name, (first, unit) in outcomes[0].values.items():
        samples = [one.values.get(name, ("", ""))[0] for one in outcomes]
        if isinstance(first, str) or not all(_is_positive(value) for value in samples):
            continue
        found.append((name, [float(value) for value in samples], unit or "count"))
    return found


def _is_positive(value: object) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value) and value > 0


if __name__ == "__main__":
    sys.exit(program.run(main))
