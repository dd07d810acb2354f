"""Every page of the site in a real browser: silent, at home, and open to everyone."""

from collections.abc import Callable

import pytest

from mlhpc.lesson.built import Site

from .conftest import Visit

KINDS = {
    "first page": "index.html",
    "lesson": "01-why-hpc/index.html",
    "set-up": "setup/index.html",
    "example": "gallery/plot_",
    "receipts": "receipts/index.html",
    "glossary": "reference/index.html",
    "instructor": "instructor/01-why-hpc/index.html",
}
WIDTHS_PX = (320, 768, 1280)


def address_of(site: Site, kind: str) -> str:
    return next(address for address in site.pages if address.startswith(KINDS[kind]))


def test_every_page_is_silent_asks_nobody_else_and_keeps_every_rule_of_access(
    site: Site, visit: Callable[..., Visit]
) -> None:
    reader, problems = visit(), []
    for address in site.pages:
        reader.open(address)
        problems += [f"{address}: {violation}" for violation in reader.violations()]
    assert len(site.pages) > 10
    assert problems == []
    assert reader.errors == []
    assert reader.elsewhere == []


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_page_is_open_to_everyone_and_fits_at_every_width(
    site: Site, visit: Callable[..., Visit], kind: str
) -> None:
    address, reader = address_of(site, kind), visit()
    reader.open(address)
    for width in WIDTHS_PX:
        reader.tab.set_viewport_size({"width": width, "height": 900})
        assert reader.overflow_px() <= 0, f"{address} is too wide at {width} px"
        # hundreds of slips of one kind take axe seconds each time
        for scheme in ["dark"] if kind == "receipts" else ["light", "dark"]:
            reader.tab.emulate_media(color_scheme=scheme)
            assert reader.violations() == [], f"{address}, {scheme}, at {width} px"
    assert reader.errors == []


@pytest.mark.parametrize("kind", ["lesson", "set-up", "first page"])
def test_at_two_hundred_percent_on_a_projector_nothing_is_cut_off(
    site: Site, visit: Callable[..., Visit], kind: str
) -> None:
    reader = visit(width=960, height=540, device_scale_factor=2)
    reader.open(address_of(site, kind))
    assert reader.overflow_px() <= 0
    measure_px = reader.tab.locator("article.prose > p:not([class])").first.evaluate(
        "p => parseFloat(getComputedStyle(p).width) / parseFloat(getComputedStyle(p).fontSize)"
    )
    assert measure_px <= 38


def test_what_is_touched_on_a_phone_is_big_enough(site: Site, visit: Callable[..., Visit]) -> None:
    reader = visit(width=390, has_touch=True, is_mobile=True)
    tab = reader.open(address_of(site, "lesson"))
    for locator in (tab.locator(".bar button"), tab.locator("summary"), tab.locator(".copy")):
        boxes = [one.bounding_box() for one in locator.all() if one.is_visible()]
        assert boxes
        assert all(box and box["height"] >= 44 for box in boxes)


def test_pictures_have_the_colours_of_the_ground(site: Site, visit: Callable[..., Visit]) -> None:
    for scheme, other in (("light", "dark"), ("dark", "light")):
        tab = visit(color_scheme=scheme).open(address_of(site, "lesson"))
        assert tab.locator(f'img[src$="#only-{scheme}"]').count() > 0
        assert tab.locator(f'img[src$="#only-{scheme}"]').first.is_visible()
        assert not any(one.is_visible() for one in tab.locator(f'img[src$="#only-{other}"]').all())


def test_printed_pages_have_light_ground_and_open_solutions_and_no_frame(
    site: Site, visit: Callable[..., Visit]
) -> None:
    tab = visit(color_scheme="dark").open(address_of(site, "lesson"))
    tab.emulate_media(media="print")
    assert tab.locator(".exercise").count() > 0
    assert not tab.locator(".bar").is_visible()
    assert not any(one.is_visible() for one in tab.locator(".receipt, .copy").all())
    assert all(one.is_visible() for one in tab.locator("details.solution > :not(summary)").all())
    ink = tab.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(28, 37, 33)"
