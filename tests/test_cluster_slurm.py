"""Reading what sinfo and scontrol really print (recorded), and the names and GPUs in it."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlhpc.cluster import collect, gres, hosts, scontrol, sinfo
from mlhpc.cluster.live import Live, LiveNode
from mlhpc.errors import InputError, ToolError

RECORDED = Path(__file__).parent / "recorded" / "slurm"


def live(shape: str, **files: str) -> Live:
    return collect.from_files({name: RECORDED / shape / file for name, file in files.items()})


def recorded(shape: str, file: str) -> str:
    return (RECORDED / shape / file).read_text()


# --- scontrol ------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["nodes.txt", "nodes-oneline.txt"])
def test_scontrol_describes_each_node(file: str) -> None:
    nodes = live("mixed", nodes=file).nodes
    assert nodes is not None
    assert list(nodes) == ["big7", "cpu01", "cpu02", "g-a1", "g-a2", "g-b1"]
    # drained, with a reason that holds 'Temp=81'
    assert nodes["big7"] == LiveNode("big7", 128, 128, 512000, {}, ("amd", "epyc", "milan"))
    # two threads a core: 64 CPUs are 32 cores
    assert nodes["cpu01"] == LiveNode("cpu01", 64, 32, 191000, {}, ("amd", "epyc", "rome"))
    assert nodes["g-a1"].gpus == {"nvidia_a100-sxm4-80gb": 2}
    assert nodes["g-b1"] == LiveNode("g-b1", 48, 48, 256000, {"l40s": 3, "h200": 1}, ())


def test_scontrol_describes_each_partition() -> None:
    partitions = live("mixed", partitions="partitions.txt").partitions
    assert partitions is not None
    assert list(partitions) == ["amd", "gpu", "preempt", "old"]
    amd, gpu = partitions["amd"], partitions["gpu"]
    assert (amd.default, gpu.default) == (True, False)
    assert amd.max_time_h == amd.default_time_h == math.inf
    assert (gpu.max_time_h, gpu.default_time_h) == (168, 4)
    assert (amd.max_nodes, gpu.max_nodes) == (math.inf, 2)
    assert (amd.accounts, gpu.accounts) == (("ALL",), ("lab_a", "lab_b"))
    assert gpu.qos == ("normal", "gpu")
    assert (amd.default_memory_per_cpu_mib, amd.default_memory_mib) == (2800, None)
    assert (gpu.default_memory_per_cpu_mib, gpu.default_memory_mib) == (None, 16000)
    assert gpu.hosts == ("g-a1", "g-a2", "g-b1")
    # without a default time of its own, a job gets the longest
    assert partitions["preempt"].default_time_h == partitions["preempt"].max_time_h == 12.5
    assert partitions["old"].max_time_h == 1.5


def test_scontrol_gives_the_clusters_settings() -> None:
    found = live("lesson", config="config.txt")
    assert found.max_array_size == 1001
    assert found.slurm_version == "22.05.8"
    assert found.default_memory_per_cpu_mib == 1024
    assert found.sources == ("scontrol show config",)


def test_gpus_without_a_type_in_gres_get_it_from_tres() -> None:
    text = recorded("mixed", "nodes.txt")
    untyped = text.replace("Gres=gpu:nvidia_a100-sxm4-80gb:2(S:0-1)", "Gres=gpu:2")
    typed = untyped.replace("mem=250G", "mem=250G,gres/gpu=2,gres/gpu:a100=2")
    nodes = scontrol.parse_nodes(untyped, "nodes").nodes or {}
    assert nodes["g-a1"].gpus == {"": 2}
    nodes = scontrol.parse_nodes(typed, "nodes").nodes or {}
    assert nodes["g-a1"].gpus == {"a100": 2}
    assert nodes["g-b1"].gpus == {"l40s": 3, "h200": 1}


@pytest.mark.parametrize("parse", [scontrol.parse_nodes, scontrol.parse_partitions])
@pytest.mark.parametrize("text", ["", "No nodes in the system\n", '{"nodes": []}'])
def test_what_scontrol_never_printed_is_refused(parse, text: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match=r"saved.txt: there is no '\w+Name=...' in it; valid"):
        parse(text, "saved.txt")


def test_a_wrong_number_names_the_node() -> None:
    text = recorded("lesson", "nodes.txt").replace("RealMemory=512000", "RealMemory=lots", 1)
    with pytest.raises(InputError, match=r"nodes.txt: amd01: 'lots' is no whole number"):
        scontrol.parse_nodes(text, "nodes.txt")


# --- sinfo ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["lesson", "mixed"])
def test_sinfo_and_scontrol_tell_the_same_of_nodes_and_times(shape: str) -> None:
    by_sinfo = live(shape, sinfo="sinfo-all.txt")
    by_scontrol = live(shape, partitions="partitions.txt", nodes="nodes.txt")
    assert by_sinfo.nodes == by_scontrol.nodes
    assert by_sinfo.partitions is not None
    assert by_scontrol.partitions is not None
    assert list(by_sinfo.partitions) == list(by_scontrol.partitions)
    for name, partition in by_sinfo.partitions.items():
        other = by_scontrol.partitions[name]
        assert set(partition.hosts or ()) == set(other.hosts or ())
        assert partition.max_time_h == other.max_time_h
        assert partition.default_time_h == other.default_time_h
        assert partition.max_nodes == other.max_nodes
        assert partition.default == other.default


def test_a_time_that_plain_sinfo_cuts_off_is_read_all_the_same() -> None:
    assert "30-00:00:0 " in recorded("lesson", "sinfo.txt")
    found = live("lesson", sinfo="sinfo.txt").partitions or {}
    assert {name: it.max_time_h for name, it in found.items()} == {
        "amd": 720,
        "gpu": 720,
        "short": 1,
    }


def test_rows_of_one_partition_are_taken_together() -> None:
    found = live("mixed", sinfo="sinfo.txt")
    assert (found.partitions or {})["amd"].hosts == ("big7", "cpu01", "cpu02")
    assert (found.nodes or {})["cpu02"] == LiveNode("cpu02")


def test_without_names_of_nodes_only_the_partitions_are_known() -> None:
    found = live("mixed", sinfo="sinfo-short.txt")
    assert found.nodes is None
    gpu = (found.partitions or {})["gpu"]
    assert gpu.gpu_types == ("nvidia_a100-sxm4-80gb", "l40s", "h200")
    assert gpu.hosts is None


def test_at_least_so_many_is_not_taken_for_so_many() -> None:
    text = "PARTITION CPUS MEMORY S:C:T NODELIST\namd* 64+ 191000+ 2+:16+:1+ cpu[01-02]\n"
    assert (sinfo.parse(text, "sinfo").nodes or {})["cpu01"] == LiveNode("cpu01")


def test_without_a_star_no_partition_is_said_not_to_be_the_default() -> None:
    found = sinfo.parse("PARTITION TIMELIMIT\namd 1:00:00\n", "sinfo").partitions or {}
    assert found["amd"].default is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no table of sinfo's with a column PARTITION; valid choices: the output of sinfo"),
        ("PARTITION NODES\n", "is no table of sinfo's"),
        ("amd* up 1:00:00\n", "is no table of sinfo's"),
        ('{"nodes": []}', "is no table of sinfo's"),
        ("PARTITION|NODES\namd*|1|2|3\n", "line 2: 4 columns, the header has 2"),
        ("PARTITION NODES CPUS\namd*\n", "line 2: 1 columns, the header has 3"),
        ("PARTITION TIMELIMIT\namd* soon\n", "line 2"),
        ("PARTITION CPUS NODELIST\namd* many n1\n", "line 2: 'many' is no whole number"),
        ("PARTITION NODELIST\namd* n[1-\n", "line 2: 'n[1-' has a bracket that is not closed"),
        (
            "PARTITION GRES\namd* gpu:a:b:4\n",
            "line 2: 'gpu:a:b:4' is no list of GPUs such as gpu:a100:4",
        ),
        ("PARTITION NODELIST S:C:T\namd* n1 2:16\n", "line 2: '2:16' is not sockets:cores:threads"),
    ],
)
def test_what_sinfo_never_printed_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        sinfo.parse(text, "saved.txt")
    assert str(caught.value).startswith("saved.txt")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


# --- asking --------------------------------------------------------------------------------


def test_the_cluster_is_asked_four_times_and_the_answers_put_together() -> None:
    answers = {
        "sinfo": "sinfo-all.txt",
        "partition": "partitions.txt",
        "node": "nodes.txt",
        "config": "config.txt",
    }
    asked: list[str] = []

    def run(command) -> str:  # type: ignore[no-untyped-def]
        asked.append(" ".join(command))
        return recorded("mixed", answers["sinfo" if command[0] == "sinfo" else command[-1]])

    found = collect.from_tools(run)
    assert len(asked) == 4
    assert found.sources[0] == "sinfo"
    assert found.sources[2] == "scontrol show node"
    assert found == live(
        "mixed",
        sinfo="sinfo-all.txt",
        partitions="partitions.txt",
        nodes="nodes.txt",
        config="config.txt",
    )


def test_a_missing_program_is_a_tool_error_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match=r"sinfo is not here: .*login node.*--sinfo"):
        collect.from_tools()


def program(folder: Path, text: str) -> None:
    file = folder / "sinfo"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


def test_a_failing_program_is_a_tool_error_with_its_own_last_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    program(tmp_path, "echo first >&2; echo 'sinfo: error: no controller' >&2; exit 1")
    with pytest.raises(ToolError, match=r"^sinfo: sinfo: error: no controller$"):
        collect.from_tools()
    program(tmp_path, "exit 4")
    with pytest.raises(ToolError, match="exit code 4"):
        collect.from_tools()


def test_a_program_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(tmp_path, "exec sleep 20")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(collect, "TIME_LIMIT_S", 0.2)
    with pytest.raises(ToolError, match=r"sinfo: no answer within 0.2 s"):
        collect.from_tools()


def test_a_saved_file_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.txt: cannot be read: No such file"):
        collect.from_files({"nodes": tmp_path / "none.txt"})
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        collect.from_files({"nodes": tmp_path / "binary"})


# --- names of nodes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("short", "names"),
    [
        ("amd[01-03]", ["amd01", "amd02", "amd03"]),
        ("gpu01", ["gpu01"]),
        ("big7,cpu[01-02]", ["big7", "cpu01", "cpu02"]),
        ("n[1-2,5],x", ["n1", "n2", "n5", "x"]),
        ("r[1-2]n[08-09]", ["r1n08", "r1n09", "r2n08", "r2n09"]),
        ("n[098-101]", ["n098", "n099", "n100", "n101"]),
    ],
)
def test_names_are_written_out(short: str, names: list[str]) -> None:
    assert hosts.expand(short) == names


@pytest.mark.parametrize(
    "short", ["", ",", "n[1-", "n1]", "n[a-b]", "n[3-1]", "n[]", "n[1-9999999]"]
)
def test_what_is_no_list_of_names_is_refused(short: str) -> None:
    with pytest.raises(ValueError, match=r"names no node|bracket|range"):
        hosts.expand(short)


def test_names_are_put_in_short_form() -> None:
    assert hosts.compress(["gpu01", "gpu02", "gpu04"]) == "gpu[01-02,04]"
    assert hosts.compress(["n9", "n10", "login"]) == "login,n9,n10"
    assert hosts.compress(["a1", "a1"]) == "a1"


@settings(deadline=None)
@given(st.sets(st.integers(0, 120)), st.sampled_from(["n", "rack2-n", "g-a"]))
def test_the_short_form_stands_for_the_same_names(numbers: set[int], prefix: str) -> None:
    names = [f"{prefix}{number:02}" for number in sorted(numbers)]
    if names:
        assert sorted(hosts.expand(hosts.compress(names))) == sorted(names)


# --- GPUs ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("gpu:a100:4", {"a100": 4}),
        ("gpu:a100:4(S:0-1)", {"a100": 4}),
        ("gpu:l40s:3(S:0,2),gpu:h200:1(S:1)", {"l40s": 3, "h200": 1}),
        ("gpu:4", {"": 4}),
        ("gpu", {"": 1}),
        ("gpu:a100", {"a100": 1}),
        ("gpu:1g.10gb:7", {"1g.10gb": 7}),
        ("gpu:a100:no_consume:2", {"a100": 2}),
        ("gpu:a100:2,gpu:a100:2", {"a100": 4}),
        ("mps:400,gpu:a100:2,license:1", {"a100": 2}),
        ("gpu:a100:4(IDX:0-3)", {"a100": 4}),
        ("(null)", {}),
        ("N/A", {}),
        ("", {}),
    ],
)
def test_gpus_are_read_from_gres(text: str, found: dict[str, int]) -> None:
    assert gres.gpus(text) == found


def test_gpus_are_read_from_tres() -> None:
    assert gres.tres_gpus("cpu=128,mem=500G,billing=128,gres/gpu=4,gres/gpu:a100=4") == {"a100": 4}
    assert gres.tres_gpus("cpu=128,gres/gpu=4") == {"": 4}
    assert gres.tres_gpus("cpu=128,mem=500G") == {}


@pytest.mark.parametrize(
    ("gres_type", "key"),
    [
        ("a100", "a100"),
        ("nvidia_a100-sxm4-80gb", "a100"),
        ("A100_80GB", "a100"),
        ("nvidia_rtx_pro_6000_blackwell_server_edition", "rtxpro6000"),
        ("l40s", "l40s"),
        ("l40", None),
        ("h200", None),
        ("a1000", None),
    ],
)
def test_slurms_name_of_a_type_is_matched_to_the_files(gres_type: str, key: str | None) -> None:
    assert gres.match(gres_type, [("a100", None), ("l40s", None), ("rtxpro6000", None)]) == key


def test_a_gres_name_in_the_file_decides() -> None:
    assert gres.match("ampere", [("a100", "ampere"), ("l40s", None)]) == "a100"
    assert gres.match("a100-80gb", [("a100", None), ("a100-80gb", None)]) == "a100-80gb"
