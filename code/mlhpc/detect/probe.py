"""Ask one framework, in a process of its own: ``python -m mlhpc.detect.probe NAME``.

Prints one line of JSON, last. The framework is asked to *do* something on the GPU where it can:
what it says of itself can be wrong (``torch.cuda.device_count()`` was 0 under MIG while tensors
worked, github.com/pytorch/pytorch/issues/95784). Without a name: which frameworks are installed.

Keys: version, build ("CUDA 12.8", "ROCm 6.2", "Metal", "CPU only" or None), sees_gpu (None where
that was not tried), error (first line of what went wrong), and for torch archs and capability.
"""

import importlib
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any

from mlhpc.detect.frameworks import CPU_ONLY, HOW_TO_BUILD

Facts = dict[str, Any]


def torch() -> Facts:
    """PyTorch: one addition on the GPU."""
    lib = importlib.import_module("torch")
    cuda, hip = lib.version.cuda, getattr(lib.version, "hip", None)
    metal = lib.backends.mps.is_built() if hasattr(lib.backends, "mps") else False
    build = f"ROCm {hip}" if hip else f"CUDA {cuda}" if cuda else "Metal" if metal else CPU_ONLY
    facts: Facts = {"version": lib.__version__, "build": build}
    if build == CPU_ONLY:
        return facts | {"sees_gpu": False}
    device = "mps" if build == "Metal" else "cuda"
    facts |= _sees_gpu(lambda: lib.zeros(1, device=device).add_(1).item() == 1)
    if device == "cuda":
        # without a GPU the list is empty and the question fails
        facts["archs"] = lib.cuda.get_arch_list()
        facts["capability"], _ = _tried(lib.cuda.get_device_capability)
    return facts


def tensorflow() -> Facts:
    """TensorFlow: one addition on the first GPU that it lists."""
    lib = importlib.import_module("tensorflow")
    build = lib.sysconfig.get_build_info()
    cuda, rocm = build.get("cuda_version"), build.get("is_rocm_build")
    kind = f"CUDA {cuda}" if cuda else "ROCm" if rocm else CPU_ONLY
    facts: Facts = {"version": lib.__version__, "build": kind}
    if not lib.config.list_physical_devices("GPU"):
        return facts | {"sees_gpu": False}

    def add() -> bool:
        with lib.device("/GPU:0"):
            return float(lib.constant(1.0) + 1.0) == 2.0

    return facts | _sees_gpu(add)


def jax() -> Facts:
    """JAX: which kind of device it chose; its GPU support is a plugin of its own."""
    # without this it would take three quarters of the GPU's memory
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    lib = importlib.import_module("jax")
    plugins = {"jax-cuda13-plugin": "CUDA 13", "jax-cuda12-plugin": "CUDA 12",
               "jax-rocm60-plugin": "ROCm 6", "jax-rocm7-plugin": "ROCm 7",
               "jax-metal": "Metal"}  # fmt: skip
    build = next((kind for name, kind in plugins.items() if _installed(name)), CPU_ONLY)
    facts: Facts = {"version": lib.__version__, "build": build}
    return facts | _sees_gpu(lambda: any(device.platform != "cpu" for device in lib.devices()))


def xgboost() -> Facts:
    """XGBoost: the device on which one round of training ended up."""
    lib = importlib.import_module("xgboost")
    info = lib.build_info()
    cuda = ".".join(str(part) for part in info.get("CUDA_VERSION", []))
    build = f"CUDA {cuda}".strip() if info.get("USE_CUDA") else CPU_ONLY
    facts: Facts = {"version": lib.__version__, "build": build}
    if build == CPU_ONLY:
        return facts | {"sees_gpu": False}
    numpy = importlib.import_module("numpy")

    def train() -> bool:
        data = lib.DMatrix(numpy.arange(8.0).reshape(4, 2), label=[0, 1, 0, 1])
        booster = lib.train({"device": "cuda", "max_depth": 1}, data, num_boost_round=1)
        used = json.loads(booster.save_config())["learner"]["generic_param"]["device"]
        return str(used).startswith("cuda")

    return facts | _sees_gpu(train)


def lightgbm() -> Facts:
    """LightGBM: one round of training on the GPU, which a build without it refuses."""
    lib = importlib.import_module("lightgbm")
    numpy = importlib.import_module("numpy")
    facts: Facts = {"version": lib.__version__, "build": None}

    def train() -> bool:
        data = lib.Dataset(numpy.arange(80.0).reshape(40, 2), label=[0, 1] * 20)
        lib.train({"device_type": "cuda", "verbose": -1, "num_leaves": 2}, data, 1)
        return True

    facts |= _sees_gpu(train)
    if "not enabled in this build" in facts.get("error", ""):
        facts["build"] = CPU_ONLY
    return facts


def cupy() -> Facts:
    """CuPy: one sum on the GPU."""
    lib = importlib.import_module("cupy")
    runtime = lib.cuda.runtime
    version = runtime.get_build_version()
    kind = "ROCm" if runtime.is_hip else f"CUDA {version // 1000}.{version % 1000 // 10}"
    facts: Facts = {"version": lib.__version__, "build": kind}
    return facts | _sees_gpu(lambda: int(lib.arange(3).sum()) == 3)


PROBES: dict[str, Callable[[], Facts]] = {
    "torch": torch,
    "tensorflow": tensorflow,
    "jax": jax,
    "xgboost": xgboost,
    "lightgbm": lightgbm,
    "cupy": cupy,
}


def _sees_gpu(work: Callable[[], bool]) -> Facts:
    """Whether the work succeeded on the GPU, and if it raised, the first line of why."""
    result, error = _tried(work)
    return {"sees_gpu": bool(result)} | ({"error": error} if error else {})


def _tried(work: Callable[[], Any]) -> tuple[Any, str]:
    """What the work returned and "", or None and the first line of what it raised."""
    try:
        return work(), ""
    except Exception as error:  # a framework can raise anything
        line = next(iter(str(error).strip().splitlines()), "")
        return None, f"{type(error).__name__}: {line}"


def _installed(distribution: str) -> bool:
    try:
        metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return False
    return True


def installed() -> list[str]:
    """The frameworks that this Python would find, without importing any."""
    return [name for name in HOW_TO_BUILD if importlib.util.find_spec(name)]


def main(argv: Sequence[str]) -> None:
    """Print what was asked for, as the last line."""
    if not argv:
        print(json.dumps(installed()))
        return
    # some frameworks write caches to the current folder
    os.chdir(tempfile.gettempdir())
    facts, error = _tried(PROBES[argv[0]])
    if facts is None:
        facts = {"error": error, "sees_gpu": None}
    print("\n" + json.dumps(facts))


if __name__ == "__main__":
    main(sys.argv[1:])
