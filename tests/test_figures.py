"""Figures from records: the right values, whose machine it was, and nothing where nothing was."""

import csv
import io
import json
import re
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.test_collect import NO_GPU
from tests.test_record import made, signed

from mlhpc import cluster, content, record
from mlhpc.errors import InputError
from mlhpc.estimate import cost, memory, models
from mlhpc.lesson.figures import __main__ as program
from mlhpc.lesson.figures import charts, embed, tables, write
from mlhpc.lesson.gallery import page
from mlhpc.lesson.marks import MARK, plain
from mlhpc.record import Record

SAGEHEN = cluster.load("sagehen")
TODAY = date(2026, 5, 4)
BERT = {"length": 128, "layers": 12, "batch": 8, "precision": "fp32"}


def cpu(benchmark: str, params: dict[str, Any], samples: list[float], unit: str = "s",
        **more: Any) -> Record:  # fmt: skip
    fields = {**NO_GPU, "benchmark": benchmark, "params": params, "samples": samples}
    return made(**{**fields, "unit": unit, **more})


def gpu(benchmark: str, params: dict[str, Any], samples: list[float], unit: str = "s",
        **more: Any) -> Record:  # fmt: skip
    return made(**{"benchmark": benchmark, "params": params, "samples": samples, "unit": unit,
                   **more})  # fmt: skip


def scaling(mode: str, times: dict[int, float]) -> list[Record]:
    return [
        cpu("scaling", {"mode": mode, "processes": n, "batch": 8, "width": 4}, [seconds])
        for n, seconds in times.items()
    ]


def ys(series: tables.Series) -> list[float]:
    return [round(point.y, 4) for point in series.points]


# ---- the values


def test_strong_scaling_is_a_speed_up_and_weak_scaling_work_in_the_same_time() -> None:
    runs = scaling("strong", {1: 1.0, 2: 0.6, 4: 0.5}) + scaling("weak", {1: 1.0, 2: 1.25})
    found = tables.chart("scaling", runs, SAGEHEN)
    by_label = {one.label: one for one in found.series}
    assert ys(by_label["shared batch (strong)"]) == [1.0, 1.6667, 2.0]
    assert ys(by_label["a batch each (weak)"]) == [1.0, 1.6]
    assert ys(by_label["ideal"]) == [1.0, 2.0, 3.0, 4.0]
    # shares 0.8 (from 2) and 2/3 (from 4): the law goes through their median
    share = (0.8 + 2 / 3) / 2
    law = by_label["Amdahl, 73% shared"]
    assert ys(law) == [round(1 / (1 - share + share / n), 4) for n in (1, 2, 3, 4)]
    assert law.reference


def test_the_law_is_drawn_through_processes_that_have_a_core_each() -> None:
    runs = [
        cpu(
            "scaling", {"mode": "strong", "processes": n, "batch": 8, "width": 4}, [seconds], cpus=2
        )
        for n, seconds in {1: 1.0, 2: 0.6, 4: 0.9}.items()
    ]
    labels = [one.label for one in tables.chart("scaling", runs, SAGEHEN).series]
    assert "Amdahl, 80% shared" in labels


def test_amdahls_share_is_found_again_in_a_curve_that_follows_it() -> None:
    for share in (0.0, 0.5, 0.9, 1.0):
        curve = [tables.Point(n, 1 / (1 - share + share / n), 0, 0) for n in (2, 4, 8)]
        assert tables.amdahl_share(curve) == pytest.approx(share)
    assert tables.amdahl_share([]) is None


def test_a_speed_up_is_over_the_best_cpu_of_the_same_cluster() -> None:
    own = [
        cpu("bert", BERT, [2.0], "sequences/s"),
        cpu("bert", {**BERT, "batch": 16}, [4.0], "sequences/s"),
        gpu(
            "bert", {**BERT, "precision": "amp", "batch": 64}, [400.0, 440.0, 420.0], "sequences/s"
        ),
    ]
    other = cpu("bert", BERT, [0.1], "sequences/s", cluster="another")
    (series,) = tables.chart("speedup", [*own, other], SAGEHEN).series
    (bar,) = series.points
    assert (bar.x, bar.y, bar.low, bar.high) == ("BERT-base", 105.0, 100.0, 110.0)
    assert series.label == "NVIDIA A100 80GB PCIe over 8 cores of AMD EPYC"


def test_seconds_are_better_where_they_are_fewer() -> None:
    params = {"library": "xgboost", "rows": 100_000, "features": 50, "trees": 100, "depth": 6}
    runs = [cpu("trees", params, [12.0]), gpu("trees", params, [3.0, 4.0, 6.0])]
    (series,) = tables.chart("speedup", runs, SAGEHEN).series
    assert [(one.x, one.y, one.low, one.high) for one in series.points] == [
        ("XGBoost, 100,000 rows", 3.0, 2.0, 4.0)
    ]


def test_a_gpu_without_a_baseline_of_its_own_has_no_speed_up() -> None:
    alone = gpu("bert", BERT, [100.0], "sequences/s")
    elsewhere = cpu("bert", BERT, [1.0], "sequences/s", cluster="another")
    other_width = cpu("dense", {"width": 8, "batch": 1, "precision": "fp32"}, [1.0], "samples/s")
    assert tables.chart("speedup", [alone, elsewhere, other_width], SAGEHEN).is_empty


def test_two_machines_without_a_cluster_are_two_machines() -> None:
    where = {"cluster": None, "partition": None, "node": None}
    reasons = dict.fromkeys(where, "no cluster")
    base = cpu("bert", BERT, [1.0], "sequences/s", **where,
               unknown={**NO_GPU["unknown"], **reasons})  # fmt: skip
    fast = {**where, "gpu_type": None, "gpu_model": "NVIDIA H200"}
    same = gpu("bert", BERT, [9.0], "sequences/s", **fast, cpu_model="AMD EPYC",
               unknown={**reasons, "gpu_type": "no cluster"})  # fmt: skip
    other = gpu("bert", BERT, [9.0], "sequences/s", **fast, cpu_model="Intel Xeon",
                unknown={**reasons, "gpu_type": "no cluster"})  # fmt: skip
    assert tables.baseline(same, [base]) == base
    assert tables.baseline(other, [base]) is None


def test_throughput_is_a_share_of_the_best_batch() -> None:
    runs = [
        cpu("bert", {**BERT, "batch": size}, [rate], "sequences/s")
        for size, rate in ((8, 30.0), (1, 10.0), (4, 40.0))
    ]
    (series,) = tables.chart("batch", runs, SAGEHEN).series
    assert [(one.x, one.y) for one in series.points] == [(1, 25.0), (4, 100.0), (8, 75.0)]
    assert series.label == "BERT-base, fp32: at most 40 sequences/s"


def test_the_newest_record_of_a_setting_is_shown_and_the_older_is_history() -> None:
    old = cpu("trees", {"library": "forest", "rows": 10}, [9.0])
    new = cpu(
        "trees", {"library": "forest", "rows": 10}, [3.0], started="2026-05-02T00:00:00+00:00"
    )
    found = tables.chart("trees", [new, old], SAGEHEN)
    assert ys(found.series[0]) == [3.0]
    assert tables.earlier([new, old], found.records) == [old]


def test_the_peak_of_the_clusters_gpu_stands_beside_what_it_achieved() -> None:
    run = gpu("matmul", {"size": 4096, "precision": "fp32"}, [15.0], "TFLOP/s")
    found = tables.chart("matmul", [run], SAGEHEN)
    peak = next(one for one in found.series if one.reference)
    assert (peak.label, peak.points[0].y) == ("fp32 peak of a100", 19.5)
    other = gpu("matmul", run.params, [15.0], "TFLOP/s", gpu_type=None,
                unknown={"cpu_model": "not said", "gpu_type": "no such type"})  # fmt: skip
    assert [one.reference for one in tables.chart("matmul", [other], SAGEHEN).series] == [False]


def test_an_estimate_stands_over_what_was_measured() -> None:
    params = {"size": 224, "batch": 256, "precision": "amp"}
    rate = gpu("resnet", params, [1000.0], "images/s")
    size = gpu("resnet-memory", params, [15.0], "GiB")
    found = tables.chart("estimates", [rate, size], SAGEHEN)
    by_label = {one.label: one.points[0] for one in found.series}
    assert by_label["throughput"].x == "ResNet-50, amp, 256"
    on = cost.device(SAGEHEN, "a100", "amp")
    seconds = cost.training_s(models.resnet50(224), on, cost.Work(256, "amp")).likely
    assert by_label["throughput"].y == pytest.approx(1000 * seconds)
    assert 0.5 < by_label["throughput"].y < 2
    parts = memory.training(models.resnet50(224), 256, optimizer="momentum").parts
    without = sum(part.likely for part in parts.values()) - parts["libraries"].likely
    assert by_label["memory"].y == pytest.approx(15 / without)
    assert 0.9 < by_label["memory"].y < 1.5
    assert tables.chart("estimates", [cpu("resnet", params, [1.0], "images/s")], SAGEHEN).is_empty


# ---- whose it is


def lesson_of(folder: Path, *documents: dict[str, Any]) -> content.Lesson:
    (folder / "claims.toml").write_text("schema = 1\n")
    for document in documents:
        record.save(document, folder / "measurements")
    return content.Lesson(folder)


def trees_documents(**more: Any) -> list[dict[str, Any]]:
    return [
        signed(**{**NO_GPU, "benchmark": "trees", "unit": "s", "samples": [seconds, 1.1 * seconds],
                  "params": {"library": library, "rows": rows}, **more})
        for library, rows, seconds in (("forest", 10, 1.0), ("forest", 100, 3.0),
                                       ("xgboost", 10, 0.5), ("xgboost", 100, 0.8))
    ]  # fmt: skip


def embedded(folder: Path, *documents: dict[str, Any]) -> str:
    lesson = lesson_of(folder, *documents)
    write.write(lesson, SAGEHEN)
    records = record.load_all(lesson.measurements)
    found = tables.chart("trees", records, SAGEHEN)
    return embed.figure(lesson, found, records, "sagehen", TODAY)


def test_a_figure_has_both_pictures_words_data_and_the_receipt_of_each_record(
    tmp_path: Path,
) -> None:
    shown = embedded(tmp_path, *trees_documents())
    assert "(/figures/trees-light.svg#only-light)" in shown
    assert "(/figures/trees-dark.svg#only-dark)" in shown
    assert "[As CSV](/figures/trees.csv)" in shown
    assert "XGBoost: 0.525 at 10, 0.84 at 100." in shown
    assert "<td>1 to 1.1</td>" in shown
    assert len({match["ref"] for match in MARK.finditer(shown)}) == 4
    assert "Measured on 8 cores of AMD EPYC (this cluster); Python 3.11.7, torch 2.13.0." in shown
    assert "medians of 2 repetitions" in shown
    assert "2026-05-01, 3 days before this page was built." in plain(shown)
    assert "Earlier measurements" not in shown


def test_another_machine_is_never_passed_off_as_the_clusters(tmp_path: Path) -> None:
    shown = embedded(tmp_path, *trees_documents(cluster="another"))
    assert "8 cores of AMD EPYC (not of this cluster)" in shown
    assert "(this cluster)" not in shown


def test_the_history_of_a_figure_stands_under_it(tmp_path: Path) -> None:
    later = trees_documents(started="2026-05-03T12:00:00+00:00")
    shown = embedded(tmp_path, *trees_documents(), *later)
    assert "Earlier measurements" in shown
    assert shown.count("<td>2026-05-01</td>") == 4
    assert shown.count("<td>2026-05-03</td>") == 4


def test_nothing_measured_is_said_and_nothing_is_drawn(tmp_path: Path) -> None:
    shown = embedded(tmp_path)
    assert "not measured here" in shown
    assert "<figure" not in shown
    assert not (tmp_path / "figures").exists()


def test_pictures_of_other_records_stop_the_build(tmp_path: Path) -> None:
    lesson = lesson_of(tmp_path, *trees_documents())
    records = record.load_all(lesson.measurements)
    found = tables.chart("trees", records, SAGEHEN)
    with pytest.raises(InputError, match=r"trees\.csv is missing; draw them anew: make figures"):
        embed.figure(lesson, found, records, "sagehen", TODAY)
    write.write(lesson, SAGEHEN)
    newer = [*records, made(**{**NO_GPU, "benchmark": "trees", "unit": "s", "samples": [9.0],
                               "params": {"library": "forest", "rows": 1000}})]  # fmt: skip
    changed = tables.chart("trees", newer, SAGEHEN)
    with pytest.raises(InputError, match=r"trees\.csv is of other records"):
        embed.figure(lesson, changed, newer, "sagehen", TODAY)


def test_a_record_from_the_future_stops_the_build(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a record of 2027-01-01 is from the future"):
        embedded(tmp_path, *trees_documents(started="2027-01-01T00:00:00+00:00"))


# ---- the files


def test_files_are_written_where_they_differ_and_old_ones_removed(tmp_path: Path) -> None:
    lesson = lesson_of(tmp_path, *trees_documents())
    written, removed = write.write(lesson, SAGEHEN)
    assert sorted(written) == ["trees-dark.svg", "trees-light.svg", "trees.csv"]
    assert removed == []
    (tmp_path / "figures" / "gone.csv").write_text("")
    assert write.write(lesson, SAGEHEN) == ([], ["gone.csv"])


def test_the_csv_holds_every_point_with_its_machine_and_record(tmp_path: Path) -> None:
    lesson = lesson_of(tmp_path, *trees_documents())
    write.write(lesson, SAGEHEN)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "figures" / "trees.csv").read_text())))
    assert len(rows) == 4
    assert rows[-1]["series"] == "random forest"
    assert (rows[-1]["x"], rows[-1]["median"], rows[-1]["high"]) == ("100", "3.15", "3.3")
    names = {one.name for one in record.load_all(lesson.measurements)}
    assert {row["record"] for row in rows} == names


@pytest.mark.parametrize("name", tables.CHARTS)
def test_every_figure_can_be_drawn_light_and_dark(name: str, tmp_path: Path) -> None:
    found = tables.chart(name, everything(), SAGEHEN)
    assert not found.is_empty
    drawing = charts.draw(found)
    assert f"<title>{found.title}" in drawing.svg.replace("&gt;", ">")
    assert drawing.width == 740
    assert drawing.height > 250
    assert len(charts.alt(found)) < 3000
    assert tmp_path.exists()


def everything() -> list[Record]:
    """A record of each kind, from a CPU and a GPU of the cluster."""
    found = scaling("strong", {1: 1.0, 2: 0.6, 4: 0.5}) + scaling("weak", {1: 1.0, 2: 1.2})
    for make, factor in ((cpu, 1.0), (gpu, 50.0)):
        for size in (1, 4, 16):
            rate = factor * size / (1 + size)
            shape = {"size": 224, "batch": size, "precision": "fp32"}
            found.append(make("resnet", shape, [rate, 1.1 * rate], "images/s"))
            wide = {"width": 32 * size, "batch": 32, "precision": "fp32"}
            found.append(make("dense", wide, [rate], "samples/s"))
            rows = {"library": "xgboost", "rows": 1000 * size}
            found.append(make("trees", rows, [1 / rate]))
            product = {"size": 256 * size, "precision": "fp32"}
            found.append(make("matmul", product, [rate], "TFLOP/s"))
    for size in (1, 4, 16):
        shape = {"size": 224, "batch": size, "precision": "fp32"}
        found.append(gpu("resnet-memory", shape, [1.0 + 0.1 * size], "GiB"))
    for workers in (0, 1, 2):
        for cache in ("cold", "warm"):
            params = {"kind": "images", "tier": "local", "workers": workers, "cache": cache}
            found.append(cpu("loading", params, [100.0 * (1 + workers)], "images/s"))
    return found


def test_series_differ_in_more_than_their_colour() -> None:
    svg = charts.draw(tables.chart("trees", everything(), SAGEHEN)).svg
    assert len(set(re.findall(r"stroke-dasharray: ([\d., ]+)", svg))) >= 1
    assert len(set(re.findall(r'<path id="(m\w+)"', svg))) >= 2


def test_a_chart_without_points_cannot_be_drawn() -> None:
    with pytest.raises(ValueError, match="nothing was measured"):
        charts.draw(tables.chart("memory", [], SAGEHEN))


def test_drawing_takes_seconds_and_no_torch(tmp_path: Path) -> None:
    lesson_of(tmp_path, *trees_documents())
    code = (
        "import sys; sys.modules['torch'] = None; "
        "from mlhpc.lesson.figures.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code, "--lesson", str(tmp_path)], capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.stderr == "figures: 3 files written, 0 removed\n"
    assert time.monotonic() - begin < 60


def test_the_committed_figures_are_of_the_committed_records(tmp_path: Path) -> None:
    lesson = content.find()
    kept = content.Lesson(tmp_path)
    (tmp_path / "measurements").symlink_to(lesson.measurements)
    write.write(kept, SAGEHEN)
    drawn = {path.name: path.read_bytes() for path in (tmp_path / write.FOLDER).glob("*")}
    committed = {path.name: path.read_bytes() for path in (lesson.root / write.FOLDER).glob("*")}
    assert sorted(drawn) == sorted(committed), "make figures"
    assert [name for name in drawn if drawn[name] != committed[name]] == [], "make figures"


def test_a_bad_record_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lesson_of(tmp_path)
    (tmp_path / "measurements").mkdir()
    (tmp_path / "measurements" / "r.json").write_text(json.dumps({"schema": 1}))
    assert program.main(["--lesson", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("mlhpc: figures: ")
    assert "field 'benchmark' is missing" in line


# ---- an example beside what it gave elsewhere


def test_the_page_of_an_example_shows_what_the_same_file_gave_in_a_job() -> None:
    entry = {
        "title": "Small", "summary": "One.", "cells": [], "started": "2026-12-01T00:00:00+00:00",
        "machine": {"text": "2 cores"}, "metadata": {"exclusive": False},
        "values": {"speedup": [0.5, "×"], "place": ["cpu", ""]},
    }  # fmt: skip
    alone = page.render("plot_small_network", entry, [])
    assert "other machines" not in alone
    there = gpu("example-small-network", {"value": "speedup"}, [3.0, 4.0, 3.5], "×")
    other = gpu("example-batch-size", {"value": "speedup"}, [9.0], "×")
    shown = page.render("plot_small_network", entry, [there, other])
    assert "## The same file on other machines" in shown
    assert "<th>this page</th><th>NVIDIA A100 80GB PCIe, sagehen, 2026-05-01</th>" in shown
    assert "<td>speedup</td><td>0.5 ×</td><td>3.5 ×</td>" in shown
    assert "<td>place</td><td>cpu</td><td>not measured</td>" in shown
    assert "9 ×" not in shown
