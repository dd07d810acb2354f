"""What programs there are: ``code/jobs/*/bench.toml``, and the examples that use torch.

A file says what the program is, which packages it needs, what a job for it asks for, and, by
preset, the arguments that it is launched with on a CPU and on a GPU.
"""

import ast
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlhpc import content
from mlhpc.errors import InputError

PRESETS = ("smoke", "lesson", "publish")
DEVICES = ("any", "cpu")
FILE = "bench.toml"
EXAMPLE = "example-"
# what runs one example and prints its values as results
EXAMPLE_RUNNER = "mlhpc.lesson.gallery.once"
FIELDS = {"title": str, "about": str, "program": str, "packages": list, "device": str,
          "benchmarks": list, "job": dict, "preset": dict}  # fmt: skip
OPTIONAL = {"launcher": str, "processes": int}
JOB = {"cpus": int, "memory_gib": int, "time_limit_h": int}


@dataclass(frozen=True)
class Request:
    """What a job for a program asks for."""

    cpus: int
    memory_gib: int
    time_limit_h: float


@dataclass(frozen=True)
class Program:
    """One program. ``device`` is 'cpu' where a GPU is of no use to it, else 'any'."""

    name: str
    title: str
    about: str
    path: Path
    packages: tuple[str, ...]
    device: str
    benchmarks: tuple[str, ...]
    job: Request
    presets: Mapping[str, Mapping[str, tuple[str, ...]]]
    launcher: str = "python"
    processes: int = 1

    def command(self, preset: str, on_gpu: bool, gpus: int = 1) -> list[str]:
        """The command line that runs it here. ``gpus`` is how many it may use."""
        found = self.presets[preset]
        given = list(found["gpu" if on_gpu and "gpu" in found else "cpu"])
        device = ["--device", "cuda" if on_gpu else "cpu"]
        if self.name.startswith(EXAMPLE):
            return [sys.executable, "-m", EXAMPLE_RUNNER, str(self.path), *device, *given]
        if self.launcher == "python":
            return [sys.executable, str(self.path), *device, *given]
        count = gpus if on_gpu else self.processes
        launch = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        launch += ["--nproc-per-node", str(count)]
        return [*launch, str(self.path), *device, *_up_to(given, count)]


def _up_to(arguments: list[str], count: int) -> list[str]:
    """The arguments without counts of processes that are more than there are."""
    if "--processes" not in arguments:
        return arguments
    at = arguments.index("--processes") + 1
    end = next(
        (place for place in range(at, len(arguments)) if not arguments[place].isdigit()),
        len(arguments),
    )
    fitting = [one for one in arguments[at:end] if int(one) <= count]
    return [*arguments[:at], *fitting, *arguments[end:]]


def jobs_folder(lesson_root: Path) -> Path:
    """``code/jobs`` of the checkout around a lesson. Raises InputError outside of a checkout."""
    folder = lesson_root.resolve().parent / "code" / "jobs"
    if not folder.is_dir():
        raise InputError("bench: the programs are in a checkout, and this is an installed package")
    return folder


def load(lesson: content.Lesson) -> dict[str, Program]:
    """Every program by its name: those of ``code/jobs``, then the examples that use torch."""
    folder = jobs_folder(lesson.root)
    found = {path.parent.name: _read(path) for path in sorted(folder.glob(f"*/{FILE}"))}
    if not found:
        raise InputError(f"bench: no */{FILE} in code/jobs")
    return found | {one.name: one for one in _examples(folder.parent / "examples")}


def choose(known: Mapping[str, Program], names: list[str] | tuple[str, ...]) -> list[Program]:
    """The named programs; none named: those of ``code/jobs``. Raises InputError."""
    for name in names:
        if name not in known:
            valid = ", ".join(known)
            raise InputError(f"bench: there is no program {name!r}; valid: {valid}")
    return [known[name] for name in names] if names else [
        one for one in known.values() if not one.name.startswith(EXAMPLE)
    ]  # fmt: skip


def _read(path: Path) -> Program:
    where = f"code/jobs/{path.parent.name}/{FILE}"
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{where}: {error}") from None
    _check(found, {**FIELDS, **OPTIONAL}, FIELDS, where)
    _check(found["job"], JOB, JOB, f"{where}: job")
    if found["device"] not in DEVICES:
        raise InputError(f"{where}: device: {found['device']!r}; valid: {', '.join(DEVICES)}")
    program = path.parent / found["program"]
    if not program.is_file():
        raise InputError(f"{where}: program: there is no {found['program']}")
    return Program(
        name=path.parent.name,
        title=found["title"],
        about=found["about"],
        path=program,
        packages=tuple(found["packages"]),
        device=found["device"],
        benchmarks=tuple(found["benchmarks"]),
        job=Request(**found["job"]),
        presets=_presets(found["preset"], where),
        launcher=found.get("launcher", "python"),
        processes=found.get("processes", 1),
    )


def _check(
    found: Mapping[str, Any], known: Mapping[str, type], needed: Mapping[str, type], where: str
) -> None:
    for name, value in found.items():
        if name not in known:
            raise InputError(f"{where}: unknown key {name!r}; valid: {', '.join(known)}")
        if not isinstance(value, known[name]):
            raise InputError(f"{where}: {name}: {value!r} is not a {known[name].__name__}")
    for name in needed:
        if name not in found:
            raise InputError(f"{where}: key {name!r} is missing")


def _presets(
    found: Mapping[str, Mapping[str, list[str]]], where: str
) -> dict[str, dict[str, tuple[str, ...]]]:
    if set(found) != set(PRESETS):
        raise InputError(f"{where}: preset: needs each of {', '.join(PRESETS)}, and no other")
    for name, by_device in found.items():
        if "cpu" not in by_device or not set(by_device) <= {"cpu", "gpu"}:
            raise InputError(f"{where}: preset.{name}: needs cpu, and may have gpu")
    return {
        name: {device: tuple(map(str, given)) for device, given in found[name].items()}
        for name in PRESETS
    }


def _examples(folder: Path) -> list[Program]:
    """Each example that measures something and whose head says that a GPU is of use to it.

    An example that launches a program is left out: that program stands in ``code/jobs`` itself.
    """
    found = []
    for path in sorted(folder.glob("plot_*.py")):
        text = path.read_text(encoding="utf-8")
        head = ast.get_docstring(ast.parse(text)) or ""
        fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
        times = fields.get("exclusive") == "yes" and "uses" not in fields
        if fields.get("gpu", "no") != "no" and times:
            found.append(_example(path, head.splitlines()[0]))
    return found


def example_name(stem: str) -> str:
    """What an example is called as a program, and its benchmark: example-batch-size."""
    return EXAMPLE + stem.removeprefix("plot_").replace("_", "-")


def _example(path: Path, title: str) -> Program:
    name = example_name(path.stem)
    nothing = {preset: {"cpu": ()} for preset in PRESETS}
    return Program(
        name=name,
        title=title,
        about="The example of the lesson, as it stands.",
        path=path,
        packages=("torch", "matplotlib"),
        device="any",
        benchmarks=(name,),
        job=Request(cpus=8, memory_gib=16, time_limit_h=1),
        presets=nothing,
    )
