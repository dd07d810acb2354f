"""Arithmetic over facts of the cluster and of models: lanes, memory, limits."""

from mlhpc.claims.derive import Facts, Span, derivation

GPUS = ("a100", "l40s", "rtxpro6000")
MIB_PER_GIB = 1024


def _of_all(facts: Facts, name: str) -> list[float]:
    return [facts.cluster(f"gpu.{gpu}.{name}") for gpu in GPUS]


@derivation
def gpu_total(facts: Facts) -> float:
    """The sum of the counts of all types."""
    return sum(_of_all(facts, "count"))


@derivation
def gpu_lanes(facts: Facts) -> Span:
    """The fewest and the most CUDA cores of the types."""
    lanes = _of_all(facts, "cuda_cores")
    return min(lanes), max(lanes)


@derivation
def gpu_multiprocessors(facts: Facts) -> Span:
    """The fewest and the most multiprocessors of the types."""
    counts = _of_all(facts, "sm_count")
    return min(counts), max(counts)


@derivation
def a100_cuda_cores(facts: Facts) -> float:
    """Multiprocessors x CUDA cores of each."""
    return facts.cluster("gpu.a100.sm_count") * facts["a100-lanes-per-multiprocessor"]


@derivation
def largest_gpu_memory_gb(facts: Facts) -> float:
    """The memory of the RTX PRO 6000, where no other type has as much; else 0."""
    own = facts.cluster("gpu.rtxpro6000.memory_gb")
    others = [facts.cluster(f"gpu.{gpu}.memory_gb") for gpu in GPUS if gpu != "rtxpro6000"]
    return own if own > max(others) else 0


@derivation
def fp64_a100_vs_rtxpro6000(facts: Facts) -> float:
    """FP64 peak (without tensor cores) of one over that of the other."""
    return facts.cluster("gpu.a100.fp64_tflops") / facts.cluster("gpu.rtxpro6000.fp64_tflops")


@derivation
def gpu_max_days(facts: Facts) -> float:
    """The time limit of the gpu partition in days."""
    return facts.cluster("partition.gpu.max_time_h") / 24


@derivation
def resnet50_weights_mb(facts: Facts) -> float:
    """Parameters x bytes each, in decimal MB."""
    return facts["resnet50-parameters"] * facts["bytes-per-parameter"] / 1e6


@derivation
def resnet50_training_state_mb(facts: Facts) -> float:
    """Weights, gradients and momentum: three times the weights."""
    return 3 * facts["resnet50-weights"]


@derivation
def resnet50_memory_gib(facts: Facts) -> float:
    """What stands before the first image, and what each image of the batch adds."""
    images_gib = facts["resnet50-batch"] * facts["resnet50-memory-per-image"] / MIB_PER_GIB
    return facts["resnet50-memory-base"] + images_gib
