"""What is done to each page while the site is built."""

import datetime
import json
import types
from pathlib import Path
from typing import Any

import pytest

from mlhpc.errors import ToolError
from mlhpc.lesson import assets, describe, finish, hooks

PAGE = """<div class="admonition objectives"><p class="admonition-title">Objectives</p>
<ul><li>say <em>which</em> bottleneck</li><li>read a table &amp; doubt it</li></ul></div>
<div class="admonition exercise"><p class="admonition-title">Choose a node (10 min)</p></div>"""


def a_page(**meta: Any) -> Any:
    title, address = "Why <em>HPC</em>?", "https://x.org/01/"
    return types.SimpleNamespace(title=title, canonical_url=address, content=PAGE, meta=meta)


def described(**meta: Any) -> dict[str, Any]:
    config = {"site_name": "A lesson", "site_description": "About a lesson"}
    return describe.learning_resource(a_page(**meta), config)


def test_a_table_of_markdown_scrolls_inside_itself_and_is_reached_by_keyboard() -> None:
    page = finish.finish("<p>a</p><table><tr><td>1</td></tr></table>")
    assert page == (
        '<p>a</p><div class="table" role="group" aria-label="Table" tabindex="0">'
        "<table><tr><td>1</td></tr></table></div>"
    )


def test_the_table_of_an_example_already_has_its_box() -> None:
    page = '<div class="example__table"><table class="dataframe"></table></div>'
    assert finish.finish(page) == page


def test_a_script_is_told_from_commands_and_its_lines_for_slurm_from_comments() -> None:
    block = '<div class="language-bash highlight"><pre><span></span><code>{}</code></pre></div>'
    text = (
        '<span class="ch">#!/bin/bash</span>\n<span class="c1">#SBATCH --mem=8G   # memory</span>'
    )
    marked = text.replace('"c1"', '"c1 slurm"')
    script = block.replace("highlight", "highlight script")
    assert finish.job_scripts(block.format(text)) == script.format(marked)
    commands = block.format('<span class="c1"># look</span>\nls')
    assert finish.job_scripts(commands) == commands


def test_the_empty_corner_of_a_table_is_no_header() -> None:
    assert finish.finish("<tr><th></th><th>cores</th></tr>") == ("<tr><td></td><th>cores</th></tr>")


def test_the_time_of_an_exercise_stands_apart_from_its_title() -> None:
    title = '<p class="admonition-title">Choose a node (10 min)</p>'
    assert finish.exercise_times(title) == (
        '<p class="admonition-title">Choose a node <span class="admonition-time">10 min</span></p>'
    )


def test_the_time_keeps_its_tie_to_a_receipt() -> None:
    figure = '<span class="fig" data-receipt="claim:exercise">5 minutes</span>'
    title = f'<p class="admonition-title">Is it worth it? ({figure})</p>'
    assert finish.exercise_times(title) == (
        '<p class="admonition-title">Is it worth it? '
        f'<span class="admonition-time">{figure}</span></p>'
    )


def test_a_title_with_other_words_in_brackets_stays() -> None:
    title = '<p class="admonition-title">Memory (of the GPU)</p>'
    assert finish.exercise_times(title) == title


def test_pictures_load_when_they_come_near() -> None:
    near, now = '<img alt="a" src="a.svg">', '<img loading="eager" src="b.svg">'
    assert finish.lazy_images(near + now) == f'<img loading="lazy" alt="a" src="a.svg">{now}'


def test_search_engines_are_told_what_an_episode_teaches_and_how_long_it_takes() -> None:
    found = described(episode=1, teaching_min=45, exercises_min=40, description="When?")
    assert found["@type"] == "LearningResource"
    assert found["name"] == "Why HPC?"
    assert found["description"] == "When?"
    assert found["teaches"] == ["say which bottleneck", "read a table & doubt it"]
    assert found["timeRequired"] == "PT1H25M"
    assert found["learningResourceType"] == "lesson"
    assert json.loads(json.dumps(found)) == found


def test_what_is_not_known_of_a_page_is_left_out() -> None:
    found = described()
    assert found["description"] == "About a lesson"
    assert not {"timeRequired", "dateModified"} & set(found)


@pytest.mark.parametrize(
    ("minutes", "spelled"), [(0, ""), (25, "PT25M"), (60, "PT1H"), (125, "PT2H5M")]
)
def test_minutes_are_spelled_as_a_duration(minutes: int, spelled: str) -> None:
    assert describe.duration(minutes) == spelled


def test_a_page_has_the_date_of_the_newest_commit_that_touched_it() -> None:
    log = "2026-12-03\n\nindex.md\n2026-12-01\n\nindex.md\nsetup.md\n"
    assert hooks.newest_dates(log) == {
        "index.md": datetime.date(2026, 12, 3),
        "setup.md": datetime.date(2026, 12, 1),
    }


def test_the_page_of_an_example_is_edited_in_its_script() -> None:
    start = "https://x.org/edit/main/"
    made = hooks.edit_url(f"{start}episodes/gallery/plot_a.md", "gallery/plot_a.md")
    assert made == f"{start}code/examples/plot_a.py"
    assert hooks.edit_url(f"{start}episodes/gallery/index.md", "gallery/index.md") is None
    assert hooks.edit_url(f"{start}episodes/setup.md", "setup.md") == f"{start}episodes/setup.md"
    assert hooks.edit_url(None, "setup.md") is None


def test_outside_a_repository_no_page_has_a_date(tmp_path: Path) -> None:
    assert hooks.git_dates(tmp_path) == {}


def test_examples_are_listed_in_the_navigation_by_name(tmp_path: Path) -> None:
    (tmp_path / "gallery").mkdir()
    for name in ("plot_b.md", "plot_a.md", "index.md"):
        (tmp_path / "gallery" / name).touch()
    nav = [{"Start": "index.md"}, {"Examples": [{"All": "gallery/index.md"}]}]
    config = {"docs_dir": str(tmp_path), "nav": nav, "extra": {}, "repo_url": ""}
    found = hooks.on_config(config)
    wanted = [{"All": "gallery/index.md"}, "gallery/plot_a.md", "gallery/plot_b.md"]
    assert found["nav"][1]["Examples"] == wanted
    assert found["extra"]["counts"] == {"Examples, run": 2}
    assert found["repo_url"].startswith("https://")


def test_fonts_come_with_their_licence(tmp_path: Path) -> None:
    for name in assets.FONTS.values():
        source = tmp_path / "node_modules" / name
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(name)
    copied = {path.name for path in assets.copy_fonts(tmp_path)}
    assert copied == set(assets.FONTS)
    inter = tmp_path / "theme" / "assets" / "fonts" / "inter-LICENSE.txt"
    assert inter.read_text() == "@fontsource-variable/inter/LICENSE"


def test_a_font_package_that_is_not_installed_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"latin-wght-normal\.woff2 is missing; run npm ci"):
        assets.copy_fonts(tmp_path)
