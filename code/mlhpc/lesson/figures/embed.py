"""A figure inside a page: the picture in light and dark, its caption from the provenance, its data.

The picture must be of the records that there are now: where it is not, the build stops.
"""

import html
import statistics
from collections.abc import Iterable, Sequence
from datetime import date

from mlhpc.content import Lesson
from mlhpc.errors import InputError
from mlhpc.lesson.figures import charts, style, tables, write
from mlhpc.lesson.figures.tables import Chart, machine
from mlhpc.lesson.marks import mark
from mlhpc.record import Record, in_words

NAMED = ("torch", "transformers", "monai", "xgboost", "lightgbm", "scikit-learn")


def figure(lesson: Lesson, found: Chart, records: Iterable[Record], own: str, today: date) -> str:
    """The Markdown of a figure; ``own`` is the key of the lesson's cluster.

    Raises InputError where the drawn files are missing or are of other records.
    """
    if found.is_empty:
        return unmeasured(found)
    _check_files(lesson, found)
    old = tables.earlier(records, found.records)
    parts = [
        '<figure class="measured no-figures" markdown="1">',
        _pictures(lesson, found),
        _figcaption(f"{caption(found, own, today)}{_marks(found)}"),
        _details("The data", data(found), f"[As CSV](/{write.FOLDER}/{found.name}.csv)"),
        *([_details("Earlier measurements", earlier(old))] if old else []),
        "</figure>",
    ]
    return "\n\n".join(parts)


def _figcaption(text: str) -> str:
    return f'<figcaption markdown="1">\n\n{text}\n\n</figcaption>'


def unmeasured(found: Chart) -> str:
    """What stands in the place of a figure without records."""
    return (
        f'<p class="unmeasured-figure no-figures"><strong>{html.escape(found.title)}:</strong> '
        '<span class="unmeasured">not measured here</span>. '
        "It is drawn as soon as there are records of it.</p>"
    )


def caption(found: Chart, own: str, today: date) -> str:
    """What to look for, and where, when, how often and with what it was measured."""
    records = found.records
    where = "; ".join(_machines(records, own))
    counts = sorted({len(one.samples) for one in records})
    repeats = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    spread = statistics.median(one.spread for one in records)
    return (
        f"**{found.title}.** {found.reading} Measured on {where}; {_versions(records)}. "
        f"Points are medians of {repeats} repetitions, bars their least and most "
        f"(on average {spread:.0%} apart). {age(records, today)}"
    )


def age(records: Sequence[Record], today: date) -> str:
    """'2026-12-01, 3 days before this page was built', or the range of dates."""
    dates = sorted({one.started.date() for one in records})
    days = (today - dates[-1]).days
    when = f"{dates[0]}" if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    if days < 0:
        raise InputError(f"figures: a record of {dates[-1]} is from the future: today is {today}")
    words = "on the day" if days == 0 else "a day before" if days == 1 else f"{days} days before"
    return f"{when}, {words} {'that ' if days == 0 else ''}this page was built."


def _machines(records: Iterable[Record], own: str) -> list[str]:
    """Each machine once, with whose it is: another's is never passed off as the cluster's."""
    found: dict[str, None] = {}
    for one in records:
        is_own = one.provenance["cluster"] == own
        found[f"{machine(one)} ({'this cluster' if is_own else 'not of this cluster'})"] = None
    return list(found)


def _versions(records: Iterable[Record]) -> str:
    pythons = sorted({one.provenance["python"] for one in records})
    found: dict[str, set[str]] = {}
    for one in records:
        for name, version in one.provenance["packages"].items():
            found.setdefault(name, set()).add(version)
    named = [f"{name} {' and '.join(sorted(found[name]))}" for name in NAMED if name in found]
    return ", ".join([f"Python {' and '.join(pythons)}", *named])


def _marks(found: Chart) -> str:
    return "".join(mark("record", f"record:{one.name}") for one in found.records)


def _check_files(lesson: Lesson, found: Chart) -> None:
    folder = lesson.root / write.FOLDER
    kept = folder / f"{found.name}.csv"
    names = [kept, folder / f"{found.name}-light.svg", folder / f"{found.name}-dark.svg"]
    missing = [path.name for path in names if not path.is_file()]
    if missing or kept.read_text(encoding="utf-8") != write.to_csv(found):
        why = f"{missing[0]} is missing" if missing else f"{kept.name} is of other records"
        raise InputError(f"figures: {why}; draw them anew: make figures")


def _pictures(lesson: Lesson, found: Chart) -> str:
    """Light and dark; the theme shows the one that fits."""
    alt = charts.alt(found).replace("[", "\\[").replace("]", "\\]")
    light = lesson.root / write.FOLDER / f"{found.name}-light.svg"
    width, height = style.size_px(light.read_text(encoding="utf-8"))
    size = f'width="{width}" height="{height}" loading="lazy"'
    return "\n".join(
        f"![{alt}](/{write.FOLDER}/{found.name}-{theme}.svg#only-{theme}){{ {size} }}"
        for theme in ("light", "dark")
    )


def data(found: Chart) -> str:
    """The points as a table."""
    head = ("", found.x_label or "work", found.y_label, "least and most", "machine", "date")
    rows = []
    for series, x, median, low, high, _, where, _, when, _ in write.rows(found):
        span = f"{_short(low)} to {_short(high)}" if when else ""
        rows.append((series, _short(x), _short(median), span, where, when))
    return _table(head, rows, f"Data of: {found.title}")


def earlier(old: Iterable[Record]) -> str:
    """The measurements that those shown have superseded."""
    head = ("measured", "parameters", "median", "machine", "date")
    rows = [
        (one.benchmark, in_words(one.params),
         f"{one.median:.4g} {one.unit}", machine(one), f"{one.started:%Y-%m-%d}")
        for one in old
    ]  # fmt: skip
    return _table(head, rows, "Earlier measurements")


def _short(text: str) -> str:
    try:
        value = float(text)
    except ValueError:
        return text
    return f"{value:,.0f}" if abs(value) >= 1000 or value.is_integer() else f"{value:.3g}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], label: str) -> str:
    """A table in raw HTML; one that scrolls can be reached from the keyboard."""

    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    frame = (
        f'<div class="example__table" tabindex="0" role="group" aria-label="{html.escape(label)}"'
    )
    table = f"<thead><tr>{cells(head, 'th')}</tr></thead><tbody>{body}</tbody>"
    return f"{frame}><table>{table}</table></div>"


def _details(summary: str, *parts: str) -> str:
    body = "\n\n".join(parts)
    return (
        f'<details markdown="1">\n<summary>{html.escape(summary)}</summary>\n\n{body}\n\n</details>'
    )
