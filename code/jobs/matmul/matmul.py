"""Multiply square matrices and time it: what the device achieves against what it is sold with.

    python matmul.py --sizes 1024 4096 8192

2 n^3 operations a product. One result a size and precision, in TFLOP/s.
"""

import argparse
import sys
from collections.abc import Callable

from mlhpc.errors import InputError
from mlhpc.train import device as devices
from mlhpc.train import program, report
from mlhpc.train.measure import Budget, repeat

PRECISIONS = ("fp64", "fp32", "tf32", "bf16", "fp16")
TERA = 1e12


def main() -> None:
    options = arguments()
    device = devices.pick(options.device)
    able = precisions(device)
    for precision in options.precisions or able:
        if precision not in able:
            raise InputError(
                f"precisions: {precision}: not on this device; valid: {' '.join(able)}"
            )
        for size in options.sizes:
            if not time_product(size, precision, device, options.seconds):
                break


def time_product(size: int, precision: str, device: devices.Device, limit_s: float) -> bool:
    """Time one size; False where the matrices do not fit in the memory."""
    params = {"size": size, "precision": precision}
    try:
        timing = repeat(
            product(size, precision, device), Budget(limit_s=limit_s), device.synchronize
        )
    except RuntimeError as error:
        if not devices.is_out_of_memory(error):
            raise
        report.finding("matmul", params, "out of memory")
        return False
    report.rate("matmul", params, "TFLOP/s", timing, each=2 * size**3 / TERA, device=device)
    return True


def product(size: int, precision: str, device: devices.Device) -> Callable[[], object]:
    """One product as a function; the matrices are there before it is called."""
    import torch

    dtypes = {"fp64": torch.float64, "bf16": torch.bfloat16, "fp16": torch.float16}
    devices.use_precision(precision)
    torch.manual_seed(0)
    left, right = (
        torch.randn(size, size, device=device.type).to(dtypes.get(precision, torch.float32))
        for _ in range(2)
    )
    out = torch.empty_like(left)
    return lambda: torch.matmul(left, right, out=out)


def precisions(device: devices.Device) -> list[str]:
    """What the device can do; half precision on a CPU only as bfloat16."""
    if device.type == "cpu":
        return ["fp64", "fp32", "bf16"]
    newer = "tf32" in devices.precisions(device)
    return [name for name in PRECISIONS if newer or name not in ("tf32", "bf16")]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time products of square matrices.")
    parser.add_argument("--device", choices=devices.CHOICES, default="auto")
    parser.add_argument("--sizes", type=int, nargs="+", default=[512, 1024, 2048], metavar="N")
    parser.add_argument("--precisions", nargs="+", choices=PRECISIONS, metavar="P",
                        help="default: what the device can do")  # fmt: skip
    parser.add_argument("--seconds", type=float, default=10, help="most time for each setting")
    parser.add_argument("--smoke", action="store_true", help="a small case that takes seconds")
    options = parser.parse_args()
    if options.smoke:
        options.sizes, options.seconds = [64, 128], 0.5
    return options


if __name__ == "__main__":
    sys.exit(program.run(main))
