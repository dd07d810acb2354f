"""Which of the listed GPUs the environment leaves to this process.

The rules are CUDA's: a list of numbers or uuids (or beginnings of uuids), read up to the first
that fits no GPU; a repeated GPU leaves none ("CUDA Environment Variables" in NVIDIA's CUDA C++
Programming Guide). Slurm writes ``NoDevFiles`` or nothing where a job has no GPU.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mlhpc.detect.values import Gpu

FASTEST_FIRST = (
    "CUDA numbers the fastest GPU first and nvidia-smi numbers by bus; the GPUs here differ"
)


def choose(gpus: Sequence[Gpu], value: str | None) -> tuple[Gpu, ...]:
    """The GPUs that ``value`` names; all of them where it is None (the variable is not set)."""
    if value is None:
        return tuple(gpus)
    chosen: list[Gpu] = []
    for token in value.split(","):
        gpu = _named(gpus, token.strip())
        if gpu is None:
            break
        if gpu in chosen:
            return ()
        chosen.append(gpu)
    return tuple(chosen)


def choose_amd(gpus: Sequence[Gpu], environ: Mapping[str, str]) -> tuple[Gpu, ...]:
    """ROCm hides first by its own variable; HIP then numbers anew, and CUDA's name is an alias."""
    first = choose(gpus, environ.get("ROCR_VISIBLE_DEVICES"))
    value = environ.get("HIP_VISIBLE_DEVICES", environ.get("CUDA_VISIBLE_DEVICES"))
    numbered = [replace(gpu, index=place) for place, gpu in enumerate(first)]
    return tuple(first[numbered.index(gpu)] for gpu in choose(numbered, value))


def order_is_unsure(gpus: Sequence[Gpu], value: str | None, order: str | None) -> bool:
    """Whether a number in the list could mean another GPU than nvidia-smi's of that number."""
    numbers = value is not None and re.search(r"(^|,)\s*[0-9]", value)
    models = {(gpu.name, gpu.memory_gib) for gpu in gpus}
    return bool(numbers) and len(models) > 1 and order != "PCI_BUS_ID"


def anonymous(gpus: Sequence[Gpu]) -> tuple[Gpu, ...]:
    """The same number of GPUs, without saying which they are."""
    fields = ("name", "uuid", "memory_gib", "mig")
    return tuple(
        Gpu(place, None, driver=gpu.driver, unknown=dict.fromkeys(fields, FASTEST_FIRST))
        for place, gpu in enumerate(gpus)
    )


def _named(gpus: Sequence[Gpu], token: str) -> Gpu | None:
    if number := re.match(r"\+?([0-9]{1,6})", token):
        return next((gpu for gpu in gpus if gpu.index == int(number[1])), None)
    if not token.upper().startswith(("GPU-", "MIG-")):
        return None
    fits = [gpu for gpu in gpus if gpu.uuid and gpu.uuid.lower().startswith(token.lower())]
    return fits[0] if len(fits) == 1 else None
