"""Derivations: right values worked out by hand, and what derivations may ask for."""

import pytest

from mlhpc import claims, cluster, content
from mlhpc.claims import ledger
from mlhpc.claims.derivations import REGISTRY
from mlhpc.claims.derive import Facts, Span, derivation, ratio
from mlhpc.errors import InputError

LEDGER = claims.load(content.find().claims)
FACTS = Facts(LEDGER, cluster.load("sagehen"))

# Worked out by hand from the printed inputs; a range as a pair.
BY_HAND = {
    "story-speedup": 7,  # 3 weeks are 21 days, over 3
    "grid-total": 1000,  # 100 x 10 h
    "grid-serial": 41.6667,  # 1,000 h / 24
    "grid-four-gpus-same-speed": 250,  # 1,000 h / 4
    "grid-four-gpus-days": 10.4167,  # 250 h / 24
    "grid-speedup-for-25h": 10,  # 250 h / 25 h
    "grid-four-gpus-ten-times": 25,  # 250 h / 10
    "bayes-serial": 20.8333,  # 50 x 10 h / 24
    "bayes-four-gpus-same-speed": 5.20833,  # 500 h / 4 / 24
    "bayes-four-gpus-ten-times": 12.5,  # 125 h / 10
    "imagenet-size": 154.642,  # 147.897 + 6.745 GB
    "resnet50-images": 115.305,  # 90 x 1,281,167
    "resnet50-cpu-8-cores-days": 143.500,  # 115.305e6 / 9.3 / 86,400
    "resnet50-laptop-gpu-days": (8.9567, 9.8855),  # at 149 and 135 images/s
    "resnet50-laptop-rate": (133.455, 190.650),  # 115.305e6 / (10 or 7 x 86,400)
    "resnet50-a100-hours": (12.9673, 20.2461),  # at 2,470 and 1,582 images/s
    "resnet50-a100-tf32-hours": (30.0461, 36),  # at 1,066; the vendor's own 36
    "resnet50-4-a100-hours": (3.85407, 5.27664),  # at 16,621 / 2 and 6,070 images/s
    "resnet50-8-gpu-efficiency": (84.1144, 96.5885),  # 16,621/(8x2,470), 7,248/(8x938)
    "resnet50-scaling-1-to-4": (3.79174, 3.83692),  # 4,042/1,066 and 6,070/1,582
    "resnet50-laptop-speedup": (10.6174, 18.2963),  # 1,582/149 and 2,470/135
    "size-does-not-set-time": 34.2456,  # 4,445.76 / 129.82
    "large-model-hours": (19.4480, 19.5980),  # 1e10 / 142,830 or 141,737 / 3,600
    "tiny-network-parameters": 101_770,  # 100,352 + 128 + 1,280 + 10
    "tiny-network-speedup": 0.676923,  # 4.4 s / 6.5 s
    "resnet50-32-modern-cores": 153.143,  # 536 x 32 / 112
    "resnet50-speedup-1-a100": (10.3302, 22.6847),  # 1,582 and 3,474 over 153.143
    "resnet50-speedup-4-a100": (39.6362, 90.7388),  # 6,070 and 13,896 over 153.143
    "resnet50-speedup-older-cpu": (46.5294, 72.6471),  # 1,582 and 2,470 over 34
    "resnet50-speedup-112-cores": (2.95149, 6.48134),  # 1,582 and 3,474 over 536
    "gpu-speedup-range": (0.676923, 22.6847),
    "l40s-vs-a100": (55.2671, 75.2989),  # 1,852/3,351 and 2,204/2,927
    "loader-gain": 1.30005,  # 2,500 / 1,923
    "xgboost-gpu-100k": (0.342857, 0.571429),  # 0.24 and 0.40 s over 0.7 s
    "xgboost-gpu-1m": (0.923077, 1.15385),  # 1.2 and 1.5 s over 1.3 s
    "xgboost-gpu-10m": (4.05405, 5.94595),  # 15 and 22 s over 3.7 s
    "lightgbm-gpu-10m": (0.310345, 0.379310),  # 9 and 11 s over 29 s
    "xgboost-8-v100": (13.4458, 13.7859),  # 1,948.3/144.9 and 470.1/34.1
    "sagehen-gpu-total": 10,  # 4 + 4 + 2
    "gpu-lanes": (6912, 24_064),
    "gpu-multiprocessors": (108, 188),
    "a100-cuda-cores": 6912,  # 108 x 64
    "largest-memory": 96,
    "fp64-a100-vs-rtxpro6000": 4.92386,  # 9.7 / 1.97
    "gpu-max-days": 30,  # 720 h / 24
    "resnet50-weights": 102.228,  # 25,557,032 x 4 bytes
    "resnet50-training-state": 306.684,  # three times
    "resnet50-memory": 15.1,  # 2.9 + 256 x 48.8 / 1,024 = 2.9 + 12.2
    "project-a-tokens": 1.11111,  # 5 GB / 4.5 bytes
    "bert-tflops-8-hours": 21.2992,  # 1.1111e9 tokens x 552.075e6 / 28,800 s
    "bert-tflops-30-minutes": 340.787,  # the same in 1,800 s
    "bert-a100-vs-112-cores": 4.40233,  # 302 / 68.6
    "bert-a100-vs-32-cores": 15.4082,  # x 112 / 32
    "project-a-minutes": 31.1523,  # 480 min / 15.4082
    "project-a-whole": (1.81436, 1.93677),  # 1.1111e9 / (443 or 415 x 384) / 3,600
    "project-a-subset": (1.29082, 1.37791),  # 415 or 443 x 384 x 1,800 x 4.5 bytes
    "project-c-one-a100": (14.8117, 32.5260),  # 336 h over the speed-up of one
    "project-c-four-a100": (3.70294, 8.47709),  # 336 h over the speed-up of four
    "conv3d-amp-gain": 2.43833,  # 27.48 / 11.27
    "satellite-vs-rhome": 10,  # 1,000 GB / 100 GB
    "sample-scale": 100,  # 1,000 GB / 10 GB
    "io-bound-delivered": 694.399,  # 115.305e6 / (2,767.5 x 60)
    "io-bound-hours": 46.125,  # 2,767.5 / 60
    "episode-1-minutes": 15,
}


@pytest.mark.parametrize("claim_id", BY_HAND)
def test_a_claim_computes_to_what_was_worked_out_by_hand(claim_id: str) -> None:
    expected = BY_HAND[claim_id]
    pair = expected if isinstance(expected, tuple) else (expected, expected)
    assert FACTS.computed(claim_id) == pytest.approx(pair, rel=2e-5)


def test_every_computed_claim_was_worked_out_by_hand() -> None:
    computed = {claim.id for claim in LEDGER.values() if claim.check}
    # the other timetable is the same sum, and its minutes are the authors' to change
    assert computed - set(BY_HAND) == {"episode-2-minutes"}


def test_what_a_claim_was_computed_from_is_known() -> None:
    facts = Facts(LEDGER, cluster.load("sagehen"))
    facts.computed("grid-serial")
    assert facts.inputs == {
        "grid-serial": ["grid-total"],
        "grid-total": ["grid-combinations", "grid-hours-each"],
    }


def test_every_derivation_says_what_it_computes() -> None:
    assert len(REGISTRY) > 50
    assert all(function.__doc__ for function in REGISTRY.values())


@pytest.fixture
def registered() -> object:
    """Derivations of a test, forgotten after it."""
    before = dict(REGISTRY)
    yield derivation
    REGISTRY.clear()
    REGISTRY.update(before)


def facts_over(*checks: str) -> Facts:
    """Claims a, b, ... computed by these checks; 'word' has no value, 'span' is a range."""
    names = "abcdef"
    lines = ["schema = 1"]
    for name, check in zip(names, checks, strict=False):
        lines += [f"[claim.{name}]", 'text = "T."', 'kind = "derived"', 'verdict = "holds"']
        lines += [f'check = "{check}"', "value = 1"]
    given = 'text = "T."\nkind = "given"\nverdict = "holds"'
    lines += ["[claim.word]", given, "[claim.span]", given, "low = 1\nhigh = 3"]
    return Facts(ledger.from_text("\n".join(lines), "claims.toml"), cluster.load("sagehen"))


def test_claims_that_depend_on_themselves_are_refused(registered: object) -> None:  # noqa: ARG001
    @derivation
    def circle_a(facts: Facts) -> float:
        return facts["b"]

    @derivation
    def circle_b(facts: Facts) -> float:
        return facts["a"]

    facts = facts_over("circle_a", "circle_b")
    for _ in range(2):
        with pytest.raises(InputError, match="claims depend on themselves: a -> b -> a"):
            facts.computed("a")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("nothing", "no claim 'nothing'; valid choices"),
        ("word", "claim 'a': 'word' has no value to compute with"),
        ("span", "claim 'a': 'span' is a range; ask for its range"),
    ],
)
def test_asking_for_what_is_not_there_is_refused(
    registered: object,  # noqa: ARG001
    asked: str,
    message: str,
) -> None:
    @derivation
    def asks(facts: Facts) -> float:
        return facts[asked]

    with pytest.raises(InputError, match=message):
        facts_over("asks").computed("a")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("gpu.a100.colour", "no fact 'gpu.a100.colour'"),
        ("storage.scratch.quota_gb", "claim 'a': the cluster fact .* is no number: None"),
        ("gpu.a100.ecc", "is no number: True"),
    ],
)
def test_asking_the_cluster_for_what_is_no_number_is_refused(
    registered: object,  # noqa: ARG001
    path: str,
    message: str,
) -> None:
    @derivation
    def asks(facts: Facts) -> float:
        return facts.cluster(path)

    with pytest.raises(InputError, match=message):
        facts_over("asks").computed("a")


def test_two_derivations_of_one_name_are_refused(registered: object) -> None:  # noqa: ARG001
    def once(facts: Facts) -> float:  # noqa: ARG001
        return 1

    derivation(once)
    with pytest.raises(ValueError, match="two derivations are named once"):
        derivation(once)


@pytest.mark.parametrize(
    ("top", "bottom", "expected"),
    [
        (10.0, 4.0, (2.5, 2.5)),
        ((10.0, 20.0), 5.0, (2.0, 4.0)),
        (20.0, (4.0, 5.0), (4.0, 5.0)),
        ((10.0, 20.0), (4.0, 5.0), (2.0, 5.0)),
    ],
)
def test_a_range_over_a_range_runs_from_the_smallest_to_the_largest(
    top: float | Span, bottom: float | Span, expected: Span
) -> None:
    assert ratio(top, bottom) == expected
