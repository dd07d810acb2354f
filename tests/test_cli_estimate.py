"""``mlhpc estimate`` on the command line."""

import json
from pathlib import Path

import pytest

from mlhpc.cli import main


def test_memory_lists_its_parts_and_which_gpu_holds_it(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["estimate", "memory", "--model", "gpt", "--parameters", "7B", "--batch", "1"]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == 1
    assert set(found["parts"]) == {
        "weights", "gradients", "optimizer", "activations", "one layer", "libraries",
    }  # fmt: skip
    assert found["fits"]["l40s"] == "does not fit"
    assert main(asked) == 0
    assert "l40s: does not fit" in capsys.readouterr().out


def test_time_from_a_sample_on_the_line_or_in_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "steps.txt"
    path.write_text("\n".join(["2.0", *["0.5"] * 9]))
    for given in (str(path), "2.0," + ",".join(["0.5"] * 9)):
        assert main(["estimate", "time", "--sample", given, "--steps", "1k", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)["estimate"]
        assert found["likely"] == pytest.approx(2 + 999 * 0.5)
        assert found["unit"] == "s"


def test_time_from_cost_is_a_range_with_its_known_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["estimate", "time", "--model", "resnet50", "--gpu", "a100", "--samples", "1.28M",
             "--epochs", "90", "--batch", "256", "--layout", "nhwc"]  # fmt: skip
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert "likely 14 h 46 min" in shown  # NVIDIA's own run: about 14 hours
    assert "known error: models left out: median" in shown


def test_trees_take_the_size_of_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["estimate", "memory", "--model", "trees", "--rows", "100M", "--features", "20"]
    assert main(asked) == 0
    assert "9.3 to   24.2 GiB of main memory" in capsys.readouterr().out


@pytest.mark.parametrize("parameters", ['"many"', "-1e9", "NaN", "Infinity", "null"])
def test_counts_that_are_none_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], parameters: str
) -> None:
    path = tmp_path / "counted.json"
    path.write_text(f'{{"model": {{"name": "a", "kind": "vision", "sample": "s", "macs": 1, '
                    f'"activations": 1, "saved": 1, "largest": 1, "source": "s", '
                    f'"parameters": {parameters}}}}}')  # fmt: skip
    assert main(["estimate", "memory", "--counted", str(path)]) == 2
    assert capsys.readouterr().err.count("is no JSON of 'mlhpc estimate model --json'") == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("memory", "which one? --model resnet50"),
        ("memory --model vgg", "no 'vgg'; valid: resnet50"),
        ("memory --model trees", "trees take the size of the table"),
        ("memory --model resnet50 --precision fp3", "precision: 'fp3' is unknown; valid: fp32"),
        ("memory --model resnet50 --batch 0", "batch: 0 is no count"),
        ("memory --model gpt --parameters many", "parameters"),
        ("memory --counted nowhere.json", "nowhere.json: cannot be read"),
        ("time", "from a timed sample"),
        ("time --sample 1,2,3", "say --steps, or --samples"),
        ("time --sample x,y --steps 3", "cannot be read"),
        ("time --sample 1,b2 --steps 3", "valid: seconds such as 0.41,0.40"),
        ("time --sample 1,2,3 --steps -4", "steps"),
        ("time --model resnet50", "needs --gpu and --samples"),
        ("time --model resnet50 --gpu h100 --samples 1M", "gpu: 'h100' is unknown; valid: a100"),
        ("time --model resnet50 --gpu a100 --samples 1M --epochs 0", "epochs: 0"),
        ("time --model resnet50 --gpu a100 --samples 1M --epochs inf", "epochs: inf is no count"),
        ("memory --model resnet50 --image 0", "image: 0 is no size of a model"),
        ("memory --model trees --rows 0 --features 3", "rows: 0 is no size of a table"),
        ("model nets --input 0x3", "is no shape of a sample; valid: 3x224x224"),
        ("validate nowhere.csv", "nowhere.csv: cannot be read"),
        ("", "memory|time|model|validate"),
    ],
)
def test_bad_input_gets_one_line_with_what_is_valid(
    words: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["estimate", *words.split()]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert told in shown.err
