"""ResNet-50 on ImageNet, and how long other models train: rates to hours and days."""

from mlhpc.claims.derive import Facts, Span, derivation, ratio

SECONDS_PER_HOUR = 3600
SECONDS_PER_DAY = 86_400
MILLION = 10**6


@derivation
def imagenet_size_gb(facts: Facts) -> float:
    """Bytes of both archives, in decimal GB."""
    return (facts["imagenet-train-bytes"] + facts["imagenet-val-bytes"]) / 1e9


@derivation
def resnet50_million_images(facts: Facts) -> float:
    """Epochs x images of an epoch, in millions."""
    return facts["resnet50-epochs"] * facts["imagenet-train-images"] / MILLION


def _images(facts: Facts) -> float:
    return facts["resnet50-images"] * MILLION


def _hours(facts: Facts, images_per_s: float) -> float:
    return _images(facts) / images_per_s / SECONDS_PER_HOUR


@derivation
def resnet50_cpu_8_cores_days(facts: Facts) -> float:
    """Images over the rate of an 8-core CPU, in days."""
    return _hours(facts, facts["resnet50-cpu-8-cores"]) / 24


@derivation
def resnet50_laptop_gpu_days(facts: Facts) -> Span:
    """Images over the rates of laptops' GPUs, in days."""
    slow, fast = facts.range("resnet50-laptop-gpu")
    return _hours(facts, fast) / 24, _hours(facts, slow) / 24


@derivation
def resnet50_laptop_rate(facts: Facts) -> Span:
    """Images over the days of the earlier text, in images a second."""
    return ratio(_images(facts) / SECONDS_PER_DAY, facts.range("resnet50-laptop-row"))


@derivation
def resnet50_a100_hours(facts: Facts) -> Span:
    """Images over the rates of two public programs, in AMP."""
    return _hours(facts, facts["resnet50-a100-amp"]), _hours(
        facts, facts["resnet50-a100-amp-other"]
    )


@derivation
def resnet50_a100_tf32_hours(facts: Facts) -> Span:
    """From images over the faster measured rate to what the vendor states for all of its run."""
    return _hours(facts, facts["resnet50-a100-tf32-other"]), facts["resnet50-a100-tf32-stated"]


def efficiency(facts: Facts, precision: str) -> float:
    """Rate of eight GPUs over eight times that of one, as a share."""
    return facts[f"resnet50-8-a100-{precision}"] / (8 * facts[f"resnet50-a100-{precision}"])


@derivation
def resnet50_4_a100_hours(facts: Facts) -> Span:
    """One program: four times one GPU at the efficiency of eight. Another: four, measured."""
    scaled = 4 * facts["resnet50-a100-amp"] * efficiency(facts, "amp")
    return _hours(facts, scaled), _hours(facts, facts["resnet50-4-a100-amp"])


@derivation
def resnet50_8_gpu_efficiency(facts: Facts) -> Span:
    """Percent of the ideal on eight GPUs, with and without mixed precision."""
    return 100 * efficiency(facts, "amp"), 100 * efficiency(facts, "tf32")


@derivation
def resnet50_scaling_1_to_4(facts: Facts) -> Span:
    """Rate of four GPUs over that of one, same program: without and with mixed precision."""
    tf32 = facts["resnet50-4-a100-tf32"] / facts["resnet50-a100-tf32-other"]
    amp = facts["resnet50-4-a100-amp"] / facts["resnet50-a100-amp-other"]
    return min(tf32, amp), max(tf32, amp)


def a100_rates(facts: Facts) -> Span:
    """Images/s of one A100 in AMP: two public programs."""
    return facts["resnet50-a100-amp-other"], facts["resnet50-a100-amp"]


@derivation
def resnet50_laptop_speedup(facts: Facts) -> Span:
    """The A100's rates over those of laptops' GPUs."""
    return ratio(a100_rates(facts), facts.range("resnet50-laptop-gpu"))


@derivation
def spread_of_speed(facts: Facts) -> float:
    """Images/s of the fastest model over those of the slowest."""
    return facts["vision-fastest"] / facts["vision-slowest"]


@derivation
def large_model_hours(facts: Facts) -> Span:
    """Tokens over the rate of one GPU, in hours."""
    tokens = facts["large-model-tokens"] * 1e9
    low, high = ratio(tokens, facts.range("gpt-125m-tokens"))
    return low / SECONDS_PER_HOUR, high / SECONDS_PER_HOUR
