"""``mlhpc lint`` on the command line: answers, forms, exit codes, and files that are no scripts."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlhpc.cli import main

GOOD = "#!/bin/bash\n#SBATCH --partition=amd --mem=4G --time=30\npython clean.py\n"
BAD = "#!/bin/bash\n#SBATCH --partition=gpuu\n#SBATCH --time=24\npython train.py\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.sh").write_text(GOOD)
    (tmp_path / "bad.sh").write_text(BAD)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_a_good_script_exits_0_and_one_with_an_error_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "good.sh"]) == 0
    assert main(["lint", "bad.sh", "good.sh"]) == 1
    shown = capsys.readouterr().out
    assert "bad.sh: 1 error, 1 warning" in shown
    assert "write       #SBATCH --partition=gpu" in shown


@pytest.mark.usefixtures("folder")
def test_a_warning_alone_is_no_failure() -> None:
    Path("warned.sh").write_text(GOOD.replace("30", "24"))
    assert main(["lint", "warned.sh"]) == 0


@pytest.mark.usefixtures("folder")
def test_json_holds_each_finding_with_place_rule_and_the_line_to_write(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["lint", "bad.sh", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == 1
    (file,) = answer["files"]
    assert (file["file"], file["ok"]) == ("bad.sh", False)
    first = file["findings"][1]
    assert first == {
        "line": 2,
        "column": 9,
        "rule": "partition",
        "severity": "error",
        "message": "Sagehen has no partition 'gpuu'; valid are amd, gpu, short",
        "fix": "#SBATCH --partition=gpu",
    }


@pytest.mark.usefixtures("folder")
def test_annotations_for_a_workflow_cannot_be_broken_by_a_script(
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = "a,b:c%.sh"
    Path(name).write_text("#!/bin/bash\n#SBATCH --partition=x%0A::error::pwned\npython t.py\n")
    assert main(["lint", "--format", "github", name]) == 1
    lines = capsys.readouterr().out.splitlines()
    (error,) = [line for line in lines if line.startswith("::error")]
    assert error.startswith("::error file=a%2Cb%3Ac%25.sh,line=2,col=9,title=partition::")
    assert all(line.startswith(("::error file=", "::notice file=")) for line in lines)
    assert "x%250A" in error


def test_a_script_comes_from_stdin(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(BAD.encode())))
    assert main(["lint", "-"]) == 1
    assert capsys.readouterr().out.startswith("-: 1 error")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x7fELF\x02\x01\x01\x00\xff\xfe", "is not UTF-8 text"),
        ("#!/bin/bash\n".encode("utf-16"), "is not UTF-8 text"),
        (b"#!/bin/bash\n" + b"#" * (5 * 2**20), "larger than 4194304 bytes"),
    ],
)
def test_a_file_that_is_no_script_gets_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], data: bytes, words: str
) -> None:
    (folder / "odd").write_bytes(data)
    assert main(["lint", "odd"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert shown.err.startswith("mlhpc: lint: odd: ")
    assert words in shown.err


@pytest.mark.parametrize("name", ["missing.sh", ".", "no/such/folder.sh", "a\0b"])
def test_a_file_that_cannot_be_read_gets_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert folder.is_dir()
    assert main(["lint", name]) == 2
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert "cannot be read" in shown


def test_an_unknown_cluster_gets_one_line_with_the_valid_ones(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (folder / "good.sh").is_file()
    assert main(["lint", "good.sh", "--cluster", "nowhere"]) == 2
    assert "sagehen" in capsys.readouterr().err


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=300))
def test_any_bytes_are_answered_with_findings_or_one_line(folder: Path, data: bytes) -> None:
    (folder / "any").write_bytes(data)
    assert main(["lint", "any"]) in (0, 1, 2)


def test_the_check_works_as_a_program_and_in_a_pipe(folder: Path) -> None:
    command = [sys.executable, "-m", "mlhpc", "lint", "-"]
    done = subprocess.run(
        command, input=GOOD, capture_output=True, text=True, cwd=folder, env=os.environ, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
