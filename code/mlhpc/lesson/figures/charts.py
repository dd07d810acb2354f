"""Draws a chart: its series as lines with markers, or as bars; each readable without colour."""

from typing import TYPE_CHECKING

from mlhpc.lesson.figures import style
from mlhpc.lesson.figures.tables import Chart, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 24
HATCHES = ("", "//", "..", "xx", "--")
ALT_POINTS = 6
BAR_HEIGHT_IN = 0.42
LEAST_HEIGHT_IN = 2.4
LEGEND_ROW_IN = 0.22
PLOT_HEIGHT_IN = 3.4


def draw(chart: Chart) -> style.Drawing:
    """The chart as a light SVG. Raises ValueError for one without points."""
    if chart.is_empty:
        raise ValueError(f"{chart.name}: nothing was measured: there is nothing to draw")
    from matplotlib import pyplot

    style.use_style()
    height = _bars_height(chart) if chart.bars else PLOT_HEIGHT_IN
    height += LEGEND_ROW_IN * _legend_rows(chart)
    figure, axes = pyplot.subplots(figsize=(style.WIDTH_IN, height), layout="constrained")
    try:
        (_draw_bars if chart.bars else _draw_lines)(axes, chart)
        if len(chart.series) > 1:
            figure.legend(loc="outside upper left", ncols=_columns(chart))
        return style.draw(figure, alt(chart))
    finally:
        pyplot.close(figure)


def alt(chart: Chart) -> str:
    """The chart in words: what it shows, and each series with its first points."""
    parts = [chart.title + "."]
    for one in chart.measured:
        shown = one.points if len(one.points) <= ALT_POINTS else one.points[:ALT_POINTS]
        more = "" if len(shown) == len(one.points) else ", and more"
        values = ", ".join(f"{_number(point.y)} at {_x(point.x)}" for point in shown)
        parts.append(f"{one.label}: {values}{more}.")
    lines = [one.label for one in chart.series if one.reference]
    if lines:
        parts.append(f"Lines for comparison: {', '.join(lines)}.")
    axis = f" against {chart.x_label}" if chart.x_label else ""
    return " ".join([parts[0], f"{chart.y_label}{axis}.", *parts[1:]])


def _legend_rows(chart: Chart) -> int:
    count = len(chart.series)
    return 0 if count < 2 else -(-count // _columns(chart))


def _columns(chart: Chart) -> int:
    return 2 if max(len(one.label) for one in chart.series) <= 38 else 1


def _bars_height(chart: Chart) -> float:
    names = {point.x for one in chart.series for point in one.points}
    return max(LEAST_HEIGHT_IN, BAR_HEIGHT_IN * len(names) * max(1, len(chart.series) * 0.7))


def _draw_lines(axes: "Axes", chart: Chart) -> None:
    measured = 0
    for one in chart.series:
        xs = [float(point.x) for point in one.points]
        ys = [point.y for point in one.points]
        if one.reference:
            dash = ":" if one.label == "ideal" else "--"
            axes.plot(
                xs, ys, linestyle=dash, label=one.label, color=style.MUTED, linewidth=1.2, marker=""
            )
            continue
        at = measured % len(style.SERIES)
        axes.errorbar(
            xs, ys, yerr=_errors(one), label=one.label, color=style.SERIES[at],
            marker=style.MARKERS[at], linestyle=style.DASHES[at], capsize=3, elinewidth=1,
        )  # fmt: skip
        measured += 1
    _axes(axes, chart)
    if not chart.log_y:
        axes.set_ylim(bottom=0)


def _draw_bars(axes: "Axes", chart: Chart) -> None:
    names = list(dict.fromkeys(str(point.x) for one in chart.series for point in one.points))
    thick = 0.8 / len(chart.series)
    for number, one in enumerate(chart.series):
        places = [names.index(str(point.x)) + number * thick for point in one.points]
        axes.barh(
            places, [point.y for point in one.points], height=thick, label=one.label,
            color=style.SERIES[number % len(style.SERIES)], xerr=_errors(one), ecolor=style.INK,
            hatch=HATCHES[number % len(HATCHES)],
        )  # fmt: skip
    axes.set_yticks([at + (len(chart.series) - 1) * thick / 2 for at in range(len(names))], names)
    axes.invert_yaxis()
    axes.axvline(1, color=style.INK, linewidth=1)
    axes.set_xlabel(chart.y_label)
    if chart.log_y:
        axes.set_xscale("log")
        _plain_ticks(axes.xaxis)


def _errors(series: Series) -> list[list[float]]:
    return [
        [max(0.0, point.y - point.low) for point in series.points],
        [max(0.0, point.high - point.y) for point in series.points],
    ]


def _axes(axes: "Axes", chart: Chart) -> None:
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.y_label)
    xs = sorted({float(point.x) for one in chart.measured for point in one.points})
    if chart.log_x:
        axes.set_xscale("log", base=2 if xs[-1] / max(xs[0], 1) < 4096 else 10)
    if chart.log_y:
        axes.set_yscale("log")
        _plain_ticks(axes.yaxis)
    if len(xs) <= 9:
        axes.set_xticks(xs, [_x(x) for x in xs])
        axes.minorticks_off()


def _plain_ticks(axis: object) -> None:
    """Numbers as people write them, and not powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    axis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5), numticks=12))  # type: ignore[attr-defined]
    axis.set_major_formatter(FuncFormatter(lambda value, _: _number(value)))  # type: ignore[attr-defined]
    axis.set_minor_formatter(FuncFormatter(lambda _value, _: ""))  # type: ignore[attr-defined]


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _x(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:g}"
