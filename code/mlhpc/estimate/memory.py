"""How much memory of a GPU a model needs, part by part. Arithmetic only; no figure is fitted.

What is alive at once: weights, gradients, optimizer states, activations kept for the backward
pass, what one layer works on, and what the libraries take before anything is computed.
"""

from dataclasses import dataclass
from typing import TypeVar

from mlhpc.errors import InputError
from mlhpc.estimate.models import Cost
from mlhpc.estimate.values import Estimate, total

T = TypeVar("T")
GIB = 2**30
ANATOMY = "https://huggingface.co/docs/transformers/model_memory_anatomy"
CONTEXT = (
    "https://github.com/pytorch/pytorch/issues/107667 (300 MB, over 1 GB before CUDA 11.7), "
    "https://github.com/pytorch/pytorch/issues/55277 (CUDA before 11.7: 721 MB on a GTX 1080, "
    "1,687 MB on an RTX 3090)"
)
ZERO = "Rajbhandari et al. 2020, https://arxiv.org/abs/1910.02054"
CHECKPOINT = "Chen et al. 2016, https://arxiv.org/abs/1604.06174"

# bytes of a weight, of its gradient, of a copy in half precision, and of an activation
PRECISIONS = {
    "fp32": (4, 4, 0, 4),
    "tf32": (4, 4, 0, 4),
    "amp": (4, 4, 2, 2),
    "bf16": (2, 2, 0, 2),
    "fp16": (2, 2, 0, 2),
}
# bytes of optimizer state for each parameter
OPTIMIZERS = {"sgd": 0, "momentum": 4, "adam": 8, "adamw": 8, "adam8bit": 2, "adafactor": 0.1}
# which of (states, gradients, weights) are shared out over the GPUs
SHARDING = {
    "none": (False, False, False),
    "ddp": (False, False, False),
    "zero1": (True, False, False),
    "zero2": (True, True, False),
    "zero3": (True, True, True),
    "fsdp": (True, True, True),
}
# GiB that CUDA, cuDNN and cuBLAS take; 'all' is CUDA before 11.7, which loads every kernel. The
# likely value of 'all' is the 1,687 MB of CONTEXT, of the GPU generation that the public runs are
# from; the likely value of 'lazy' and both high ends add a judgement for cuDNN and cuBLAS.
LIBRARIES = {"lazy": (0.3, 0.7, 1.8), "all": (0.7, 1.65, 2.5)}
KNOWN_ERROR = (
    "ResNet-50 with amp and all kernels loaded, against a line through 60 public runs (48.8 MiB an"
    " image + 2.9 GiB): 22% below it at batch 32, 17% at 64, 13% at 128, 9% at 256, 5% at 1,440;"
    " other models: not compared with measurements"
)


@dataclass(frozen=True)
class Memory:
    """The parts by name, and their sum, in GiB on each GPU."""

    parts: dict[str, Estimate]
    total: Estimate


def training(
    cost: Cost,
    batch: int,
    *,
    precision: str = "amp",
    optimizer: str = "adamw",
    gpus: int = 1,
    sharding: str = "ddp",
    checkpointing: bool = False,
    libraries: str = "lazy",
) -> Memory:
    """Memory on each GPU while training, ``batch`` samples on each. Raises InputError."""
    weight, gradient, copy, element = _choice("precision", precision, PRECISIONS)
    state = _choice("optimizer", optimizer, OPTIMIZERS)
    _positive("batch", batch)
    _positive("gpus", gpus)
    states, gradients, weights = _choice("sharding", sharding, SHARDING)
    n = cost.parameters
    parts = {
        "weights": _exact(n * (weight + copy) / (gpus if weights else 1), ANATOMY),
        "gradients": _exact(n * gradient / (gpus if gradients else 1), ANATOMY),
        "optimizer": _exact(n * state / (gpus if states else 1), ZERO),
        "activations": _activations(cost, batch * element, checkpointing),
        "one layer": _working(cost, batch * element),
        "libraries": _libraries(libraries),
    }
    return Memory(parts, total(parts.values(), KNOWN_ERROR))


def inference(cost: Cost, batch: int, precision: str = "bf16", libraries: str = "lazy") -> Memory:
    """Memory on one GPU for inference: no gradients, no states, nothing kept. Raises InputError."""
    weight, _, copy, element = _choice("precision", precision, PRECISIONS)
    _positive("batch", batch)
    parts = {
        "weights": _exact(cost.parameters * (weight + copy), ANATOMY),
        "one layer": _working(cost, batch * element),
        "libraries": _libraries(libraries),
    }
    return Memory(parts, total(parts.values(), "not compared with measurements"))


def trees(rows: float, features: float, bytes_each: int = 4) -> Estimate:
    """Main memory for training trees on a table: the table, a copy, and a byte a cell of bins.

    The copy is made where data frames become arrays; histogram methods keep a byte a cell.
    """
    table = rows * features * bytes_each / GIB
    cells = rows * features / GIB
    return Estimate(table + cells, 2 * table + cells, 3 * table + cells, "GiB",
                    "the table, copies of it, a byte a cell", "not compared with measurements",
                    "https://lightgbm.readthedocs.io/en/latest/Features.html")  # fmt: skip


def _activations(cost: Cost, bytes_each: float, checkpointing: bool) -> Estimate:
    kept = cost.saved * bytes_each / GIB
    if not checkpointing:
        return Estimate(0.9 * kept, kept, 1.15 * kept, "GiB", "what backward needs, kept",
                        "the allocator rounds up and leaves gaps", cost.source)  # fmt: skip
    layers = cost.layers or 16
    low = kept / layers
    return Estimate(low, 2 * kept / layers**0.5, 3 * kept / layers**0.5, "GiB",
                    "a segment kept, the rest computed again", "depends on where the segments are",
                    CHECKPOINT)  # fmt: skip


def _working(cost: Cost, bytes_each: float) -> Estimate:
    """Gradient in, gradient out and workspace of the largest layer."""
    one = cost.largest * bytes_each / GIB
    return Estimate(one, 3 * one, 6 * one, "GiB", "three times the largest activation",
                    "workspaces of convolutions differ by algorithm", cost.source)  # fmt: skip


def _libraries(name: str) -> Estimate:
    low, likely, high = _choice("libraries", name, LIBRARIES)
    return Estimate(low, likely, high, "GiB", "CUDA, cuDNN and cuBLAS before anything is computed",
                    "differs by version and by GPU", CONTEXT)  # fmt: skip


def _exact(size_bytes: float, source: str) -> Estimate:
    gib = size_bytes / GIB
    return Estimate(gib, gib, gib, "GiB", "counted", "exact", source)


def _choice(what: str, name: str, table: dict[str, T]) -> T:
    if name not in table:
        raise InputError(f"{what}: '{name}' is unknown; valid: {', '.join(table)}")
    return table[name]


def _positive(what: str, value: float) -> None:
    if not value >= 1:
        raise InputError(f"{what}: {value} is no count; valid is a whole number from 1")
