"""Train a small network data-parallel, on 1, 2, ... processes of one job, and time its steps.

    torchrun --standalone --nproc-per-node 4 train_ddp.py --processes 1 2 4 --mode strong weak

Every process holds the whole network. With strong scaling each has an equal share of one batch
whose size does not depend on how many there are: DistributedDataParallel averages the gradients, so
each count of processes takes the same steps as one process would. With weak scaling each has a
batch of that size of its own. For each count, one line of JSON says how long each step took and
how the loss went. The data are made up: nothing is loaded.
"""

import argparse
import hashlib
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

CLASSES = 10
SEED = 0


@dataclass(frozen=True)
class Result:
    """What one count of processes did; ``samples`` are seconds a step, in rank 0."""

    processes: int
    mode: str
    device: torch.device
    batch: int  # images a step, over all processes
    width: int
    samples: list[float]
    losses: list[float]
    replicas_equal: bool

    def document(self) -> dict[str, object]:
        """The line that is printed, in the form of all programs here."""
        gpu = torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else None
        params = {"mode": self.mode, "processes": self.processes, "batch": self.batch,
                  "width": self.width}  # fmt: skip
        return {
            "kind": "result",
            "benchmark": "scaling",
            "params": params,
            "unit": "s",
            "samples": self.samples,
            "seconds": self.samples,
            "device": {
                "type": self.device.type,
                "name": gpu,
                "count": self.processes if gpu else 0,
            },
            "settled": True,
            "backend": dist.get_backend(),
            "losses": self.losses,
            "replicas_equal": self.replicas_equal,
        }


def main() -> None:
    options = arguments()
    device = pick_device(options.device)
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        for mode, processes in settings(options):
            # every process must take part in making a group, also those that are not in it
            group = dist.new_group(list(range(processes)))
            if dist.get_rank() < processes:
                result = train(options, mode, processes, device, group)
                if dist.get_rank() == 0:
                    print(json.dumps(result.document()), flush=True)
            dist.barrier()
    finally:
        dist.destroy_process_group()


def settings(options: argparse.Namespace) -> list[tuple[str, int]]:
    """(mode, processes) of each result; one process is the same in both modes."""
    counts = options.processes or [dist.get_world_size()]
    return [(mode, count) for mode in options.mode for count in counts]


def train(
    options: argparse.Namespace, mode: str, processes: int, device: torch.device,
    group: dist.ProcessGroup,
) -> Result:  # fmt: skip
    """Take the steps with the first ``processes`` processes; the others wait."""
    batch = options.batch * (processes if mode == "weak" else 1)
    torch.manual_seed(SEED)
    network = build(options.width).to(device)
    model = DistributedDataParallel(network, process_group=group)
    optimizer = torch.optim.SGD(model.parameters(), lr=options.learning_rate)
    images, labels = (part.to(device) for part in share(batch, dist.get_rank(), processes))

    losses, samples = [], []
    for step in range(options.warmup + options.steps):
        start = now(device)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()  # here the gradients are averaged over the processes
        optimizer.step()
        elapsed = now(device) - start
        losses.append(mean_over(loss.detach(), group))
        if step >= options.warmup:
            samples.append(elapsed)

    if options.save and dist.get_rank() == 0:
        torch.save(network.state_dict(), options.save)
    return Result(
        processes=processes,
        mode=mode,
        device=device,
        batch=batch,
        width=options.width,
        samples=samples,
        losses=losses,
        replicas_equal=same_everywhere(fingerprint(network), group),
    )


def build(width: int) -> nn.Module:
    """A small convolutional network for images of 3 x 32 x 32."""
    return nn.Sequential(
        nn.Conv2d(3, width, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(width, 2 * width, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(2 * width, 4 * width, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(4 * width * 16, CLASSES),
    )


def make_batch(batch: int) -> tuple[Tensor, Tensor]:
    """Images (batch, 3, 32, 32) and labels (batch,): each class is one pattern, with noise."""
    generator = torch.Generator().manual_seed(SEED)
    labels = torch.randint(CLASSES, (batch,), generator=generator)
    patterns = torch.randn(CLASSES, 3, 32, 32, generator=generator)
    noise = torch.randn(batch, 3, 32, 32, generator=generator)
    return patterns[labels] + noise, labels


def share(batch: int, rank: int, processes: int) -> tuple[Tensor, Tensor]:
    """Every ``processes``-th example of the batch, from ``rank``: shares of equal size."""
    images, labels = make_batch(batch)
    return images[rank::processes], labels[rank::processes]


def pick_device(wanted: str) -> torch.device:
    """A GPU for each process of this node where there are enough, else the CPU."""
    enough = torch.cuda.device_count() >= int(os.environ["LOCAL_WORLD_SIZE"])
    if wanted == "cpu" or (wanted == "auto" and not enough):
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    return device


def now(device: torch.device) -> float:
    """Seconds on a clock. A GPU works behind the program's back: wait until it is done."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def mean_over(value: Tensor, group: dist.ProcessGroup) -> float:
    """The mean of one number over the processes of a group."""
    total = value.clone()
    dist.all_reduce(total, group=group)
    return total.item() / dist.get_world_size(group)


def fingerprint(network: nn.Module) -> str:
    """A hash of all weights, to the last bit."""
    digest = hashlib.sha256()
    for weights in network.state_dict().values():
        digest.update(weights.cpu().numpy().tobytes())
    return digest.hexdigest()


def same_everywhere(value: str, group: dist.ProcessGroup) -> bool:
    """Whether every process of a group has the same value."""
    values: list[str] = [""] * dist.get_world_size(group)
    dist.all_gather_object(values, value, group=group)
    return len(set(values)) == 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Time data-parallel training on 1, 2, ... processes."
    )
    parser.add_argument(
        "--processes", type=int, nargs="+", metavar="N",
        help="counts to time, each at most what torchrun started (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--mode", choices=["strong", "weak"], nargs="+", default=["strong"],
        help="strong: --batch is shared by all processes; weak: each has one",
    )  # fmt: skip
    parser.add_argument("--batch", type=int, default=1024, help="images a step")
    parser.add_argument("--width", type=int, default=64, help="channels of the first layer")
    parser.add_argument("--steps", type=int, default=30, help="steps to time")
    parser.add_argument("--warmup", type=int, default=5, help="steps before them, not timed")
    parser.add_argument("--learning-rate", type=float, default=0.05)
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep the trained weights")
    parser.add_argument("--smoke", action="store_true", help="a small case that takes seconds")
    options = parser.parse_args()
    if options.smoke:
        options.batch, options.width = 128, 32
        options.warmup, options.steps = 3, 10
    started = int(os.environ.get("WORLD_SIZE", "0"))
    if not started:
        parser.error(
            "start it with torchrun: torchrun --standalone --nproc-per-node 2 train_ddp.py"
        )
    for processes in options.processes or [started]:
        if not 1 <= processes <= started:
            parser.error(
                f"--processes: {processes} is not from 1 to the {started} that were started"
            )
        if options.batch % processes:
            parser.error(f"--batch: {options.batch} images cannot be shared equally by {processes}")
    return options


if __name__ == "__main__":
    main()
