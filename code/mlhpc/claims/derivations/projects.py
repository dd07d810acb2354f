"""The projects of the exercises: BERT on text, a 3D network, satellite images."""

from mlhpc.claims.derive import Facts, Span, derivation, ratio

SECONDS_PER_HOUR = 3600
HOURS_PER_WEEK = 168


@derivation
def project_a_billion_tokens(facts: Facts) -> float:
    """Bytes of text over bytes a token, in billions."""
    return facts["project-a-data"] / facts["bert-bytes-per-token"]


def flops_per_token(facts: Facts) -> float:
    """Operations of one token in training, forward and backward.

    6 for each weight of the layers (12 x width^2 of them a layer: four of attention, eight of an
    inner layer four times as wide), and 12 x layers x length x width for attention's products
    (Kaplan et al., arXiv:2001.08361, and the count with attention in arXiv:2204.02311, appendix B).
    """
    layers, width = facts["bert-layers"], facts["bert-hidden"]
    weights = 12 * layers * width**2
    return 6 * weights + 12 * layers * facts["bert-sequence"] * width


def _tflops(facts: Facts, seconds: float) -> float:
    return facts["project-a-tokens"] * 1e9 * flops_per_token(facts) / seconds / 1e12


@derivation
def bert_tflops_cpu_time(facts: Facts) -> float:
    """Operations of one pass over all text in the hours of the CPU."""
    return _tflops(facts, facts["project-a-cpu"] * SECONDS_PER_HOUR)


@derivation
def bert_tflops_a100_time(facts: Facts) -> float:
    """Operations of one pass over all text in the minutes of the A100."""
    return _tflops(facts, facts["project-a-minutes-target"] * 60)


@derivation
def bert_a100_vs_112_cores(facts: Facts) -> float:
    """Sequences/s of an A100 over those of a server."""
    return facts["bert-large-a100"] / facts["bert-large-112-cores"]


@derivation
def bert_a100_vs_32_cores(facts: Facts) -> float:
    """The same over the share of 32 cores in the server."""
    share = facts["baseline-cores"] / facts["cores-of-server"]
    return facts["bert-a100-vs-112-cores"] / share


@derivation
def project_a_minutes(facts: Facts) -> float:
    """Hours on a CPU over the speed-up against 32 cores, in minutes."""
    return facts["project-a-cpu"] * 60 / facts["bert-a100-vs-32-cores"]


def _rates(facts: Facts) -> Span:
    """Tokens/s of an A100 on BERT-base, where each sequence is full."""
    slow, fast = facts.range("bert-base-a100")
    return slow * facts["bert-sequence"], fast * facts["bert-sequence"]


@derivation
def project_a_whole_hours(facts: Facts) -> Span:
    """All tokens over the measured rates, in hours."""
    low, high = ratio(facts["project-a-tokens"] * 1e9, _rates(facts))
    return low / SECONDS_PER_HOUR, high / SECONDS_PER_HOUR


@derivation
def project_a_subset_gb(facts: Facts) -> Span:
    """Rate x time x bytes a token, in GB."""
    seconds = facts["project-a-minutes-target"] * 60
    slow, fast = _rates(facts)
    gb_per_token = facts["bert-bytes-per-token"] / 1e9
    return slow * seconds * gb_per_token, fast * seconds * gb_per_token


@derivation
def project_c_one_a100_hours(facts: Facts) -> Span:
    """Weeks on a CPU over the speed-up of ResNet-50 on one A100, in hours."""
    hours = facts["project-c-cpu"] * HOURS_PER_WEEK
    return ratio(hours, facts.range("resnet50-speedup-1-a100"))


@derivation
def project_c_four_a100_hours(facts: Facts) -> Span:
    """Weeks on a CPU over the speed-up of ResNet-50 on four A100s, in hours."""
    hours = facts["project-c-cpu"] * HOURS_PER_WEEK
    return ratio(hours, facts.range("resnet50-speedup-4-a100"))


@derivation
def conv3d_amp_gain(facts: Facts) -> float:
    """Rate in mixed precision over the rate without."""
    return facts["conv3d-a100-amp"] / facts["conv3d-a100-tf32"]


@derivation
def satellite_vs_rhome(facts: Facts) -> float:
    """Terabytes of images over the quota of /rhome in gigabytes."""
    return facts["satellite-data"] * 1000 / facts.cluster("storage.rhome.quota_gb")


@derivation
def sample_scale(facts: Facts) -> float:
    """The whole in gigabytes over the sample."""
    return facts["satellite-data"] * 1000 / facts["sample-size"]


@derivation
def io_bound_delivered(facts: Facts) -> float:
    """Images of 90 epochs over the minutes that they took."""
    return facts["resnet50-images"] * 1e6 / (facts["io-bound-minutes"] * 60)


@derivation
def io_bound_hours(facts: Facts) -> float:
    """Its minutes in hours."""
    return facts["io-bound-minutes"] / 60
