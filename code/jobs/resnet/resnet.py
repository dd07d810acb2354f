"""Train ResNet-50 on made-up images and time it: by precision and batch, up to the memory.

    python resnet.py --batches 32 --sweep            # doubles the batch until it does not fit
    python resnet.py --channels-last --precisions amp

The images are random, so nothing is loaded: this is what the GPU could do if data came for free.
One result a setting, in images a second.
"""

import sys

from mlhpc.train import networks, program


def main() -> None:
    parser = networks.parser("Time the training of ResNet-50.", batches=[32])
    parser.add_argument("--size", type=int, default=224, help="pixels of an image's side")
    options = parser.parse_args()
    if options.smoke:
        options.batches, options.size, options.seconds = [2], 64, 1
        options.precisions, options.sweep = ["fp32"], False
    networks.time_training(workload(options.size), options)


def workload(size: int) -> networks.Workload:
    """ResNet-50 (He et al. 2016) for images of 3 x size x size and 1,000 classes."""
    import torch
    from torch import nn
    from transformers import ResNetConfig, ResNetForImageClassification

    def build() -> nn.Module:
        # the library's default configuration is ResNet-50; its weights are made here, at random
        return ResNetForImageClassification(ResNetConfig(num_labels=1000))

    def batch(images: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randn(images, 3, size, size), torch.randint(1000, (images,))

    def loss(model: nn.Module, given: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        return nn.functional.cross_entropy(model(given[0]).logits, given[1])

    return networks.Workload("resnet", "images/s", build, batch, loss, {"size": size})


if __name__ == "__main__":
    sys.exit(program.run(main))
