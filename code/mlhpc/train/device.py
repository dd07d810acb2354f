"""The device that a training program works on, and how it says which one it was."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlhpc.errors import InputError, ToolError
from mlhpc.train.measure import nothing

CHOICES = ("auto", "cpu", "cuda")
AMPERE = (8, 0)  # the first generation with TF32, and with bfloat16 at full speed


@dataclass(frozen=True)
class Device:
    """Where the work runs. ``name`` is the GPU's model, None on a CPU."""

    type: str
    name: str | None = None
    count: int = 0

    @property
    def synchronize(self) -> Callable[[], object]:
        """Waits until the device has done what it was given."""
        if self.type == "cpu":
            return nothing
        import torch

        return torch.cuda.synchronize

    def document(self) -> dict[str, object]:
        """The device as a program prints it."""
        return {"type": self.type, "name": self.name, "count": self.count}


CPU = Device("cpu")


def pick(wanted: str = "auto", count: int = 1) -> Device:
    """The GPU where there is one and it is wanted, else the CPU.

    Raises ToolError for ``cuda`` where torch sees no GPU: a program never falls back in silence.
    """
    if wanted not in CHOICES:
        raise InputError(f"device: {wanted!r} is unknown; valid: {', '.join(CHOICES)}")
    if wanted == "cpu":
        return CPU
    import torch

    if torch.cuda.is_available():
        return Device("cuda", torch.cuda.get_device_name(0), count)
    if wanted == "cuda":
        raise ToolError("device: cuda was asked for, and torch sees no GPU: mlhpc detect tells why")
    return CPU


def precisions(device: Device) -> tuple[str, ...]:
    """What the device can do: fp32 and amp, and tf32 on GPUs since Ampere."""
    if device.type == "cpu":
        return ("fp32", "amp")
    import torch

    newer = torch.cuda.get_device_capability(0) >= AMPERE
    return ("fp32", "tf32", "amp") if newer else ("fp32", "amp")


def amp_dtype(device: Device) -> Any:
    """bfloat16 where the device computes with it, else float16."""
    import torch

    if device.type == "cpu" or torch.cuda.get_device_capability(0) >= AMPERE:
        return torch.bfloat16
    return torch.float16


def use_precision(precision: str) -> None:
    """Let products of float32 be computed as TF32, or not, on a GPU that can."""
    import torch

    # 'high' is TF32; torch itself leaves convolutions at it and products not
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    torch.backends.cudnn.allow_tf32 = precision == "tf32"


def is_out_of_memory(error: BaseException) -> bool:
    """Whether this is the device's, or the machine's, word that its memory is full."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(error, torch.OutOfMemoryError):
        return True
    words = str(error).lower()
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError)
        and ("out of memory" in words or "can't allocate memory" in words)
    )
