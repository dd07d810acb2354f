"""What the page may ask of Python: a handful of names, plain data, one line for nonsense."""

import json
from typing import Any

import pytest

from mlhpc import page
from mlhpc.lesson import planning, questions


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("question", {"name": "project-a"}),
        ("question", {"name": "project-a", "seed": 7}),
        ("grade", {"name": "project-a", "answer": "c"}),
        ("check", {"script": "#!/bin/bash\n#SBATCH -p gpuu\n"}),
        ("plan_project", {"fields": {"model": "resnet50", "data_size": "1 TB", "deadline": ""}}),
    ],
)
def test_each_call_answers_in_plain_data(name: str, given: dict[str, Any]) -> None:
    found = page.call(name, given)
    assert "answer" in found, found
    assert json.loads(json.dumps(found)) is not None


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("exec", {"code": "1"}, "no call 'exec'"),
        ("call", {"name": "check"}, "no call 'call'"),
        ("__import__", {}, "no call"),
        ("check", {}, "wrong fields"),
        ("check", {"script": "x", "cluster": "/etc/passwd"}, "wrong fields"),
        ("check", {"script": "x" * 300_000}, "longer than 200,000 characters"),
        ("grade", {"name": "nowhere", "answer": "a"}, "no question 'nowhere'"),
        ("plan_project", {"fields": {}}, "say something of your project"),
        ("plan_project", {"fields": {"data_size": "much"}}, "is not a number with a unit"),
        ("plan_project", {"fields": {"nonsense": "1"}}, "nonsense"),
    ],
)
def test_what_makes_no_sense_is_told_in_one_line(
    name: str, given: dict[str, Any], words: str
) -> None:
    found = page.call(name, given)
    assert words in str(found.get("error")), found
    assert "\n" not in found["error"]


def test_the_words_of_a_question_cannot_bring_markup_into_a_page() -> None:
    text = questions.safe("<b>x</b> [a](javascript:1) *b* `c` {{ d }} \\ | # e")
    assert "<b>" not in text
    for sign in "[]()*`{}|#":
        assert f"\\{sign}" in text
        assert text.count(sign) == text.count(f"\\{sign}")
    assert questions._block("a\n````\nb", "text").startswith("`````text\n")


def test_the_planners_form_has_each_field_once_with_its_example() -> None:
    form = planning.form()
    for name in (*planning.IN_SIGHT, *planning.FOLDED):
        assert form.count(f'name="{name}"') == 1
    assert 'placeholder="1 TB"' in form
    assert len(planning.IN_SIGHT) == 5


def test_the_rules_name_their_figures_and_mark_what_a_project_fills_in() -> None:
    texts = {claim: text for text, claim in planning.rules()}
    assert "less than 30 minutes" in texts["not-worth-it-minutes"]
    assert "‹own›" in texts["not-worth-it-minutes"]
    assert not any("{" in text for text in texts.values())
