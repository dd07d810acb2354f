"""Runnable cells in a real browser: run, changed, stopped, run again, and harmless."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from .conftest import Visit
from .test_tools import COLD_MS, fetched

LESSON = "01-why-hpc/"


def cell_of(reader: Visit) -> Locator:
    cell = reader.open(LESSON).locator("#cell-sweep")
    cell.scroll_into_view_if_needed()
    return cell


def write(cell: Locator, code: str) -> None:
    """Put other code into the cell's editor, by keyboard."""
    if cell.get_by_role("button", name="Change it").is_visible():
        cell.get_by_role("button", name="Change it").click()
    editor = cell.locator(".cm-content")
    expect(editor).to_be_visible()
    editor.click()
    editor.press("ControlOrMeta+a")
    editor.press("Delete")
    cell.page.keyboard.insert_text(code)


def run(cell: Locator) -> None:
    cell.get_by_role("button", name="Run").click()


def test_a_cell_runs_as_it_is_and_prints_what_was_recorded(visit: Callable[..., Visit]) -> None:
    reader = visit()
    cell = cell_of(reader)
    recorded = cell.locator(".cell__output code").inner_text().strip()
    assert fetched(reader) == []  # nothing runs unasked
    run(cell)
    expect(cell.locator(".cell__live")).to_have_text(recorded, timeout=COLD_MS)
    expect(cell.get_by_role("status")).to_have_text("Done.")
    assert reader.errors == []
    assert reader.elsewhere == []


def test_a_cell_is_changed_run_by_keyboard_and_put_back(visit: Callable[..., Visit]) -> None:
    reader = visit()
    cell = cell_of(reader)
    write(cell, "print(6 * 7)")
    cell.page.keyboard.press("ControlOrMeta+Enter")
    expect(cell.locator(".cell__live")).to_have_text("42", timeout=COLD_MS)
    cell.get_by_role("button", name="Reset").click()
    expect(cell.locator(".cm-content")).to_contain_text("rounds = ceil")
    expect(cell.locator(".cell__output")).to_be_visible()
    assert reader.errors == []


def test_an_error_names_its_line_and_marks_it(visit: Callable[..., Visit]) -> None:
    cell = cell_of(visit())
    write(cell, "x = 1\ny = 2\nx / 0")
    run(cell)
    expect(cell.locator(".cell__live")).to_have_text(
        "Line 3: ZeroDivisionError: division by zero", timeout=COLD_MS
    )
    expect(cell.locator(".cm-wrong")).to_have_text("x / 0")
    write(cell, "if x")
    run(cell)
    expect(cell.locator(".cell__live")).to_contain_text("Line 1: SyntaxError")


def test_an_endless_loop_is_stopped_and_the_cell_runs_again(visit: Callable[..., Visit]) -> None:
    reader = visit()
    cell = cell_of(reader)
    write(cell, "print('begun')\nwhile True: pass")
    run(cell)
    expect(cell.locator(".cell__live")).to_contain_text("begun", timeout=COLD_MS)
    cell.page.evaluate("document.title")  # the page itself answers meanwhile
    cell.get_by_role("button", name="Stop").click()
    expect(cell.get_by_role("status")).to_have_text("Stopped.")
    write(cell, "print('again')")
    run(cell)
    expect(cell.locator(".cell__live")).to_have_text("again", timeout=COLD_MS)
    assert reader.errors == []


def test_output_with_markup_or_without_end_harms_nothing(visit: Callable[..., Visit]) -> None:
    reader = visit()
    cell = cell_of(reader)
    write(cell, "print('<img src=x onerror=\"document.title=1\"><script>x</script>')")
    run(cell)
    expect(cell.locator(".cell__live")).to_contain_text("<img src=x", timeout=COLD_MS)
    assert cell.locator(".cell__live *").count() == 0
    write(cell, "for i in range(10**6): print('x' * 100)")
    run(cell)
    expect(cell.locator(".cell__live")).to_contain_text("more than the page shows", timeout=COLD_MS)
    assert len(cell.locator(".cell__live").inner_text()) < 150_000
    assert reader.errors == []


def test_output_of_many_short_lines_and_an_endless_error_are_cut(
    visit: Callable[..., Visit],
) -> None:
    cell = cell_of(visit())
    live = cell.locator(".cell__live")
    write(cell, "for i in range(100_000): print()")
    run(cell)
    expect(live).to_contain_text("more than the page shows", timeout=COLD_MS)
    assert live.evaluate("live => live.childNodes.length") < 10_000
    write(cell, "raise ValueError('x' * 10_000_000)")
    run(cell)
    expect(live).to_contain_text("Line 1: ValueError: xxx", timeout=COLD_MS)
    assert len(live.inner_text()) < 3_000


def test_output_without_an_end_of_line_belongs_to_its_own_run(visit: Callable[..., Visit]) -> None:
    cell = cell_of(visit())
    live = cell.locator(".cell__live")
    write(cell, "import sys\nprint('half', end='')\nsys.stdout = None")
    run(cell)
    expect(live).to_have_text("half", timeout=COLD_MS)
    write(cell, "print('whole')\nraise SystemExit")
    run(cell)
    expect(live).to_have_text("whole")
    expect(cell.get_by_role("status")).to_have_text("Done.")


def test_part_of_a_line_is_shown_while_the_cell_goes_on(visit: Callable[..., Visit]) -> None:
    cell = cell_of(visit())
    write(cell, "print('so far', end=' ', flush=True)\nwhile True: pass")
    run(cell)
    expect(cell.locator(".cell__live")).to_contain_text("so far", timeout=COLD_MS)
    expect(cell.get_by_role("status")).to_have_text("Running")


def test_a_cell_that_ends_python_itself_says_so_and_the_next_runs(
    visit: Callable[..., Visit],
) -> None:
    cell = cell_of(visit())
    live = cell.locator(".cell__live")
    write(cell, "import os\nos._exit(1)")
    run(cell)
    expect(live).to_contain_text("starts anew with the next run", timeout=COLD_MS)
    write(cell, "print('again')")
    run(cell)
    expect(live).to_have_text("again", timeout=COLD_MS)


def test_a_cell_that_asks_is_told_that_it_cannot(visit: Callable[..., Visit]) -> None:
    reader = visit()
    cell = cell_of(reader)
    write(cell, "input('your name? ')")
    run(cell)
    expect(cell.locator(".cell__live")).to_contain_text("a cell cannot ask", timeout=COLD_MS)
    assert reader.errors == []


def test_a_stop_while_python_is_fetched_is_no_failure(visit: Callable[..., Visit]) -> None:
    cell = cell_of(visit())
    cell.page.route("**/python_stdlib.zip", lambda _: None)  # it never comes
    run(cell)
    cell.get_by_role("button", name="Stop").click()
    expect(cell.get_by_role("status")).to_have_text("Stopped.")
    expect(cell.locator(".cell__live")).to_have_text("stopped")


def test_a_question_beside_an_endless_cell_is_told_to_wait_and_ends_nothing(
    visit: Callable[..., Visit],
) -> None:
    cell = cell_of(visit())
    write(cell, "print('begun')\nwhile True: pass")
    run(cell)
    expect(cell.locator(".cell__live")).to_contain_text("begun", timeout=COLD_MS)
    box = cell.page.locator("#question-project-b")
    box.get_by_label("Your laptop").check()
    box.get_by_role("button", name="Check", exact=True).click()
    expect(box.locator(".said")).to_contain_text("A cell of this page is running")
    expect(cell.get_by_role("button", name="Stop")).to_be_visible()


def test_where_the_editor_cannot_be_fetched_the_cell_says_so_and_still_runs(
    visit: Callable[..., Visit],
) -> None:
    cell = cell_of(visit())
    cell.page.route("**/editor.js", lambda route: route.abort())
    cell.get_by_role("button", name="Change it").click()
    expect(cell.get_by_role("status")).to_contain_text("could not be fetched")
    run(cell)
    expect(cell.locator(".cell__live")).to_contain_text("25 rounds", timeout=COLD_MS)


@pytest.mark.parametrize(("address", "name"), [("02-ml-workflow/", "memory"), ("planner/", "plan")])
def test_every_other_cell_prints_what_was_recorded(
    visit: Callable[..., Visit], address: str, name: str
) -> None:
    cell = visit().open(address).locator(f"#cell-{name}")
    recorded = cell.locator(".cell__output code").inner_text().strip()
    run(cell)
    expect(cell.locator(".cell__live")).to_have_text(recorded, timeout=COLD_MS)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_cell_in_use_is_open_to_everyone(visit: Callable[..., Visit], scheme: str) -> None:
    reader = visit(color_scheme=scheme)
    cell = cell_of(reader)
    write(cell, "# a remark\nx = 'text' + str(1)\nprint(x, None, len(x))")
    run(cell)
    expect(cell.locator(".cell__live")).to_contain_text("text1", timeout=COLD_MS)
    for width in (320, 768, 1280):
        reader.tab.set_viewport_size({"width": width, "height": 900})
        assert reader.overflow_px() <= 0
        assert reader.violations() == []


def test_the_keyboard_leaves_the_editor_after_escape(visit: Callable[..., Visit]) -> None:
    cell = cell_of(visit())
    write(cell, "x")
    expect(cell.get_by_role("status")).to_contain_text("Esc, then Tab, leaves it")
    cell.page.keyboard.press("Escape")
    expect(cell.get_by_role("button", name="Run")).to_be_focused()
    cell.page.keyboard.press("Tab")
    expect(cell.get_by_role("button", name="Reset")).to_be_focused()


def test_without_javascript_a_cell_is_code_with_its_output(visit: Callable[..., Visit]) -> None:
    cell = visit(java_script_enabled=False).open(LESSON).locator("#cell-sweep")
    assert "rounds = ceil(runs / gpus)" in cell.inner_text()
    assert "25 rounds, 250 hours" in cell.inner_text()
