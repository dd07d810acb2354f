"""Times of the episodes: the whole is the sum of its parts."""

from mlhpc.claims.derive import Facts, derivation


@derivation
def episode_1_minutes(facts: Facts) -> float:
    """Teaching and exercise."""
    return facts["episode-1-teaching"] + facts["episode-1-exercise"]


@derivation
def episode_2_minutes(facts: Facts) -> float:
    """Teaching and exercise."""
    return facts["episode-2-teaching"] + facts["episode-2-exercise"]
