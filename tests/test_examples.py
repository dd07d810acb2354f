"""The example scripts, and the training program that one of them launches."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from mlhpc.lesson.gallery import parse
from mlhpc.lesson.gallery.project import Project
from mlhpc.lesson.gallery.script import Script

ROOT = Path(__file__).parent.parent
PROGRAM = ROOT / "code" / "jobs" / "scaling" / "train_ddp.py"
SCRIPTS = parse.read_all(Project.around(ROOT / "episodes"))


def test_there_are_at_least_eight_examples() -> None:
    assert len(SCRIPTS) >= 8


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_an_example_asks_before_it_shows_and_describes_its_figure(script: Script) -> None:
    assert script.summary.endswith(".")
    words = "\n".join(cell.source for cell in script.cells if cell.kind == "markdown")
    code = [cell.source.strip() for cell in script.code()]
    assert words.index("**Predict.**") < words.index("**What to look for.**")
    assert ".set_label(" in code[-1]
    assert "measured = {" in code[-1]
    # one that a lesson can show
    assert any(len(source.splitlines()) <= 15 for source in code[1:])


@pytest.mark.parametrize("name", ["plot_what_am_i_running_on", "plot_small_network"])
def test_an_example_runs_by_hand_from_any_folder(name: str, tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "code" / "examples" / f"{name}.py")]
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert list(tmp_path.iterdir()) == []


def launch(*options: str, processes: int = 2) -> list[dict]:
    """The lines of JSON that the program prints under torchrun."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", str(processes), str(PROGRAM), "--device", "cpu", *options]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def alone(steps: int, batch: int, width: int) -> tuple[list[float], dict[str, torch.Tensor]]:
    """The same training in this process, on the whole batch, without any distribution."""
    sys.path.insert(0, str(PROGRAM.parent))
    try:
        import train_ddp
    finally:
        sys.path.remove(str(PROGRAM.parent))
    torch.manual_seed(train_ddp.SEED)
    network = train_ddp.build(width)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.2)
    images, labels = train_ddp.make_batch(batch)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(network(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, network.state_dict()


def test_two_processes_train_as_one_does_on_the_whole_batch(tmp_path: Path) -> None:
    weights = tmp_path / "weights.pt"
    (result,) = launch("--batch", "64", "--width", "8", "--warmup", "1", "--steps", "19",
                       "--learning-rate", "0.2", "--save", str(weights))  # fmt: skip
    losses, expected = alone(20, 64, 8)
    assert result["params"] == {"mode": "strong", "processes": 2, "batch": 64, "width": 8}
    assert result["replicas_equal"] is True
    assert len(result["samples"]) == 19
    assert min(result["samples"]) > 0
    assert result["losses"] == pytest.approx(losses, rel=1e-4)
    assert result["losses"][-1] < 0.9 * result["losses"][0]
    found = torch.load(weights)
    for name, value in expected.items():
        torch.testing.assert_close(found[name], value, rtol=1e-3, atol=1e-5)


def test_one_launch_times_each_count_of_processes() -> None:
    results = launch("--smoke", "--processes", "1", "2")
    assert [result["params"]["processes"] for result in results] == [1, 2]
    assert results[0]["losses"] == pytest.approx(results[1]["losses"], rel=1e-3)


def test_with_weak_scaling_each_process_has_a_batch_of_its_own() -> None:
    results = launch("--smoke", "--processes", "1", "2", "--mode", "strong", "weak")
    assert [(one["params"]["mode"], one["params"]["batch"]) for one in results] == [
        ("strong", 128), ("strong", 128), ("weak", 128), ("weak", 256)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--processes", "3"], "3 is not from 1 to the 1 that were started"),
     (["--batch", "-2", "--processes", "0"], "0 is not from 1 to the 1 that were started")],
)  # fmt: skip
def test_counts_that_cannot_be_are_refused(options: list[str], message: str) -> None:
    environment = {**os.environ, "WORLD_SIZE": "1"}
    command = [sys.executable, str(PROGRAM), *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr


def test_without_torchrun_it_says_how_to_start_it() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "WORLD_SIZE"}
    command = [sys.executable, str(PROGRAM)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "start it with torchrun" in done.stderr
