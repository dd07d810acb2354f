"""What a cell shows: the value of its last expression and the figures that it left open."""

import math
import re
import sys
from typing import Any

from mlhpc.lesson import figures
from mlhpc.lesson.gallery.outcome import Figure


class UnfitError(Exception):
    """A result that cannot be published as it is; the message says why."""


def value(result: object) -> tuple[str, str]:
    """HTML (where the value has it) and text of a last expression; empty for None and artists."""
    if result is None or _is_drawing(result):
        return "", ""
    render = getattr(result, "_repr_html_", None)
    html = render() if callable(render) and not isinstance(result, type) else None
    return _plain(html) if html else "", repr(result)


def open_figures() -> tuple[Figure, ...]:
    """Every open figure, drawn and closed. Raises UnfitError for one that no page can hold."""
    if "matplotlib.pyplot" not in sys.modules:
        return ()
    from matplotlib import pyplot

    drawn = tuple(_draw(pyplot.figure(number)) for number in pyplot.get_fignums())
    pyplot.close("all")
    return drawn


def named_values(namespace: dict[str, Any]) -> dict[str, tuple[float | str, str]]:
    """A script's dictionary ``measured``, checked. Raises UnfitError where it is not as agreed."""
    found = {}
    for key, pair in dict(namespace.get("measured", {})).items():
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[1], str)):
            raise UnfitError(f"measured[{key!r}] must be (value, unit), not {pair!r}")
        found[str(key)] = (_number(key, pair[0]), pair[1])
    return found


def _number(key: str, given: Any) -> float | str:
    if isinstance(given, str | int):
        return given
    number = float(given)
    if not math.isfinite(number):
        raise UnfitError(f"measured[{key!r}] is {given}, not a number that a page can print")
    return number


def _is_drawing(result: object) -> bool:
    """True for what plotting calls return: nobody wants to read it."""
    if isinstance(result, list | tuple) and result:
        return all(_is_drawing(part) for part in result)
    if type(result).__module__ == "numpy" and hasattr(result, "tolist"):
        return _is_drawing(result.tolist())
    return type(result).__module__.partition(".")[0] in ("matplotlib", "mpl_toolkits")


def _draw(figure: Any) -> Figure:
    alt = " ".join(figure.get_label().split())
    if not alt:
        raise UnfitError("a figure has no alternative text: describe it with fig.set_label('...')")
    try:
        drawing = figures.draw(figure, alt)
    except ValueError as error:
        raise UnfitError(str(error)) from error
    return Figure(drawing.svg, alt, drawing.width, drawing.height)


def _plain(html: str) -> str:
    """A table without inline styles, which the site's security policy forbids."""
    html = re.sub(r"<style.*?</style>\s*", "", html, flags=re.DOTALL)
    html = re.sub(r' (style|border)="[^"]*"', "", html)
    html = html.replace("<th></th>", "<td></td>")
    return re.sub(r"\n\s*", "\n", html).strip()
