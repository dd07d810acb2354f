"""Train tree models on made-up tables, and time it: by library, rows and device.

    python trees.py --libraries xgboost lightgbm --rows 100000 1000000

A random forest (scikit-learn) sorts anew for every tree, which takes too long for very many rows
(--forest-rows), and has no GPU version here. LightGBM's GPU version must be built for
the machine: where it was not, that is a finding. One result a setting, in seconds a training.
"""

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

from mlhpc.errors import ToolError
from mlhpc.train import device as devices
from mlhpc.train import program, report

FEATURES, TREES, DEPTH, SEED = 50, 100, 6, 0
LIBRARIES = ("forest", "xgboost", "lightgbm")
WITHOUT_GPU = ("forest",)
# what the libraries say where their GPU version was not built, or finds no device
NO_GPU_BUILD = ("not compiled with cuda", "gpu tree learner was not enabled", "no gpu",
                "no opencl device", "cuda tree learner was not enabled",
                "not enabled in this build")  # fmt: skip


def main() -> None:
    options = arguments()
    device = devices.pick(options.device)
    for rows in options.rows:
        table = make_table(rows)
        for library in options.libraries:
            if library == "forest" and rows > options.forest_rows:
                continue
            time_library(library, rows, table, device, options)


def time_library(
    library: str, rows: int, table: tuple[Any, Any], device: devices.Device,
    options: argparse.Namespace,
) -> None:  # fmt: skip
    """Time one library on one table; a device that it cannot use is a finding."""
    params = {"library": library, "rows": rows, "features": FEATURES, "trees": options.trees,
              "depth": DEPTH}  # fmt: skip
    if device.type == "cuda" and library in WITHOUT_GPU:
        report.finding("trees", params, "this library has no GPU version here")
        return
    train = TRAIN[library](*table, options.trees, device.type)
    try:
        seconds = repeat(train, options.repeats)
    except Exception as error:
        words = str(error).lower()
        if not any(known in words for known in NO_GPU_BUILD):
            raise
        report.finding("trees", params, "its GPU version is not in this build")
        return
    report.result("trees", params, "s", seconds, seconds=seconds, device=device)


def repeat(train: Callable[[], object], repeats: int) -> list[float]:
    """Seconds of each of the trainings; one before them is not counted."""
    train()
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        train()
        seconds.append(time.perf_counter() - begin)
    return seconds


def make_table(rows: int) -> tuple[Any, Any]:
    """Numbers (rows, features) as float32, and a class that depends on some of them."""
    import numpy

    random = numpy.random.default_rng(SEED)
    values = random.standard_normal((rows, FEATURES), dtype=numpy.float32)
    score = values[:, :5].sum(axis=1) + values[:, 5] * values[:, 6]
    noise = random.standard_normal(rows, dtype=numpy.float32)
    return values, (score + noise > 0).astype(numpy.int32)


def forest(values: Any, labels: Any, trees: int, _device: str) -> Callable[[], object]:
    """scikit-learn's random forest, on all cores."""
    from sklearn.ensemble import RandomForestClassifier

    return lambda: RandomForestClassifier(trees, max_depth=DEPTH, n_jobs=-1, random_state=SEED).fit(
        values, labels
    )


def xgboost(values: Any, labels: Any, trees: int, device: str) -> Callable[[], object]:
    """XGBoost with histograms, on all cores or one GPU."""
    import xgboost as library

    if device == "cuda" and not library.build_info().get("USE_CUDA"):
        raise ToolError("xgboost: this build has no CUDA: install xgboost, and not xgboost-cpu")
    return lambda: library.XGBClassifier(
        n_estimators=trees, max_depth=DEPTH, tree_method="hist", device=device, random_state=SEED
    ).fit(values, labels)


def lightgbm(values: Any, labels: Any, trees: int, device: str) -> Callable[[], object]:
    """LightGBM, on all cores or one GPU."""
    import lightgbm as library

    return lambda: library.LGBMClassifier(
        n_estimators=trees, max_depth=DEPTH, device_type=device, random_state=SEED, verbose=-1
    ).fit(values, labels)


TRAIN = {"forest": forest, "xgboost": xgboost, "lightgbm": lightgbm}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time tree models by library, rows and device.")
    parser.add_argument("--device", choices=devices.CHOICES, default="auto")
    parser.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=list(LIBRARIES),
                        metavar="NAME", help=", ".join(LIBRARIES))  # fmt: skip
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000], metavar="N")
    parser.add_argument("--forest-rows", type=int, default=100_000, metavar="N",
                        help="the random forest only up to so many rows")  # fmt: skip
    parser.add_argument("--trees", type=int, default=TREES)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="a small case that takes seconds")
    options = parser.parse_args()
    if options.smoke:
        options.rows, options.trees, options.repeats = [2000], 10, 2
    return options


if __name__ == "__main__":
    sys.exit(program.run(main))
