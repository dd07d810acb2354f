"""Memory of models, part by part: against counted values, and against public measurements."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlhpc.errors import InputError
from mlhpc.estimate import memory, models
from mlhpc.estimate.memory import GIB, OPTIMIZERS, PRECISIONS, SHARDING

RESNET = models.resnet50()
MODELS = [RESNET, models.bert(128), models.unet3d(64), models.gpt(124e6), models.mlp()]


def test_resnet50_is_counted_exactly() -> None:
    """25,557,032 parameters are those of the published model; 4.09 G multiplications and 11.1 M
    activations are what public lists of model costs print for 224 pixels."""
    assert RESNET.parameters == 25_557_032
    assert RESNET.macs == pytest.approx(4.09e9, rel=0.002)
    assert RESNET.activations == pytest.approx(11.11e6, rel=0.002)
    assert RESNET.largest == 64 * 112 * 112


def test_bert_base_and_the_smallest_gpt2_have_their_published_size() -> None:
    assert models.bert().parameters == pytest.approx(109.48e6, rel=0.001)
    gpt = models.gpt(124e6)
    assert (gpt.layers, gpt.width) == (12, 768)
    assert gpt.parameters == pytest.approx(124.4e6, rel=0.01)


@pytest.mark.parametrize("billions", [0.35, 1.3, 6.7, 13, 70])
def test_a_gpt_of_so_many_parameters_has_about_so_many(billions: float) -> None:
    assert models.gpt(billions * 1e9).parameters == pytest.approx(billions * 1e9, rel=0.1)


@pytest.mark.parametrize(
    ("batch", "percent"),
    [(32, 22.1), (64, 17.4), (128, 12.8), (192, 10.6), (256, 9.2), (928, 5.6), (1440, 5.0)],
)
def test_resnet50_with_amp_is_below_a_line_through_public_runs_by_what_is_told(
    batch: int, percent: float
) -> None:
    """The line: 48.8 MiB an image + 2.9 GiB, through 60 runs (peaks of nvidia-smi) of a time when
    CUDA loaded every kernel. No constant here was fitted to it: what backward needs is 42.3 MiB an
    image, and weights, gradients, momentum and libraries are 2.0 GiB. So a tenth is reached from
    batch 256 up only; the part that does not grow is 0.9 GiB too small. The range holds it."""
    found = memory.training(RESNET, batch, optimizer="momentum", libraries="all").total
    line = 48.8 / 1024 * batch + 2.9
    assert 100 * (1 - found.likely / line) == pytest.approx(percent, abs=0.1)
    assert found.low < line < found.high


@pytest.mark.parametrize("batch", [32, 64, 128, 256, 1440])
def test_the_known_error_that_is_printed_is_the_one_that_was_found(batch: int) -> None:
    found = memory.training(RESNET, batch, optimizer="momentum", libraries="all").total
    below = 100 * (1 - found.likely / (48.8 / 1024 * batch + 2.9))
    assert re.search(rf"\b{below:.0f}%( below it)? at (batch )?{batch:,}\b", memory.KNOWN_ERROR)


def test_a_measured_peak_of_each_of_two_gpus_lies_in_the_range() -> None:
    """44,932 MiB at batch 928 (A40) and 74,976 MiB at 1,440 (A100 80 GB), as published."""
    for batch, peak_mib in ((928, 44_932), (1440, 74_976)):
        found = memory.training(RESNET, batch, optimizer="momentum", libraries="all").total
        assert found.low < peak_mib / 1024 < found.high


def test_adam_with_amp_takes_eighteen_bytes_a_parameter() -> None:
    """4 weights + 2 half copy + 4 gradient + 8 states."""
    parts = memory.training(models.gpt(7e9), 1, optimizer="adamw").parts
    states = sum(parts[name].likely for name in ("weights", "gradients", "optimizer"))
    assert states * GIB == pytest.approx(18 * models.gpt(7e9).parameters)


def test_sharding_over_four_gpus_leaves_a_quarter_of_what_is_shared() -> None:
    one = memory.training(models.gpt(7e9), 1, gpus=4, sharding="ddp").parts
    zero1 = memory.training(models.gpt(7e9), 1, gpus=4, sharding="zero1").parts
    fsdp = memory.training(models.gpt(7e9), 1, gpus=4, sharding="fsdp").parts
    assert zero1["optimizer"].likely == pytest.approx(one["optimizer"].likely / 4)
    assert zero1["weights"].likely == one["weights"].likely
    for name in ("weights", "gradients", "optimizer"):
        assert fsdp[name].likely == pytest.approx(one[name].likely / 4)


def test_inference_keeps_no_gradient_and_no_activation() -> None:
    found = memory.inference(models.gpt(7e9, tokens=128), 1)
    assert set(found.parts) == {"weights", "one layer", "libraries"}
    assert found.parts["weights"].likely * GIB == 2 * models.gpt(7e9).parameters


def test_a_table_for_trees_is_copied_and_binned() -> None:
    """100 M rows of 20 numbers are 8 GB; a copy; 2 GB of bins."""
    found = memory.trees(100e6, 20)
    assert found.likely == pytest.approx(18e9 / GIB)
    assert found.low == pytest.approx(10e9 / GIB)


@given(
    st.sampled_from(MODELS),
    st.integers(1, 512),
    st.sampled_from(list(PRECISIONS)),
    st.sampled_from(list(OPTIMIZERS)),
    st.sampled_from(list(SHARDING)),
    st.integers(1, 16),
    st.booleans(),
)
def test_more_of_anything_never_takes_less(
    model: models.Cost, batch: int, precision: str, optimizer: str, sharding: str, gpus: int,
    again: bool,
) -> None:  # fmt: skip
    def need(batch: int, gpus: int, sharding: str = sharding) -> float:
        found = memory.training(
            model, batch, precision=precision, optimizer=optimizer, gpus=gpus, sharding=sharding,
            checkpointing=again,
        ).total  # fmt: skip
        assert 0 < found.low <= found.likely <= found.high
        return found.likely

    assert need(batch + 1, gpus) >= need(batch, gpus)
    assert need(batch, gpus + 1) <= need(batch, gpus) * (1 + 1e-12)
    assert need(batch, gpus, "fsdp") <= need(batch, gpus, "zero1") * (1 + 1e-12)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ({"precision": "fp4"}, "precision: 'fp4' is unknown; valid: fp32"),
        ({"optimizer": "sdg"}, "optimizer: 'sdg' is unknown; valid: sgd"),
        ({"sharding": "zero9"}, "sharding: 'zero9' is unknown"),
        ({"gpus": 0}, "gpus: 0 is no count"),
        ({"libraries": "x"}, "libraries: 'x' is unknown"),
    ],
)
def test_nonsense_is_refused_with_what_is_valid(named: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        memory.training(RESNET, 8, **named)


def test_an_unknown_model_or_size_is_refused_with_what_is_valid() -> None:
    with pytest.raises(InputError, match="no 'vgg'; valid: resnet50"):
        models.known("vgg")
    with pytest.raises(InputError, match="image: 0 is no size of a model"):
        models.known("resnet50", image=0)
    with pytest.raises(InputError, match="3 voxels cannot be halved 4 times; valid: 64, 96"):
        models.known("unet3d", side=3)
    with pytest.raises(InputError, match="layers and width together"):
        models.known("gpt", layers=24)
    with pytest.raises(InputError, match="resnet50 takes image, classes, and not tokens"):
        models.known("ResNet-50", tokens=3)


def test_a_gpt_is_named_by_the_parameters_that_its_layers_and_width_make() -> None:
    """24 layers of width 1,024: 24 x 12 x 1,024^2 + 50,257 x 1,024 = 353 M."""
    assert models.known("gpt", layers=24, width=1024).name == "gpt 353M"


@pytest.mark.parametrize("name", ["ResNet-50", "resnet50", "BERT", "bert_base", "3D-UNet", "unet"])
def test_a_model_is_found_by_its_usual_names(name: str) -> None:
    assert models.known(name).name in models.KNOWN
