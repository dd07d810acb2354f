"""Bare figures: what must be caught in a page's text, and what must not."""

import time
from pathlib import Path

import pytest

from mlhpc.lesson.bare_figures import Bare, blocks, find_bare_figures

CAUGHT = [
    ("a fifteen-fold gain", "fifteen-fold"),
    ("a tenfold gain", "tenfold"),
    ("a 15-fold gain", "15-fold"),
    ("runs fifteen times faster", "fifteen times"),
    ("runs 15 times faster", "15 times"),
    ("takes 7-10 days", "7-10 days"),
    ("takes 7–10 days", "7–10 days"),
    ("takes 7 to 10 days", "7 to 10 days"),
    ("takes seven to ten days", "seven to ten days"),
    ("between 7 and 10 days", "7 and 10 days"),
    ("is 4x faster", "4x"),
    ("is 4× faster", "4×"),
    ("is 4 × faster", "4 ×"),
    ("15-20x as fast", "15-20x"),
    ("1.5–2× as fast", "1.5–2×"),
    ("has 10 GPUs", "10 GPUs"),
    ("has 1 GPU", "1 GPU"),
    ("on four GPUs", "four GPUs"),
    ("on 4 A100 GPUs", "4 A100 GPUs"),
    ("on 4 A100s", "4 A100s"),
    ("on 4 × A100", "4 ×"),
    ("for two weeks", "two weeks"),
    ("Two weeks later", "Two weeks"),
    ("a two-week training", "two-week"),
    ("a 32-core node", "32-core"),
    ("an 80-GB card", "80-GB"),
    ("twenty-five hours", "twenty-five hours"),
    ("half an hour", "half an hour"),
    ("30 % of it", "30 %"),
    ("30% of it", "30%"),
    ("30 percent of it", "30 percent"),
    ("ten per cent", "ten per cent"),
    ("80GB of memory", "80GB"),
    ("80 GB of memory", "80 GB"),
    ("48.8 MiB each", "48.8 MiB"),
    ("1 TB of images", "1 TB"),
    ("up to 2,039 GB/s", "2,039 GB/s"),
    ("waits 5 s", "5 s"),
    ("waits 20ms", "20ms"),
    ("for 24h", "24h"),
    ("in 30 min", "30 min"),
    ("at 2,470 images/s", "2,470 images/s"),
    ("with 1,281,167 images", "1,281,167 images"),
    ("100 million parameters", "100 million parameters"),
    ("1-100M parameters", "1-100M parameters"),
    ("1+ TB per lab", "1+ TB"),
    ("a million rows", "a million rows"),
    ("ten million rows", "ten million rows"),
    ("90 epochs", "90 epochs"),
    ("312 TFLOPS", "312 TFLOPS"),
    ("100 combinations", "100 combinations"),
    ("over 128 cores", "128 cores"),
    ("a dozen nodes", "a dozen nodes"),
    ("Phase 3 takes 5 hours", "5 hours"),
    ("(10 GPUs)", "10 GPUs"),
    ("about 25 hours.", "25 hours"),
    ("~30 minutes", "30 minutes"),
    (">4 hours", "4 hours"),
]

NOT_CAUGHT = [
    "ResNet-50 images are small",
    "ResNet-50",
    "an A100 GPU",
    "A100 hours",
    "L40S cards",
    "Phase 3 training",
    "Python 3.11",
    "Python 3 and GPUs",
    "Figure 2 days",
    "CUDA 12 GPUs",
    "RTX PRO 6000",
    "RTX PRO 6000 GPUs",
    "RTX 2080 GPUs",
    "BERT-base",
    "a 3D network",
    "a 2D image",
    "27 August 2026",
    "May 2026",
    "August 27, 2026",
    "2026-08-27",
    "since 2018",
    "one GPU",
    "one hour at a time",
    "a single node",
    "a day",
    "a few days",
    "several weeks",
    "many GPUs",
    "weeks instead of days",
    "the 2nd day",
    "the third week",
    "3×3 kernels",
    "3x3 kernels",
    "64 x 64",
    "2.1 Storage",
    "1. Hours of work",
    "two jobs",
    "three phases",
    "all four",
    "the 3 GPU types",
    "two of three cells",
    "v2.1",
    "FP32",
    "FP64 and BF16",
    "TF32 speed",
    "sm_120",
    "x = 3",
    "/scratch",
    "step 4 of the list",
    "Project 2 weeks",
    "thousands of images",
    "MLPerf 3.1",
    "H100",
    "exit code 2",
    "10:30",
    "0 or 1",
]


@pytest.mark.parametrize(("text", "figure"), CAUGHT)
def test_a_number_with_a_unit_is_caught(text: str, figure: str) -> None:
    assert [found.text for found in find_bare_figures(f"<p>{text}</p>")] == [figure]


@pytest.mark.parametrize("text", NOT_CAUGHT)
def test_a_name_a_date_or_a_vague_amount_is_not(text: str) -> None:
    assert find_bare_figures(f"<p>{text}</p>") == []


@pytest.mark.parametrize(
    "html",
    [
        '<p>It takes <span class="fig" data-receipt="claim:a">42 days</span>.</p>',
        "<p>Type <code>sleep 10 hours</code></p>",
        "<pre>10 GPUs</pre>",
        "<script>const wait = '10 hours'</script>",
        "<style>.a { margin: 10 % }</style>",
        "<nav><ul><li>10 GPUs</li></ul></nav>",
        '<div class="box no-figures"><p>10 GPUs <b>for 3 days</b></p></div>',
        '<article class="till"><dl><dd>10 GPUs</dd></dl></article>',
        "<head><title>10 GPUs</title></head>",
        "<svg><text>10 GPUs</text><path d='M0 0'/></svg>",
        '<p><img alt="10 GPUs" src="a.png"></p>',
    ],
)
def test_code_navigation_and_receipted_figures_are_left_out(html: str) -> None:
    assert find_bare_figures(html) == []


def test_what_follows_a_skipped_element_is_looked_at_again() -> None:
    menu, picture = "<nav><p>1 GPU</p></nav>", "<svg><path/></svg>"
    html = f"{menu}<p>2 GPUs <code>3 GPUs<br></code> 4 GPUs</p>{picture}5 GPUs"
    assert [found.text for found in find_bare_figures(html)] == ["2 GPUs", "4 GPUs", "5 GPUs"]


def test_a_figure_is_seen_through_the_marks_of_emphasis_and_line_breaks() -> None:
    html = "<p>It has <strong>10</strong>\n<em>GPUs</em> and lasts\n7–10\ndays.</p>"
    assert [found.text for found in find_bare_figures(html)] == ["10 GPUs", "7–10 days"]


def test_a_number_and_a_unit_in_different_blocks_are_no_figure() -> None:
    assert find_bare_figures("<td>10</td><td>GPUs</td><li>3</li><p>days</p>") == []


def test_words_on_both_sides_of_a_receipted_figure_do_not_meet() -> None:
    assert find_bare_figures('<p>In 3 <span class="fig">x</span> days</p>') == []


def test_non_breaking_spaces_are_spaces() -> None:
    html = "<p>80&nbsp;GB and 10&#8239;GPUs</p>"
    assert [found.text for found in find_bare_figures(html)] == ["80 GB", "10 GPUs"]


def test_the_words_around_a_figure_are_given() -> None:
    html = "<p>The whole search takes 25 hours on the cluster.</p>"
    assert find_bare_figures(html) == [
        Bare("25 hours", "The whole search takes 25 hours on the cluster.")
    ]


def test_multiples_in_a_row_are_all_found() -> None:
    html = "<p>1.0x (baseline) 15-20x 50–60× 8x</p>"
    texts = [found.text for found in find_bare_figures(html)]
    assert texts == ["1.0x", "15-20x", "50–60×", "8x"]


def test_every_figure_of_a_page_is_found_in_order() -> None:
    html = "<h1>In 3 days</h1><ul><li>10 GPUs</li><li>80 GB, 4x</li></ul>"
    assert [found.text for found in find_bare_figures(html)] == ["3 days", "10 GPUs", "80 GB", "4x"]


def test_unclosed_and_misnested_elements_do_not_end_the_search() -> None:
    html = "<ul><li>one<li><b>10 GPUs</ul></b></i><p>3 days"
    assert [found.text for found in find_bare_figures(html)] == ["10 GPUs", "3 days"]


def test_blocks_are_the_text_that_is_looked_at() -> None:
    assert blocks("<h1>A  b</h1><p>c<br>d</p><pre>e</pre>") == ["A b", "c", "d", "\ufffc"]


def test_no_page_of_the_built_site_prints_a_bare_figure(site_folder: Path) -> None:
    pages = [page for page in sorted(site_folder.rglob("*.html")) if "gallery" not in page.parts]
    assert len(pages) >= 5
    found = [
        f"{page.relative_to(site_folder)}: {bare.text!r} in {bare.context!r}"
        for page in pages
        for bare in find_bare_figures(page.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_a_large_page_is_read_in_a_moment() -> None:
    page = "<p>" + "It runs on one node for a day, and 12,345,678 things happen. " * 5000 + "</p>"
    started = time.process_time()
    assert find_bare_figures(page) == []
    assert time.process_time() - started < 2
