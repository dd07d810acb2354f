"""Figures of the lesson: one style, saved as a light SVG, and its dark twin made from it.

The dark twin is the light one with its colours mapped, so that a figure is drawn once. A colour
with no dark twin is refused: it could vanish into the ground.
"""

import io
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, MUTED, GRID, GROUND = "#1c2521", "#56635c", "#dddfd8", "#fbfbf7"
ACCENT = "#9a4f0c"
# The series of a figure, in order: each has its own marker and dash too, since colour alone
# does not reach everyone.
SERIES = ("#0072b2", "#b34700", "#00796b", "#7b4ea3", "#6b6b00")
MARKERS = ("o", "s", "^", "D", "v")
DASHES = ("-", "--", "-.", ":", (0, (6, 2, 1, 2, 1, 2)))

DARK_INK, DARK_GROUND = "#e4e9e5", "#141a17"
DARK_TWINS = {
    INK: DARK_INK,
    MUTED: "#a3b0a8",
    GRID: "#2d3732",
    GROUND: DARK_GROUND,
    ACCENT: "#f0a860",
    "#0072b2": "#56b4e9",
    "#b34700": "#f0a860",
    "#00796b": "#5fd3b3",
    "#7b4ea3": "#c9a0e8",
    "#6b6b00": "#d9d36a",
}

# A page's text is 740 px wide; an SVG's point is 4/3 px.
WIDTH_PX = 740
WIDTH_IN = WIDTH_PX * 3 / 4 / 72
HEIGHT_IN = WIDTH_IN * 0.56
# An <img> cannot use the page's own fonts, so the text stays text in the reader's system font.
# matplotlib lays it out in DejaVu Sans, which is wider than all of these: nothing overflows.
FONTS = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
SVG_BYTES_MAX = 200_000

_COLOUR = re.compile(r"(?<=: )#[0-9a-f]{6}\b")
_SIZE = re.compile(r'<svg[^>]* width="([\d.]+)pt" height="([\d.]+)pt"')


@dataclass(frozen=True)
class Drawing:
    """A figure as light SVG text, with its size in CSS pixels."""

    svg: str
    width: int
    height: int


def use_style() -> None:
    """Give matplotlib the lesson's colours and sizes, without a window (Agg)."""
    import matplotlib
    from cycler import cycler

    matplotlib.use("agg")
    series = cycler(color=SERIES) + cycler(marker=MARKERS) + cycler(linestyle=DASHES)
    matplotlib.rcParams.update({**_COLOURS, **_SIZES, "axes.prop_cycle": series})


_COLOURS: dict[Any, Any] = {
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "grid.color": GRID,
    "patch.edgecolor": INK,
    "hatch.color": INK,
    "lines.color": SERIES[0],
    "boxplot.boxprops.color": INK,
    "boxplot.whiskerprops.color": INK,
    "boxplot.capprops.color": INK,
    "boxplot.flierprops.color": INK,
    "boxplot.flierprops.markeredgecolor": INK,
    "boxplot.medianprops.color": SERIES[1],
}
_SIZES: dict[Any, Any] = {
    "figure.figsize": (WIDTH_IN, HEIGHT_IN),
    "figure.constrained_layout.use": True,
    "font.family": ["DejaVu Sans"],
    "font.size": 10.5,
    "axes.labelsize": 10.5,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "legend.fontsize": 9.5,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "none",
    # names inside the file come from this salt, not from chance: equal figures, equal bytes
    "svg.hashsalt": "mlhpc",
}


def draw(figure: "Figure", alt: str) -> Drawing:
    """The figure as a light SVG with ``alt`` as its title; the same bytes for the same figure.

    Raises ValueError where it is too heavy for a page or has a colour without a dark twin.
    """
    buffer = io.StringIO()
    with warnings.catch_warnings():
        # what matplotlib could not lay out is not a picture for a page
        warnings.filterwarnings("error", message="constrained_layout not applied")
        _save(figure, buffer, alt)
    svg = _tidy(buffer.getvalue())
    if len(svg) > SVG_BYTES_MAX:
        limit, size = SVG_BYTES_MAX // 1000, len(svg) // 1000
        raise ValueError(f"the figure takes {size} kB as SVG, at most {limit}: draw fewer points")
    darken(svg)
    width, height = size_px(svg)
    return Drawing(svg, width, height)


def _save(figure: "Figure", buffer: io.StringIO, alt: str) -> None:
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    undated = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    try:
        # savefig would draw everything twice, the first time only to lay it out
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(buffer, metadata={**undated, "Title": alt})
    except UserWarning as warning:
        raise ValueError(f"the figure cannot be laid out: {warning}") from warning


def darken(svg: str) -> str:
    """The dark twin of a light SVG. Raises ValueError for a colour that has none."""
    strays = sorted({colour for colour in _COLOUR.findall(svg) if _dark_twin(colour) is None})
    if strays:
        choices = ", ".join(("C0 to C4", "greys", *DARK_TWINS))
        raise ValueError(f"no dark twin for colour {', '.join(strays)}; valid choices: {choices}")
    return _COLOUR.sub(lambda match: _dark_twin(match[0]) or "", svg)


def _dark_twin(colour: str) -> str | None:
    return DARK_TWINS.get(colour) or _dark_grey(colour)


def _dark_grey(colour: str) -> str | None:
    """A grey between ink and ground, at the same place between the dark ink and ground."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    if not red == green == blue:
        return None
    return "#" + "".join(f"{value:02x}" for value in _between(red / 255))


def _between(share: float) -> Iterable[int]:
    for at in (1, 3, 5):
        ink, ground = (int(colour[at : at + 2], 16) for colour in (DARK_INK, DARK_GROUND))
        yield round(ink + (ground - ink) * share)


def _tidy(svg: str) -> str:
    """Without what a page has no use for: the declaration, metadata, comments and indents."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"\s*<metadata>.*?</metadata>|\s*<!--.*?-->", "", body, flags=re.DOTALL)
    body = re.sub(r"^ +", "", body, flags=re.MULTILINE)
    body = body.replace("'DejaVu Sans'", FONTS)
    return re.sub(r" ?\n(?=[LCQz])", " ", body)


def size_px(svg: str) -> tuple[int, int]:
    """Width and height of an SVG in CSS pixels. Raises ValueError where it names none."""
    found = _SIZE.search(svg)
    if found is None:
        raise ValueError("the SVG has no size in points")
    width, height = (round(float(points) * 4 / 3) for points in found.groups())
    return width, height
