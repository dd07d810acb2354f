"""Searches, scaling, and from a sample to the whole: arithmetic."""

import math

from mlhpc.quiz.derivations.base import NotAsked, Numbers, claim, derivation, number
from mlhpc.quiz.values import World


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
