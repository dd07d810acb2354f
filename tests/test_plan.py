"""The planner: the lesson's own projects, each with the reason, and what it refuses."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlhpc import cluster, content
from mlhpc.claims import load
from mlhpc.cluster import Cluster
from mlhpc.errors import InputError
from mlhpc.plan import Plan, from_mapping, plan, read, rules, specs

SAGEHEN = cluster.load("sagehen")
BOX = cluster.load("tests/slurm/box.toml")
BOTH = pytest.mark.parametrize("where", [SAGEHEN, BOX], ids=lambda one: one.key)

A = {"name": "A", "model": "BERT", "data_size": "5 GB", "laptop_hours": "8 h"}
B = {"name": "B", "model": "random forest", "data_size": "2 GB", "laptop_hours": "15 min"}
C = {"name": "C", "model": "3D CNN", "data_size": "50 GB", "laptop_hours": "2 weeks"}
SATELLITE = {"name": "satellite", "model": "ResNet-50", "data_size": "1 TB"}
GRID = {
    "name": "grid",
    "model": "ResNet-50",
    "data_size": "5 GB",
    "laptop_hours": 10,
    "trials": 100,
}
FOREST = {"name": "forest", "model": "random_forest", "data_size": "60 GB", "laptop_hours": "30 h"}


def made(given: dict[str, object], where: Cluster = SAGEHEN, **more: object) -> Plan:
    return plan(read({**given, **more}), where)


def because(found: Plan) -> set[str]:
    return {one.rule for one in found.reasons}


def gpus(found: Plan) -> tuple[str | None, int]:
    assert found.full is not None
    return found.full.gpu, found.full.gpus


# --- the lesson's projects ---------------------------------------------------------------------


@BOTH
def test_project_a_takes_one_gpu_since_fine_tuning_is_dense_and_8_h_are_too_long(
    where: Cluster,
) -> None:
    found = made(A, where)
    assert found.place == "gpu"
    assert gpus(found) == ("l40s", 1)
    assert {"long", "network-gpu", "one-gpu"} <= because(found)


def test_project_a_reads_only_a_subset_in_half_an_hour_since_all_of_it_takes_an_a100_1_8_h() -> (
    None
):
    subset = next(one for one in made(A).reasons if one.rule == "subset")
    assert "1.8 to 1.9 hours" in subset.text
    assert "1.3–1.4 GB" in subset.text
    assert subset.source == "claim:project-a-subset"


@BOTH
def test_project_b_stays_on_the_laptop_since_it_is_done_before_a_job_starts(where: Cluster) -> None:
    found = made(B, where)
    assert (found.place, found.full, found.test) == ("laptop", None, None)
    assert because(found) == {"too-short"}


@BOTH
def test_project_c_takes_one_gpu_since_nobody_waits_for_it(where: Cluster) -> None:
    found = made(C, where)
    assert found.place == "gpu"
    assert gpus(found)[1] == 1
    assert {"large-data", "long", "conv3d-gpu", "one-gpu"} <= because(found)


@BOTH
def test_project_c_takes_several_gpus_only_for_a_deadline(where: Cluster) -> None:
    found = made(C, where, deadline="1 day")
    assert gpus(found) == ("a100", 2)
    assert "several-for-deadline" in because(found)
    assert found.hours_total is not None
    assert found.hours_total[1] <= 24
    assert gpus(made(C, where, deadline="30 days"))[1] == 1


def test_project_c_on_one_a100_takes_the_hours_that_the_lesson_prints() -> None:
    from mlhpc.plan import timing
    from mlhpc.plan.desk import Desk

    low, high = timing.on_gpus(Desk(read(C), SAGEHEN, rules()), "a100") or (0, 0)
    claim = load(content.find().claims)["project-c-one-a100"]
    assert (float(claim.low or 0), float(claim.high or 0)) == (15, 33)
    assert (low, high) == (pytest.approx(15, rel=0.05), pytest.approx(33, rel=0.05))


@BOTH
def test_the_satellite_project_keeps_its_images_on_bigdata_and_takes_one_l40s(
    where: Cluster,
) -> None:
    found = made(SATELLITE, where)
    assert found.place == "gpu"
    assert (found.storage.raw, found.storage.results) == ("bigdata", "bigdata")
    assert gpus(found) == ("l40s", 1)
    assert {"raw-kept", "room", "smallest-gpu", "stream", "no-backup"} <= because(found)


@BOTH
def test_a_grid_of_100_points_is_an_array_of_which_four_run_at_once(where: Cluster) -> None:
    found = made(GRID, where)
    assert found.array is not None
    assert (found.array.tasks, found.array.limit, found.array.runs_each) == (100, 4, 1)
    assert {"sweep", "array"} <= because(found)


@BOTH
def test_a_forest_of_60_gb_and_30_h_takes_a_cpu_node_with_memory_for_a_table(
    where: Cluster,
) -> None:
    found = made(FOREST, where)
    assert found.place == "cpu"
    assert found.full is not None
    assert found.full.gpu is None
    assert found.full.memory_gib * 2**30 >= 5 * 60e9
    assert {"forest-cpu", "memory-table"} <= because(found)


@pytest.mark.parametrize("hours", ["30 min", "45 min", "2 h", "4 h"])
def test_between_30_minutes_and_4_hours_both_will_do(hours: str) -> None:
    found = made({"model": "resnet50", "data_size": "1 GB", "laptop_hours": hours})
    assert found.place == "either"
    assert "between" in because(found)


@pytest.mark.parametrize(("hours", "place"), [("29 min", "laptop"), ("4 h 1 min", "gpu")])
def test_outside_of_that_one_of_them_is_better(hours: str, place: str) -> None:
    assert made({"model": "resnet50", "data_size": "1 GB", "laptop_hours": hours}).place == place


# --- each choice -------------------------------------------------------------------------------


def test_what_is_run_often_moves_to_the_cluster() -> None:
    between = {"model": "resnet50", "data_size": "1 GB", "laptop_hours": "2 h"}
    assert made(between, often=True).place == "gpu"


def test_a_tiny_network_stays_on_cpu_cores_however_long_it_trains() -> None:
    found = made({"model": "mlp", "parameters": "100k", "laptop_hours": "20 h"})
    assert found.place == "cpu"
    assert "small-network" in because(found)


@pytest.mark.parametrize(("rows", "place"), [("100k", "cpu"), ("1M", "cpu"), ("10M", "gpu")])
def test_xgboost_takes_a_gpu_only_for_very_many_rows(rows: str, place: str) -> None:
    found = made({"model": "xgboost", "samples": rows, "data_size": "3 GB", "laptop_hours": "9 h"})
    assert found.place == place


def test_a_model_that_one_gpu_cannot_hold_is_sharded_over_the_fewest_that_can() -> None:
    found = made({"model": "gpt", "parameters": "7B", "data_size": "1 GB"})
    assert gpus(found) == ("a100", 2)
    assert "several-for-memory" in because(found)
    assert "how many a100 are in one node" in [one.what for one in found.unknown]


def test_a_model_that_fits_nowhere_is_told_what_would_fit() -> None:
    found = made({"model": "gpt", "parameters": "70B"})
    assert (found.place, found.full) == ("none", None)
    told = next(one for one in found.reasons if one.rule == "nothing-fits")
    assert "What would fit: training at most 23% of its parameters" in told.text


def test_a_forest_that_no_node_holds_is_told_what_would_fit() -> None:
    found = made({"model": "rf", "data_size": "5 TB", "laptop_hours": "30 h"})
    assert found.place == "none"
    assert "a sample of at most" in found.reasons[-1].text


def test_double_precision_takes_the_a100() -> None:
    assert gpus(made({**C, "fp64": True}))[0] == "a100"


def test_a_run_longer_than_a_job_may_be_goes_on_in_the_next_job() -> None:
    found = made(C, BOX, laptop_hours="20 weeks")
    assert found.full is not None
    assert found.full.time_limit_h == 168
    assert found.full.segments == 6  # 3360 h / 10 / 0.55, half as much again, in weeks
    assert "segments" in because(found)


@BOTH
def test_a_run_that_cannot_be_resumed_must_fit_in_one_job(where: Cluster) -> None:
    found = made(C, where, laptop_hours="400 weeks", checkpoints=False)
    assert (found.place, found.full) == ("none", None)
    told = next(one for one in found.reasons if one.rule == "nothing-fits")
    assert "a program that saves its state" in told.text


def test_more_trials_than_an_array_may_have_are_bundled() -> None:
    found = made({**FOREST, "data_size": "1 GB"}, BOX, trials=5000)
    assert found.array is not None
    assert (found.array.tasks, found.array.runs_each) == (1000, 5)


def test_a_bayesian_search_is_a_few_workers_that_share_a_study() -> None:
    found = made(GRID, trials=50, search="bayes")
    assert found.array is not None
    assert (found.array.tasks, found.array.runs_each) == (4, 13)


def test_small_data_of_one_person_lie_beside_the_code_and_a_team_s_do_not() -> None:
    small = {"model": "resnet50", "data_size": "1 GB", "laptop_hours": "9 h"}
    assert made(small).storage.raw == "rhome"
    assert made(small, team=3).storage.raw == "bigdata"


def test_what_the_cluster_file_does_not_say_is_asked_for_and_never_guessed() -> None:
    unknown = {one.what: one.ask for one in made(GRID).unknown}
    assert unknown["gpu.l40s.gres"] == "sinfo -o %G"
    assert unknown["limits.max_array_size"] == "scontrol show config | grep MaxArraySize"
    assert unknown["partition.short.max_time_h"] == 'sinfo -p short -o "%P %l"'
    assert made(GRID, BOX).unknown == ()


def test_the_values_for_ondemand_are_within_its_longest_session() -> None:
    found = made(GRID, BOX).ondemand
    assert found is not None
    assert found["hours"] == 4
    assert (found["partition"], found["gpu"], found["gpus"]) == ("gpu", "nvidia_l40s", 1)
    assert made(B).ondemand is None


def test_the_document_has_the_fields_of_the_design() -> None:
    document = made(GRID).document()
    assert list(document) == [
        "place", "partition", "nodes", "tasks", "cpus_per_task", "memory_gib", "gpu",
        "gpus_per_node", "array", "storage", "hours_per_task", "hours_total", "time_limit_h",
        "reasons", "assumptions", "unknown", "ondemand",
    ]  # fmt: skip
    assert document["hours_per_task"] == [0.58, 1.82]
    assert json.loads(json.dumps(document)) == document


def test_every_rule_takes_its_figure_from_a_claim_of_the_ledger() -> None:
    ledger = load(content.find().claims)
    assert len(rules().by_name) > 40
    for rule in rules().by_name.values():
        assert rule.source == f"claim:{rule.claim}"
        assert rule.claim in ledger


# --- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "size"),
    [("1 TB", 10**12), ("1e12", 10**12), ("1TiB", 2**40), (10**12, 10**12), ("1,000 GB", 10**12)],
)
def test_sizes_are_understood_in_any_usual_spelling(written: object, size: int) -> None:
    assert from_mapping({"data-size": written}, "x").data_size == size


@pytest.mark.parametrize(
    ("written", "hours"), [("2-12:00:00", 60), ("90 min", 1.5), (8, 8), ("8", 8), ("2 weeks", 336)]
)
def test_times_are_understood_in_any_usual_spelling(written: object, hours: float) -> None:
    assert from_mapping({"laptop_hours": written}, "x").laptop_hours == hours


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("data-size", "lots", "valid forms: 500 MB"),
        ("data-size", True, "valid form: 1 TB"),
        ("laptop-hours", "soon", "valid forms: 90 s"),
        ("laptop-hours", float("nan"), "valid: up to 10 years"),
        ("laptop-hours", 0, "valid: up to 10 years"),
        ("trials", 0, "valid: 1 to"),
        ("trials", "1.5", "valid forms: 100"),
        ("model", "bertt", "did you mean bert?"),
        ("search", "gird", "valid choices: grid, random, bayes"),
        ("often", "perhaps", "valid choices: yes, no, true, false"),
        ("name", "", "valid form: satellite"),
        ("name", 3, "valid form: satellite"),
        ("lab", "../../etc", "is no folder's name"),
        ("lab", "$(id)", "is no folder's name"),
        ("laptop_hour", 3, "did you mean laptop-hours?"),
    ],
)
def test_nonsense_is_refused_with_the_valid_forms(key: str, value: object, told: str) -> None:
    with pytest.raises(InputError) as raised:
        read({key: value})
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00", b"a = ", b"x" * 1_100_000, b"[project]\n[other]\n"]
)
def test_a_file_that_is_no_project_gets_one_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "project.toml"
    path.write_bytes(data)
    with pytest.raises(InputError) as raised:
        read(path)
    assert str(raised.value).startswith(f"plan: {path}")
    assert "\n" not in str(raised.value)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(sorted(specs())),
    st.one_of(st.text(), st.floats(), st.integers(), st.none(), st.lists(st.integers())),
)
def test_any_value_is_either_read_or_refused_in_one_line(key: str, value: object) -> None:
    try:
        project = read({key: value})
    except InputError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert plan(project, SAGEHEN).reasons
