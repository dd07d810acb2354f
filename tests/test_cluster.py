"""The cluster file: what it says of Sagehen, and what it refuses."""

import math
import re
from pathlib import Path

import pytest

from mlhpc import cluster
from mlhpc.cluster import Range
from mlhpc.cluster.tables import SECTIONS, specs
from mlhpc.errors import InputError

HEAD = "schema = 1\n"
SOURCED = 'source = "the centre"\nchecked = 2026-05-31\n'


def parsed(body: str) -> cluster.Cluster:
    return cluster.from_text(HEAD + body, "test", "test.toml")


def table(name: str, *lines: str) -> str:
    return f"[{name}]\n{SOURCED}" + "\n".join(lines) + "\n"


def refusal(body: str) -> str:
    with pytest.raises(InputError) as caught:
        parsed(body)
    message = str(caught.value)
    assert "\n" not in message
    return message


# --- Sagehen -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "shown"),
    [
        ("gpu.a100.count", 4, "4"),
        ("gpu.l40s.count", 4, "4"),
        ("gpu.rtxpro6000.count", 2, "2"),
        ("gpu.total", 10, "10"),
        ("gpu.a100.memory_gb", 80, "80 GB"),
        ("gpu.l40s.memory_gb", 48, "48 GB"),
        ("gpu.rtxpro6000.memory_gb", 96, "96 GB"),
        ("gpu.a100.cuda_cores", 6912, "6,912"),
        ("gpu.l40s.cuda_cores", 18176, "18,176"),
        ("gpu.rtxpro6000.cuda_cores", 24064, "24,064"),
        ("gpu.a100.sm_count", 108, "108"),
        ("gpu.a100.bf16_tflops", 312, "312 TFLOPS"),
        ("gpu.rtxpro6000.fp32_tflops", 125.95, "125.95 TFLOPS"),
        ("gpu.a100.memory_bandwidth_gbs", Range(1935, 2039), "1,935–2,039 GB/s"),
        ("partition.gpu.max_time_h", 720, "720 hours"),
        ("partition.gpu.gpus", ("a100", "l40s", "rtxpro6000"), "a100, l40s, rtxpro6000"),
        ("partition.amd.cores_min", 32, "32"),
        ("partition.amd.cores_max", 128, "128"),
        ("partition.amd.memory_gb_max", 512, "512 GB"),
        ("storage.rhome.quota_gb", 100, "100 GB"),
        ("storage.rhome.backed_up", True, "yes"),
        ("storage.bigdata.quota_tb_min", 1, "1 TB"),
        ("storage.bigdata.backed_up", False, "no"),
        ("storage.scratch.lifetime", "job", "job"),
        ("storage.scratch.shared", False, "no"),
        ("login.heavy_compute", False, "no"),
        ("ondemand.gpu", True, "yes"),
    ],
)
def test_sagehen_says_what_its_centre_says(path: str, value: object, shown: str) -> None:
    fact = cluster.load("sagehen").fact(path)
    assert fact.value == value
    assert type(fact.value) is type(value)
    assert fact.shown() == shown
    assert fact.source
    assert re.fullmatch(r"20\d\d-\d\d(-\d\d)?", fact.checked or "")


@pytest.mark.parametrize(
    ("path", "ask"),
    [
        ("partition.short.max_time_h", 'sinfo -p short -o "%P %l"'),
        ("gpu.a100.form_factor", "nvidia-smi -L"),
        ("gpu.rtxpro6000.form_factor", "nvidia-smi -L"),
        ("gpu.a100.gres", "sinfo -o %G"),
        ("storage.scratch.capacity_gb", "df -h"),
        ("login.host", "ask the centre"),
        ("cluster.docs_url", "ask the centre"),
        ("limits.gpus_per_user_max", "sacctmgr show qos"),
        ("limits.max_array_size", "scontrol show config | grep MaxArraySize"),
        ("software.python", "module avail python"),
        ("software.cuda", "module avail cuda"),
    ],
)
def test_what_the_centre_has_not_said_is_unknown_with_a_way_to_find_out(
    path: str, ask: str
) -> None:
    fact = cluster.load("sagehen").fact(path)
    assert fact.value is None
    assert not fact.known
    assert fact.shown() == fact.bare() == "ask the centre"
    assert ask in fact.ask


def test_a_count_of_the_centre_cites_the_centre_and_no_person() -> None:
    sagehen = cluster.load("sagehen")
    for path in ("gpu.a100.count", "gpu.l40s.count", "gpu.rtxpro6000.count", "gpu.total"):
        assert sagehen.fact(path).source == "the centre, May 2026"
        assert sagehen.fact(path).checked == "2026-05"


def test_a_figure_that_depends_on_the_card_says_so() -> None:
    sagehen = cluster.load("sagehen")
    assert "form factor" in (sagehen.fact("gpu.a100.memory_bandwidth_gbs").note or "")
    for key in ("fp32_tflops", "memory_bandwidth_gbs", "bf16_tflops"):
        assert "Workstation Edition" in (sagehen.fact(f"gpu.rtxpro6000.{key}").note or "")


def test_tables_hold_the_same_values_as_the_facts() -> None:
    sagehen = cluster.load()
    assert sagehen.name == "Sagehen"
    assert list(sagehen.gpus) == ["a100", "l40s", "rtxpro6000"]
    assert list(sagehen.partitions) == ["amd", "gpu", "short"]
    assert list(sagehen.storage) == ["rhome", "bigdata", "scratch"]
    assert sagehen.nodes == {}
    assert sagehen.gpus["a100"].memory_gb == 80
    assert sagehen.partitions["short"].max_time_h is None
    assert sagehen.storage["bigdata"].path == "/bigdata/$LAB"
    assert sagehen.software.python is None
    assert sagehen.ondemand.jupyter is True


def test_every_key_of_every_table_is_a_fact_with_a_meaning_and_a_way_to_find_out() -> None:
    sagehen = cluster.load()
    assert len(sagehen.facts()) > 150
    for section, kind in SECTIONS.items():
        for key, spec in specs(kind).items():
            paths = [p for p in sagehen.by_path if p.startswith(f"{section}.") and p.endswith(key)]
            assert paths or section == "node", (section, key)
            assert spec.about
            assert spec.ask
    assert not [fact for fact in sagehen.facts() if "{key}" in fact.ask]


def test_an_unknown_path_is_refused_with_those_most_like_it() -> None:
    with pytest.raises(InputError, match=r"no fact 'gpu.a100.memry_gb'.*gpu.a100.memory_gb"):
        cluster.load().fact("gpu.a100.memry_gb")
    with pytest.raises(InputError, match=r"no fact 'gpu.h100.count'.*gpu.a100.count"):
        cluster.load().fact("gpu.h100.count")
    with pytest.raises(InputError, match="no fact ''"):
        cluster.load().fact("")


# --- a complete cluster --------------------------------------------------------------------

COMPLETE = HEAD + "".join(
    [
        table("cluster", 'name = "Box"', 'slurm_version = "22.05.8"'),
        table(
            "partition.cpu",
            'nodes = ["thin"]',
            "default = true",
            "max_time_h = inf",
            "default_time_h = 0.5",
            "max_nodes = inf",
            'accounts = ["ALL"]',
        ),
        table("partition.gpu", 'nodes = ["fat"]', 'gpus = ["a100", "l40s"]', "max_nodes = 2"),
        table("node.thin", 'hosts = "n[01-03]"', "cpus = 64", "memory_mib = 191000", "gpus = {}"),
        table(
            "node.fat",
            'hosts = "g[1-2]"',
            "count = 2",
            "gpus = { a100 = 4, l40s = 1 }",
            'features = ["nvlink"]',
        ),
        table("gpu.a100", "count = 8", 'gres = "a100"', "fp32_tflops = { low = 18, high = 19.5 }"),
        table("gpu.l40s", "count = { value = 2, checked = \"2026-06\", note = \"two on loan\" }"),
        table("limits", "max_array_size = 1001", "gpus_per_user_max = inf", "qos_needed = true"),
        table("software", 'python = "module load python"', "modules = true"),
    ]
)  # fmt: skip


def test_a_complete_cluster_can_be_described() -> None:
    box = cluster.from_text(COMPLETE, "box", "box.toml")
    assert box.nodes["fat"].gpus == {"a100": 4, "l40s": 1}
    assert box.nodes["thin"].gpus == {}
    assert box.nodes["fat"].features == ("nvlink",)
    assert box.partitions["cpu"].max_time_h == math.inf
    assert box.partitions["gpu"].max_nodes == 2
    assert box.limits.max_array_size == 1001
    assert box.limits.qos_needed is True
    assert box.gpus["a100"].fp32_tflops == Range(18, 19.5)
    assert box.fact("gpu.total").value == 10
    assert box.fact("partition.cpu.max_time_h").shown() == "no limit"
    assert box.fact("partition.cpu.default_time_h").shown() == "0.5 hours"
    assert box.fact("node.fat.gpus").shown() == "4 a100, 1 l40s"
    assert box.fact("node.thin.gpus").shown() == "none"


def test_a_key_may_have_a_source_a_date_and_a_note_of_its_own() -> None:
    fact = cluster.from_text(COMPLETE, "box", "box.toml").fact("gpu.l40s.count")
    assert (fact.value, fact.source, fact.checked) == (2, "the centre", "2026-06")
    assert fact.note == "two on loan"


def test_one_hour_is_no_plural() -> None:
    box = parsed(table("partition.p", "max_time_h = 1"))
    assert box.fact("partition.p.max_time_h").shown() == "1 hour"


def test_a_total_is_unknown_where_one_count_is() -> None:
    box = parsed(table("gpu.a", "count = 4") + table("gpu.b"))
    assert box.fact("gpu.total").value is None
    assert parsed("").fact("gpu.total").value is None


def test_a_total_cites_every_source_and_the_oldest_date() -> None:
    other = '[gpu.b]\nsource = "sinfo"\nchecked = "2025-11"\ncount = 0\n'
    fact = parsed(table("gpu.a", "count = 4") + other).fact("gpu.total")
    assert (fact.value, fact.source, fact.checked) == (4, "the centre; sinfo", "2025-11")


# --- which file ----------------------------------------------------------------------------


def test_a_file_is_loaded_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "box.toml"
    file.write_text(COMPLETE)
    assert cluster.load(file).key == cluster.load(str(file)).key == "box"
    assert cluster.load(file).origin == str(file)


def test_an_unknown_name_lists_the_clusters_there_are() -> None:
    with pytest.raises(InputError, match=r"no cluster 'sagehem'; valid choices: sagehen, the path"):
        cluster.load("sagehem")
    with pytest.raises(InputError, match="no cluster ''"):
        cluster.load("")


def test_a_file_that_cannot_be_read_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.toml: cannot be read: No such file"):
        cluster.load(tmp_path / "none.toml")
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    with pytest.raises(InputError, match=r"folder.toml: cannot be read: Is a directory"):
        cluster.load(folder)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"binary.toml: cannot be read: it is not UTF-8 text"):
        cluster.load(binary)


# --- what is refused -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("[gpu.a100\n", "test.toml: not valid TOML: "),
        ("[nodes]\n", "top level nodes = {}: unknown key; valid choices: node"),
        ("zzz = 1\n", "top level zzz = 1: unknown key; valid choices: schema, cluster, login"),
        ("gpu = 4\n", "top level gpu = 4: must be tables: [gpu.NAME]"),
        ("login = 4\n", "top level login = 4: must be a table: [login]"),
        ("[gpu]\na100 = 4\n", "[gpu] a100 = 4: must be a table: [gpu.a100]"),
        ('[gpu."a 1"]\n', "[gpu] a 1: a name has only letters, digits, _ and -"),
        (table("gpu.a", "counts = 4"), "[gpu.a] counts = 4: unknown key; valid choices: count, "),
        (table("login", "zzz = 1"), "[login] zzz = 1: unknown key; valid choices: source, checked"),
        (table("gpu.a", "count = -4"), "[gpu.a] count = -4: must not be negative"),
        (table("gpu.a", "count = 4.5"), "[gpu.a] count = 4.5: must be a whole number"),
        (table("gpu.a", 'count = "4"'), '[gpu.a] count = "4": must be a number'),
        (table("gpu.a", "count = true"), "[gpu.a] count = true: must be a number"),
        (table("gpu.a", "count = inf"), "[gpu.a] count = inf: must be finite"),
        (table("gpu.a", "memory_gb = nan"), "[gpu.a] memory_gb = nan: must be a number"),
        (table("gpu.a", "memory_gb = -inf"), "[gpu.a] memory_gb = -inf: must not be negative"),
        (table("partition.p", 'max_time_h = "7 days"'), "must be a number; inf means no limit"),
        (table("gpu.a", "ecc = 1"), "[gpu.a] ecc = 1: must be one of two words"),
        (table("gpu.a", "name = 1"), "[gpu.a] name = 1: must be text in quotes"),
        (table("gpu.a", 'name = " "'), '[gpu.a] name = " ": must be text in quotes'),
        (
            table("storage.s", 'lifetime = "forever"'),
            '[storage.s] lifetime = "forever": unknown word; valid choices: kept, purged, job',
        ),
        (table("partition.p", 'gpus = "a"'), '[partition.p] gpus = "a": must be a list'),
        (table("partition.p", "gpus = [4]"), "[partition.p] gpus = 4: must be text"),
        (table("partition.p", 'qos = ["a", "a"]'), "names one thing twice"),
        (table("node.n", "gpus = 4"), "[node.n] gpus = 4: must be a table: { name = 4 }"),
        (table("node.n", "gpus = { a = -1 }"), "[node.n] gpus.a = -1: must not be negative"),
        (table("gpu.a", "count = { value = 4, note = 3 }"), "[gpu.a] count.note = 3: must be text"),
        (table("gpu.a", "count = {}"), "[gpu.a] count: holds no 'value'"),
        (
            table("gpu.a", "count = { low = 1, high = 2 }"),
            "[gpu.a.count] low = 1: unknown key; valid choices: value, source, checked, note",
        ),
        (table("gpu.a", "fp32_tflops = { low = 1 }"), "needs 'value', or both 'low' and 'high'"),
        (table("gpu.a", "fp32_tflops = { low = 3, high = 2 }"), "'low' (3) must be less than"),
        (
            table("gpu.a", "fp32_tflops = { value = 3, low = 2, high = 3 }"),
            "[gpu.a] fp32_tflops = 3: has both a value and a range",
        ),
        (
            table("partition.p", 'gpus = ["h100"]') + table("gpu.a100") + table("gpu.l40s"),
            '[partition.p] gpus = ["h100"]: there is no [gpu.h100]; valid choices: a100, l40s',
        ),
        (
            table("partition.p", 'nodes = ["thin"]'),
            "there is no [node.thin]; valid choices: none yet: add a table [node.thin]",
        ),
        (
            table("node.n", "gpus = { a = 4 }") + table("gpu.b"),
            "[node.n] gpus = { a = 4 }: there is no [gpu.a]; valid choices: b",
        ),
        (table("partition.p", "cores_min = 8", "cores_max = 4"), "is more than cores_max = 4"),
        (
            table("partition.p", "default_time_h = 8", "max_time_h = 4"),
            "[partition.p] default_time_h = 8: is more than max_time_h = 4",
        ),
        (
            table("partition.p", "default = true") + table("partition.q", "default = true"),
            "[partition.q] default = true: [partition.p] is the default already",
        ),
        (
            table("node.n", 'hosts = "n[01-"'),
            '[node.n] hosts = "n[01-": has a bracket that is not closed',
        ),
        (table("node.n", 'hosts = "n[1-2]"', "count = 3"), "count = 3: hosts = 'n[1-2]' are 2"),
        (
            table("node.n", 'hosts = "n[1-2]"', "gpus = { a = 4 }") + table("gpu.a", "count = 4"),
            "[gpu.a] count = 4: the [node.*] tables hold 8",
        ),
    ],
)
def test_a_broken_file_is_refused_with_file_table_key_and_value(body: str, message: str) -> None:
    assert message in refusal(body)
    assert refusal(body).startswith("test.toml: ")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("[gpu.a]\ncount = 4\n", "[gpu.a] count = 4: has no 'source': give one to the table"),
        ('[gpu.a]\nsource = "x"\ncount = 4\n', "[gpu.a] count = 4: has no 'checked'"),
        ('[gpu.a]\nchecked = "2026-05"\ncount = 4\n', "[gpu.a] count = 4: has no 'source'"),
        ("[gpu.a]\nsource = 4\n", "[gpu.a] source = 4: must be text"),
        ('[gpu.a]\nchecked = "May 2026"\n', '[gpu.a] checked = "May 2026": must be a date'),
        ('[gpu.a]\nchecked = "2026-13"\n', "must be a date"),
        ('[gpu.a]\nchecked = "2026-02-30"\n', "must be a date"),
        ("[gpu.a]\nchecked = 2026-05-31T10:00:00\n", "must be a date"),
        ("[gpu.a]\nchecked = 2026\n", "[gpu.a] checked = 2026: must be a date"),
        (table("gpu.a", 'count = { value = 4, checked = "soon" }'), "[gpu.a] count.checked"),
    ],
)
def test_a_fact_without_a_source_or_a_date_is_refused(body: str, message: str) -> None:
    assert message in refusal(body)


@pytest.mark.parametrize("text", ["", "schema = 2\n", "schema = true\n", 'schema = "1"\n'])
def test_another_schema_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"test.toml: top level schema.*valid choices: 1"):
        cluster.from_text(text, "test", "test.toml")


def test_each_mistake_in_sagehens_own_file_is_found() -> None:
    """Every value of the real file, replaced by a table of nonsense, is refused."""
    text = cluster.load().text
    lines = text.splitlines()
    keys = [n for n, line in enumerate(lines) if re.match(r"\w+ = ", line)]
    assert len(keys) > 90
    for number in keys:
        key = lines[number].split(" = ")[0]
        broken = [*lines[:number], f"{key} = {{ nonsense = 1 }}", *lines[number + 1 :]]
        with pytest.raises(InputError, match=r"sagehen.toml: "):
            cluster.from_text("\n".join(broken), "sagehen", "sagehen.toml")
