"""What a reader does: receipts, search, solutions, notes, colours, with and without scripts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import Route, expect

from .conftest import Visit

LESSON = "01-why-hpc/"


def focused(tab: Tab) -> str:
    return str(tab.evaluate("document.activeElement.className || document.activeElement.tagName"))


def stop_fetches(route: Route) -> None:
    """Let the browser go to a page, but let no script read it."""
    if route.request.resource_type == "fetch":
        route.abort()
    else:
        route.continue_()


def open_card(tab: Tab) -> None:
    expect(tab.locator("dialog.card")).to_be_visible()
    assert tab.locator("dialog.card .till").count() > 0


def test_a_click_on_a_ring_opens_the_slips_of_all_figures_of_its_block(
    visit: Callable[..., Visit],
) -> None:
    reader = visit()
    tab = reader.open(LESSON)
    ring = tab.locator("a.receipt").first
    wanted = len((ring.get_attribute("data-receipts") or "").split())
    ring.click()
    open_card(tab)
    slips = tab.locator("dialog.card .till")
    assert slips.count() == wanted
    assert slips.first.locator("dl dt").count() >= 1
    assert reader.violations() == []
    assert reader.errors == []


def test_every_ring_of_the_lessons_finds_its_slips(visit: Callable[..., Visit]) -> None:
    reader = visit()
    for address in (LESSON, "02-ml-workflow/"):
        tab = reader.open(address)
        missing = tab.evaluate("""async () => {
          const rings = [...document.querySelectorAll("a.receipt")];
          const text = await (await fetch(rings[0].href)).text();
          const page = new DOMParser().parseFromString(text, "text/html");
          const id = ref => ref.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
          return rings.flatMap(ring => ring.dataset.receipts.split(" "))
            .filter(ref => !page.getElementById(id(ref)));
        }""")
        assert tab.locator("a.receipt").count() >= 5
        assert missing == []


def test_the_card_works_by_keyboard_and_gives_the_focus_back(visit: Callable[..., Visit]) -> None:
    tab = visit().open(LESSON)
    tab.locator("a.receipt").first.focus()
    tab.keyboard.press("Enter")
    open_card(tab)
    card = tab.locator("dialog.card")
    for _ in range(6):
        tab.keyboard.press("Tab")
        # between the last stop and the first the browser's own frame has the focus
        assert card.evaluate(
            "(card, at) => (at = document.activeElement) === document.body || card.contains(at)"
        )
    tab.keyboard.press("Escape")
    expect(tab.locator("dialog.card")).to_be_hidden()
    assert focused(tab).startswith("receipt ")


def test_where_the_slips_cannot_be_fetched_the_ring_is_a_link(visit: Callable[..., Visit]) -> None:
    tab = visit().open(LESSON)
    tab.route("**/receipts/", stop_fetches)
    tab.locator("a.receipt").first.click()
    tab.wait_for_url("**/receipts/#*")


def test_without_scripts_rings_lead_to_the_receipts_and_everything_can_be_read(
    visit: Callable[..., Visit],
) -> None:
    reader = visit(java_script_enabled=False)
    tab = reader.open(LESSON)
    assert tab.locator("nav.pages a").first.is_visible()
    assert not any(one.is_visible() for one in tab.locator(".needs-js").all())
    solution = tab.locator("details.solution").first
    inside = solution.locator(":scope > :not(summary)").first
    assert not inside.is_visible()
    solution.locator("summary").click()
    assert inside.is_visible()
    tab.locator("a.receipt").first.click()
    assert "/receipts/#" in tab.url
    assert tab.locator(f"[id='{tab.url.split('#')[1]}']").is_visible()


def test_without_scripts_a_phone_opens_the_list_of_pages(visit: Callable[..., Visit]) -> None:
    tab = visit(width=390, java_script_enabled=False).open(LESSON)
    assert not tab.locator("nav.pages").is_visible()
    tab.locator(".bar__menu").click()
    assert tab.locator("nav.pages a[aria-current=page]").is_visible()
    tab.keyboard.press("Escape")
    assert not tab.locator("nav.pages").is_visible()


def test_the_list_of_pages_on_a_phone_is_open_to_everyone(visit: Callable[..., Visit]) -> None:
    reader = visit(width=390)
    tab = reader.open(LESSON)
    tab.locator(".bar__menu").press("Enter")
    assert tab.locator("nav.pages").is_visible()
    assert reader.violations() == []
    tab.get_by_role("button", name="Close the list of pages").click()
    assert not tab.locator("nav.pages").is_visible()


def test_instructor_notes_are_off_until_asked_for_and_stay_on(visit: Callable[..., Visit]) -> None:
    reader = visit()
    tab = reader.open(LESSON)
    notes = tab.locator(".admonition.instructor").first
    button = tab.get_by_role("button", name="Instructor notes")
    assert not notes.is_visible()
    button.click()
    assert notes.is_visible()
    assert button.get_attribute("aria-pressed") == "true"
    assert reader.violations() == []
    tab.reload()
    assert tab.locator(".admonition.instructor").first.is_visible()
    tab.get_by_role("button", name="Instructor notes").click()
    assert not tab.locator(".admonition.instructor").first.is_visible()


def test_colours_are_the_systems_until_chosen_and_the_choice_stays(
    visit: Callable[..., Visit],
) -> None:
    tab = visit(color_scheme="dark").open(LESSON)
    ground = "getComputedStyle(document.body).backgroundColor"
    dark, light = "rgb(20, 26, 23)", "rgb(251, 251, 247)"
    assert tab.evaluate(ground) == dark
    button = tab.locator("[data-action=theme]")
    button.click()
    assert tab.evaluate(ground) == light
    tab.reload()
    assert tab.evaluate(ground) == light
    tab.locator("[data-action=theme]").click()
    assert tab.evaluate(ground) == dark
    assert tab.locator("[data-action=theme]").get_attribute("aria-label") == "Colours: dark"


def test_search_finds_a_section_by_keyboard_alone(visit: Callable[..., Visit]) -> None:
    reader = visit()
    tab = reader.open(LESSON)
    tab.keyboard.press("Control+k")
    expect(tab.get_by_role("searchbox")).to_be_focused()
    tab.keyboard.type("login node")
    expect(tab.locator("dialog.finder li a").first).to_be_visible()
    assert "place" in tab.locator(".finder").get_by_role("status").inner_text()
    assert reader.violations() == []
    tab.keyboard.press("ArrowDown")
    wanted = tab.evaluate("document.activeElement.href")
    assert wanted.startswith(reader.host)
    tab.keyboard.press("Enter")
    tab.wait_for_url(wanted)
    assert reader.errors == []


def test_search_says_when_nothing_is_found(visit: Callable[..., Visit]) -> None:
    tab = visit().open(LESSON)
    tab.get_by_role("button", name="Search").click()
    expect(tab.locator(".finder").get_by_role("status")).to_contain_text("Type a word")
    tab.keyboard.type("zyzzyva")
    expect(tab.locator(".finder").get_by_role("status")).to_contain_text(
        "Nothing has all of these words"
    )
    assert tab.locator("dialog.finder li").count() == 0


def test_the_index_is_fetched_only_when_somebody_searches(visit: Callable[..., Visit]) -> None:
    reader, fetched = visit(), []
    reader.tab.on("request", lambda request: fetched.append(request.url))
    tab = reader.open(LESSON)
    tab.wait_for_load_state("networkidle")
    assert any(url.endswith("mlhpc.js") for url in fetched)
    assert not any("search" in url or "receipt" in url for url in fetched)


def test_copied_commands_hold_what_is_typed_and_nothing_else(
    visit: Callable[..., Visit],
) -> None:
    reader = visit(permissions=["clipboard-read", "clipboard-write"])
    tab = reader.open("instructor/01-why-hpc/")
    block = tab.locator(".highlight:has(.gp):has(.go)").first
    block.hover()
    block.get_by_role("button", name="Copy").click()
    expect(block.get_by_role("button", name="Copied")).to_be_visible()
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert copied[0].isalpha()
    answers = block.locator(".go").all_inner_texts()
    assert answers
    assert not any(answer in copied for answer in answers)


def test_the_first_tab_stop_leads_to_the_text(visit: Callable[..., Visit]) -> None:
    tab = visit().open(LESSON)
    tab.keyboard.press("Tab")
    assert focused(tab) == "md-skip"
    tab.keyboard.press("Enter")
    assert "#" in tab.url


@pytest.mark.parametrize("selector", [".table", ".prose pre"])
def test_what_scrolls_sideways_can_be_reached_by_keyboard_and_what_fits_is_no_stop(
    visit: Callable[..., Visit], selector: str
) -> None:
    tab = visit(width=390).open(LESSON)
    tab.wait_for_timeout(200)
    boxes = tab.locator(selector).evaluate_all(
        "all => all.filter(one => one.checkVisibility())"
        ".map(one => [one.scrollWidth > one.clientWidth, one.tabIndex === 0])"
    )
    assert boxes
    assert all(scrolls == stop for scrolls, stop in boxes)
