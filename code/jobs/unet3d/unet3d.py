"""Train a 3D U-Net on made-up volumes, as for organs in CT images, and time it.

    python unet3d.py --side 96 --batches 1 2 --sweep

The network is MONAI's U-Net, built by its configuration. One result a setting, in volumes a second.
"""

import sys

from mlhpc.train import networks, program

CLASSES = 2
CHANNELS = (16, 32, 64, 128, 256)


def main() -> None:
    parser = networks.parser("Time the training of a 3D U-Net.", batches=[1])
    parser.add_argument("--side", type=int, default=96, help="voxels of a volume's side")
    options = parser.parse_args()
    if options.smoke:
        options.batches, options.side, options.seconds = [1], 32, 1
        options.precisions, options.sweep = ["fp32"], False
    networks.time_training(workload(options.side), options)


def workload(side: int) -> networks.Workload:
    """A residual U-Net of five levels for volumes of side x side x side; Dice loss."""
    import torch
    from monai.losses import DiceLoss
    from monai.networks.nets import UNet
    from torch import nn

    strides = (2,) * (len(CHANNELS) - 1)
    overlap = DiceLoss(to_onehot_y=True, softmax=True)

    def build() -> nn.Module:
        return UNet(
            spatial_dims=3, in_channels=1, out_channels=CLASSES, channels=CHANNELS,
            strides=strides, num_res_units=2,
        )  # fmt: skip

    def batch(volumes: int) -> tuple[torch.Tensor, torch.Tensor]:
        shape = (volumes, 1, side, side, side)
        return torch.randn(shape), torch.randint(CLASSES, shape)

    def loss(model: nn.Module, given: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        return overlap(model(given[0]), given[1])

    return networks.Workload("unet3d", "volumes/s", build, batch, loss, {"side": side})


if __name__ == "__main__":
    sys.exit(program.run(main))
