"""``mlhpc quiz`` in the terminal, at a prompt, and on paper."""

import io
import json
from pathlib import Path

import pytest

from mlhpc import quiz
from mlhpc.cli import main


def test_the_list_names_every_question_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["quiz", "list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["questions"]
    assert {"id": "project-a", "kind": "one", "place": "01-why-hpc",
            "title": "Project A: fine-tuning BERT"} in found  # fmt: skip
    assert len(found) >= 30


def test_a_question_is_shown_without_its_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["quiz", "show", "project-b"]) == 0
    shown = capsys.readouterr().out
    assert "b) Your laptop" in shown
    assert "done before a job script" not in shown


def test_a_seed_shows_another_like_it(capsys: pytest.CaptureFixture[str]) -> None:
    main(["quiz", "show", "grid-serial", "--seed", "3", "--json"])
    (found,) = json.loads(capsys.readouterr().out)["questions"]
    assert found["seed"] == 3
    main(["quiz", "show", "grid-serial", "--json"])
    (own,) = json.loads(capsys.readouterr().out)["questions"]
    assert own["text"] != found["text"]
    assert own["text"].startswith("100 runs of 10 hours each")


def test_answers_on_the_line_and_in_a_file_are_graded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["quiz", "grade", "project-a=c", "grid-on-four-gpus=250 h"]) == 0
    assert main(["quiz", "grade", "project-a=a"]) == 1
    shown = capsys.readouterr().out
    assert "Right is: A GPU of the cluster" in shown
    path = tmp_path / "answers.json"
    path.write_text(json.dumps({"project-a": "c", "grid-serial": {"answer": "1", "seed": 3}}))
    assert main(["quiz", "grade", str(path), "--json"]) == 1
    first, second = json.loads(capsys.readouterr().out)["results"]
    assert (first["id"], first["correct"], first["credit"]) == ("project-a", True, 1)
    assert (second["seed"], second["correct"]) == (3, False)


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_questions_are_asked_one_after_another_and_progress_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "progress.json"
    ask = ["quiz", "ask", "--place", "01-why-hpc", "--progress", str(path)]
    typed(monkeypatch, "?", "c", "z", "", "q")
    assert main(ask) == 0
    shown = capsys.readouterr()
    assert "What is a transformer made of" in shown.err  # the hint
    assert "Right." in shown.err
    assert "'z' is no choice" in shown.err
    assert "1 right of" in shown.out
    assert json.loads(path.read_text()) == {"project-a": {"correct": True, "credit": 1.0}}
    typed(monkeypatch, "b")  # the first is not asked again
    main(ask)
    assert "Project A" not in capsys.readouterr().err
    assert json.loads(path.read_text())["project-b"]["correct"]


def test_a_script_is_typed_up_to_a_line_with_a_dot(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "#!/bin/bash", "#SBATCH --partition=gpu", ".", "q")
    assert main(["quiz", "ask", "repair-the-array"]) == 0
    assert "It should ask for tasks at once: 4." in capsys.readouterr().err


def test_paper_has_the_questions_and_the_answers_apart(tmp_path: Path) -> None:
    path = tmp_path / "quiz.txt"
    assert main(["quiz", "export", "--paper", str(path), "--place", "02-ml-workflow"]) == 0
    questions, answers = path.read_text(), (tmp_path / "quiz-answers.txt").read_text()
    assert "1. The satellite project: raw data" in questions
    assert "the home folder is too small" not in questions
    assert "1. The satellite project: raw data: c (/bigdata, of your lab)" in answers


def test_a_notebook_shows_a_card_that_grades(capsys: pytest.CaptureFixture[str]) -> None:
    card = quiz.ask("project-b")
    assert "15 minutes on your laptop" in repr(card)
    card.answer("a")
    card.hint()
    shown = capsys.readouterr().out
    assert "the GPU would stand idle" in shown
    assert "How long would it take to move" in shown
    assert repr(card.another(5)) == repr(card.another(5))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["show", "nowhere"], "no question 'nowhere'"),
        (["list", "--place", "03-none"], "no episode '03-none'; valid: 01-why-hpc, 02-ml-workflow"),
        (["grade", "absent.json"], "absent.json: cannot be read"),
        (["grade", "project-a="], "choose one"),
        (["show", "--lesson", "/nowhere"], "/nowhere"),
        (["show", "--seed", "x"], "--seed"),
        (["export", "--paper", "/dev/null/x.txt"], "cannot be written"),
        ([], "list|show|ask|grade|export"),
    ],
)
def test_bad_input_gets_one_line(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["quiz", *words]) == 2
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1
    assert told in shown.err


@pytest.mark.parametrize(
    "text", ["[1]", "{", '{"project-a": {"answer": "c", "seed": "x"}}', "[" * 50_000]
)
def test_a_file_of_answers_that_is_none_gets_one_line(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "answers.json"
    path.write_text(text)
    assert main(["quiz", "grade", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
