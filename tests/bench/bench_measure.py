"""Our timing beside torch's own, and a program with it beside the same program without.

Run as a program it prints one line of JSON. In turns, so that both see the same machine: for each
size of a product the ratio of our median to that of ``torch.utils.benchmark`` (1: they agree; with
a missing synchronisation ours would be far below); the share by which a training step with the
harness around it differs from one in a plain loop, beside the spread of both; and what the
harness adds to a step that does nothing.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch.utils import benchmark

from mlhpc.train import networks
from mlhpc.train.device import pick
from mlhpc.train.measure import Budget, repeat, spread

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(CHECKOUT / "code" / "jobs" / name) for name in ("matmul", "dense")]
import dense  # noqa: E402
import matmul  # noqa: E402

SIZES = (128, 256, 512, 1024, 2048)
STEPS = 50


def of_product(size: int, rounds: int) -> dict[str, float]:
    """The median ratio over the rounds, and how far half of them lie apart."""
    device = pick()
    step = matmul.product(size, "fp32", device)
    budget = Budget(limit_s=3, least=7, most=7, block_s=0.1)
    ratios = []
    for _ in range(rounds):
        ours = repeat(step, budget, device.synchronize).median_s
        timer = benchmark.Timer(
            "step()", globals={"step": step}, num_threads=torch.get_num_threads()
        )
        theirs = timer.blocked_autorange(min_run_time=0.7).median
        ratios.append(ours / theirs)
    return {"ratio": round(statistics.median(ratios), 4), "spread": round(spread(ratios), 4)}


def of_program(rounds: int) -> dict[str, float]:
    """A training step in a plain loop and in the harness, in turns."""
    device = pick()
    step = networks.make_step(dense.workload(256), networks.Case(256, "fp32"), device)
    repeat(step, Budget(limit_s=1), device.synchronize)
    plain, within = [], []
    for _ in range(rounds):
        plain.append(loop(step, device.synchronize))
        budget = Budget(warmup=0, least=1, most=1, block_s=STEPS * plain[-1])
        within.append(repeat(step, budget, device.synchronize).median_s)
    ratio = statistics.median(one / other for one, other in zip(within, plain, strict=True))
    return {"differs": round(ratio - 1, 4), "spread": round(max(spread(plain), spread(within)), 4)}


def loop(step: Callable[[], object], synchronize: Callable[[], object]) -> float:
    synchronize()
    begin = time.perf_counter()
    for _ in range(STEPS):
        step()
    synchronize()
    return (time.perf_counter() - begin) / STEPS


def measure(rounds: int) -> dict[str, object]:
    """All of it."""
    nothing = repeat(lambda: None, Budget(block_s=0.05))
    product = {str(size): of_product(size, rounds) for size in SIZES}
    program = of_program(3 * rounds)
    return {
        "product": product,
        "product_off": max(abs(one["ratio"] - 1) for one in product.values()),
        "program": program,
        "program_beyond_spread": max(0.0, abs(program["differs"]) - program["spread"]),
        "step_us": round(1e6 * nothing.median_s, 3),
        "rounds": rounds,
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 7)))
