"""Which frameworks are installed, how they were built, and whether they can use the GPU.

Nothing is imported here: probe.py is started for each in a child process with a time limit.
"""

import json
import re
import sys
from collections.abc import Sequence
from typing import Any

from mlhpc.detect.seam import Outcome, System
from mlhpc.detect.values import Framework, Gpu, Problem, Status

LIST_TIMEOUT_S = 20.0
# a first import from a cold parallel file system takes tens of seconds
TIMEOUT_S = 120.0
_TOO_OLD = (
    r"driver on your system is too old \(found version ([0-9]+)\)"
    r"|CUDA driver version is insufficient for CUDA runtime version"
)
_NO_KERNEL = r"no kernel image is available|is not compatible with the current PyTorch"
CPU_ONLY = "CPU only"
# every framework that can be asked, and how a build for GPUs is had
HOW_TO_BUILD = {
    "torch": "choose the CUDA build at https://pytorch.org/get-started/locally/",
    "tensorflow": "`pip install 'tensorflow[and-cuda]'`",
    "jax": "`pip install -U 'jax[cuda12]'`",
    "xgboost": "the package xgboost-cpu has no GPU support: `pip install xgboost`",
    "lightgbm": "see https://lightgbm.readthedocs.io/en/latest/GPU-Tutorial.html",
    "cupy": "`pip install cupy-cuda12x`",
}


def ask(system: System, status: Status) -> tuple[tuple[Framework, ...], tuple[Problem, ...]]:
    """Every known framework, installed or not, and the problems that they show.

    A build without GPU support is a problem unless it is sure that there is no GPU (``status``).
    """
    found = [_one(name, here, system) for name, here in _presence(system).items()]
    problems = [problem for framework, facts in found for problem in _problems(framework, facts)]
    if status == "none":
        problems = [problem for problem in problems if problem.code != "cpu_only_build"]
    return tuple(framework for framework, _ in found), tuple(problems)


def gpu_by_proof(found: Sequence[Framework]) -> Gpu | None:
    """A GPU of which only this is known: a framework computed on it. None where none did."""
    name = next((framework.name for framework in found if framework.sees_gpu), None)
    if name is None:
        return None
    fields = ("index", "name", "uuid", "memory_gib", "driver")
    return Gpu(None, None, unknown=dict.fromkeys(fields, f"known only by {name}'s computing on it"))


def has_kernels(capability: Sequence[int], archs: Sequence[str]) -> bool:
    """Whether code built for ``archs`` runs on a GPU of a compute capability.

    ``sm_XY`` runs on its own major version from minor Y on; ``sm_90a`` on 9.0 alone;
    ``compute_XY`` is compiled at run time for anything from X.Y on (CUDA C++ Programming Guide,
    "Application Compatibility").
    """
    major, minor = capability[0], capability[1]
    for arch in archs:
        match = re.fullmatch(r"(sm|compute)_([0-9]+)([0-9])([a-z]?)", arch)
        if match is None:
            continue
        built = (int(match[2]), int(match[3]))
        if match[4]:
            fits = match[1] == "sm" and built == (major, minor)
        elif match[1] == "sm":
            fits = built[0] == major and built[1] <= minor
        else:
            fits = built <= (major, minor)
        if fits:
            return True
    return False


def _presence(system: System) -> dict[str, bool | None]:
    """Name to whether it is installed; None where the child did not answer."""
    outcome = system.run([sys.executable, "-m", "mlhpc.detect.probe"], LIST_TIMEOUT_S)
    names = _last_json(outcome)
    if not isinstance(names, list):
        return dict.fromkeys(HOW_TO_BUILD)
    return {name: name in names for name in HOW_TO_BUILD}


def _one(name: str, here: bool | None, system: System) -> tuple[Framework, dict[str, Any]]:
    if here is None:
        return Framework(name, None, None, None, "unknown: Python itself did not answer"), {}
    if not here:
        return Framework(name, None, None, None, "not installed"), {}
    outcome = system.run([sys.executable, "-m", "mlhpc.detect.probe", name], TIMEOUT_S)
    facts = _last_json(outcome)
    if not isinstance(facts, dict):
        return Framework(name, "unknown", None, None, _why_no_answer(outcome)), {}
    facts["said"] = f"{facts.get('error', '')}\n{outcome.err}"
    framework = Framework(
        name=name,
        version=facts.get("version", "unknown"),
        build=facts.get("build"),
        sees_gpu=facts.get("sees_gpu"),
        note=_note(facts),
    )
    return framework, facts


def _note(facts: dict[str, Any]) -> str:
    if facts.get("sees_gpu"):
        return "did a computation on the GPU"
    return str(facts.get("error", "")) or "sees no GPU"


def _why_no_answer(outcome: Outcome) -> str:
    if outcome.timed_out:
        return f"unknown: it did not finish within {TIMEOUT_S:.0f} s"
    last = (outcome.err.strip().splitlines() or ["no output"])[-1]
    return f"unknown: its process ended with code {outcome.code}: {last}"


def _problems(framework: Framework, facts: dict[str, Any]) -> list[Problem]:
    """The known causes, from the build and from what the framework said."""
    name, said = framework.name, facts.get("said", "")
    if framework.sees_gpu or not facts:
        return []
    if framework.build == CPU_ONLY:
        evidence = f"{name} {framework.version} is a build without GPU support"
        return [Problem("cpu_only_build", evidence, HOW_TO_BUILD[name])]
    if too_old := re.search(_TOO_OLD, said):
        return [_driver_too_old(framework, too_old[1])]
    capability, archs = facts.get("capability") or [], facts.get("archs") or []
    lacking = capability and archs and not has_kernels(capability, archs)
    if lacking or re.search(_NO_KERNEL, said):
        return [_no_kernels(framework, capability, archs)]
    return []


def _driver_too_old(framework: Framework, found: str | None) -> Problem:
    """``found``: the newest CUDA that the driver supports, as 1000 * major + 10 * minor."""
    newest = f"CUDA {int(found) // 1000}.{int(found) % 1000 // 10}" if found else "an older CUDA"
    evidence = f"{framework.name} was built for {framework.build}, the driver goes up to {newest}"
    fix = f"install a build of {framework.name} for {newest} or older, or ask for a newer driver"
    return Problem("driver_too_old", evidence, fix)


def _no_kernels(framework: Framework, capability: Sequence[int], archs: Sequence[str]) -> Problem:
    gpu = f"sm_{capability[0]}{capability[1]}" if capability else "this GPU's architecture"
    built = f", but for {' '.join(archs)}" if archs else ""
    evidence = f"{framework.name} {framework.version} was not built for {gpu}{built}"
    # NVIDIA's release notes of CUDA 12.8: the first toolkit that compiles for Blackwell
    newer = " for CUDA 12.8 or newer" if capability and capability[0] >= 12 else ""
    fix = f"install a newer build{newer}: {HOW_TO_BUILD[framework.name]}"
    return Problem("no_kernels_for_gpu", evidence, fix)


def _last_json(outcome: Outcome) -> Any:
    """The last line of the output as JSON; None where it is none."""
    lines = outcome.out.strip().splitlines() or [""]
    try:
        return json.loads(lines[-1])
    except ValueError:
        return None
