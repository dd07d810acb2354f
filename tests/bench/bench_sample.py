"""How well a run is foretold from its first steps: ten small trainings, in CPU seconds.

Run as a program it prints one line of JSON. Each network is trained in full on this CPU; the time
of the whole is compared with what the first fiftieth of its steps foretold. CPU time, since other
work on the machine would be in the wall clock's.
"""

import json
import sys
import time
from collections.abc import Callable

import torch
from torch import nn

from mlhpc.estimate import sample

STEPS = 4000
SHARE = 0.02
WITHIN = 0.10


def dense(width: int, depth: int) -> nn.Module:
    """A dense network on 64 numbers."""
    layers: list[nn.Module] = [nn.Linear(64, width), nn.ReLU()]
    for _ in range(depth):
        layers += [nn.Linear(width, width), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(width, 10))


def convolutional(width: int) -> nn.Module:
    """A small convolutional network on 8 x 8 pictures."""
    return nn.Sequential(
        nn.Unflatten(1, (1, 8, 8)), nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width),
        nn.ReLU(), nn.Conv2d(width, width, 3, padding=1), nn.ReLU(), nn.Flatten(),
        nn.Linear(width * 64, 10),
    )  # fmt: skip


class Attention(nn.Module):
    """A transformer of one layer over eight words."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inside = nn.Linear(8, width)
        self.layer = nn.TransformerEncoderLayer(width, 4, 2 * width, batch_first=True)
        self.out = nn.Linear(width, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Ten numbers for each sample."""
        return self.out(self.layer(self.inside(x.view(-1, 8, 8))).mean(1))


class Recurrent(nn.Module):
    """A GRU over eight words."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gru, self.out = nn.GRU(8, width, batch_first=True), nn.Linear(width, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Ten numbers for each sample."""
        return self.out(self.gru(x.view(-1, 8, 8))[0][:, -1])


NETWORKS: dict[str, tuple[Callable[[], nn.Module], int]] = {
    "dense narrow": (lambda: dense(128, 2), 256),
    "dense wide": (lambda: dense(512, 1), 128),
    "dense deep": (lambda: dense(128, 8), 128),
    "dense large batch": (lambda: dense(128, 1), 2048),
    "convolution narrow": (lambda: convolutional(8), 64),
    "convolution wide": (lambda: convolutional(24), 64),
    "attention": (lambda: Attention(32), 64),
    "attention wide": (lambda: Attention(64), 64),
    "recurrent": (lambda: Recurrent(32), 128),
    "recurrent wide": (lambda: Recurrent(96), 64),
}


def steps_s(make: Callable[[], nn.Module], batch: int) -> list[float]:
    """CPU seconds of each step of a training."""
    torch.manual_seed(0)
    model = make()
    optimizer = torch.optim.Adam(model.parameters())
    x, y = torch.randn(batch, 64), torch.randint(0, 10, (batch,))
    found = []
    for _ in range(STEPS):
        begin = time.process_time()
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        found.append(time.process_time() - begin)
    return found


def measure(repeats: int) -> dict[str, float | int]:
    """How many of the ten were foretold to a tenth, worst error, and how often the range held."""
    torch.set_num_threads(1)
    errors, held = {}, 0
    for name, (make, batch) in NETWORKS.items():
        found = steps_s(make, batch)
        foretold = sample.full_run(found[: round(SHARE * STEPS)], STEPS)
        errors[name] = foretold.likely / sum(found) - 1
        held += foretold.low <= sum(found) <= foretold.high
        print(f"  {name}: {errors[name]:+.1%}", file=sys.stderr, flush=True)
    within = sum(abs(error) <= WITHIN for error in errors.values())
    return {
        "missed": len(NETWORKS) - within,
        "worst": round(max(abs(error) for error in errors.values()), 3),
        "ranges_held": held,
        "repeats": min(repeats, 1),
    }


if __name__ == "__main__":
    print(json.dumps(measure(1)))
