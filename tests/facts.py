"""Public measurements in the folder that MLHPC_FACTS names, as rows for the estimator; the fit.

``python -m tests.facts`` prints constants.toml anew. The protocol: rows are left out by group (the
first word of a vision model's name; the size of a language model), the constants fitted on the
rest (not negative, least absolute relative error), and the left-out rows predicted. A row's range
is made from the rows of other groups alone. The cost of a step of a vision model comes from another
table, of one network at three batches.
"""

import csv
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import nnls

from mlhpc.estimate import cost
from mlhpc.estimate.cost import Device

FLOOR = 0.01  # errors below it count alike
ROUNDS = 80
ENDS = (0.05, 0.95)  # quantiles of measured over predicted that make the range
# peaks: dense with FP32 accumulation, from the vendors' data sheets
RTX3090 = Device("RTX 3090", 71e12, 936e9, "8.6")
LANGUAGE_GPUS = {
    "a100_40gb": Device("A100", 312e12, 1555e9, "8.0"),
    "a100_80gb": Device("A100", 312e12, 2039e9, "8.0"),
    "h100_80gb": Device("H100", 989e12, 3350e9, "9.0"),
}
# layers and width of the models of that table: https://github.com/mosaicml/llm-foundry
SHAPES = {"125m": (12, 768), "350m": (24, 1024), "760m": (24, 1536), "1b": (24, 2048),
          "3b": (32, 2560), "7b": (32, 4096), "13b": (40, 5120), "30b": (48, 7168),
          "70b": (80, 8192)}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One measurement: the group it is left out with, its terms, and seconds a sample.

    ``known_s`` of these seconds are known from elsewhere and not fitted.
    """

    group: str
    terms: tuple[float, ...]
    seconds: float
    known_s: float = 0


def folder() -> Path:
    """The folder of public measurements; the test is skipped where there is none."""
    named = os.environ.get("MLHPC_FACTS")
    if not named:
        pytest.skip("no public measurements here: MLHPC_FACTS names no folder")
    return Path(named)


def table(name: str) -> list[dict[str, str]]:
    with (folder() / name).open(newline="") as file:
        return list(csv.DictReader(file))


def step_s() -> float:
    """Seconds that a step takes whatever its batch: nnU-Net 2D on one A100, AMP, batch 32 to 128.

    Seconds an image are a line in 1 / batch, and this is its slope.
    """
    runs = [
        (1 / float(row["batch_per_gpu"]), 1 / float(row["throughput"]))
        for row in table("nvidia_dle_training.csv")
        if (row["workload"], row["num_gpu"], row["precision"]) == ("nnU-Net 2D", "1", "AMP")
    ]
    slope, _ = np.polyfit(*zip(*runs, strict=True), 1)
    return float(slope)


def vision(layout: str) -> list[Row]:
    """Training of vision models on one RTX 3090 with AMP, joined to their costs."""
    costs = {(row["model"], row["img_size"]): row for row in table("timm_model_costs.csv")}
    found, a_step_s = [], step_s()
    for row in table("timm_train_rtx3090.csv"):
        known = costs.get((row["model"], row["train_img_size"]))
        if known is None or row["layout"] != layout:
            continue
        terms = cost.vision_terms(
            1e9 * float(known["gmacs"]), 1e6 * float(known["macts_M"]),
            1e6 * float(known["param_M"]), float(row["train_batch_size"]), on=RTX3090, element=2,
        )  # fmt: skip
        seconds = 1 / float(row["train_samples_per_sec"])
        found.append(Row(row["model"].split("_")[0], terms[:-1], seconds, terms[-1] * a_step_s))
    return found


def language(generation: str) -> list[Row]:
    """Training of GPT-like models on A100 ('ampere') or H100 ('hopper')."""
    found = []
    for row in table("llm_foundry_throughput.csv"):
        if row["GPU"].startswith("h") != (generation == "hopper"):
            continue
        on = LANGUAGE_GPUS[row["GPU"]]
        if "fp8" in row["Precision"]:
            on = Device(on.name, 2 * on.peak_flops, on.bandwidth, on.capability)
        layers, width = SHAPES[row["Model"]]
        again = cost.RECOMPUTED if row["Activation Checkpointing"] == "True" else 1
        terms = cost.transformer_terms(
            parameters=float(row["NumParams"]), layers=layers, width=width,
            tokens=float(row["SeqLen (T)"]), batch=float(row["MicroBatchSize"]), again=again,
            on=on, element=2,
        )  # fmt: skip
        found.append(Row(row["Model"], terms, 1 / float(row["Throughput (T/s/GPU)"])))
    return found


def fit(rows: Iterable[Row]) -> np.ndarray:
    """Constants, none negative, of the least absolute relative error (by reweighting)."""
    rows = list(rows)
    terms = np.array([row.terms for row in rows]) / np.array([[row.seconds] for row in rows])
    wanted = np.array([1 - row.known_s / row.seconds for row in rows])
    scale = terms.mean(0)
    weights = np.ones(len(rows))
    constants = np.zeros(len(scale))
    for _ in range(ROUNDS):
        root = np.sqrt(weights)
        constants, _ = nnls(terms / scale * root[:, None], wanted * root)
        weights = 1 / np.maximum(abs(terms / scale @ constants - wanted), FLOOR)
    return constants / scale


def left_out(rows: list[Row], refit: Callable[[Iterable[Row]], np.ndarray] = fit) -> np.ndarray:
    """Measured over predicted seconds of each row, by constants that never saw its group."""
    ratios = np.zeros(len(rows))
    for group in sorted({row.group for row in rows}):
        constants = refit(row for row in rows if row.group != group)
        for at, row in enumerate(rows):
            if row.group == group:
                ratios[at] = row.seconds / (np.dot(row.terms, constants) + row.known_s)
    return ratios


def held(rows: list[Row]) -> np.ndarray:
    """Whether each row lies in a range that its group had no part in."""
    groups = np.array([row.group for row in rows])
    ratios, inside = left_out(rows), np.zeros(len(rows), bool)
    for group in set(groups):
        own = groups == group
        low, high = np.quantile(ratios[~own], ENDS)
        inside[own] = (ratios[own] >= low) & (ratios[own] <= high)
    return inside


def errors(ratios: np.ndarray) -> np.ndarray:
    """Relative errors of the predicted seconds."""
    return abs(1 / ratios - 1)


def constants_text() -> str:
    """The measured tables of constants.toml."""
    parts = []
    fits = [("vision", layout, vision(layout), "RTX 3090") for layout in cost.LAYOUTS]
    fits += [("transformer", "ampere", language("ampere"), "A100"),
             ("transformer", "hopper", language("hopper"), "H100")]  # fmt: skip
    for family, name, rows, gpu in fits:
        ratios = left_out(rows)
        low, high = np.quantile(ratios, ENDS)
        wrong = errors(ratios)
        constants = [*fit(rows), *([step_s()] if family == "vision" else [])]
        values = ", ".join(f"{value:.4g}" for value in constants)
        parts.append(
            f"[{family}.{name}]\nc = [{values}]\nlow = {low:.3f}\nhigh = {high:.3f}\n"
            f'rows = {len(rows)}\ngroups = {len({row.group for row in rows})}\ngpu = "{gpu}"\n'
            f"median = {np.median(wrong):.3f}\np90 = {np.quantile(wrong, 0.9):.3f}\n"
            f"max = {wrong.max():.2f}\nheld = {held(rows).mean():.3f}\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(constants_text())
