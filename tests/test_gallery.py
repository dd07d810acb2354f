"""The examples' executor: what it runs and what not, what it refuses, what it leaves behind."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from tests.test_record import signed

from mlhpc import record
from mlhpc.bench import processes
from mlhpc.bench import sources as bench_sources
from mlhpc.cli import main
from mlhpc.errors import InputError
from mlhpc.lesson import figures
from mlhpc.lesson.gallery import load_results, parse, sources
from mlhpc.lesson.gallery.build import Report, build
from mlhpc.lesson.gallery.project import Project

HEAD = '''"""
{title}
{rule}

One sentence about it.
{metadata}"""

'''
LINE = """# %% [markdown]
# Some prose.

# %%
import matplotlib.pyplot as plt

print("before the figure")

# %%
figure, axes = plt.subplots()
figure.set_label("A line that rises from 1 to 2")
axes.plot([1, 2])
measured = {"rise": (1.0, "s"), "kind": ("line", "")}
"""
TABLE = """# %%
class Table:
    def _repr_html_(self):
        return '<style scoped>th {}</style><table border="1"><tr style="x"><th></th></tr></table>'


Table()
"""


def script(code: str, metadata: str = "", title: str = "A title") -> str:
    lines = f"\n{metadata}\n" if metadata else ""
    return HEAD.format(title=title, rule="=" * len(title), metadata=lines) + code


def with_line(code: str, metadata: str = "") -> str:
    """A script that runs ``code`` first and then shows a table, which every example must."""
    return script(f"# %%\n{code}\n\n{TABLE}", metadata)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A lesson without examples."""
    (tmp_path / "episodes").mkdir()
    (tmp_path / "episodes" / "claims.toml").touch()
    (tmp_path / "code" / "examples").mkdir(parents=True)
    return Project.around(tmp_path / "episodes")


def put(project: Project, **scripts: str) -> None:
    for name, text in scripts.items():
        (project.examples / f"plot_{name}.py").write_text(text)


def gallery(project: Project, *names: str, jobs: int = 2, force: bool = False) -> Report:
    return build(project, names, force, jobs, lambda _: None)


def executed(report: Report) -> list[str]:
    assert not report.failures, "\n".join(map(str, report.failures))
    return sorted(outcome.name.removeprefix("plot_") for outcome in report.executed)


def failure(project: Project) -> Any:
    report = gallery(project)
    assert len(report.failures) == 1
    return report.failures[0]


def value(project: Project, name: str, key: str) -> Any:
    return load_results(project.episodes)[f"plot_{name}"]["values"][key][0]


# What is executed, and what is not


def test_an_edit_of_prose_executes_nothing_and_changes_the_page(project: Project) -> None:
    put(project, a=script(LINE), b=script(TABLE))
    assert executed(gallery(project)) == ["a", "b"]
    put(project, a=script(LINE.replace("Some prose.", "Other\n# prose."), title="Another title"))
    assert executed(gallery(project)) == []
    page = (project.gallery / "plot_a.md").read_text()
    assert "# Another title" in page and "Other\nprose." in page
    assert load_results(project.episodes)["plot_a"]["title"] == "Another title"


def test_an_edit_of_one_example_executes_that_one(project: Project) -> None:
    put(project, a=script(LINE), b=script(TABLE))
    gallery(project)
    put(project, a=script(LINE.replace("[1, 2]", "[1, 3]")))
    assert executed(gallery(project)) == ["a"]


def test_going_back_to_an_earlier_version_executes_nothing(project: Project) -> None:
    put(project, a=script(LINE))
    gallery(project)
    put(project, a=script(LINE.replace("[1, 2]", "[1, 3]")))
    gallery(project)
    put(project, a=script(LINE))
    assert executed(gallery(project)) == []


def test_an_edit_of_a_module_executes_only_what_uses_it_at_any_distance(project: Project) -> None:
    (project.examples / "near.py").write_text("from far import number\n")
    (project.examples / "far.py").write_text("number = 1\n")
    (project.examples / "other.py").write_text("number = 1\n")
    put(
        project,
        a=with_line("from near import number\nmeasured = {'n': (number, '')}"),
        b=with_line("import other"),
    )
    assert executed(gallery(project)) == ["a", "b"]
    (project.examples / "far.py").write_text("number = 2\n")
    assert executed(gallery(project)) == ["a"]
    assert value(project, "a", "n") == 2


def test_an_edit_of_a_launched_file_or_of_what_it_imports_executes_the_example(
    project: Project,
) -> None:
    jobs = project.root / "code" / "jobs"
    jobs.mkdir()
    (jobs / "train.py").write_text("import helper\n")
    (jobs / "helper.py").write_text("print('one')\n")
    code = (
        "import subprocess, sys\nfrom pathlib import Path\n"
        "job = Path(__file__).parents[1] / 'jobs' / 'train.py'\n"
        "subprocess.run([sys.executable, job], check=True)"
    )
    put(project, a=with_line(code, "uses: code/jobs/train.py"))
    assert executed(gallery(project)) == ["a"]
    assert load_results(project.episodes)["plot_a"]["cells"][0]["stdout"] == "one\n"
    (jobs / "helper.py").write_text("print('two')\n")
    assert executed(gallery(project)) == ["a"]
    assert load_results(project.episodes)["plot_a"]["cells"][0]["stdout"] == "two\n"


def test_an_edit_of_its_data_executes_the_example(project: Project) -> None:
    (project.examples / "data.csv").write_text("1\n")
    (project.episodes / "measurements").mkdir()
    put(
        project,
        a=with_line("from pathlib import Path\nPath(__file__).with_name('data.csv').read_text()"),
        b=with_line("1 + 1", "uses: episodes/measurements/*.json"),
    )
    assert executed(gallery(project)) == ["a", "b"]
    (project.examples / "data.csv").write_text("2\n")
    assert executed(gallery(project)) == ["a"]
    record.save(signed(), project.episodes / "measurements")
    assert executed(gallery(project)) == ["b"]


def test_a_module_of_the_package_brings_in_what_it_imports_and_reads(project: Project) -> None:
    put(project, a=with_line("from mlhpc.lesson.gallery import results"))
    (read,) = parse.read_all(project)
    found = {
        path.relative_to(sources.PACKAGE).as_posix() for path in sources.find(read, project).files
    }
    expected = {"__init__.py", "errors.py", "lesson/gallery/results.py", "lesson/gallery/parse.py"}
    assert expected <= found
    assert "units.py" not in found


def test_another_version_of_a_library_executes_what_imports_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, a=script(LINE), b=script(TABLE))
    gallery(project)
    found = bench_sources.version
    monkeypatch.setattr(bench_sources, "version", lambda name: found(name) + ".post1")
    assert executed(gallery(project)) == ["a"]


def test_names_choose_and_force_repeats(project: Project) -> None:
    put(project, a=script(LINE), b=script(TABLE))
    report = gallery(project, "plot_b")
    assert executed(report) == ["b"]
    assert report.pending == ("plot_a",)
    assert not (project.gallery / "plot_a.md").exists()
    assert executed(gallery(project)) == ["a"]
    assert executed(gallery(project, "plot_a", force=True)) == ["a"]


def test_a_gpu_that_is_new_is_used_by_what_runs_better_with_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, a=script(TABLE, "gpu: better"), b=script(TABLE))
    gallery(project)
    monkeypatch.setattr("mlhpc.lesson.gallery.machine.gpus", lambda: ("A GPU",))
    assert executed(gallery(project)) == ["a"]
    assert executed(gallery(project)) == []
    machine = load_results(project.episodes)["plot_a"]["machine"]
    assert machine["gpus"] == ["A GPU"] and machine["gpu_used"] is None
    assert ", A GPU available;" in machine["text"]


def test_what_needs_a_gpu_fails_without_one(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mlhpc.lesson.gallery.machine.gpus", tuple)
    put(project, a=script(TABLE, "gpu: needed"))
    assert "needs a GPU" in failure(project).message


# How it is executed

CLOCK = (
    "import time\nstart = time.monotonic()\ntime.sleep(0.4)\n"
    "measured = {'start': (start, 's'), 'end': (time.monotonic(), 's')}"
)


def spans(project: Project) -> dict[str, tuple[float, float]]:
    found = load_results(project.episodes)
    return {
        name: (entry["values"]["start"][0], entry["values"]["end"][0])
        for name, entry in found.items()
    }


def overlaps(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def test_two_run_at_a_time_and_what_times_something_runs_alone(project: Project) -> None:
    shared = {name: with_line(CLOCK) for name in "abc"}
    alone = {name: with_line(CLOCK, "exclusive: yes") for name in "yz"}
    put(project, **shared, **alone)
    gallery(project)
    found = spans(project)
    assert overlaps(found["plot_a"], found["plot_b"])
    for name in ("plot_y", "plot_z"):
        others = [span for other, span in found.items() if other != name]
        assert len(others) == 4
        assert not any(overlaps(found[name], span) for span in others)
    for start, _ in found.values():
        assert sum(begin <= start < end for begin, end in found.values()) <= 2


def test_one_job_runs_one_at_a_time(project: Project) -> None:
    put(project, a=with_line(CLOCK), b=with_line(CLOCK))
    gallery(project, jobs=1)
    assert not overlaps(*spans(project).values())


def test_a_child_finds_the_libraries_loaded_and_its_own_process(project: Project) -> None:
    code = (
        "import os, sys\n"
        "measured = {'loaded': (int('matplotlib.pyplot' in sys.modules), ''),"
        " 'pid': (os.getpid(), '')}"
    )
    put(project, a=script(f"# %%\n{code}\n\n{LINE.replace('measured', 'unused')}"))
    gallery(project)
    assert value(project, "a", "loaded") == 1
    assert value(project, "a", "pid") != os.getpid()


def test_a_script_is_the_main_program_in_a_folder_that_does_not_stay(project: Project) -> None:
    code = (
        "import pickle, os, sys\nfrom pathlib import Path\n"
        "def double(x):\n    return 2 * x\n"
        "print(__name__, Path(__file__).name, sys.argv[1:])\n"
        "print(pickle.loads(pickle.dumps(double))(4))\n"
        "Path('left.txt').touch()\nmeasured = {'folder': (os.getcwd(), '')}"
    )
    put(project, a=with_line(code))
    gallery(project)
    stdout = load_results(project.episodes)["plot_a"]["cells"][0]["stdout"]
    assert stdout == "__main__ plot_a.py []\n8\n"
    assert not Path(value(project, "a", "folder")).exists()
    assert not (project.examples / "left.txt").exists()


def test_output_of_children_is_caught_in_its_cell_without_this_machines_folders(
    project: Project,
) -> None:
    code = "import subprocess\nprint('first')\nsubprocess.run(['echo', __file__])\nprint('a\\rb')"
    put(project, a=with_line(code))
    gallery(project)
    cell = load_results(project.episodes)["plot_a"]["cells"][0]
    assert cell["stdout"] == "first\ncode/examples/plot_a.py\nb\n"


def alive(pid: int) -> bool:
    state, _ = processes._state(str(pid))
    return state not in ("Z", "X")


SLEEPER = (
    "import subprocess, time\nfrom pathlib import Path\n"
    "sleeper = subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
    "Path({place!r}).write_text(str(sleeper.pid))\n"
)


def test_past_its_time_limit_an_example_ends_with_all_that_it_started(project: Project) -> None:
    place = project.root / "pid"
    code = SLEEPER.format(place=str(place)) + "print('so far')\ntime.sleep(60)"
    put(project, a=with_line(code, "timeout_s: 1"))
    start = time.monotonic()
    failed = failure(project)
    assert time.monotonic() - start < 20
    assert failed.place == "code/examples/plot_a.py:11"
    assert "time limit of 1 s" in failed.message and "so far" in failed.output
    assert not alive(int(place.read_text()))


def test_what_an_example_left_running_ends_with_it(project: Project) -> None:
    place = project.root / "pid"
    put(project, a=with_line(SLEEPER.format(place=str(place))))
    assert executed(gallery(project)) == ["a"]
    assert not alive(int(place.read_text()))


def hear_interruptions() -> None:
    """Also where these tests run in the background of a shell, which makes programs deaf to it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_everything_and_leaves_what_was_there(
    project: Project, number: signal.Signals
) -> None:
    put(project, a=script(TABLE))
    gallery(project)
    before = {path: path.read_bytes() for path in project.gallery.rglob("*") if path.is_file()}
    assert len(before) == 5
    place = project.root / "pid"
    put(project, a=with_line("1"), b=with_line(SLEEPER.format(place=str(place)) + "time.sleep(60)"))
    command = [sys.executable, "-m", "mlhpc", "gallery", "--lesson", str(project.episodes)]
    running = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=hear_interruptions
    )
    wait_for(lambda: place.exists() and place.read_text())
    wait_for(lambda: len(list(project.cache.glob("plot_a.*.json"))) == 2)
    running.send_signal(number)
    _, errors = running.communicate(timeout=30)
    assert running.returncode == 130, errors.decode()
    assert b"Traceback" not in errors
    assert not alive(int(place.read_text()))
    after = {path: path.read_bytes() for path in project.gallery.rglob("*") if path.is_file()}
    assert after == before
    assert executed(gallery(project, "plot_a")) == []  # what had ended was kept


def wait_for(what: Callable[[], object]) -> None:
    for _ in range(300):
        if what():
            return
        time.sleep(0.1)
    raise AssertionError("it never came")


@pytest.mark.parametrize("seconds", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
def test_an_interruption_at_any_moment_is_one_line(project: Project, seconds: float) -> None:
    put(project, **{name: with_line("1") for name in "abcdef"})
    command = [sys.executable, "-m", "mlhpc", "gallery", "--lesson", str(project.episodes)]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert running.stderr is not None
    assert "loading" in running.stderr.readline()
    time.sleep(seconds)
    running.send_signal(signal.SIGTERM)
    _, errors = running.communicate(timeout=30)
    assert "Traceback" not in errors
    # before the first and after the last example nothing runs that would have to be ended
    assert running.returncode in (130, 0, -signal.SIGTERM)
    reported = {name for name in "abcdef" if f"plot_{name} ran" in errors}
    assert not reported & set(executed(gallery(project)))


# What is refused


def test_a_failing_cell_names_file_and_line_and_shows_the_output(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    put(project, a=script(LINE))
    gallery(project)
    before = (project.gallery / "results.json").read_bytes()
    put(project, a=script("# %%\nprint('shown first')\n\n\ndef fall():\n    1 / 0\n\n\nfall()\n"))
    put(project, b=script(TABLE))
    code = main(["gallery", "--lesson", str(project.episodes)])
    shown = capsys.readouterr()
    assert code == 1
    assert shown.out.startswith("code/examples/plot_a.py:13: ZeroDivisionError: division by zero")
    assert "shown first" in shown.out and "in fall" in shown.out
    assert "cells.py" not in shown.out and "2 of 2" in shown.err
    assert (project.gallery / "results.json").read_bytes() == before
    assert not (project.gallery / "plot_b.md").exists()


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("# %%\nx = 1\n", "without a figure or a table"),
        (
            LINE.replace('figure.set_label("A line that rises from 1 to 2")', ""),
            "no alternative text",
        ),
        (LINE.replace("[1, 2]", '[1, 2], color="red"'), "no dark twin for colour #ff0000"),
        (LINE.replace("[1, 2]", "[(i * 7919) % 101 for i in range(20000)]"), "draw fewer points"),
        ("# %%\nimport sys\nsys.exit(0)\n\n" + TABLE, "left the script"),
        ("# %%\nimport os\nos._exit(0)\n\n" + TABLE, "exit code 0 before its end"),
        ("# %%\nimport os\nos.kill(os.getpid(), 9)\n\n" + TABLE, "ended by SIGKILL"),
        (TABLE + "\n# %%\nmeasured = {'x': 3}\n", "must be (value, unit)"),
        (TABLE + "\n# %%\nmeasured = {'x': (float('nan'), 's')}\n", "not a number"),
    ],
)
def test_a_result_that_no_page_can_show_fails_with_its_place(
    project: Project, code: str, message: str
) -> None:
    put(project, a=script(code))
    failed = failure(project)
    assert message in failed.message
    assert re.fullmatch(r"code/examples/plot_a\.py:\d+", failed.place)
    assert int(failed.place.rpartition(":")[2]) > 7
    assert not project.gallery.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import os\n", "plot_a.py:1: the docstring must come first"),
        ('"""Title."""\n\n# %%\n1\n', "plot_a.py:1: docstring: start with a title"),
        ('"""\nTitle\n=====\n"""\n\n# %%\n1\n', "plot_a.py:3: docstring: one sentence"),
        (script(TABLE, "gpus: yes"), "plot_a.py:7: unknown key 'gpus'; valid choices: gpu, excl"),
        (script(TABLE, "gpu: maybe"), "plot_a.py:7: gpu: 'maybe'; valid choices: no, better"),
        (script(TABLE, "exclusive: no\nexclusive: yes"), "plot_a.py:8: exclusive is given twice"),
        (script(TABLE, "timeout_s: soon"), "plot_a.py:7: timeout_s: 'soon'"),
        (script(TABLE, "uses: code/none.py"), "plot_a.py: uses: there is no file code/none.py"),
        (script("# %%\nx = (\n"), "plot_a.py:9: '(' was never closed"),
        (script("x = 1\n"), "plot_a.py:8: code outside a cell"),
        (script("# %% [markdown]\n# Text.\nx = 1\n"), "plot_a.py:10: code outside a cell"),
        (script("# %% [markdown]\n# Text.\n# %%\nx = 1\n"), "plot_a.py:10: leave a line empty"),
        (script("# %%\n# Comment.\nx = 1\n"), "plot_a.py:9: a comment right after '# %%'"),
        (script("# %% [markdown]\n\nx = 1\n"), "plot_a.py:8: an empty text cell"),
        (script("# %% [markdown]\n# Text.\n"), "plot_a.py:9: no code cell"),
    ],
)
def test_a_malformed_example_is_refused_with_file_and_line(
    project: Project, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    put(project, a=text)
    assert main(["gallery", "--lesson", str(project.episodes)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_launched_file_that_is_not_listed_is_refused(project: Project) -> None:
    (project.root / "code" / "jobs").mkdir()
    (project.root / "code" / "jobs" / "train.py").touch()
    put(project, a=with_line("1\nname = 'train.py'"))
    with pytest.raises(
        InputError, match=r"plot_a\.py:10: it launches train\.py: say so under uses"
    ):
        gallery(project)


def test_an_unknown_name_is_answered_with_the_names_there_are(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    put(project, a=script(TABLE), b=script(TABLE))
    assert main(["gallery", "plot_c", "--lesson", str(project.episodes)]) == 2
    assert "'plot_c'; valid choices: plot_a, plot_b" in capsys.readouterr().err
    assert main(["gallery", "--jobs", "0", "--lesson", str(project.episodes)]) == 2
    assert "--jobs '0'" in capsys.readouterr().err


def test_a_lesson_without_examples_is_refused(project: Project) -> None:
    with pytest.raises(InputError, match=r"no plot_\*\.py in code/examples"):
        gallery(project)


# What is written


def test_the_command_says_what_it_executed_and_keeps_stderr_off_the_page(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    put(project, a=with_line("import sys\nprint('a warning', file=sys.stderr)"))
    assert main(["gallery", "--json", "--lesson", str(project.episodes)]) == 0
    shown = capsys.readouterr()
    document = json.loads(shown.out)
    assert document["schema"] == 1 and document["written"] == 5
    (done,) = document["executed"]
    assert done["name"] == "plot_a" and 0 < done["seconds"] < 60
    assert "plot_a ran in" in shown.err and "(lines on stderr: 1)" in shown.err
    assert "a warning" not in (project.gallery / "results.json").read_text().replace(
        "print('a warning'", ""
    )
    assert main(["gallery", "--lesson", str(project.episodes)]) == 0
    assert "0 executed, 1 unchanged, 0 files written" in capsys.readouterr().out


def test_the_results_hold_what_the_pages_print(project: Project) -> None:
    put(project, a=script(LINE, "exclusive: yes\ntimeout_s: 30"))
    gallery(project)
    entry = load_results(project.episodes)["plot_a"]
    assert entry["title"] == "A title" and entry["summary"] == "One sentence about it."
    assert entry["metadata"] == {"gpu": "no", "exclusive": True, "timeout_s": 30, "uses": []}
    assert entry["values"] == {"rise": [1.0, "s"], "kind": ["line", ""]}
    assert [cell["kind"] for cell in entry["cells"]] == ["markdown", "code", "code"]
    assert entry["cells"][1]["stdout"] == "before the figure\n"
    assert entry["cells"][2]["text"] == ""
    (figure,) = entry["cells"][2]["figures"]
    assert figure["alt"] == "A line that rises from 1 to 2"
    assert (figure["light"], figure["width"]) == ("plot_a-1-light.svg", 740)
    assert entry["seconds"] > 0 and entry["cpu_seconds"] > 0
    assert set(entry["versions"]) == {"matplotlib"}


def test_the_machine_is_named_and_nobody_else_is(project: Project) -> None:
    put(project, a=script(TABLE))
    gallery(project)
    text = (project.gallery / "results.json").read_text()
    machine = json.loads(text)["plot_a"]["machine"]
    cores = len(os.sched_getaffinity(0))
    assert machine["text"].startswith(f"{cores} core") and machine["cpus"] == cores
    assert f"Python {sys.version.split()[0]}" in machine["text"]
    assert str(project.root) not in text
    assert os.uname().nodename not in text


def test_a_table_keeps_its_cells_and_loses_its_styles(project: Project) -> None:
    put(project, a=script(TABLE))
    gallery(project)
    html = load_results(project.episodes)["plot_a"]["cells"][0]["html"]
    assert html == "<table><tr><td></td></tr></table>"


def test_nothing_is_written_where_nothing_differs(project: Project) -> None:
    put(project, a=script(LINE))
    report = gallery(project)
    written = [path for path in project.gallery.rglob("*") if path.is_file()]
    assert report.written == len(written) == 7
    stamps = {path: path.stat().st_mtime_ns for path in written}
    assert gallery(project).written == 0
    assert {path: path.stat().st_mtime_ns for path in written} == stamps


def test_what_a_removed_example_left_is_removed(project: Project) -> None:
    put(project, a=script(LINE), b=script(TABLE))
    gallery(project)
    (project.examples / "plot_a.py").unlink()
    assert gallery(project).removed == 5
    assert not list(project.gallery.rglob("plot_a*"))
    assert not list(project.cache.glob("plot_a*"))
    assert list(load_results(project.episodes)) == ["plot_b"]


def test_the_same_figure_has_the_same_bytes_in_another_run(project: Project) -> None:
    put(project, a=script(LINE))
    gallery(project)
    before = (project.gallery / "plot_a-1-light.svg").read_bytes()
    assert executed(gallery(project, force=True)) == ["a"]
    assert (project.gallery / "plot_a-1-light.svg").read_bytes() == before


def test_the_notebook_is_valid_executed_and_stands_alone(project: Project) -> None:
    put(
        project,
        a=script(LINE.replace("Some prose.", "See [setup](../setup.md) and [x](https://x.org).")),
    )
    gallery(project)
    path = project.gallery / "downloads" / "plot_a.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert [cell.cell_type for cell in notebook.cells] == ["markdown", "markdown", "code", "code"]
    assert [cell.execution_count for cell in notebook.cells[2:]] == [1, 2]
    assert "See setup and [x](https://x.org)." in notebook.cells[1].source
    assert notebook.cells[2].outputs[0].text == "before the figure\n"
    (drawn,) = notebook.cells[3].outputs
    assert drawn.data["image/svg+xml"].startswith("<svg ")
    assert drawn.data["text/plain"] == "A line that rises from 1 to 2"
    script_copy = project.gallery / "downloads" / "plot_a.py"
    assert script_copy.read_bytes() == (project.examples / "plot_a.py").read_bytes()


def test_the_page_has_code_output_figures_machine_and_downloads(project: Project) -> None:
    put(project, a=script(LINE.replace("before the figure", "{{ 1 }} ``` x")))
    gallery(project)
    page = (project.gallery / "plot_a.md").read_text()
    assert "render_macros: false" in page.split("---")[1]
    assert '````python\nimport matplotlib.pyplot as plt\n\nprint("{{ 1 }} ``` x")\n````' in page
    assert "````text\n{{ 1 }} ``` x\n````" in page
    alt = "A line that rises from 1 to 2"
    for theme in ("light", "dark"):
        assert f"![{alt}](plot_a-1-{theme}.svg#only-{theme}){{ width=" in page
    assert "Run on " in page
    assert "(downloads/plot_a.py)" in page and "(downloads/plot_a.ipynb)" in page
    assert (
        "[A title](plot_a.md): One sentence about it." in (project.gallery / "index.md").read_text()
    )


def test_the_pages_build_into_a_strict_site(project: Project) -> None:
    put(project, a=script(LINE), b=script(TABLE))
    gallery(project)
    (project.episodes / "index.md").write_text("# Home\n\n[Examples](gallery/index.md)\n")
    (project.root / "mkdocs.yml").write_text(
        "site_name: x\ndocs_dir: episodes\ntheme: {name: material, font: false}\nplugins: []\n"
        "markdown_extensions: [attr_list, md_in_html, pymdownx.superfences, pymdownx.highlight]\n"
    )
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, cwd=project.root, check=True, env=environment)
    site = project.root / "site" / "gallery"
    html = (site / "plot_a" / "index.html").read_text()
    images = re.findall(r"<img[^>]*>", html)
    assert len(images) == 2
    for image, theme in zip(images, ("light", "dark"), strict=True):
        assert f'src="../plot_a-1-{theme}.svg#only-{theme}"' in image
        assert 'alt="A line that rises from 1 to 2"' in image and 'width="740"' in image
    assert (site / "plot_a-1-light.svg").is_file()
    assert (site / "downloads" / "plot_a.ipynb").is_file()
    assert 'href="../downloads/plot_a.py"' in html
    requested = re.findall(r'(?:src|href)="(https?://[^"]+)"', html)
    assert set(requested) <= {
        "https://squidfunk.github.io/mkdocs-material/"
    }  # a link, not a request
    assert re.search(
        r'class="example__table"[^>]*>\s*<table>', (site / "plot_b" / "index.html").read_text()
    )


# What is taken for true


def test_results_that_are_missing_stale_or_broken_are_refused(project: Project) -> None:
    put(project, a=script(LINE))
    with pytest.raises(InputError, match=r"no episodes/gallery/results\.json; run 'mlhpc gallery'"):
        load_results(project.episodes)
    gallery(project)
    put(project, b=script(TABLE))
    with pytest.raises(InputError, match="plot_b has not been run"):
        load_results(project.episodes)
    gallery(project)
    assert list(load_results(project.episodes)) == ["plot_a", "plot_b"]
    put(project, a=script(LINE.replace("[1, 2]", "[1, 3]")))
    with pytest.raises(InputError, match="the result of plot_a is older than its sources"):
        load_results(project.episodes)
    (project.gallery / "results.json").write_text("{")
    with pytest.raises(InputError, match="is not JSON"):
        load_results(project.episodes)


def test_a_broken_cache_is_run_again(project: Project) -> None:
    put(project, a=script(LINE))
    gallery(project)
    kept = list(project.cache.glob("*.json"))
    assert len(kept) == 2
    for path in kept:
        path.write_text("{")
    assert executed(gallery(project)) == ["a"]


# The dark twin


def test_every_colour_of_the_palette_has_a_dark_twin_that_stands_out() -> None:
    assert len(figures.DARK_TWINS) == 10
    for light, dark in figures.DARK_TWINS.items():
        assert figures.darken(f"fill: {light}") == f"fill: {dark}"
    for series in figures.SERIES:
        assert contrast(series, figures.GROUND) >= 4.5
        assert contrast(figures.DARK_TWINS[series], figures.DARK_GROUND) >= 4.5


def test_greys_turn_over_and_names_inside_the_file_are_left_alone() -> None:
    assert figures.darken("stroke: #000000") == f"stroke: {figures.DARK_INK}"
    assert figures.darken("fill: #ffffff") == f"fill: {figures.DARK_GROUND}"
    assert (
        figures.darken('xlink:href="#abcdef" url(#fedcba)') == 'xlink:href="#abcdef" url(#fedcba)'
    )


def contrast(one: str, other: str) -> float:
    """WCAG 2.2's ratio of two colours."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
