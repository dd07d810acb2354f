"""Train dense networks of several widths with several batches: when does a GPU help?

    python dense.py --widths 32 256 2048 --batches 32 1024

A step of a small network is mostly the starting of its parts, and a GPU starts them no faster than
a CPU does. One result a setting, in samples a second.
"""

import itertools
import sys

from mlhpc.train import networks, program

FEATURES, CLASSES, LAYERS = 64, 10, 3


def main() -> None:
    parser = networks.parser("Time dense networks by width and batch.", batches=[32, 1024])
    parser.add_argument("--widths", type=int, nargs="+", default=[32, 256, 2048], metavar="N")
    options = parser.parse_args()
    if options.smoke:
        options.widths, options.batches, options.seconds = [16, 64], [16], 1
        options.precisions, options.sweep = ["fp32"], False
    for width in options.widths:
        networks.time_training(workload(width), options)


def workload(width: int) -> networks.Workload:
    """Three hidden layers of ``width``, for rows of 64 numbers and 10 classes."""
    import torch
    from torch import nn

    def build() -> nn.Module:
        widths = [FEATURES, *[width] * LAYERS]
        hidden = [
            part
            for before, after in itertools.pairwise(widths)
            for part in (nn.Linear(before, after), nn.ReLU())
        ]
        return nn.Sequential(*hidden, nn.Linear(width, CLASSES))

    def batch(rows: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randn(rows, FEATURES), torch.randint(CLASSES, (rows,))

    def loss(model: nn.Module, given: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        return nn.functional.cross_entropy(model(given[0]), given[1])

    return networks.Workload("dense", "samples/s", build, batch, loss, {"width": width})


if __name__ == "__main__":
    sys.exit(program.run(main))
