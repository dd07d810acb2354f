"""How long one sample takes on a GPU, from what the model costs and what the GPU can do.

A step is taken as a sum of terms, each a quantity over a peak of the GPU, times a constant that
says how far from the peak programs stay. For images, a training step takes for each image

    c1 6 MACs / peak + c2 activation bytes / bandwidth + c3 weight bytes / bandwidth / batch
    + c4 + c5 / batch

and no less than 6 MACs / peak; c5, the cost of a step whatever its batch, is not from the same
table, where each model has one batch, the largest that fits. For transformers it takes, for each
token,

    c1 6 parameters / peak + c2 attention FLOPs / peak + c3 layers width bytes / bandwidth
    + c4 weight bytes / bandwidth / (tokens of a micro-batch) + c5 layers / (the same)

FLOPs alone are wrong by half: networks of the same FLOPs differ in what they move. The constants,
where they come from, and how far the formula was off on models that it had not seen are in
constants.toml.
"""

import math
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mlhpc.cluster import Cluster, Range
from mlhpc.errors import InputError
from mlhpc.estimate.models import Cost
from mlhpc.estimate.values import Estimate

FILE = Path(__file__).with_name("constants.toml")
PEAKS = {"fp32": "fp32_tflops", "tf32": "tf32_tflops", "amp": "bf16_tflops", "bf16": "bf16_tflops"}
ELEMENT_BYTES = {"fp32": 4, "tf32": 4, "amp": 2, "bf16": 2}
LAYOUTS = ("nchw", "nhwc")
TRAINING_PASSES = 3  # forward once, backward twice: by data and by weights
RECOMPUTED = 4 / 3  # activation checkpointing runs the forward pass once more


@dataclass(frozen=True)
class Device:
    """What a GPU can do: peak of the arithmetic at a precision, and memory bandwidth."""

    name: str
    peak_flops: float  # FLOP/s, dense
    bandwidth: float  # bytes/s
    capability: str = ""  # compute capability, such as '8.0'

    def __post_init__(self) -> None:
        """Refuse peaks that are none."""
        for what, value in (("peak", self.peak_flops), ("bandwidth", self.bandwidth)):
            if not (value > 0 and math.isfinite(value)):
                raise InputError(f"{self.name}: {what} {value} is no peak of a GPU")


@dataclass(frozen=True)
class Work:
    """How the model is run: samples a step on each GPU, and how they are computed."""

    batch: int
    precision: str = "amp"
    layout: str = "nchw"
    checkpointing: bool = False
    gpus: int = 1

    def __post_init__(self) -> None:
        """Raise InputError with the valid choices."""
        for what, value, valid in (
            ("precision", self.precision, PEAKS),
            ("layout", self.layout, LAYOUTS),
        ):
            if value not in valid:
                raise InputError(f"{what}: '{value}' is unknown; valid: {', '.join(valid)}")
        for what, number in (("batch", self.batch), ("gpus", self.gpus)):
            if number < 1:
                raise InputError(f"{what}: {number} is no count; valid is a whole number from 1")


def device(cluster: Cluster, key: str, precision: str) -> Device:
    """A GPU of the cluster file. Raises InputError where it is unknown, or a peak is not told."""
    if key not in cluster.gpus:
        valid = ", ".join(cluster.gpus) or "none: the cluster file names no GPU"
        raise InputError(f"gpu: '{key}' is unknown; valid: {valid}")
    if precision not in PEAKS:
        raise InputError(f"precision: '{precision}' is unknown; valid: {', '.join(PEAKS)}")
    peak = _figure(cluster, f"gpu.{key}.{PEAKS[precision]}")
    bandwidth = _figure(cluster, f"gpu.{key}.memory_bandwidth_gbs")
    gpu = cluster.gpus[key]
    return Device(gpu.name or key, peak * 1e12, bandwidth * 1e9, gpu.compute_capability or "")


def training_s(cost: Cost, on: Device, work: Work) -> Estimate:
    """Seconds of training a sample (an image, a sequence), on all GPUs together.

    Raises InputError for a model that the formulas do not know.
    """
    if cost.kind == "vision":
        return _scaled(vision_s(cost, on, work), work)
    if cost.kind == "transformer":
        return _scaled(transformer_s(cost, on, work).times(cost.tokens), work)
    raise InputError(
        f"model: time from cost is known for images and transformers, not for '{cost.name}':"
        " time a sample of it instead"
    )


def hours(sample_s: Estimate, samples: float, epochs: float) -> Estimate:
    """Hours for so many epochs over so many samples."""
    return sample_s.times(samples * epochs / 3600, "h")


def vision_terms(
    macs: float, activations: float, parameters: float, batch: float, *, on: Device, element: float
) -> tuple[float, ...]:
    """The terms of the first formula, without their constants: seconds, one, steps an image."""
    return (
        2 * TRAINING_PASSES * macs / on.peak_flops,
        activations * element / on.bandwidth,
        4 * parameters / on.bandwidth / batch,
        1,
        1 / batch,
    )


def transformer_terms(
    *, parameters: float, layers: float, width: float, tokens: float, batch: float, again: float,
    on: Device, element: float,
) -> tuple[float, ...]:  # fmt: skip
    """The terms of the second formula for one token; ``again`` is RECOMPUTED with checkpointing."""
    return (
        2 * TRAINING_PASSES * parameters * again / on.peak_flops,
        12 * layers * width * tokens * again / on.peak_flops,
        layers * width * again * element / on.bandwidth,
        parameters * element / on.bandwidth / (batch * tokens),
        layers / (batch * tokens),
    )


def vision_s(cost: Cost, on: Device, work: Work) -> Estimate:
    """Seconds of training an image on one GPU."""
    fit = constants()["vision"][work.layout]
    element = ELEMENT_BYTES[work.precision]
    terms = vision_terms(
        cost.macs, cost.activations, cost.parameters, work.batch, on=on, element=element
    )
    extra = 1.0 if on.name == fit["gpu"] and work.precision == "amp" else None
    again = RECOMPUTED if work.checkpointing else 1
    # a constant fitted to many models may be below 1; nothing is faster than the peak
    return _estimate(_sum(fit["c"], terms) * again, fit, extra, least_s=terms[0] * again)


def transformer_s(cost: Cost, on: Device, work: Work) -> Estimate:
    """Seconds of training a token on one GPU."""
    fits = constants()["transformer"]
    fit = fits["hopper" if on.capability.startswith(("9", "10")) else "ampere"]
    again = RECOMPUTED if work.checkpointing else 1
    terms = transformer_terms(
        parameters=cost.parameters, layers=cost.layers, width=cost.width, tokens=cost.tokens,
        batch=work.batch, again=again, on=on, element=ELEMENT_BYTES[work.precision],
    )  # fmt: skip
    seen = on.capability in ("8.0", "9.0") and work.precision in ("amp", "bf16")
    return _estimate(_sum(fit["c"], terms), fit, 1.0 if seen else None)


@cache
def constants() -> dict[str, Any]:
    """The constants with their protocol and errors."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def _sum(constant: list[float], terms: tuple[float, ...]) -> float:
    return sum(c * term for c, term in zip(constant, terms, strict=True))


def _estimate(
    seconds: float, fit: dict[str, Any], seen: float | None, least_s: float = 0
) -> Estimate:
    """The range that held for models left out; wider on a GPU that was not measured."""
    seconds = max(seconds, least_s)
    elsewhere = constants()["elsewhere"]["factor"] if seen is None else 1.0
    notes = () if seen else ("no measurement on this GPU and precision is behind the constants",)
    return Estimate(
        low=max(seconds * fit["low"] / elsewhere, least_s),
        likely=seconds,
        high=seconds * fit["high"] * elsewhere,
        unit="s",
        method="FLOPs, memory traffic and a cost a step",
        known_error=(
            f"models left out: median {fit['median']:.0%}, nine in ten within {fit['p90']:.0%}"
            f" ({fit['rows']} rows, {fit['gpu']}); the range held for {fit['held']:.0%}"
        ),
        source=fit["source"],
        notes=notes,
    )


def _scaled(one_gpu_s: Estimate, work: Work) -> Estimate:
    """The same on several GPUs of a node, by the efficiency that public runs had on 8."""
    if work.gpus == 1:
        return one_gpu_s
    worst, likely, best = constants()["several"]["efficiency"]
    share = (work.gpus - 1) / 7  # of the loss on 8
    loss = [1 - (1 - value) * min(1.0, share) for value in (best, likely, worst)]
    return Estimate(
        one_gpu_s.low / work.gpus / loss[0],
        one_gpu_s.likely / work.gpus / loss[1],
        one_gpu_s.high / work.gpus / loss[2],
        one_gpu_s.unit, one_gpu_s.method, one_gpu_s.known_error, one_gpu_s.source,
        (*one_gpu_s.notes, f"several GPUs at {worst:.0%} to {best:.0%} of the ideal on 8"),
    )  # fmt: skip


def _figure(cluster: Cluster, path: str) -> float:
    """A peak of the cluster file; the middle of a range."""
    fact = cluster.fact(path)
    if isinstance(fact.value, Range):
        return (fact.value.low + fact.value.high) / 2
    if not isinstance(fact.value, int | float):
        raise InputError(f"{cluster.origin}: {path} is not known: {fact.ask}")
    return float(fact.value)
