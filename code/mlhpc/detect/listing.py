"""What a vendor's tool lists, and how it failed where it did."""

from dataclasses import dataclass
from typing import Literal

from mlhpc.detect.values import Gpu

# "" none; missing: not installed; hangs: killed after its time; mismatch: driver and library
# differ; silent: no answer from the driver; empty: a driver without GPUs; lost: a GPU fell off
# the bus; odd: none of these
Symptom = Literal["", "missing", "hangs", "mismatch", "silent", "empty", "lost", "odd"]


@dataclass(frozen=True)
class Listing:
    """All GPUs of one vendor, whether or not this process may use them."""

    tool: str
    gpus: tuple[Gpu, ...] = ()
    symptom: Symptom = ""
    said: str = ""
