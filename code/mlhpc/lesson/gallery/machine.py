"""The machine that results come from, in words that name no host and no person."""

import platform
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlhpc.detect import Report

# What a reader asks about first; all versions stand in the results.
NAMED = ("torch", "pandas", "scikit-learn")


@cache
def _detected() -> "Report":
    # only a run needs it: an unchanged build does without
    from mlhpc.detect import detect

    return detect()


def gpus() -> tuple[str, ...]:
    """The models of the GPUs that this process may use; nothing where none is known."""
    return tuple(gpu.name or "GPU of unknown model" for gpu in _detected().gpus)


def describe(gpu_used: str | None, may_use_gpu: bool, versions: dict[str, str]) -> dict[str, Any]:
    """The machine of one result: its parts, and ``text``, one line for a page.

    ``gpu_used`` is the model that the script's own process used; what it launched is not seen, so
    where it ``may_use_gpu`` a GPU is only said to be there.
    """
    from mlhpc.bench.provenance import cpu_model

    cores, model = _detected().cpus.usable, cpu_model()
    python = platform.python_version()
    names = [
        f"Python {python}",
        *(f"{name} {versions[name]}" for name in NAMED if name in versions),
    ]
    counted = "cores" if cores is None else f"{cores:g} core{'' if cores == 1 else 's'}"
    processor = f"{counted} of {model or 'a processor of unknown model'}"
    return {
        "cpus": cores,
        "cpu_model": model,
        "gpus": list(gpus()),
        "gpu_used": gpu_used,
        "python": python,
        "text": f"{processor}, {_gpu_text(gpu_used, may_use_gpu)}; {', '.join(names)}",
    }


def _gpu_text(gpu_used: str | None, may_use_gpu: bool) -> str:
    if gpu_used:
        return f"with {gpu_used}"
    if gpus():
        return f"{gpus()[0]} available" if may_use_gpu else "GPU not used"
    return "no GPU" if _detected().gpu_status == "none" else "GPU unknown"
