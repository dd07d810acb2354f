"""Times the training of a network: over precisions and batches, up to what the memory holds.

A program of ``code/jobs`` says what its network, its data and its loss are (a ``Workload``); the
rest is here, so that all of them are timed alike.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mlhpc.errors import InputError
from mlhpc.train import device as devices
from mlhpc.train import report
from mlhpc.train.device import Device
from mlhpc.train.measure import Budget, Timing, repeat

GIB = 2**30
LARGEST_BATCH = 2**20
SEED = 0


@dataclass(frozen=True)
class Workload:
    """A network with the data that it trains on; ``loss`` takes the model and one batch."""

    benchmark: str
    unit: str  # of the throughput: samples of this kind a second
    build: Callable[[], Any]
    batch: Callable[[int], tuple[Any, ...]]
    loss: Callable[[Any, tuple[Any, ...]], Any]
    params: report.Params


@dataclass(frozen=True)
class Case:
    """One setting to time."""

    batch: int
    precision: str
    channels_last: bool = False
    compile: bool = False


def parser(about: str, batches: Sequence[int]) -> argparse.ArgumentParser:
    """The options that all programs that train a network have."""
    made = argparse.ArgumentParser(description=about)
    made.add_argument("--device", choices=devices.CHOICES, default="auto")
    made.add_argument("--batches", type=int, nargs="+", default=list(batches), metavar="N")
    made.add_argument("--sweep", action="store_true", help="double the last batch up to the memory")
    made.add_argument("--precisions", nargs="+", choices=("fp32", "tf32", "amp"), metavar="P",
                      help="fp32, tf32, amp (default: what the device can do)")  # fmt: skip
    made.add_argument("--channels-last", action="store_true", help="images as NHWC in memory")
    made.add_argument("--compile", action="store_true", help="torch.compile the network")
    made.add_argument("--seconds", type=float, default=20, help="most time for each setting")
    made.add_argument("--smoke", action="store_true", help="a small case that takes seconds")
    return made


def time_training(workload: Workload, options: argparse.Namespace) -> None:
    """Time every setting that was asked for, and print each result as it comes."""
    device = devices.pick(options.device)
    able = devices.precisions(device)
    for precision in options.precisions or able:
        if precision not in able:
            raise InputError(
                f"precisions: {precision}: not on this device; valid: {' '.join(able)}"
            )
        _time_batches(workload, options, precision, device)


def _time_batches(
    workload: Workload, options: argparse.Namespace, precision: str, device: Device
) -> None:
    """Batches in their order, until one does not fit in the memory."""
    for size in _batches(options):
        case = Case(size, precision, options.channels_last, options.compile)
        if not _time(workload, case, device, options.seconds):
            return


def _batches(options: argparse.Namespace) -> Iterator[int]:
    yield from options.batches
    size = 2 * options.batches[-1]
    while options.sweep and size <= LARGEST_BATCH:
        yield size
        size *= 2


def _time(workload: Workload, case: Case, device: Device, limit_s: float) -> bool:
    """Time one setting; False where it does not fit in the memory, which is a finding."""
    params = {**workload.params, "batch": case.batch, "precision": case.precision,
              **({"channels_last": True} if case.channels_last else {}),
              **({"compile": True} if case.compile else {})}  # fmt: skip
    try:
        timing, peak_gib = train(workload, case, device, limit_s)
    except (RuntimeError, MemoryError) as error:
        if not devices.is_out_of_memory(error):
            raise
        _clear(device)
        report.finding(workload.benchmark, params, "out of memory")
        return False
    report.rate(workload.benchmark, params, workload.unit, timing, each=case.batch, device=device)
    if peak_gib is not None:
        took = sum(timing.step_s) * timing.steps
        name = f"{workload.benchmark}-memory"
        report.result(name, params, "GiB", [peak_gib], seconds=[took], device=device)
    return True


def train(
    workload: Workload, case: Case, device: Device, limit_s: float
) -> tuple[Timing, float | None]:
    """Time training steps of one setting; also the peak of the GPU's memory, None on a CPU."""
    import torch

    _clear(device)
    step = make_step(workload, case, device)
    timing = repeat(step, Budget(limit_s=limit_s, warmup=3), device.synchronize)
    peak = torch.cuda.max_memory_allocated() / GIB if device.type == "cuda" else None
    return timing, peak


def make_step(workload: Workload, case: Case, device: Device) -> Callable[[], object]:
    """One training step of the workload as a function: forward, backward, update."""
    import torch

    torch.manual_seed(SEED)
    devices.use_precision(case.precision)
    order = torch.channels_last if case.channels_last else torch.contiguous_format
    model = workload.build().to(device.type).to(memory_format=order)
    given = tuple(
        part.to(device.type, memory_format=order) if part.dim() == 4 else part.to(device.type)
        for part in workload.batch(case.batch)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    network = torch.compile(model) if case.compile else model
    mixed = case.precision == "amp"
    dtype = devices.amp_dtype(device) if mixed else torch.float32
    scaler = torch.amp.GradScaler(device.type, enabled=dtype == torch.float16)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device.type, dtype=dtype, enabled=mixed):
            loss = workload.loss(network, given)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    return step


def _clear(device: Device) -> None:
    """Give memory of earlier settings back, so that the next one's peak is its own."""
    import gc

    import torch

    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
