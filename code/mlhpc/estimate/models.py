"""What a model costs, by arithmetic: parameters, multiplications, activations of one sample.

A sample is an image, a volume or a sequence. Known models follow their papers; any other comes
from ``mlhpc estimate model``, which counts it.
"""

import inspect
import itertools
from collections.abc import Callable
from dataclasses import dataclass

from mlhpc.errors import InputError

RESNET = "He et al. 2016, https://arxiv.org/abs/1512.03385; stride in the 3x3 layer (v1.5)"
UNET = "Çiçek et al. 2016, https://arxiv.org/abs/1606.06650"
BERT = "Devlin et al. 2019, https://arxiv.org/abs/1810.04805"
GPT = "Radford et al. 2019, https://github.com/openai/gpt-2"
SAVED = "Korthikanti et al. 2022, https://arxiv.org/abs/2205.05198"


@dataclass(frozen=True)
class Cost:
    """One sample through a model, forward.

    ``macs``: multiplications with addition; ``activations``: elements that convolutions and
    linear layers put out; ``saved``: elements kept for the backward pass, in the precision of
    the activations; ``largest``: elements of the largest one. ``tokens``, ``layers`` and
    ``width`` are 0 where the model is no transformer.
    """

    name: str
    kind: str  # 'vision', 'transformer' or 'dense'
    sample: str
    parameters: float
    macs: float
    activations: float
    saved: float
    largest: float
    source: str
    tokens: int = 0
    layers: int = 0
    width: int = 0


@dataclass(frozen=True)
class Convolution:
    """A convolution with its normalization: ``relu`` where an activation follows it."""

    inputs: int
    outputs: int
    taps: int  # positions of the kernel: 9 for 3x3
    places: int  # positions that it puts out
    relu: bool = True

    @property
    def elements(self) -> int:
        """What it puts out."""
        return self.outputs * self.places


def resnet50(image: int = 224, classes: int = 1000) -> Cost:
    """ResNet-50 on square images of ``image`` pixels a side."""
    layers = list(_resnet50(image))
    pooled = 64 * _half(image // 2) ** 2
    saved = _saved(layers) + 5 * pooled + 3 * 3 * image**2  # an index is 4 elements
    return _convolutional(
        "resnet50",
        f"{image}x{image} image",
        layers,
        classes=classes,
        features=2048,
        saved=saved,
        source=RESNET,
    )


def _resnet50(image: int) -> list[Convolution]:
    side = image // 2
    found = [Convolution(3, 64, 49, side**2)]
    side, inputs = _half(side), 64
    for stage, (width, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(blocks):
            before = side
            side = _half(side) if block == 0 and stage else side
            found.append(Convolution(inputs, width, 1, before**2))
            found.append(Convolution(width, width, 9, side**2))
            found.append(Convolution(width, 4 * width, 1, side**2))
            if block == 0:
                found.append(Convolution(inputs, 4 * width, 1, side**2, relu=False))
            inputs = 4 * width
    return found


def unet3d(side: int = 96, width: int = 32, levels: int = 5, channels: int = 1) -> Cost:
    """A 3D U-Net on cubes of ``side`` voxels: two 3x3x3 convolutions a level, down and up."""
    if side % 2 ** (levels - 1):
        raise InputError(f"side: {side} voxels cannot be halved {levels - 1} times; valid: 64, 96")
    found, inputs = [], channels
    sizes = [side // 2**level for level in range(levels)]
    for level, size in enumerate(sizes):
        outputs = width * 2**level
        found += [
            Convolution(inputs, outputs, 27, size**3),
            Convolution(outputs, outputs, 27, size**3),
        ]
        inputs = outputs
    for level in reversed(range(levels - 1)):
        outputs, places = width * 2**level, sizes[level] ** 3
        found.append(Convolution(inputs, outputs, 8, places, relu=False))
        found += [
            Convolution(2 * outputs, outputs, 27, places),
            Convolution(outputs, outputs, 27, places),
        ]
        inputs = outputs
    saved = _saved(found) + channels * side**3
    return _convolutional(
        "unet3d",
        f"{side}^3 voxels",
        found,
        classes=channels,
        features=width,
        saved=saved,
        source=UNET,
    )


def bert(tokens: int = 128, layers: int = 12, width: int = 768, vocabulary: int = 30522) -> Cost:
    """BERT-base, or another size, on sequences of ``tokens``."""
    embedded = (vocabulary + 512 + 2) * width + width**2 + width  # and the pooler
    return _transformer("bert-base", tokens, layers, width, embedded=embedded, head=0, source=BERT)


def gpt(
    parameters: float = 124e6,
    tokens: int = 1024,
    layers: int = 0,
    width: int = 0,
    vocabulary: int = 50257,
) -> Cost:
    """A GPT-like model of so many parameters; layers and width are chosen where they are not told.

    The smallest GPT-2 has 12 layers of width 768: the width is taken as 64 times the layers.
    """
    if bool(layers) != bool(width):
        raise InputError("model: gpt takes layers and width together, or parameters alone")
    if not layers:
        layers = _gpt_layers(parameters, vocabulary)
        width = 64 * layers
    tied = vocabulary * width  # the embedding is used once more to put out words
    name = f"gpt {(layers * 12 * width**2 + tied) / 1e6:,.0f}M"
    return _transformer(name, tokens, layers, width, embedded=tied, head=tied, source=GPT)


def _gpt_layers(parameters: float, vocabulary: int) -> int:
    """The number of layers that comes nearest to so many parameters."""

    def miss(layers: int) -> float:
        return abs(12 * layers * (64 * layers) ** 2 + 64 * layers * vocabulary - parameters)

    return min(range(1, 400), key=miss)


def mlp(width: int = 512, layers: int = 3, inputs: int = 784, classes: int = 10) -> Cost:
    """A small dense network: ``layers`` hidden layers of ``width``."""
    sizes = [inputs, *[width] * layers, classes]
    weights = sum(a * b for a, b in itertools.pairwise(sizes))
    return Cost("mlp", "dense", f"{inputs} numbers", weights + sum(sizes[1:]), weights,
                sum(sizes[1:]), inputs + 2 * width * layers, max(sizes),
                "one matrix product a layer")  # fmt: skip


def _convolutional(
    name: str, sample: str, layers: list[Convolution], *, classes: int, features: int,
    saved: float, source: str,
) -> Cost:  # fmt: skip
    weights = sum(one.inputs * one.outputs * one.taps + 2 * one.outputs for one in layers)
    macs = sum(one.inputs * one.taps * one.elements for one in layers)
    head = features * classes
    return Cost(name, "vision", sample, weights + head + classes, macs + head,
                sum(one.elements for one in layers) + classes, saved,
                max(one.elements for one in layers), source)  # fmt: skip


def _saved(layers: list[Convolution]) -> int:
    """Kept for backward: what goes into each normalization, and what each activation puts out
    (which is what goes into the next convolution)."""
    return sum(one.elements * (2 if one.relu else 1) for one in layers)


def _transformer(
    name: str, tokens: int, layers: int, width: int, *, embedded: float, head: float, source: str
) -> Cost:
    weights = layers * (12 * width**2 + 13 * width) + embedded
    macs = tokens * (layers * 12 * width**2 + head) + 2 * layers * width * tokens**2
    # 34 bytes an element of the width and layer, attention recomputed (SAVED, equation 2)
    saved = tokens * width * (17 * layers + 2) + (2 * tokens * head / width if head else 0)
    return Cost(name, "transformer", f"{tokens} tokens", weights, macs,
                tokens * width * layers * 9, saved, tokens * 4 * width,
                f"{source}; {SAVED}", tokens, layers, width)  # fmt: skip


def _half(side: int) -> int:
    return (side + 1) // 2


KNOWN: dict[str, Callable[..., Cost]] = {
    "resnet50": resnet50,
    "bert-base": bert,
    "unet3d": unet3d,
    "mlp": mlp,
    "gpt": gpt,
}


ALIASES = {
    "resnet-50": "resnet50",
    "bert": "bert-base",
    "3d-unet": "unet3d",
    "3d-u-net": "unet3d",
    "u-net": "unet3d",
    "unet": "unet3d",
}


def known(name: str, **sizes: float) -> Cost:
    """A model of the lesson by its name. Raises InputError with the valid names or sizes."""
    key = name.lower().replace("_", "-")
    key = ALIASES.get(key, key)
    if key not in KNOWN:
        raise InputError(f"model: no '{name}'; valid: {', '.join(KNOWN)}")
    for size, value in sizes.items():
        if not value >= 1:
            raise InputError(f"{size}: {value} is no size of a model; valid is a number from 1")
    try:
        return KNOWN[key](**sizes)
    except TypeError:
        valid = ", ".join(inspect.signature(KNOWN[key]).parameters)
        raise InputError(f"model: {key} takes {valid}, and not {', '.join(sizes)}") from None
