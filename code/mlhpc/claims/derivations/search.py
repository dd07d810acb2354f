"""Hyperparameter searches: how long many trainings take, one by one and side by side."""

from mlhpc.claims.derive import Facts, derivation

HOURS_PER_DAY = 24


@derivation
def story_speedup(facts: Facts) -> float:
    """Weeks of the opening story over its days: weeks x 7 / days."""
    return facts["story-weeks"] * 7 / facts["story-days"]


@derivation
def grid_total_hours(facts: Facts) -> float:
    """Combinations x hours each."""
    return facts["grid-combinations"] * facts["grid-hours-each"]


@derivation
def grid_serial_days(facts: Facts) -> float:
    """All hours, one after the other, in days."""
    return facts["grid-total"] / HOURS_PER_DAY


@derivation
def grid_four_gpus_hours(facts: Facts) -> float:
    """All hours over the GPUs: the combinations fill whole waves (100 is 25 waves of 4)."""
    return facts["grid-total"] / facts["grid-gpus"]


@derivation
def grid_four_gpus_days(facts: Facts) -> float:
    """The hours on four GPUs, in days."""
    return facts["grid-four-gpus-same-speed"] / HOURS_PER_DAY


@derivation
def grid_speedup_for_wanted_hours(facts: Facts) -> float:
    """How much faster each training must be: hours at the old speed over the wanted hours."""
    return facts["grid-four-gpus-same-speed"] / facts["grid-wanted-hours"]


@derivation
def grid_four_gpus_ten_times_hours(facts: Facts) -> float:
    """Hours on four GPUs over the speed-up of each training."""
    return facts["grid-four-gpus-same-speed"] / facts["grid-speedup-for-25h"]


@derivation
def bayes_serial_days(facts: Facts) -> float:
    """Iterations x the hours of one training of the grid search, in days."""
    return facts["bayes-iterations"] * facts["grid-hours-each"] / HOURS_PER_DAY


@derivation
def bayes_four_gpus_days(facts: Facts) -> float:
    """The serial days over the GPUs."""
    return facts["bayes-serial"] / facts["grid-gpus"]


@derivation
def bayes_four_gpus_ten_times_hours(facts: Facts) -> float:
    """Hours on four GPUs over the speed-up of each training."""
    hours = facts["bayes-four-gpus-same-speed"] * HOURS_PER_DAY
    return hours / facts["grid-speedup-for-25h"]
