"""What the answers are worked out by: one named function each, over numbers, cluster and claims.

Each takes the World and the question's numbers, and returns the key of the right option, the keys
of all right ones, a number in the question's unit, the keys in order, or what a script must hold.
No figure stands here.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from mlhpc import plan as planning
from mlhpc.claims.claim import Claim
from mlhpc.plan import Plan
from mlhpc.quiz.values import Value, World

Numbers = Mapping[str, Value]
Derivation = Callable[[World, Numbers], Any]
F = TypeVar("F", bound=Derivation)
REGISTRY: dict[str, Derivation] = {}


class NotAsked(Exception):  # noqa: N818
    """These numbers make no good question: two answers would be right, or none."""


def derivation(function: F) -> F:
    """Register a function under its name."""
    REGISTRY[function.__name__] = function
    return function


def number(numbers: Numbers, name: str) -> float:
    """A number of the question."""
    value = numbers[name]
    if isinstance(value, str):
        raise TypeError(f"{name} is no number")
    return float(value)


def claim(world: World, name: str) -> float:
    """A single number of the ledger, in plain units."""
    return amount(world.ledger[name])


def planned(world: World, numbers: Numbers) -> Plan:
    """The plan for the project that the numbers named like its fields describe."""
    fields = planning.specs()
    given = {name: value for name, value in numbers.items() if name in fields}
    return planning.plan(planning.from_mapping(given, "quiz"), world.cluster)


def amount(found: Claim) -> float:
    """The number of a claim; '10 million rows' is ten million."""
    word = (found.unit or "").partition(" ")[0]
    return float(found.numbers[0]) * {"million": 10**6, "billion": 10**9}.get(word, 1)


# Where a project belongs


@derivation
def place(world: World, numbers: Numbers) -> str:
    """laptop, either, cpu or gpu, as the planner says."""
    found = planned(world, numbers).place
    if found == "none":
        raise NotAsked("nothing fits")
    return found


@derivation
def worth_it(world: World, numbers: Numbers) -> str:
    """yes, no or either: whether the cluster pays."""
    return {"laptop": "no", "either": "either"}.get(place(world, numbers), "yes")


@derivation
def gpus_asked(world: World, numbers: Numbers) -> float:
    """How many GPUs the planner asks for."""
    full = planned(world, numbers).full
    if full is None or not full.gpu:
        raise NotAsked("no GPU")
    return full.gpus


@derivation
def one_or_several(world: World, numbers: Numbers) -> str:
    """one or several GPUs, as the planner asks."""
    return "one" if gpus_asked(world, numbers) == 1 else "several"


@derivation
def gpu_type(world: World, numbers: Numbers) -> str:
    """The key of the GPU that the planner asks for."""
    full = planned(world, numbers).full
    if full is None or not full.gpu:
        raise NotAsked("no GPU")
    return str(full.gpu)


@derivation
def raw_storage(world: World, numbers: Numbers) -> str:
    """The tier for raw data, as the planner says."""
    return str(planned(world, numbers).document()["storage"]["raw"])  # type: ignore[index]


@derivation
def results_storage(world: World, numbers: Numbers) -> str:
    """The tier for results, as the planner says."""
    return str(planned(world, numbers).document()["storage"]["results"])  # type: ignore[index]


# Arithmetic of searches


@derivation
def sweep_hours(world: World, numbers: Numbers) -> float:
    """Runs in rounds of so many GPUs, each as fast as before."""
    del world
    rounds = math.ceil(number(numbers, "runs") / number(numbers, "gpus"))
    return rounds * number(numbers, "hours_each")


@derivation
def sweep_days_serial(world: World, numbers: Numbers) -> float:
    """One after another, in days."""
    del world
    return number(numbers, "runs") * number(numbers, "hours_each") / 24


@derivation
def sweep_hours_serial(world: World, numbers: Numbers) -> float:
    """One after another, in hours: the slip of who forgets the GPUs."""
    del world
    return number(numbers, "runs") * number(numbers, "hours_each")


@derivation
def sweep_hours_one(world: World, numbers: Numbers) -> float:
    """As long as one run: the slip of who thinks that all run at once."""
    del world
    return number(numbers, "hours_each")


@derivation
def sweep_speedup_needed(world: World, numbers: Numbers) -> float:
    """How much faster each run must be, so that the search ends in the hours wanted."""
    return sweep_hours(world, numbers) / number(numbers, "wanted_hours")


@derivation
def sweep_speedup_serial(world: World, numbers: Numbers) -> float:
    """The same without the GPUs side by side: a slip."""
    return sweep_hours_serial(world, numbers) / number(numbers, "wanted_hours")


@derivation
def array_rounds(world: World, numbers: Numbers) -> float:
    """How many rounds an array takes at its limit."""
    del world
    return math.ceil(number(numbers, "runs") / number(numbers, "limit"))


@derivation
def array_rounds_cut(world: World, numbers: Numbers) -> float:
    """The same cut off and not rounded up: a slip."""
    del world
    return number(numbers, "runs") // number(numbers, "limit")


@derivation
def all_runs(world: World, numbers: Numbers) -> float:
    """As many rounds as runs: the slip of who takes the limit for nothing."""
    del world
    return number(numbers, "runs")


# Arithmetic of scaling


@derivation
def amdahl(world: World, numbers: Numbers) -> float:
    """Speed-up of so many processes where a share cannot be split (Amdahl 1967)."""
    del world
    serial = number(numbers, "serial_percent") / 100
    return 1 / (serial + (1 - serial) / number(numbers, "processes"))


@derivation
def amdahl_ideal(world: World, numbers: Numbers) -> float:
    """As many times as processes: a slip."""
    del world
    return number(numbers, "processes")


@derivation
def amdahl_limit(world: World, numbers: Numbers) -> float:
    """The speed-up that no number of processes exceeds."""
    del world
    return 100 / number(numbers, "serial_percent")


@derivation
def efficiency_percent(world: World, numbers: Numbers) -> float:
    """Measured over ideal throughput."""
    del world
    ideal = number(numbers, "gpus") * number(numbers, "one_rate")
    return 100 * number(numbers, "many_rate") / ideal


@derivation
def speedup_of_rates(world: World, numbers: Numbers) -> float:
    """Throughput of many over that of one."""
    del world
    return number(numbers, "many_rate") / number(numbers, "one_rate")


@derivation
def speedup_percent(world: World, numbers: Numbers) -> float:
    """The speed-up taken for a percentage: a slip."""
    return 100 * speedup_of_rates(world, numbers)


@derivation
def best_processes(world: World, numbers: Numbers) -> str:
    """From a table of throughput: the most processes that still give half of their share."""
    del world
    rates = {str(n): number(numbers, f"rate_{n}") for n in (1, 2, 4, 8)}
    good = [n for n, rate in rates.items() if rate / rates["1"] >= 0.5 * int(n)]
    near = [n for n, rate in rates.items() if abs(rate / rates["1"] / int(n) - 0.5) < 0.03]
    if near:
        raise NotAsked("too close to call")
    return good[-1]


# From a sample to the whole


@derivation
def hours_from_sample(world: World, numbers: Numbers) -> float:
    """Minutes of an epoch on a sample, carried on to the whole data and all epochs."""
    del world
    scale = number(numbers, "whole_gb") / number(numbers, "sample_gb")
    return number(numbers, "sample_minutes") * scale * number(numbers, "epochs") / 60


@derivation
def hours_one_epoch(world: World, numbers: Numbers) -> float:
    """Only one epoch: a slip."""
    return hours_from_sample(world, numbers) / number(numbers, "epochs")


@derivation
def minutes_as_hours(world: World, numbers: Numbers) -> float:
    """Minutes taken for hours: a slip."""
    return 60 * hours_from_sample(world, numbers)


@derivation
def days_from_rate(world: World, numbers: Numbers) -> float:
    """Days for so many epochs over the images of ImageNet at a rate."""
    images = claim(world, "imagenet-train-images")
    return images * number(numbers, "epochs") / number(numbers, "rate") / 86400


@derivation
def days_one_epoch(world: World, numbers: Numbers) -> float:
    """Only one epoch: a slip."""
    return days_from_rate(world, numbers) / number(numbers, "epochs")


@derivation
def times_over_quota(world: World, numbers: Numbers) -> float:
    """How many times the data are the quota of the home folder."""
    quota_gb = world.cluster.storage["rhome"].quota_gb
    if quota_gb is None:
        raise NotAsked("the quota is not known")
    return number(numbers, "data_gb") / quota_gb


# Memory


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
