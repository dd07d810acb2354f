"""Every page of the built site keeps every rule, and each rule catches what breaks it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mlhpc.lesson import checks, policy
from mlhpc.lesson.built import Page, Site

HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>'
    '<meta name="description" content="What it is about">'
)
GOOD = policy.add_policy(
    f'{HEAD}<link rel="stylesheet" href="a.css"></head><body><h1 id="top">A page</h1>'
    '<p>80 GB <a href="#top">up</a> <a href="other/#part">on</a></p>'
    '<img src="a.svg" alt="A ring" width="9" height="9"><script>let a = 1;</script></body></html>'
)
OTHER = policy.add_policy(f'{HEAD}</head><body><h1>Other</h1><p id="part"></p></body></html>')


def make_site(folder: Path, first_page: str = GOOD) -> Site:
    """Two pages, a picture, a stylesheet and a font."""
    (folder / "other").mkdir()
    (folder / "index.html").write_text(first_page)
    (folder / "other" / "index.html").write_text(OTHER)
    (folder / "a.svg").write_text("<svg/>")
    (folder / "a.css").write_text('@font-face { src: url("b.woff2") }')
    (folder / "b.woff2").write_bytes(bytes(1000))
    return Site(folder)


@pytest.mark.parametrize("rule", checks.CHECKS, ids=lambda rule: rule.__name__)
def test_every_page_of_the_built_site_keeps_the_rule(
    site_folder: Path, rule: Callable[[Page], Iterator[str]]
) -> None:
    pages = Site(site_folder).pages
    assert {"index.html", "01-why-hpc/index.html", "receipts/index.html"} <= set(pages)
    broken = [f"{page.address}: {what}" for page in pages.values() for what in rule(page)]
    assert broken == []


def test_the_pages_link_to_one_another_and_show_pictures(site_folder: Path) -> None:
    pages = Site(site_folder).pages.values()
    inside = [a for page in pages for a in page.all("a") if "://" not in a.get("href", "://")]
    assert len(inside) > 10 * len(pages)
    assert sum(len(page.all("img")) for page in pages) > 10


def test_a_good_page_keeps_every_rule(tmp_path: Path) -> None:
    make_site(tmp_path)
    assert checks.check(tmp_path) == []


BREAKS = {
    "a missing page": ("other/#part", "missing/", "there is no missing/index.html"),
    "a missing anchor": ("other/#part", "other/#gone", "has no anchor of that name"),
    "a picture without words": ('alt="A ring"', 'alt=" "', "no alternative text"),
    "a picture that is not there": ("a.svg", "b.svg", "is not there"),
    "a picture without room": ('width="9"', "", "names no width and height"),
    "a page without language": ('lang="en"', "", "no language"),
    "a page without title": ("<title>A page", "<title> ", "no title"),
    "a page without description": ("What it is about", "", "no description"),
    "two first headings": ("<p>80 GB", "<h1>Two</h1><p>80 GB", "2 first headings"),
    "an id twice": ("<p>80 GB", '<p id="top">80 GB', "2 elements have the id top"),
    "a picture from elsewhere": ('src="a.svg"', 'src="https://x.org/a.svg"', "fetches https://"),
    "a style from elsewhere": ("a.css", "//x.org/a.css", "fetches //x.org/a.css"),
    "a font from elsewhere": ("<h1", "<style>a{src:url(https://x.org/f)}</style><h1", "x.org/f"),
    "a script of which the policy knows nothing": ("let a = 1", "let a = 2", "does not fit"),
    "a page without policy": ("Content-Security-Policy", "refresh", "0 content security policies"),
    "a handler in an attribute": ("<p>80 GB", '<p onclick="run()">80 GB', "event handler"),
    "a script before the policy": ("<head>", "<head><script src=a.css></script>", "comes after"),
    "a template mark": ("80 GB", "{{ gpu }} GB", "left over"),
    "a mark of ours": ("80 GB", "\ue000claim x\ue00180 GB", "left over"),
    "a block that nothing read": ("<p>80 GB", "<p>\n!!! note 80 GB", "left over"),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_rule_catches(name: str, tmp_path: Path) -> None:
    good, bad, told = BREAKS[name]
    assert good in GOOD
    make_site(tmp_path, GOOD.replace(good, bad, 1))
    found = [str(problem) for problem in checks.check(tmp_path)]
    assert len(found) >= 1
    assert any(told in problem and problem.startswith("index.html: ") for problem in found)


def test_a_heavy_font_makes_a_page_too_heavy(tmp_path: Path) -> None:
    make_site(tmp_path)
    (tmp_path / "b.woff2").write_bytes(bytes(200_000))
    assert [problem.page for problem in checks.check(tmp_path)] == ["index.html"]


def test_a_folder_without_pages_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checks.main([str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"mlhpc: site: no page in {tmp_path}; build the site first\n"


def test_the_command_prints_each_problem_and_exits_with_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_site(tmp_path, GOOD.replace("other/#part", "missing/"))
    assert checks.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out == (
        "index.html: link to missing/: there is no missing/index.html\n"
    )


def test_links_are_followed_under_the_path_of_the_published_site(tmp_path: Path) -> None:
    canonical = '<link rel="canonical" href="https://x.org/lesson/"></head>'
    page = GOOD.replace("</head>", canonical).replace("other/#part", "/lesson/other/#part")
    make_site(tmp_path, page)
    assert checks.check(tmp_path) == []
