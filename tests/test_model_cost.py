"""Counting a torch model in a child process, without its weights."""

import json
import sys
from pathlib import Path

import pytest

from mlhpc.cli import main
from mlhpc.errors import InputError
from mlhpc.train import model_cost

NETS = """
import torch
from torch import nn

def small():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Flatten(),
                         nn.Linear(8 * 32 * 32, 10))

def two():
    return nn.Sequential(nn.Linear(100, 200), nn.ReLU(), nn.Linear(200, 10))

def huge():
    return nn.Linear(10**6, 10**6)

class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1000, 16)
        self.out = nn.Linear(16, 1000)
    def forward(self, x):
        return self.out(self.embed(x))

def broken():
    raise RuntimeError("first line\\nsecond line")

number = 3
def no_model():
    return 3
"""


@pytest.fixture
def nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "nets.py").write_text(NETS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_small_network_is_counted_by_hand(nets: Path) -> None:
    """Convolution: 8 x 27 weights + 8, 8 x 32 x 32 put out; dense: 8,192 x 10 + 10."""
    assert nets.is_dir()
    found = model_cost.measure("nets:small", [3, 32, 32])
    assert found["parameters"] == 8 * 27 + 8 + 81920 + 10
    assert found["macs"] == 8 * 32 * 32 * 27 + 81920
    assert found["activations"] == 8192 + 10
    assert found["largest"] == 8192
    assert found["saved"] == 3 * 32 * 32 + 8192  # the image, and what the ReLU puts out


def test_weights_are_no_activations_and_what_two_layers_keep_counts_once(nets: Path) -> None:
    """Kept: 100 that go in, and 200 that the ReLU puts out and the second layer takes in. The
    weights, which a linear layer keeps transposed, do not grow with the batch."""
    assert nets.is_dir()
    assert model_cost.measure("nets:two", [100])["saved"] == 100 + 200


def test_a_model_larger_than_memory_is_counted_without_its_weights(nets: Path) -> None:
    assert nets.is_dir()
    assert model_cost.measure("nets:huge", [10**6])["parameters"] == 10**12 + 10**6


def test_a_language_model_takes_whole_numbers(nets: Path) -> None:
    assert nets.is_dir()
    assert model_cost.measure("nets:Words", [12], tokens=True)["macs"] == 12 * 16 * 1000


@pytest.mark.parametrize(
    ("target", "shape", "words"),
    [
        ("nets:broken", [3], "nets:broken: RuntimeError: first line second line"),
        ("nets:absent", [3], "AttributeError"),
        ("nowhere:x", [3], "ModuleNotFoundError"),
        ("nets", [3], "is no MODULE:FACTORY"),
        ("nets:no_model", [3], "made int, and no torch.nn.Module"),
        ("nets:small", [3, 31, 32], r"a sample of \[3, 31, 32\]"),
    ],
)
def test_what_cannot_be_counted_is_told_in_one_line(
    nets: Path, target: str, shape: list[int], words: str
) -> None:
    assert nets.is_dir()
    with pytest.raises(InputError, match=words) as caught:
        model_cost.measure(target, shape)
    assert "\n" not in str(caught.value)


def test_the_core_does_not_load_torch_to_count(nets: Path) -> None:
    """In a process of its own, since this one may have loaded it long ago."""
    assert nets.is_dir()
    code = (
        "import sys; from mlhpc.cli import main;"
        "code = main(['estimate', 'model', 'nets:small', '--input', '3x32x32']);"
        "sys.exit(code or ('torch' in sys.modules))"
    )
    import subprocess

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "82,154" in done.stdout


def test_what_was_counted_goes_on_into_memory_and_time(
    nets: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["estimate", "model", "nets:small", "--input", "3x32x32", "--json"]) == 0
    (nets / "small.json").write_text(capsys.readouterr().out)
    assert main(["estimate", "memory", "--counted", "small.json", "--batch", "8", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["model"] == "nets:small"
    assert found["parts"]["weights"]["likely"] * 2**30 == pytest.approx(6 * 82154)
    time = ["estimate", "time", "--counted", "small.json", "--gpu", "a100", "--samples", "1k"]
    assert main(time) == 0
