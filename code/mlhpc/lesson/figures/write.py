"""Puts the figures where the pages find them: light and dark SVG and a CSV for each.

They are written only where their bytes differ, and what is no figure of now is removed.
"""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from mlhpc import content, record
from mlhpc.cluster import Cluster
from mlhpc.lesson.figures import charts, style
from mlhpc.lesson.figures.tables import CHARTS, Chart, chart, machine

FOLDER = "figures"
COLUMNS = ("series", "x", "median", "low", "high", "unit", "machine", "cluster", "date", "record")


def write(lesson: content.Lesson, cluster: Cluster) -> tuple[list[str], list[str]]:
    """Write every figure that has something to show; (written, removed) file names.

    Raises InputError for a record that is none, ValueError for a figure that cannot be drawn.
    """
    records = record.load_all(lesson.measurements)
    files: dict[str, str] = {}
    for name in CHARTS:
        found = chart(name, records, cluster)
        if not found.is_empty:
            files |= _files(found)
    folder = lesson.root / FOLDER
    written = [name for name, text in files.items() if content.write_atomic(folder / name, text)]
    return written, _remove_others(folder, set(files))


def _files(found: Chart) -> dict[str, str]:
    drawing = charts.draw(found)
    return {
        f"{found.name}-light.svg": drawing.svg,
        f"{found.name}-dark.svg": style.darken(drawing.svg),
        f"{found.name}.csv": to_csv(found),
    }


def to_csv(found: Chart) -> str:
    """The points of a chart with the machine and the record of each."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows(found))
    return text.getvalue()


def rows(found: Chart) -> Iterable[tuple[str, ...]]:
    """One row a point; a line for comparison has no record."""
    for one in found.series:
        for point in one.points:
            values = (f"{value:.6g}" for value in (point.y, point.low, point.high))
            source = point.record
            where = (
                (machine(source), source.provenance["cluster"] or "unknown",
                 f"{source.started:%Y-%m-%d}", source.name)
                if source else ("worked out", "", "", "")
            )  # fmt: skip
            x = point.x if isinstance(point.x, str) else f"{point.x:g}"
            yield (one.label, x, *values, found.y_label, *where)


def _remove_others(folder: Path, names: set[str]) -> list[str]:
    gone = [path for path in sorted(folder.glob("*")) if path.name not in names]
    for path in gone:
        path.unlink()
    return [path.name for path in gone]
