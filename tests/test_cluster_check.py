"""``mlhpc cluster``: the file beside the cluster, and the lines that bring it up to date."""

import datetime
import json
from pathlib import Path

import pytest

from mlhpc import cli, cluster
from mlhpc.cluster import collect
from mlhpc.cluster.compare import compare
from mlhpc.cluster.findings import Finding
from mlhpc.cluster.live import Live

RECORDED = Path(__file__).parent / "recorded" / "slurm"
DAY = datetime.date(2026, 12, 1)
ALL = {
    "sinfo": "sinfo-all.txt",
    "partitions": "partitions.txt",
    "nodes": "nodes.txt",
    "config": "config.txt",
}
SOURCED = 'source = "the centre"\nchecked = 2026-05-31\n'


def live(shape: str, **files: str) -> Live:
    return collect.from_files({name: RECORDED / shape / file for name, file in files.items()})


def described(body: str) -> cluster.Cluster:
    return cluster.from_text("schema = 1\n" + body, "test", "test.toml")


def differences(file: cluster.Cluster, of: Live) -> dict[str, Finding]:
    found = [it for it in compare(file, of, DAY) if it.kind == "difference"]
    by_path = {it.path: it for it in found}
    assert len(by_path) == len(found)
    return by_path


def notes(file: cluster.Cluster, of: Live) -> dict[str, Finding]:
    return {it.path: it for it in compare(file, of, DAY) if it.kind == "note"}


# --- Sagehen's file beside a cluster of the lesson's shape ---------------------------------


def test_a_cluster_as_the_file_says_has_no_difference_but_the_cores_it_lacks() -> None:
    # the recorded nodes all have 128 cores; the centre's smallest have 32
    found = differences(cluster.load(), live("lesson", **ALL))
    assert list(found) == ["partition.amd.cores_min"]
    finding = found["partition.amd.cores_min"]
    assert (finding.file, finding.cluster) == ("32", "128")
    assert finding.toml == (
        'cores_min = { value = 128, source = "scontrol show node", checked = 2026-12-01 }'
    )
    assert finding.line is not None
    assert cluster.load().text.splitlines()[finding.line - 1] == "cores_min = 32"


def test_memory_named_in_round_figures_is_no_difference() -> None:
    # 512,000 MiB are 537 GB or 500 GiB; the file says 512 GB
    found = compare(cluster.load(), live("lesson", **ALL), DAY)
    assert "partition.amd.memory_gb_max" not in {it.path for it in found}
    half = described(f"[partition.amd]\n{SOURCED}memory_gb_max = 256\n")
    finding = differences(half, live("lesson", **ALL))["partition.amd.memory_gb_max"]
    assert (finding.file, finding.cluster) == ("256 GB", "537 GB")


def test_what_the_file_does_not_say_is_a_note_with_the_line_to_add() -> None:
    found = notes(cluster.load(), live("lesson", **ALL))
    short = found["partition.short.max_time_h"]
    assert (short.file, short.cluster) == ("does not say", "1 hour")
    assert short.action == "add to [partition.short]"
    assert short.toml == (
        'max_time_h = { value = 1, source = "scontrol show partition", checked = 2026-12-01 }'
    )
    assert short.line is not None
    assert cluster.load().text.splitlines()[short.line - 1] == "[partition.short]"
    assert found["gpu.rtxpro6000.gres"].cluster == "rtxpro6000"
    assert found["partition.amd.default"].cluster == "yes"
    assert found["limits.max_array_size"].toml.startswith(
        "[limits]\nmax_array_size = { value = 1001"
    )
    assert found["partition.gpu.default_memory_per_cpu_mib"].cluster == "1,024 MiB"
    assert 'hosts = "amd[01-03]"' in found["node.amd"].toml


def test_what_the_output_does_not_tell_is_neither_difference_nor_note() -> None:
    found = compare(cluster.load(), live("lesson", sinfo="sinfo-short.txt"), DAY)
    paths = {it.path for it in found}
    assert paths == {
        "partition.amd.max_time_h",
        "partition.amd.default",
        "partition.amd.gpus",
        "partition.short.max_time_h",
        "partition.short.gpus",
    }
    assert not differences(cluster.load(), live("lesson", nodes="nodes.txt"))


# --- beside a cluster that is another ------------------------------------------------------


def test_every_difference_is_found() -> None:
    found = differences(cluster.load(), live("mixed", **ALL))
    assert {path: it.cluster for path, it in found.items()} == {
        "partition.gpu.max_time_h": "168 hours",
        "partition.gpu.gpus": "a100, l40s, h200",
        "partition.preempt": "has it",
        "partition.old": "has it",
        "partition.short": "has no such partition",
        "gpu.l40s.count": "3",
        "gpu.h200": "has it",
        "gpu.rtxpro6000": "has no such GPU on its nodes",
    }
    assert found["partition.short"].action == "delete the table [partition.short]"
    assert "count = 1" in found["gpu.h200"].toml
    assert "max_time_h = 12.5" in found["partition.preempt"].toml


def test_differences_come_before_notes() -> None:
    kinds = [it.kind for it in compare(cluster.load(), live("mixed", **ALL), DAY)]
    assert kinds == sorted(kinds)
    assert set(kinds) == {"difference", "note"}


def test_gpus_whose_type_slurm_does_not_name_are_not_guessed_at(tmp_path: Path) -> None:
    text = (RECORDED / "lesson" / "nodes.txt").read_text()
    (tmp_path / "nodes").write_text(text.replace("gpu:a100:4", "gpu:4"))
    untyped = collect.from_files(
        {"nodes": tmp_path / "nodes", "partitions": RECORDED / "lesson" / "partitions.txt"}
    )
    paths = {it.path for it in compare(cluster.load(), untyped, DAY)}
    assert not [path for path in paths if path.startswith("gpu.")]
    assert "partition.gpu.gpus" not in paths


def test_a_memory_for_each_node_keeps_the_clusters_memory_for_each_core_out() -> None:
    found = notes(cluster.load(), live("mixed", **ALL))
    assert found["partition.gpu.default_memory_mib"].cluster == "16,000 MiB"
    assert "partition.gpu.default_memory_per_cpu_mib" not in found
    assert found["partition.amd.default_memory_per_cpu_mib"].cluster == "2,800 MiB"


@pytest.mark.parametrize(
    ("node", "path", "cluster_says"),
    [
        ('hosts = "amd[01-03]"\ncpus = 64', "node.thin.cpus", "128"),
        ('hosts = "amd[01-03]"\nmemory_mib = 1', "node.thin.memory_mib", "512,000 MiB"),
        ('hosts = "amd[01-04]"', "node.thin.hosts", "amd[01-03]"),
        ('hosts = "amd[01-03]"\nfeatures = ["avx"]', "node.thin.features", "none"),
        ('hosts = "old[1-9]"', "node.thin", "has none of these nodes"),
        ('hosts = "gpu01"\ngpus = { a100 = 3 }\n[gpu.a100]', "node.thin.gpus", "4 a100"),
        ('hosts = "amd[01-03]"', "node.gpu", "has it"),
    ],
)
def test_a_group_of_nodes_that_is_otherwise_is_a_difference(
    node: str, path: str, cluster_says: str
) -> None:
    body = f"[node.thin]\n{SOURCED}{node}\n"
    assert differences(described(body), live("lesson", **ALL))[path].cluster == cluster_says


def test_a_partition_with_other_groups_of_nodes_is_a_difference() -> None:
    body = (
        f'[node.a]\n{SOURCED}hosts = "amd[01-03]"\n[node.g]\n{SOURCED}hosts = "gpu[01-03]"\n'
        f'[partition.amd]\n{SOURCED}nodes = ["a", "g"]\n[partition.gpu]\n{SOURCED}nodes = ["g"]\n'
    )
    found = differences(described(body), live("lesson", **ALL))
    assert found["partition.amd.nodes"].cluster == "a"
    assert "partition.gpu.nodes" not in found


# --- the lines to change -------------------------------------------------------------------


def applied(file: cluster.Cluster, findings: list[Finding]) -> cluster.Cluster:
    """The file with every finding's line written as it says."""
    lines = file.text.splitlines()
    # from the bottom up, so that the numbers above stay right
    for it in sorted(findings, key=lambda it: -(it.line or len(lines) + 1)):
        if it.line is None:
            lines += ["", *it.toml.splitlines()]
        elif it.action.startswith("change"):
            lines[it.line - 1] = it.toml
        elif it.action.startswith("delete"):
            after = (n for n in range(it.line, len(lines)) if lines[n].startswith("["))
            del lines[it.line - 1 : next(after, len(lines))]
        else:
            lines[it.line : it.line] = it.toml.splitlines()
    return cluster.from_text("\n".join(lines), file.key, file.origin)


@pytest.mark.parametrize("shape", ["lesson", "mixed"])
@pytest.mark.parametrize("start", ["sagehen", "empty"])
def test_the_lines_to_change_once_changed_leave_nothing_to_change(shape: str, start: str) -> None:
    running = live(shape, **ALL)
    file = cluster.load() if start == "sagehen" else described("")
    first = compare(file, running, DAY)
    assert len(first) > 5
    file = applied(file, first)
    # groups of nodes are new in the file: now its partitions can name them
    second = compare(file, running, DAY)
    assert {it.path.rpartition(".")[2] for it in second} == {"nodes"}
    file = applied(file, second)
    assert compare(file, running, DAY) == []
    assert file.fact("gpu.l40s.gres").source == "scontrol show node"


# --- the command ---------------------------------------------------------------------------


def saved(shape: str) -> list[str]:
    return [
        part for name, file in ALL.items() for part in (f"--{name}", f"{RECORDED / shape / file}")
    ]


def test_check_prints_file_line_and_what_to_write(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["cluster", "check", *saved("mixed"), "--date", "2026-11-30"]) == 1
    printed = capsys.readouterr().out
    assert "8 differences" in printed
    assert (
        "partition.gpu.max_time_h: the file says 720 hours, the cluster says 168 hours" in printed
    )
    number = next(
        n
        for n, line in enumerate(cluster.load().text.splitlines(), 1)
        if line == "max_time_h = 720"
    )
    assert f"sagehen.toml:{number}: change to, in [partition.gpu]" in printed
    assert (
        'max_time_h = { value = 168, source = "scontrol show partition", checked = 2026-11-30 }'
        in printed
    )


def test_check_ends_with_0_where_only_notes_are_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(cluster.load().text.replace("cores_min = 32", "cores_min = 128"))
    assert cli.main(["cluster", "check", "--cluster", str(file), *saved("lesson")]) == 0
    assert "0 differences" in capsys.readouterr().out


def test_check_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["cluster", "check", "--json", *saved("lesson")]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == 1
    assert document["compared_with"] == [
        "sinfo",
        "scontrol show partition",
        "scontrol show node",
        "scontrol show config",
    ]
    assert [it["path"] for it in document["differences"]] == ["partition.amd.cores_min"]
    assert len(document["notes"]) > 20


def test_show_prints_what_is_known_with_its_source_and_what_is_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["cluster", "show"]) == 0
    printed = capsys.readouterr().out
    assert "Sagehen  (sagehen.toml)" in printed
    assert "  memory_gb                  80 GB  [" in printed
    assert '  max_time_h                 ask the centre: sinfo -p short -o "%P %l"' in printed
    assert "  [3] the centre, May 2026 (2026-05)" in printed
    assert "GPUs of all types: 10" in printed
    # who knows the quota in GB need not ask for it in TB
    rhome = printed.split("Storage rhome")[1].split("\n\n")[0]
    assert "quota_gb" in rhome
    assert "quota_tb_min" not in rhome


def test_show_as_json_holds_every_fact(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["cluster", "show", "sagehen", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == 1
    assert document["gpu"]["a100"]["memory_gb"]["value"] == 80
    assert document["gpu"]["a100"]["memory_bandwidth_gbs"]["value"] == {"low": 1935, "high": 2039}
    assert document["gpu_total"]["value"] == 10
    assert document["software"]["python"] == {
        "value": None,
        "unit": None,
        "source": None,
        "checked": None,
        "note": None,
        "ask": "module avail python",
    }
    single = [document[name] for name in ("cluster", "login", "ondemand", "software", "limits")]
    named = [it for name in ("partition", "gpu", "storage") for it in document[name].values()]
    assert sum(map(len, [*single, *named])) == len(cluster.load().facts()) - 1


def test_no_limit_is_a_word_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "box.toml"
    file.write_text(f"schema = 1\n[partition.p]\n{SOURCED}max_time_h = inf\n")
    assert cli.main(["cluster", "show", str(file), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["partition"]["p"]["max_time_h"]["value"] == "unlimited"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "sagehem"], "no cluster 'sagehem'; valid choices: sagehen"),
        (["show", "--cluster", "none.toml"], "none.toml: cannot be read"),
        (["show", "sagehen", "--cluster", "other"], "'sagehen' or --cluster 'other'? Name one"),
        (["check", "--nodes", "none.txt"], "none.txt: cannot be read"),
        (["check", *saved("lesson"), "--date", "today"], "--date 'today': must be a day such as"),
        ([], "required: show|check"),
        (["sing"], "show|check"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["cluster", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err
    assert printed.err.count("\n") == 1


def test_without_slurm_the_check_ends_with_3(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cli.main(["cluster", "check"]) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "sinfo is not here" in printed.err
    assert printed.err.count("\n") == 1
