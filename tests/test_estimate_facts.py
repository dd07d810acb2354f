"""The estimates against public measurements, by the protocol of facts.py; skipped without them.

MLHPC_FACTS names the folder. Bounds are on models that the fit never saw.
"""

import csv
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from tests import facts

from mlhpc.cli import main
from mlhpc.estimate import cost, models
from mlhpc.estimate.cost import Device, Work

CONSTANTS = cost.constants()
COLUMNS = ("name", "kind", "parameters", "macs", "activations", "batch", "layout", "gpu",
           "peak_tflops", "bandwidth_gbs", "measured")  # fmt: skip
LANGUAGE_COLUMNS = ("name", "kind", "parameters", "layers", "width", "tokens", "batch",
                    "checkpointing", "gpu", "capability", "peak_tflops", "bandwidth_gbs",
                    "measured")  # fmt: skip


@pytest.mark.parametrize(("layout", "median", "p90"), [("nchw", 0.13, 0.36), ("nhwc", 0.14, None)])
def test_training_of_vision_models_whose_family_was_left_out(
    layout: str, median: float, p90: float | None, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = facts.vision(layout)
    wrong = facts.errors(facts.left_out(rows))
    with capsys.disabled():
        print(f"\nvision {layout}: {len(rows)} rows, median {np.median(wrong):.1%},"
              f" p90 {np.quantile(wrong, 0.9):.1%}, max {wrong.max():.0%}")  # fmt: skip
    assert len(rows) > 600
    assert np.median(wrong) <= median
    assert p90 is None or np.quantile(wrong, 0.9) <= p90


def test_training_of_language_models_whose_size_was_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = [facts.errors(facts.left_out(facts.language(name))) for name in ("ampere", "hopper")]
    wrong = np.concatenate(found)
    with capsys.disabled():
        print(f"\nlanguage: {len(wrong)} rows, median {np.median(wrong):.1%},"
              f" p90 {np.quantile(wrong, 0.9):.1%}, max {wrong.max():.0%}")  # fmt: skip
    assert len(wrong) == 216
    assert np.median(wrong) <= 0.08


def all_fits() -> list[tuple[dict, list[facts.Row]]]:
    found = [(CONSTANTS["vision"][layout], facts.vision(layout)) for layout in cost.LAYOUTS]
    names = ("ampere", "hopper")
    return found + [(CONSTANTS["transformer"][name], facts.language(name)) for name in names]


def test_the_shipped_constants_and_errors_are_what_the_protocol_gives() -> None:
    again = tomllib.loads(facts.constants_text())
    for family, tables in again.items():
        for name, fresh in tables.items():
            shipped = CONSTANTS[family][name]
            assert shipped["c"] == pytest.approx(fresh["c"], rel=0.02, abs=1e-9)
            for key in ("low", "high", "median", "p90", "max", "held", "rows", "groups"):
                assert shipped[key] == pytest.approx(fresh[key], rel=0.02), (family, name, key)


def test_the_ranges_hold_for_four_in_five_of_groups_that_had_no_part_in_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """For each of the four fits, not only for all of them together."""
    for shipped, rows in all_fits():
        inside = facts.held(rows)
        with capsys.disabled():
            print(f"\n{shipped['gpu']}: range held for {inside.mean():.1%} of {len(inside)} rows")
        assert inside.mean() >= 0.80


@pytest.mark.parametrize("layout", cost.LAYOUTS)
def test_no_measured_model_is_faster_than_the_peak_that_predictions_stop_at(layout: str) -> None:
    assert max(row.terms[0] / row.seconds for row in facts.vision(layout)) < 1


def test_the_cost_of_a_step_is_a_line_through_three_batches_of_another_network() -> None:
    """0.961, 0.807 and 0.743 ms an image at 32, 64 and 128: (0.961 - 0.743) / (1/32 - 1/128)."""
    assert facts.step_s() == pytest.approx(0.218e-3 / (1 / 32 - 1 / 128), rel=0.02)


@pytest.mark.parametrize("gpu", ["A100", "V100 32GB"])
def test_resnet50_on_other_gpus_is_within_a_quarter_of_nvidias_own_runs(
    gpu: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Peaks: A100 312 (FP16), 156 (TF32) TFLOPS, 2,039 GB/s; V100 125, 15.7 (FP32), 900 GB/s."""
    peaks = {"AMP": 312, "TF32": 156} if gpu == "A100" else {"AMP": 125, "FP32": 15.7}
    bandwidth = 2039e9 if gpu == "A100" else 900e9
    seen = 0
    for row in facts.table("nvidia_dle_training.csv"):
        if row["workload"] != "resnet50v1.5" or not row["gpu"].startswith(gpu):
            continue
        on = Device(gpu, peaks[row["precision"]] * 1e12, bandwidth, "8.0")
        work = Work(256, row["precision"].lower(),
                    "nhwc" if row["precision"] == "AMP" else "nchw",
                    gpus=int(row["num_gpu"]))  # fmt: skip
        predicted = 1 / cost.training_s(models.resnet50(), on, work).likely
        with capsys.disabled():
            print(f"\n{gpu} x{row['num_gpu']} {row['precision']}: measured {row['throughput']},"
                  f" predicted {predicted:.0f}")  # fmt: skip
        assert predicted == pytest.approx(float(row["throughput"]), rel=0.25)
        seen += 1
    assert seen == 4


def test_the_command_validates_a_table_of_these_measurements(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    costs = {(r["model"], r["img_size"]): r for r in facts.table("timm_model_costs.csv")}
    path = tmp_path / "rtx3090.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for row in facts.table("timm_train_rtx3090.csv"):
            known = costs.get((row["model"], row["train_img_size"]))
            if known:
                writer.writerow([row["model"], "vision", 1e6 * float(known["param_M"]),
                                 1e9 * float(known["gmacs"]), 1e6 * float(known["macts_M"]),
                                 row["train_batch_size"], row["layout"], "RTX 3090", 71, 936,
                                 row["train_samples_per_sec"]])  # fmt: skip
    assert main(["estimate", "validate", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == 1336
    assert found["median"] <= 0.14
    assert 0.85 <= found["held"] < 1  # by the constants of all rows: these are among them


def test_the_command_validates_a_table_of_language_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "language.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(LANGUAGE_COLUMNS)
        for row in facts.table("llm_foundry_throughput.csv"):
            on, tokens = facts.LANGUAGE_GPUS[row["GPU"]], float(row["SeqLen (T)"])
            if "fp8" in row["Precision"]:
                continue  # no precision of the command
            again = "yes" if row["Activation Checkpointing"] == "True" else "no"
            per_second = float(row["Throughput (T/s/GPU)"]) / tokens
            writer.writerow([row["Model"], "transformer", row["NumParams"],
                             *facts.SHAPES[row["Model"]], row["SeqLen (T)"],
                             row["MicroBatchSize"], again, on.name, on.capability,
                             on.peak_flops / 1e12, on.bandwidth / 1e9, per_second])  # fmt: skip
    assert main(["estimate", "validate", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] > 180
    assert found["median"] <= 0.08
    assert 0.85 <= found["held"] < 1
