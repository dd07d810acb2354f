"""Fine-tune a network of the shape of BERT-base on made-up text, and time it.

    python bert.py --batches 8 16 32
    python bert.py --length 512 --precisions amp --sweep

Tokens are random and the weights new: the arithmetic of a step is that of fine-tuning with every
weight free. One result a setting, in sequences a second.
"""

import sys

from mlhpc.train import networks, program

TOKENS = 30522  # of BERT's vocabulary
CLASSES = 2


def main() -> None:
    parser = networks.parser("Time the fine-tuning of BERT-base.", batches=[8])
    parser.add_argument("--length", type=int, default=128, help="tokens of a sequence")
    parser.add_argument("--layers", type=int, default=12, help="12 are BERT-base")
    options = parser.parse_args()
    if options.smoke:
        options.batches, options.length, options.layers, options.seconds = [2], 16, 2, 1
        options.precisions, options.sweep = ["fp32"], False
    networks.time_training(workload(options.length, options.layers), options)


def workload(length: int, layers: int = 12) -> networks.Workload:
    """BERT-base (Devlin et al. 2019) with a head for two classes."""
    import torch
    from torch import nn
    from transformers import BertConfig, BertForSequenceClassification

    def build() -> nn.Module:
        return BertForSequenceClassification(
            BertConfig(num_hidden_layers=layers, num_labels=CLASSES)
        )

    def batch(sequences: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randint(TOKENS, (sequences, length)), torch.randint(CLASSES, (sequences,))

    def loss(model: nn.Module, given: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        return nn.functional.cross_entropy(model(input_ids=given[0]).logits, given[1])

    params = {"length": length, "layers": layers}
    return networks.Workload("bert", "sequences/s", build, batch, loss, params)


if __name__ == "__main__":
    sys.exit(program.run(main))
