"""Memory, facts of the cluster, what stands in the claims, and repaired job scripts."""

from typing import Any

from mlhpc.quiz.derivations.base import NotAsked, Numbers, claim, derivation, number
from mlhpc.quiz.values import World


@derivation
def batch_memory_gib(world: World, numbers: Numbers) -> float:
    """Memory of ResNet-50 at a batch, by the line through public runs."""
    each = claim(world, "resnet50-memory-per-image") / 1024
    return claim(world, "resnet50-memory-base") + each * number(numbers, "batch")


@derivation
def weights_memory_gib(world: World, numbers: Numbers) -> float:
    """Only the weights: the slip of who counts the file of the model."""
    del numbers
    weights = claim(world, "resnet50-parameters") * claim(world, "bytes-per-parameter")
    return weights / 2**30


@derivation
def gpus_that_hold(world: World, numbers: Numbers) -> list[str]:
    """The types of GPU whose memory holds the work."""
    need = number(numbers, "need_gb")
    known = {key: gpu.memory_gb for key, gpu in world.cluster.gpus.items()}
    if any(memory is None or abs(memory - need) < 3 for memory in known.values()):
        raise NotAsked("too close to call, or not known")
    found = [key for key, memory in known.items() if memory is not None and memory > need]
    if not found:
        raise NotAsked("none holds it")
    return found


# Facts of the cluster


@derivation
def gpus_in_all(world: World, numbers: Numbers) -> float:
    """How many GPUs the cluster has."""
    del numbers
    return float(world.cluster.fact("gpu.total").value)  # type: ignore[arg-type]


@derivation
def kept_tiers(world: World, numbers: Numbers) -> list[str]:
    """The tiers whose files outlive the job."""
    del numbers
    return [key for key, tier in world.cluster.storage.items() if tier.lifetime == "kept"]


@derivation
def backed_up_tier(world: World, numbers: Numbers) -> str:
    """The one tier that is backed up."""
    del numbers
    (found,) = (key for key, tier in world.cluster.storage.items() if tier.backed_up)
    return found


@derivation
def job_tier(world: World, numbers: Numbers) -> str:
    """The one tier that ends with the job."""
    del numbers
    (found,) = (key for key, tier in world.cluster.storage.items() if tier.lifetime == "job")
    return found


@derivation
def partition_days(world: World, numbers: Numbers) -> float:
    """The longest job of the GPU partition, in days."""
    del numbers
    hours = world.cluster.partitions["gpu"].max_time_h
    if hours is None:
        raise NotAsked("the limit is not known")
    return hours / 24


# What is known from the lesson, and stands in its claims


@derivation
def phases(world: World, numbers: Numbers) -> list[str]:
    """The five phases, in order."""
    del world, numbers
    return ["local", "preprocess", "train", "evaluate", "iterate"]


@derivation
def careful_steps(world: World, numbers: Numbers) -> list[str]:
    """From code to a full run, in order: the small test comes first."""
    del world, numbers
    return ["sample", "time", "test-job", "full-job"]


@derivation
def first(world: World, numbers: Numbers) -> str:
    """The option whose key is 'right': for what is a judgement of the lesson."""
    del world, numbers
    return "right"


@derivation
def marked(world: World, numbers: Numbers) -> list[str]:
    """The options whose keys begin with 'right-', by the number of them that is asked."""
    del world
    return [f"right-{at}" for at in range(1, int(number(numbers, "rights")) + 1)]


@derivation
def xgboost_device(world: World, numbers: Numbers) -> str:
    """cpu below a tenth of the rows from which a GPU was seen to pay, gpu from there on."""
    rows, pays = number(numbers, "rows"), claim(world, "xgboost-rows-large")
    if rows >= pays:
        return "gpu"
    if rows <= claim(world, "xgboost-rows-small"):
        return "cpu"
    raise NotAsked("between the two: measure")


# Job scripts


@derivation
def repaired(world: World, numbers: Numbers) -> dict[str, Any]:
    """What the repaired script must ask for: the numbers named like directives."""
    del world
    return dict(numbers)
