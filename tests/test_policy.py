"""The content security policy names exactly what a page may run."""

import base64
import hashlib
from pathlib import Path

import pytest

from mlhpc.errors import InputError
from mlhpc.lesson import policy

PAGE = (
    '<html><head><meta charset="utf-8"><link rel="icon" href="i.svg"></head>'
    '<body onload="go()"><p onclick=go() class="a">a < b; onclick="stays in text"</p>'
    "<script>let a = 1;</script>"
    '<script type="module">let b = 2;</script>'
    '<script type="application/ld+json">{"name": 1}</script>'
    '<script src="x.js"></script></body></html>'
)


def hashed(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return "'sha256-" + base64.b64encode(digest).decode() + "'"


def test_scripts_of_the_page_are_named_by_their_hash_and_data_is_not() -> None:
    assert policy.inline_scripts(PAGE) == ["let a = 1;", "let b = 2;"]
    rule = next(part for part in policy.policy(PAGE).split("; ") if part.startswith("script-src"))
    own = ["'self'", "'wasm-unsafe-eval'"]  # WebAssembly is Python's; no text is evaluated
    assert rule.split()[1:] == [*own, *sorted([hashed("let a = 1;"), hashed("let b = 2;")])]


def test_nothing_comes_from_elsewhere_and_no_script_is_free() -> None:
    rules = dict(part.split(" ", 1) for part in policy.policy(PAGE).split("; "))
    assert rules["default-src"] == "'self'"
    assert rules["object-src"] == "'none'"
    assert "unsafe" not in rules["script-src"].replace("'wasm-unsafe-eval'", "")
    assert not any("http" in sources or "*" in sources for sources in rules.values())


def test_the_policy_stands_before_all_that_it_rules() -> None:
    page = policy.add_policy(PAGE)
    assert page.index("Content-Security-Policy") < page.index("<link")


def test_handlers_in_attributes_are_removed_and_text_is_not() -> None:
    page = policy.add_policy(PAGE)
    assert "<body>" in page
    assert '<p class="a">a < b; onclick="stays in text"</p>' in page


def test_a_second_time_changes_nothing() -> None:
    once = policy.add_policy(PAGE)
    assert policy.add_policy(once) == once


def test_a_changed_script_changes_the_policy_of_a_page_that_has_one() -> None:
    changed = policy.add_policy(policy.add_policy(PAGE).replace("let a = 1;", "let a = 3;"))
    assert hashed("let a = 3;") in changed
    assert hashed("let a = 1;") not in changed
    assert changed.count("Content-Security-Policy") == 1


def test_a_page_without_charset_is_refused() -> None:
    with pytest.raises(InputError, match="no <meta charset>"):
        policy.add_policy("<html></html>")


def test_the_command_gives_every_page_of_a_folder_its_policy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("index.html", "deep/index.html"):
        (tmp_path / name).write_text(PAGE)
    assert policy.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "2 pages changed\n"
    assert (tmp_path / "deep" / "index.html").read_text() == policy.add_policy(PAGE)
    assert policy.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "0 pages changed\n"


@pytest.mark.parametrize("arguments", [[], ["a", "b"]])
def test_the_command_wants_one_folder(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert policy.main(arguments) == 2
    assert capsys.readouterr().err.startswith("mlhpc: policy: name one folder; valid: ")
