"""Time from a sample and from model cost: hand-worked values, properties, bad input."""

import csv
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mlhpc import cluster
from mlhpc.errors import InputError
from mlhpc.estimate import cost, models, sample, validate
from mlhpc.estimate.cost import Device, Work

A100 = Device("A100", 312e12, 2039e9, "8.0")
SAGEHEN = cluster.load("sagehen")


# From a sample


def test_a_sample_of_even_steps_is_carried_on_without_its_warm_up() -> None:
    """Two slow steps of 3 s, ten of 0.5 s; 1,000 in all: 6 + 998 x 0.5 = 505 s."""
    found = sample.full_run([3.0, 3.0, *[0.5] * 10], 1000)
    assert found.likely == pytest.approx(505)
    assert found.low == pytest.approx(505 * 0.98)
    assert found.high == pytest.approx(505 * 1.10)


def test_uneven_steps_widen_the_range_by_two_standard_errors() -> None:
    """Steps of 1 and 3 s in turn: mean 2, deviation 1; of 18 kept: 2 / sqrt(18) / 2 = 23.6%."""
    found = sample.full_run([1.0, 3.0] * 10, 100)
    assert found.low == pytest.approx(found.likely * (1 - 0.2357) * 0.98, rel=0.001)


def test_a_run_shorter_than_its_sample_is_not_negative() -> None:
    assert sample.full_run([1.0] * 10, 3).likely >= 0


def test_steps_follow_from_samples_batch_epochs_and_gpus() -> None:
    """1,281,167 images, batch 256 on 4 GPUs: 1,252 steps an epoch, 90 epochs."""
    assert sample.steps_of(1_281_167, 256, 90, 4) == 1252 * 90


@given(st.lists(st.floats(0.001, 1000), min_size=3, max_size=60), st.integers(1, 10**6))
def test_any_sample_gives_a_range_that_grows_with_the_steps(times: list[float], steps: int) -> None:
    found = sample.full_run(times, steps)
    assert 0 <= found.low <= found.likely <= found.high
    assert sample.full_run(times, steps + 100).likely >= found.likely
    assert 0 <= sample.timed(times).dropped < len(times)


@pytest.mark.parametrize(
    ("times", "steps", "words"),
    [
        ([1.0, 1.0], 10, "2 steps are too few"),
        ([1.0, float("nan"), 1.0], 10, "step 2: nan is no number of seconds"),
        ([1.0, -1.0, 1.0], 10, "step 2: -1.0"),
        ([1.0, 1.0, 1.0], 0, "steps: 0 is no count"),
    ],
)
def test_a_sample_that_is_none_is_refused(times: list[float], steps: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        sample.full_run(times, steps)


# From model cost


def test_the_terms_of_an_image_are_those_of_the_formula() -> None:
    """6 x 4 G / 312 T = 76.9 us; 10 M x 2 bytes / 2,039 GB/s = 9.8 us; 4 x 25 M / 2,039 G / 100
    = 0.49 us; one image; a hundredth of a step."""
    terms = cost.vision_terms(4e9, 10e6, 25e6, 100, on=A100, element=2)
    assert terms == pytest.approx((76.9e-6, 9.809e-6, 0.4904e-6, 1, 0.01), rel=0.001)


def test_the_terms_of_a_token_are_those_of_the_formula() -> None:
    """6 x 1 G / 312 T = 19.2 us; 12 x 24 x 2,048 x 2,048 / 312 T = 3.87 us;
    24 x 2,048 x 2 / 2,039 G = 48.2 ns; 2 G / 2,039 G / 8,192 = 0.12 us; 24 / 8,192 layers."""
    terms = cost.transformer_terms(
        parameters=1e9, layers=24, width=2048, tokens=2048, batch=4, again=1, on=A100, element=2
    )
    expected = (19.23e-6, 3.872e-6, 48.21e-9, 0.1197e-6, 24 / 8192)
    assert terms == pytest.approx(expected, rel=0.001)


@given(
    st.floats(1e6, 1e12), st.floats(1e5, 1e9), st.floats(1e5, 1e9), st.integers(1, 1024),
    st.floats(1.01, 10), st.sampled_from(list(cost.PEAKS)), st.sampled_from(cost.LAYOUTS),
)  # fmt: skip
def test_more_work_never_takes_less_and_a_faster_gpu_never_more(
    macs: float, activations: float, parameters: float, batch: int, factor: float,
    precision: str, layout: str,
) -> None:  # fmt: skip
    def seconds(macs: float = macs, activations: float = activations, on: Device = A100) -> float:
        model = models.Cost("m", "vision", "", parameters, macs, activations, 0, 0, "")
        found = cost.training_s(model, on, Work(batch, precision, layout))
        assert 0 < found.low <= found.likely <= found.high
        return found.likely

    assert seconds(macs=macs * factor) >= seconds()
    assert seconds(activations=activations * factor) >= seconds()
    faster = Device("A100", 312e12 * factor, 2039e9 * factor, "8.0")
    assert seconds(on=faster) <= seconds()


@pytest.mark.parametrize("layout", cost.LAYOUTS)
def test_a_batch_of_64_is_not_half_as_fast_as_one_of_512(layout: str) -> None:
    """A step costs 9.4 ms whatever its batch: 146 us an image at 64, 18 us at 512; the rest of the
    difference is the weights' traffic."""
    small, large = (
        cost.training_s(models.resnet50(), A100, Work(batch, layout=layout)).likely
        for batch in (64, 512)
    )
    weights = 4 * 25_557_032 / 2039e9 * cost.constants()["vision"][layout]["c"][2]
    assert small - large == pytest.approx((0.009366 + weights) * (1 / 64 - 1 / 512), rel=0.001)
    assert large < small < 1.5 * large


def test_nothing_is_faster_than_the_peak_of_the_gpu() -> None:
    """100 G multiplications with next to no traffic: 6 x 100 G / 312 T = 1.92 ms, no less."""
    dense = models.Cost("m", "vision", "", 1e6, 100e9, 1e5, 0, 0, "")
    found = cost.training_s(dense, A100, Work(512, layout="nhwc"))
    assert found.low == found.likely == pytest.approx(6 * 100e9 / 312e12)
    assert found.high > found.likely


@given(st.integers(1, 16))
def test_more_gpus_are_faster_and_never_more_than_in_proportion(gpus: int) -> None:
    one = cost.training_s(models.resnet50(), A100, Work(64))
    many = cost.training_s(models.resnet50(), A100, Work(64, gpus=gpus))
    assert one.likely / gpus <= many.likely * (1 + 1e-9)
    assume(gpus > 1)
    assert many.likely < one.likely


def test_a_gpu_that_no_measurement_is_from_says_so_and_has_a_wider_range() -> None:
    seen = cost.training_s(models.gpt(1e9), A100, Work(4))
    other = cost.training_s(models.gpt(1e9), Device("L40S", 312e12, 2039e9, "8.9"), Work(4))
    assert other.likely == seen.likely
    assert other.high / other.low > 1.5 * seen.high / seen.low
    assert "no measurement on this GPU" in other.notes[0]
    assert seen.notes == ()


def test_a_fact_that_the_cluster_file_lacks_is_named_with_whom_to_ask() -> None:
    described = cluster.from_text('schema = 1\n[gpu.x]\nsource="s"\nchecked=2026-01-01\n', "c", "c")
    with pytest.raises(InputError, match=r"gpu\.x\.bf16_tflops is not known: the vendor's"):
        cost.device(described, "x", "amp")
    with pytest.raises(InputError, match="gpu: 'h100' is unknown; valid: a100"):
        cost.device(SAGEHEN, "h100", "amp")


def test_a_model_that_the_formulas_do_not_know_is_to_be_timed() -> None:
    with pytest.raises(InputError, match="time a sample of it instead"):
        cost.training_s(models.mlp(), A100, Work(8))


# Validation over a table

RESNET_ROW = {
    "kind": "vision", "parameters": "25.6e6", "macs": "4.09e9", "activations": "11.1e6",
    "batch": "256", "precision": "amp", "layout": "nhwc", "gpu": "A100 80GB SXM",
    "peak_tflops": "312", "bandwidth_gbs": "2039", "measured": "2470", "name": "resnet50",
}  # fmt: skip


def write(path: Path, *rows: dict[str, str]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_table_of_measurements_gives_median_p90_maximum_and_how_often_the_range_held(
    tmp_path: Path,
) -> None:
    twice = {**RESNET_ROW, "measured": "24.7"}  # a hundredth of the speed: outside any range
    found = validate.document(validate.run(write(tmp_path / "t.csv", RESNET_ROW, twice)))
    assert found["rows"] == 2
    assert found["held"] == 0.5
    assert found["max"] == pytest.approx(0.99, abs=0.02)
    assert found["worst"] == ["resnet50", "resnet50"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"measured": "fast"}, r"t\.csv:2: measured: 'fast' is no number above 0"),
        ({"kind": "tree"}, r"t\.csv:2: kind: 'tree' is unknown; valid: vision, transformer"),
        ({"macs": "-1"}, r"t\.csv:2: macs: '-1'"),
        ({"precision": "fp5"}, r"t\.csv:2: precision: 'fp5' is unknown; valid: fp32"),
        ({"checkpointing": "true"}, r"t\.csv:2: checkpointing: 'true' is unknown; valid: yes, no"),
        ({"batch": "2.5"}, r"t\.csv:2: batch: '2\.5' is no whole number from 1"),
        ({"color": "red"}, r"t\.csv: column 'color' is unknown; valid columns: activations"),
    ],
)
def test_a_bad_table_is_refused_with_line_column_and_what_is_valid(
    tmp_path: Path, change: dict[str, str], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        validate.run(write(tmp_path / "t.csv", {**RESNET_ROW, **change}))


def test_a_table_without_a_needed_column_is_refused(tmp_path: Path) -> None:
    row = {name: value for name, value in RESNET_ROW.items() if name != "measured"}
    with pytest.raises(InputError, match="no column measured"):
        validate.run(write(tmp_path / "t.csv", row))
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is no CSV in UTF-8"):
        validate.run(tmp_path / "binary.csv")
    with pytest.raises(InputError, match="cannot be read"):
        validate.run(tmp_path / "absent.csv")
