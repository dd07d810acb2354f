"""An estimate held against a table of measurements: how far off, and how often the range held.

The table is CSV. Columns, one row a measurement:

    kind            vision or transformer
    parameters, macs, activations         of a model, for one sample (an image)
    parameters, layers, width, tokens     of a transformer
    batch           samples a step on each GPU
    precision       fp32, tf32, amp, bf16              (absent: amp)
    layout          nchw, nhwc, of a vision model      (absent: nchw)
    checkpointing   yes, no                            (absent: no)
    gpus            how many                           (absent: 1)
    gpu, peak_tflops, bandwidth_gbs, capability        of the GPU, dense at the precision
    measured        samples (images, sequences) a second, on all GPUs together
"""

import csv
import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mlhpc.errors import InputError
from mlhpc.estimate.cost import Device, Work, training_s
from mlhpc.estimate.models import Cost

ALWAYS = ("kind", "parameters", "batch", "gpu", "peak_tflops", "bandwidth_gbs", "measured")
OF_KIND = {"vision": ("macs", "activations"), "transformer": ("layers", "width", "tokens")}
ANSWERS = {"yes": True, "no": False, "": False}
OPTIONAL = ("precision", "layout", "checkpointing", "gpus", "capability", "name")


@dataclass(frozen=True)
class Outcome:
    """One row: seconds a sample as measured and as predicted, and whether the range held."""

    name: str
    measured_s: float
    predicted_s: float
    held: bool

    @property
    def error(self) -> float:
        """Relative error of the predicted time."""
        return abs(self.predicted_s / self.measured_s - 1)


def run(path: Path) -> list[Outcome]:
    """Every row of a table. Raises InputError with file, line, column and what is valid."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            _columns(str(path), reader.fieldnames)
            found = [_outcome(f"{path}:{n}", row) for n, row in enumerate(reader, 2)]
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: is no CSV in UTF-8: {error}") from None
    if not found:
        raise InputError(f"{path}: holds no row")
    return found


def document(found: list[Outcome]) -> dict[str, object]:
    """For JSON: number of rows, relative errors of the time, share of rows whose range held."""
    wrong = sorted(one.error for one in found)
    return {
        "rows": len(found),
        "median": statistics.median(wrong),
        "p90": wrong[math.ceil(0.9 * len(wrong)) - 1],
        "max": wrong[-1],
        "held": sum(one.held for one in found) / len(found),
        "worst": [one.name for one in sorted(found, key=lambda it: -it.error)[:5]],
    }


def text(found: list[Outcome]) -> str:
    """For people."""
    values = document(found)
    return "\n".join(
        [f"{values['rows']} rows; relative error of the time:"]
        + [f"  {name:8} {values[key]:6.1%}" for name, key in
           (("median", "median"), ("p90", "p90"), ("maximum", "max"))]
        + [f"the range held for {values['held']:.1%}"]
    )  # fmt: skip


def _columns(name: str, columns: object) -> None:
    have = set(columns or ())  # type: ignore[call-overload]
    known = {*ALWAYS, *OPTIONAL, *(one for names in OF_KIND.values() for one in names)}
    missing = [column for column in ALWAYS if column not in have]
    strange = sorted(str(column) for column in have - known)
    if missing or strange:
        what = f"no column {', '.join(missing)}" if missing else f"column '{strange[0]}' is unknown"
        raise InputError(f"{name}: {what}; valid columns: {', '.join(sorted(known))}")


def _outcome(place: str, row: Mapping[str, str | None]) -> Outcome:
    kind = row.get("kind")
    if kind not in OF_KIND:
        raise InputError(f"{place}: kind: '{kind}' is unknown; valid: {', '.join(OF_KIND)}")
    number = {
        name: _number(place, row, name) for name in (*ALWAYS[1:3], *ALWAYS[4:], *OF_KIND[kind])
    }
    cost = Cost(
        str(row.get("name") or kind), kind, "", number["parameters"], number.get("macs", 0),
        number.get("activations", 0), 0, 0, place, int(number.get("tokens", 0)),
        int(number.get("layers", 0)), int(number.get("width", 0)),
    )  # fmt: skip
    gpus = _count(place, row, "gpus") if row.get("gpus") else 1
    on = Device(str(row["gpu"]), 1e12 * number["peak_tflops"], 1e9 * number["bandwidth_gbs"],
                str(row.get("capability") or ""))  # fmt: skip
    try:
        work = Work(
            batch=_count(place, row, "batch"),
            precision=row.get("precision") or "amp",
            layout=row.get("layout") or "nchw",
            checkpointing=_answer(place, row, "checkpointing"),
            gpus=gpus,
        )
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
    predicted, measured_s = training_s(cost, on, work), 1 / number["measured"]
    held = predicted.low <= measured_s <= predicted.high
    return Outcome(cost.name, measured_s, predicted.likely, held)


def _number(place: str, row: Mapping[str, str | None], column: str) -> float:
    text_ = row.get(column) or ""
    try:
        value = float(text_)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"{place}: {column}: '{text_}' is no number above 0")
    return value


def _count(place: str, row: Mapping[str, str | None], column: str) -> int:
    value = _number(place, row, column)
    if value != int(value):
        raise InputError(f"{place}: {column}: '{row[column]}' is no whole number from 1")
    return int(value)


def _answer(place: str, row: Mapping[str, str | None], column: str) -> bool:
    word = row.get(column) or ""
    if word not in ANSWERS:
        raise InputError(f"{place}: {column}: '{word}' is unknown; valid: yes, no")
    return ANSWERS[word]
