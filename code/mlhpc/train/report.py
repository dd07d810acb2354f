"""How a program tells what it found: one line of JSON a result, on standard output.

``mlhpc bench`` reads these lines. A result has samples, one a repetition, in its unit, and the
seconds that each took; a finding is what came out instead of a number, such as a batch that does
not fit in memory.
"""

import json
import sys
from collections.abc import Mapping, Sequence

from mlhpc.train.device import Device
from mlhpc.train.measure import Timing

Params = Mapping[str, str | int | float | bool]


def result(
    benchmark: str,
    params: Params,
    unit: str,
    samples: Sequence[float],
    *,
    seconds: Sequence[float],
    device: Device,
    settled: bool = True,
) -> None:
    """Print one result; ``samples`` and ``seconds`` are of equal length."""
    _print(
        {
            "kind": "result",
            "benchmark": benchmark,
            "params": dict(params),
            "unit": unit,
            "samples": list(samples),
            "seconds": list(seconds),
            "device": device.document(),
            "settled": settled,
        }
    )


def rate(
    benchmark: str, params: Params, unit: str, timing: Timing, *, each: float, device: Device
) -> None:
    """Print a timing as a rate: ``each`` units of work a step, so many a second."""
    samples = [each / seconds for seconds in timing.step_s]
    seconds = [one * timing.steps for one in timing.step_s]
    settled = timing.settled
    result(benchmark, params, unit, samples, seconds=seconds, device=device, settled=settled)


def finding(benchmark: str, params: Params, words: str) -> None:
    """Print what was found instead of a number, in a few words."""
    _print({"kind": "finding", "benchmark": benchmark, "params": dict(params), "finding": words})


def _print(document: Mapping[str, object]) -> None:
    sys.stdout.write(json.dumps(document) + "\n")
    sys.stdout.flush()
