"""The programs and what runs them: the catalogue, real runs, records, and what is refused."""

import getpass
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mlhpc import cluster, content, record
from mlhpc.bench import catalogue, launch, pages, provenance, records, sources
from mlhpc.bench.catalogue import Program, Request
from mlhpc.bench.provenance import Machine
from mlhpc.cli import main
from mlhpc.detect import Gpu, Outcome, detect
from mlhpc.errors import InputError, ToolError

LESSON = content.find()
ROOT = LESSON.root.parent
PROGRAMS = catalogue.load(LESSON)
NAMES = ("bert", "dense", "loading", "matmul", "resnet", "scaling", "trees", "unet3d")
SAGEHEN = cluster.load("sagehen")
RESULT = {
    "kind": "result",
    "benchmark": "made-up",
    "params": {"batch": 4},
    "unit": "images/s",
    "samples": [10.0, 11.0, 12.0],
    "seconds": [1.0, 1.1, 1.2],
    "device": {"type": "cpu", "name": None, "count": 0},
    "settled": True,
}
ON_GPU = {"type": "cuda", "name": "NVIDIA A100-SXM4-80GB", "count": 1}
LIMIT_S = 60


def program(folder: Path, code: str) -> Program:
    """A program of these lines."""
    path = folder / "made_up.py"
    path.write_text(code)
    presets = {name: {"cpu": ()} for name in catalogue.PRESETS}
    job = Request(1, 1, 1)
    return Program("made-up", "Made up", "", path, ("numpy",), "any", ("made-up",), job, presets)


def machine(root: Path = ROOT, **changes: Any) -> Machine:
    return replace(Machine(detect(), None, root, {"PATH": os.environ["PATH"]}), **changes)


def sealed(line: dict[str, Any], on: Machine, folder: Path) -> record.Record:
    made = records.make(
        line, datetime.now(UTC), program(folder, ""), on, command="mlhpc bench run made-up",
        ran_s=10,
    )  # fmt: skip
    return record.parse(made, "made")


# ---- the catalogue


def test_the_catalogue_has_every_program_and_the_examples_that_time_with_torch() -> None:
    assert tuple(name for name in PROGRAMS if not name.startswith("example-")) == NAMES
    assert [name for name in PROGRAMS if name.startswith("example-")] == [
        "example-batch-size", "example-estimate-from-sample", "example-small-network",
    ]  # fmt: skip


PAGES = pages.files(LESSON, SAGEHEN)


@pytest.mark.parametrize(
    ("path", "text"), PAGES.items(), ids=[f"{one.parent.name}-{one.name}" for one in PAGES]
)
def test_script_and_page_of_a_program_are_what_the_catalogue_says(path: Path, text: str) -> None:
    assert path.read_text(encoding="utf-8") == text, "python -m mlhpc.bench.pages"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Reading data"', "", "key 'title' is missing"),
        ('device = "cpu"', 'device = "tpu"', "device: 'tpu'; valid: any, cpu"),
        ("cpus = 8", 'cpus = "8"', "job: cpus: '8' is not a int"),
        ("cpus = 8", "cores = 8", "job: unknown key 'cores'; valid: cpus, memory_gib"),
        ('program = "loading.py"', 'program = "gone.py"', "program: there is no gone.py"),
        ("[preset.smoke]", "[preset.quick]", "needs each of smoke, lesson, publish"),
        ('cpu = ["--smoke"]', 'tpu = ["--smoke"]', "preset.smoke: needs cpu"),
        ("[job]", "[job", "Expected ']'"),
    ],
)
def test_a_catalogue_file_that_is_wrong_is_named(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    folder = tmp_path / "code" / "jobs" / "loading"
    folder.mkdir(parents=True)
    (folder / "loading.py").write_text("")
    text = (ROOT / "code/jobs/loading/bench.toml").read_text()
    assert old in text
    (folder / "bench.toml").write_text(text.replace(old, new))
    with pytest.raises(InputError) as caught:
        catalogue.load(content.Lesson(tmp_path / "episodes"))
    assert message in str(caught.value)
    assert str(caught.value).startswith("code/jobs/loading/bench.toml: ")


def test_unknown_names_get_the_valid_ones(capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in (
        (["run", "resnett"], "there is no program 'resnett'; valid: bert, dense"),
        (["run", "dense", "--preset", "quick"], "preset 'quick' is unknown; valid: smoke, lesson"),
        (["run", "dense", "--tier", "x"], "--tier NAME and --folder DIR go together"),
        (["run", "dense", "--tier", "x", "--folder", "/tmp"], "dense reads no files"),
        (["run", "dense", "--cluster", "sagehen"], "only from one of its jobs"),
        (["run", "dense", "--save", __file__], "is no folder"),
    ):
        assert main(["bench", *words]) == 2, words
        captured = capsys.readouterr()
        assert message in captured.err
        assert captured.out == ""


def test_counts_of_processes_are_no_more_than_there_are() -> None:
    found = PROGRAMS["scaling"].command("publish", on_gpu=True, gpus=2)
    at = found.index("--processes")
    assert found[at : at + 4] == ["--processes", "1", "2", "--mode"]
    assert found[found.index("--nproc-per-node") + 1] == "2"


# ---- the programs themselves


@pytest.mark.parametrize("name", NAMES)
def test_every_program_runs_and_makes_records(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bench", "run", name, "--preset", "smoke", "--device", "cpu", "--json"]
    assert main([*words, "--save", str(tmp_path)]) == 0
    (found,) = json.loads(capsys.readouterr().out)["programs"]
    made = record.load_all(tmp_path)
    assert len(made) == len(found["records"]) > 0
    assert found["failure"] == ""
    for one in made:
        assert one.benchmark in PROGRAMS[name].benchmarks
        assert one.provenance["gpu_count"] == 0
        assert one.provenance["command"] == f"mlhpc bench run {name} --preset smoke --device cpu"
        assert one.provenance["packages"].keys() == set(PROGRAMS[name].packages)
        assert "absent" not in one.provenance["packages"].values()
        assert min(one.samples) > 0


def test_an_example_gives_its_values_as_records(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "run", "example-small-network", "--preset", "smoke", "--device", "cpu"]
    assert main([*words, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["programs"]
    assert {len(one["samples"]) for one in found["records"]} == {3}
    assert {one["benchmark"] for one in found["records"]} == {"example-small-network"}


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("resnet", ["--precisions", "tf32", "--device", "cpu"], "tf32: not on this device"),
        ("matmul", ["--precisions", "fp16", "--device", "cpu"], "fp16: not on this device"),
        ("loading", ["--folder", "/nowhere"], "/nowhere is no folder"),
        ("loading", ["--gib", "64", "--folder", "/dev/shm"], "wants twice that"),
    ],
)
def test_a_program_refuses_what_cannot_be_in_one_line(
    name: str, options: list[str], message: str
) -> None:
    command = [sys.executable, str(PROGRAMS[name].path), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr.strip().splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("loading", "scaling")])
def test_a_program_never_falls_back_to_the_cpu_in_silence(name: str) -> None:
    command = [sys.executable, str(PROGRAMS[name].path), "--smoke", "--device", "cuda"]
    environ = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "cuda was asked for, and torch sees no GPU" in done.stderr
    assert done.stdout == ""


def test_where_no_gpu_can_be_used_the_command_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["bench", "run", "dense", "--device", "cuda", "--preset", "smoke"]) == 3
    assert "no GPU that can be used here" in capsys.readouterr().err


def test_a_batch_that_does_not_fit_is_a_finding_and_ends_the_sweep(
    capsys: pytest.CaptureFixture[str],
) -> None:
    import torch

    from mlhpc.train import networks

    def loss(model: torch.nn.Module, given: tuple[torch.Tensor, ...]) -> torch.Tensor:
        if len(given[0]) > 8:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")
        return model(given[0]).sum()

    work = networks.Workload(
        "tiny", "rows/s", lambda: torch.nn.Linear(2, 1), lambda rows: (torch.randn(rows, 2),),
        loss, {},
    )  # fmt: skip
    parser = networks.parser("", [4])
    options = ["--sweep", "--seconds", "0.1", "--precisions", "fp32", "--device", "cpu"]
    networks.time_training(work, parser.parse_args(options))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["kind"], one["params"]["batch"]) for one in lines] == [
        ("result", 4), ("result", 8), ("finding", 16),
    ]  # fmt: skip
    assert lines[-1]["finding"] == "out of memory"


# ---- launching


def run(folder: Path, code: str, limit_s: float = LIMIT_S) -> launch.Ran:
    path = program(folder, code).path
    return launch.run([sys.executable, str(path)], {"PATH": os.environ["PATH"]}, limit_s)


def test_results_are_heard_among_other_words(tmp_path: Path) -> None:
    lines = ["warming up", "{not json}", json.dumps({"kind": "result"}), json.dumps(RESULT)]
    ran = run(tmp_path, f"print({chr(10).join(lines)!r})")
    assert [line["benchmark"] for line in ran.lines] == ["made-up"]
    assert ran.failure == ""
    assert ran.seconds > 0


@pytest.mark.parametrize(
    ("code", "limit_s", "failure"),
    [
        ("raise SystemExit('no data here')", LIMIT_S, "no data here"),
        ("1 / 0", LIMIT_S, "ZeroDivisionError: division by zero"),
        ("import time; time.sleep(60)", 0.5, "not done after 0.5 s"),
        ("import os; os.kill(os.getpid(), 9)", LIMIT_S, launch.KILLED),
        ("raise SystemExit(7)", LIMIT_S, "it ended with exit code 7"),
    ],
)
def test_how_a_program_failed_is_said_and_what_it_gave_is_kept(
    tmp_path: Path, code: str, limit_s: float, failure: str
) -> None:
    ran = run(tmp_path, f"print({json.dumps(RESULT)!r}, flush=True)\n{code}", limit_s)
    assert ran.failure == failure
    assert len(ran.lines) == 1


def test_nothing_that_a_program_started_outlives_it(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    code = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"],
                         start_new_session=True)
open({str(marker)!r}, "w").write(str(child.pid))
"""
    run(tmp_path, code)
    assert not alive(int(marker.read_text()))


def hear_interruptions() -> None:
    """Also where these tests run in the background of a shell, which makes programs deaf to it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def alive(pid: int) -> bool:
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_stopped_command_leaves_nothing_running(tmp_path: Path, number: int) -> None:
    marker = tmp_path / "pid"
    code = f"import os, time\nopen({str(marker)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)"
    path = program(tmp_path, code).path
    start = (
        "import sys, os; from mlhpc.bench import launch; "
        f"launch.run([sys.executable, {str(path)!r}], dict(os.environ), 60)"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", start], stderr=subprocess.DEVNULL, preexec_fn=hear_interruptions
    )
    until(lambda: marker.exists() and marker.read_text())
    running.send_signal(number)
    running.wait(timeout=20)
    until(lambda: not alive(int(marker.read_text())))


def until(what: Callable[[], object]) -> None:
    for _ in range(200):
        if what():
            return
        time.sleep(0.05)
    raise AssertionError("it never came")


# ---- records


def test_a_record_names_no_person_no_machine_and_no_folder_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    environ = {**os.environ, "USER": "somebody", "SECRET": "hunter2", "OMP_NUM_THREADS": "2"}
    text = json.dumps(sealed(RESULT, machine(environ=environ), tmp_path).provenance)
    for word in (socket.gethostname(), "somebody", "hunter2", str(ROOT), str(tmp_path)):
        assert word not in text, word
    assert getpass.getuser() not in json.loads(text).values()
    assert json.loads(text)["variables"]["OMP_NUM_THREADS"] == "2"


def test_a_result_from_the_cpu_is_never_a_gpus_even_where_there_is_one(tmp_path: Path) -> None:
    gpu = Gpu(0, "NVIDIA A100-SXM4-80GB", "GPU-1", 80.0, None, "550.54")
    report = replace(detect(), gpus=(gpu,), gpu_status="ok")
    found = sealed(RESULT, machine(report=report), tmp_path)
    assert found.is_cpu
    assert found.provenance["gpu_model"] is None
    assert found.unknown["gpu_model"] == provenance.NO_GPU


def test_a_gpus_result_has_its_type_driver_and_place_but_no_number_of_its_own(
    tmp_path: Path,
) -> None:
    gpu = Gpu(0, "NVIDIA A100-SXM4-80GB", "GPU-1234", 80.0, None, "550.54")
    answers = {"sinfo": "gpu07\ngpu01\ngpu07\n", "nvidia-smi": "GPU-1234, 400.00\n"}
    on = machine(
        report=replace(detect(), gpus=(gpu,), gpu_status="ok"),
        cluster=SAGEHEN,
        environ={"SLURM_JOB_ID": "7", "SLURM_JOB_PARTITION": "gpu", "SLURMD_NODENAME": "gpu07"},
        run=lambda argv, _: Outcome(0, answers[argv[0]]),
    )
    found = sealed({**RESULT, "device": ON_GPU}, on, tmp_path)
    where = found.provenance
    assert (where["cluster"], where["partition"], where["node"]) == ("sagehen", "gpu", 2)
    assert (where["gpu_type"], where["gpu_count"], where["driver"]) == ("a100", 1, "550.54")
    assert where["power_limit_w"] == 400
    assert "GPU-1234" not in json.dumps(where)
    assert "gpu07" not in json.dumps(where)


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("NVIDIA A100-SXM4-80GB", "a100"),
        ("NVIDIA A100 80GB PCIe", "a100"),
        ("NVIDIA L40S", "l40s"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtxpro6000"),
        ("NVIDIA L40", None),
        ("NVIDIA RTX A1000", None),
        ("NVIDIA H200", None),
        (None, None),
    ],
)
def test_a_gpus_model_is_told_by_whole_words(model: str | None, kind: str | None) -> None:
    assert provenance.gpu_type(model, SAGEHEN) == kind
    assert provenance.gpu_type(model, None) is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seconds": [1.0, 0.0, 1.0]}, "a repetition of no duration: 0.0 s"),
        ({"seconds": []}, "0 durations for 3 samples"),
        ({"seconds": [1.0, 1.0]}, "2 durations for 3 samples"),
        ({"seconds": [5.0, 5.0, 5.0]}, "15 s in a program that ran for 10 s"),
        ({"samples": [1.0, float("nan"), 2.0]}, "not a finite number"),
    ],
)
def test_a_result_that_took_no_time_or_too_much_is_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        sealed({**RESULT, **changes}, machine(), tmp_path)


def test_a_wide_spread_is_noted(tmp_path: Path) -> None:
    noted = sealed({**RESULT, "settled": False}, machine(), tmp_path)
    assert noted.notes == (
        "the repetitions did not settle: half of them lie within 9.1% of the median",
    )


def test_the_hash_of_the_sources_follows_what_a_program_imports(tmp_path: Path) -> None:
    one = program(tmp_path, "import helper\n")
    (tmp_path / "helper.py").write_text("x = 1\n")

    def digest() -> str:
        return sources.digest(sources.of_program(one.path).files, tmp_path)

    before = digest()
    assert before == digest()
    (tmp_path / "other.py").write_text("y = 1\n")
    assert before == digest()
    (tmp_path / "helper.py").write_text("x = 2\n")
    assert before != digest()


# ---- keeping records


def test_saving_twice_gives_one_file_and_a_damaged_one_is_not_written(tmp_path: Path) -> None:
    made = sealed(RESULT, machine(), tmp_path)
    document = records.make(
        RESULT, made.started, program(tmp_path, ""), machine(), command="x", ran_s=10
    )
    folder = tmp_path / "kept"
    assert record.save(document, folder) == record.save(document, folder)
    assert len(list(folder.iterdir())) == 1
    with pytest.raises(InputError, match="checksum"):
        record.save({**document, "unit": "cats/s"}, tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_merging_takes_all_or_nothing_and_nothing_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lesson = tmp_path / "lesson"
    lesson.mkdir()
    (lesson / "claims.toml").write_text("schema = 1\n")
    files = []
    for batch in (1, 2):
        line = {**RESULT, "params": {"batch": batch}}
        moment = datetime(2026, 12, batch, tzinfo=UTC)
        made = records.make(
            line, moment, program(tmp_path, ""), machine(), command="x", ran_s=10
        )  # fmt: skip
        files.append(str(record.save(made, tmp_path / "from")))
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    assert main(["record", "merge", *files, str(bad), "--lesson", str(lesson)]) == 2
    assert "bad.json: field 'schema' is missing" in capsys.readouterr().err
    assert not (lesson / "measurements").exists()
    assert main(["record", "merge", *files, "--lesson", str(lesson)]) == 0
    assert capsys.readouterr().out.strip() == "2 new of 2 records"
    assert main(["record", "merge", *files, "--lesson", str(lesson)]) == 0
    assert capsys.readouterr().out.strip() == "0 new of 2 records"


def test_two_records_of_one_moment_that_differ_are_not_merged(tmp_path: Path) -> None:
    moment = datetime(2026, 12, 1, tzinfo=UTC)
    paths = []
    for samples in ([1.0, 1.0, 1.0], [2.0, 2.0, 2.0]):
        made = records.make(
            {**RESULT, "samples": samples}, moment, program(tmp_path, ""), machine(),
            command="x", ran_s=10,
        )  # fmt: skip
        paths.append(record.save(made, tmp_path / str(samples[0])))
    with pytest.raises(InputError, match="another record measures the same at the same moment"):
        record.merge(paths, tmp_path / "merged")


def test_a_program_that_is_not_there_is_a_tool_error(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="none: No such file"):
        launch.run([str(tmp_path / "none")], {}, 1)


def test_records_and_figures_that_are_being_made_do_not_make_a_checkout_dirty(
    tmp_path: Path,
) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *who, *words], check=True, capture_output=True)

    assert provenance.git_state(tmp_path) == (None, None)
    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "--message", "x")
    for name in ("measurements", "figures"):
        (tmp_path / "episodes" / name).mkdir(parents=True)
        (tmp_path / "episodes" / name / "new").write_text("")
    assert provenance.git_state(tmp_path)[1] is False
    (tmp_path / "episodes" / "page.md").write_text("")
    assert provenance.git_state(tmp_path)[1] is True
