"""Marks: a figure in a page becomes a span, and its block gets one link to the receipts."""

import re

import markdown
import pytest

from mlhpc.lesson.marks import anchor, mark, plain


def render(text: str) -> str:
    return markdown.markdown(
        text, extensions=["tables", "admonition", "fenced_code", "mlhpc.lesson.marks"]
    )


def links(html: str) -> list[list[str]]:
    return [found.split() for found in re.findall(r'data-receipts="([^"]+)"', html)]


A, B = mark("claim", "claim:a", "42 days"), mark("derived", "claim:b", "10×")


def test_a_figure_is_a_span_tied_to_its_receipt() -> None:
    assert '<span class="fig" data-receipt="claim:a">42 days</span>' in render(f"It takes {A}.")


def test_a_paragraph_has_one_link_for_all_its_figures() -> None:
    html = render(f"First {A}, then **{B}**, then {A} again.")
    assert links(html) == [["claim:a", "claim:b"]]
    assert 'href="/receipts.md#claim-a"' in html
    assert "Receipts: where these 2 come from" in html


def test_a_tie_without_text_is_unseen_and_keeps_the_words_around_it() -> None:
    html = render(f"Before {mark('claim', 'claim:c')}after.")
    assert "Before after." in html
    assert 'class="fig"' not in html
    assert links(html) == [["claim:c"]]


def test_a_table_has_one_link_after_it() -> None:
    html = render(f"| a | b |\n|---|---|\n| {A} | {B} |")
    assert links(html) == [["claim:a", "claim:b"]]
    assert html.index("</table>") < html.index("data-receipts")


def test_a_list_has_one_link_at_its_end() -> None:
    html = render(f"- one {A}\n- two {B}\n    - three")
    assert links(html) == [["claim:a", "claim:b"]]
    assert re.search(r"three <a [^>]*receipt--claim", html)


def test_the_figures_of_a_title_are_receipted_by_the_block_below() -> None:
    html = render(f'## Takes {A}\n\n!!! exercise "For {B}"\n\n    Try.\n\nNo figure here.')
    assert links(html) == [["claim:a", "claim:b"]]
    assert re.search(r"Try\. <a ", html)
    assert html.endswith("<p>No figure here.</p>")


def test_in_code_the_figure_is_plain_text() -> None:
    html = render(f"`sleep {A}`\n\n```\nwait {B}\n```")
    assert "<code>sleep 42 days</code>" in html
    assert "wait 10×" in html
    assert links(html) == []


@pytest.mark.parametrize(
    ("kinds", "ring"),
    [
        (["record"], "record"),
        (["derived"], "derived"),
        (["record", "derived"], "derived"),
        (["record", "derived", "claim"], "claim"),
    ],
)
def test_the_ring_shows_the_weakest_evidence(kinds: list[str], ring: str) -> None:
    text = " ".join(mark(kind, f"claim:{kind}", "1 h") for kind in kinds)
    assert f'class="receipt receipt--{ring}"' in render(text)


def test_what_a_person_typed_into_a_figure_is_escaped() -> None:
    html = render(mark("claim", "claim:a", "<script>x</script> *1*"))
    assert "&lt;script&gt;x&lt;/script&gt; *1*" in html


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="valid: claim, derived, record"):
        mark("guess", "claim:a", "1")


def test_anchors_hold_letters_digits_and_dashes_only() -> None:
    assert anchor("fact:gpu.a100.memory_gb") == "fact-gpu-a100-memory-gb"


def test_plain_text_has_no_mark_left() -> None:
    assert plain(f"a {A} b") == "a 42 days b"
