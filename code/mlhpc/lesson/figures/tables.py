"""What a figure shows, as rows: series of points made from records, and the machines behind them.

Arithmetic only: nothing is drawn here and nothing is read. A chart without points says 'not
measured here', and is not drawn.
"""

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from mlhpc.cluster import Cluster, Range
from mlhpc.estimate import cost, memory, models
from mlhpc.record import Record

PLAIN = {"resnet": "ResNet-50", "bert": "BERT-base", "unet3d": "3D U-Net", "dense": "dense"}
SAMPLES = {"resnet": "images", "bert": "sequences", "unet3d": "volumes", "dense": "samples"}
LIBRARIES = {"forest": "random forest", "xgboost": "XGBoost", "lightgbm": "LightGBM"}
# the precision of the product's peak in the cluster file
PEAKS = {"fp64": "fp64_tflops", "fp32": "fp32_tflops", "tf32": "tf32_tflops",
         "bf16": "bf16_tflops", "fp16": "bf16_tflops"}  # fmt: skip


@dataclass(frozen=True)
class Point:
    """One point: the median of a record's samples, with the least and the most of them."""

    x: float | str
    y: float
    low: float
    high: float
    record: Record | None = None


@dataclass(frozen=True)
class Series:
    """Points that belong together. A reference is worked out, and not measured."""

    label: str
    points: tuple[Point, ...]
    reference: bool = False


@dataclass(frozen=True)
class Chart:
    """One figure: what it is called, its axes, its series. ``bars``: x are names."""

    name: str
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    bars: bool = False
    reading: str = ""  # one sentence: what to look for

    @property
    def measured(self) -> tuple[Series, ...]:
        """The series that were measured."""
        return tuple(one for one in self.series if not one.reference)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records behind the points, each once, by date."""
        found = {
            point.record.checksum: point.record
            for one in self.series
            for point in one.points
            if point.record
        }
        return tuple(sorted(found.values(), key=lambda one: (one.started, one.checksum)))

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it has been measured."""
        return not self.records


def current(records: Iterable[Record]) -> list[Record]:
    """The newest record of each key."""
    found: dict[Any, Record] = {}
    for one in sorted(records, key=lambda one: one.started):
        found[one.key] = one
    return list(found.values())


def earlier(records: Iterable[Record], shown: Iterable[Record]) -> list[Record]:
    """The records that those shown have superseded, newest first."""
    keys = {one.key for one in shown}
    seen = {one.checksum for one in shown}
    old = [one for one in records if one.key in keys and one.checksum not in seen]
    return sorted(old, key=lambda one: one.started, reverse=True)


def machine(record: Record) -> str:
    """'2 cores of AMD EPYC' or '2 × NVIDIA A100 80GB PCIe': no cluster, no name of a machine."""
    where = record.provenance
    if where["gpu_count"]:
        count = f"{where['gpu_count']} × " if where["gpu_count"] > 1 else ""
        return f"{count}{where['gpu_model'] or 'GPU of unknown model'}"
    cores, model = where["cpus"], where["cpu_model"] or "CPU of unknown model"
    counted = "cores" if cores is None else f"{cores} core{'' if cores == 1 else 's'}"
    return f"{counted} of {model}"


def point(record: Record, x: float | str, scale: float = 1.0) -> Point:
    """A record as a point, all of it times ``scale``."""
    low, high = min(record.samples), max(record.samples)
    return Point(x, scale * record.median, scale * low, scale * high, record)


def group(
    records: Iterable[Record], label: Callable[[Record], str], x: Callable[[Record], float | str]
) -> tuple[Series, ...]:
    """Series by label, each in the order of x."""
    found: dict[str, list[Point]] = {}
    for one in records:
        found.setdefault(label(one), []).append(point(one, x(one)))
    return tuple(
        Series(name, tuple(sorted(points, key=lambda one: (str(type(one.x)), one.x))))
        for name, points in sorted(found.items())
    )


def of(records: Iterable[Record], benchmark: str, **params: object) -> list[Record]:
    """The records of a benchmark with these parameters."""
    return [
        one
        for one in records
        if one.benchmark == benchmark
        and all(one.params.get(name) == value for name, value in params.items())
    ]


def _several(records: Iterable[Record]) -> bool:
    return len({machine(one) for one in records}) > 1


def _on(record: Record, several: bool) -> str:
    return f", {machine(record)}" if several else ""


# --- the figures -------------------------------------------------------------------------------


def speedup(records: list[Record], _cluster: Cluster) -> Chart:
    """Speed-up of each workload on a GPU over the CPU cores of the same cluster or machine."""
    found: dict[str, list[Point]] = {}
    for one in records:
        base = baseline(one, records)
        if base is None:
            continue
        times = gain(one, base)
        low = gain_of(min(one.samples), base.median, one.unit)
        high = gain_of(max(one.samples), base.median, one.unit)
        label = f"{machine(one)} over {machine(base)}"
        shown = Point(workload(one), times, min(low, high), max(low, high), one)
        found.setdefault(label, []).append(shown)
    series = tuple(Series(label, tuple(_best(points))) for label, points in sorted(found.items()))
    return Chart(
        "speedup", "Speed-up by workload and hardware", "", "speed-up over the CPU (×)", series,
        log_y=True, bars=True,
        reading="A bar below 1 is a workload that the GPU makes slower.",
    )  # fmt: skip


def workload(record: Record) -> str:
    """What a record is the work of, for one bar: precision and batch are the machine's choice."""
    params = record.params
    if record.benchmark == "dense":
        return f"dense, width {params['width']:,}"
    if record.benchmark == "trees":
        library = LIBRARIES.get(str(params["library"]), str(params["library"]))
        return f"{library}, {params['rows']:,} rows"
    return PLAIN.get(record.benchmark, record.benchmark)


def _best(points: list[Point]) -> list[Point]:
    """The best setting of each workload: that is what somebody would use."""
    best: dict[float | str, Point] = {}
    for one in points:
        if one.x not in best or one.y > best[one.x].y:
            best[one.x] = one
    return [best[name] for name in sorted(best, key=str)]


def baseline(record: Record, records: Iterable[Record]) -> Record | None:
    """The best CPU result for the workload of a GPU's record, of the same cluster and processor.

    None for a record that is a CPU's itself, or has no such baseline.
    """
    if record.is_cpu or record.benchmark not in (*PLAIN, "trees"):
        return None
    where = record.provenance
    fitting = [
        one
        for one in records
        if one.is_cpu
        and one.benchmark == record.benchmark
        and one.unit == record.unit
        and workload(one) == workload(record)
        and one.provenance["cluster"] == where["cluster"]
        # two machines without a cluster are two machines
        and (where["cluster"] or one.provenance["cpu_model"] == where["cpu_model"])
    ]
    if not fitting:
        return None
    worst_first = record.unit == "s"
    return (min if worst_first else max)(fitting, key=lambda one: one.median)


def measured_gain(
    records: Iterable[Record], cluster: Cluster, workload_: str, gpu: str, gpus: int
) -> tuple[float, Record, Record] | None:
    """(times as fast, the GPU's record, its baseline) on this cluster; None: not measured.

    Of several settings the fastest counts, on either side: that is what somebody would use.
    """
    have = current(one for one in records if one.provenance["cluster"] == cluster.key)
    found = []
    for one in have:
        base, where = baseline(one, have), one.provenance
        which = (where["gpu_type"], where["gpu_count"], workload(one))
        if base and which == (gpu, gpus, workload_):
            found.append((gain(one, base), one, base))
    return max(found, key=lambda each: each[0], default=None)


def gain(record: Record, base: Record) -> float:
    """How many times as fast: the ratio of rates, or of times the other way round."""
    return gain_of(record.median, base.median, record.unit)


def gain_of(value: float, base: float, unit: str) -> float:
    """The same for two values: seconds are better where they are fewer."""
    return base / value if unit == "s" else value / base


def scaling(records: list[Record], _cluster: Cluster) -> Chart:
    """Strong scaling as speed-up, weak scaling as work done, with the ideal and Amdahl's law."""
    runs = of(records, "scaling")
    several = _several(one for one in runs if one.params["processes"] == 1)
    series = []
    for label, group_ in _scaling_groups(runs, several).items():
        ones = [one for one in group_ if one.params["processes"] == 1]
        if not ones:
            continue
        base = ones[0].median
        points = tuple(
            _scaled(one, base) for one in sorted(group_, key=lambda one: one.params["processes"])
        )
        series.append(Series(label, points))
        share = amdahl_share([one for one in points if one.x != 1 and _has_its_own(one)])
        if "shared batch" in label and share is not None:
            most = max(float(one.x) for one in points)
            law = tuple(_reference(n, 1 / ((1 - share) + share / n)) for n in _counts(most))
            series.append(Series(f"Amdahl, {share:.0%} shared", law, reference=True))
    if series:
        most = max(float(one.x) for each in series for one in each.points)
        ideal = tuple(_reference(n, n) for n in _counts(most))
        series.append(Series("ideal", ideal, reference=True))
    return Chart(
        "scaling", "One training on several processes", "processes",
        "work in the same time (×)", tuple(series),
        reading="The distance to the ideal line is what the processes spend on each other, and on "
        "cores and memory that they share: more processes than cores bring nothing.",
    )  # fmt: skip


def _scaling_groups(runs: list[Record], several: bool) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for one in runs:
        words = "shared batch (strong)" if one.params["mode"] == "strong" else "a batch each (weak)"
        kind = _kind(one) if several else ""
        found.setdefault(f"{words}{kind}", []).append(one)
    return found


def _kind(record: Record) -> str:
    where = record.provenance
    return f", {where['gpu_model']}" if where["gpu_count"] else f", {machine(record)}"


def _scaled(record: Record, base_s: float) -> Point:
    """Work in the same time: a weak run does as many batches as there are processes."""
    count = record.params["processes"]
    work = count if record.params["mode"] == "weak" else 1
    speeds = [work * base_s / value for value in (record.median, *record.samples)]
    return Point(count, speeds[0], min(speeds), max(speeds), record)


def amdahl_share(points: Iterable[Point]) -> float | None:
    """The shared part p of a step, from speed-ups: 1/s = (1 - p) + p/n; the median over counts."""
    shares = [(1 - 1 / one.y) / (1 - 1 / float(one.x)) for one in points]
    return min(1.0, max(0.0, statistics.median(shares))) if shares else None


def _has_its_own(one: Point) -> bool:
    """Whether each process had a core or a GPU of its own: the law knows of nothing less."""
    if one.record is None or not one.record.is_cpu:
        return True
    cores = one.record.provenance["cpus"]
    return cores is None or float(one.x) <= cores


def _counts(most: float) -> list[int]:
    return list(range(1, round(most) + 1))


def _reference(x: float, y: float) -> Point:
    return Point(x, y, y, y)


def batch(records: list[Record], _cluster: Cluster) -> Chart:
    """Throughput against the batch, as a share of the best, so that all workloads fit in one."""
    runs = [one for name in ("resnet", "bert", "unet3d") for one in of(records, name)]
    several = _several(runs)
    best: dict[str, float] = {}
    for one in runs:
        label = _batch_label(one, several)
        best[label] = max(best.get(label, 0), one.median)
    found: dict[str, list[Point]] = {}
    for one in runs:
        label = _batch_label(one, several)
        found.setdefault(label, []).append(point(one, one.params["batch"], 100 / best[label]))
    series = tuple(
        Series(f"{label}: at most {best[label]:.3g} {_unit(points)}",
               tuple(sorted(points, key=lambda one: float(one.x))))
        for label, points in sorted(found.items())
    )  # fmt: skip
    return Chart(
        "batch", "Throughput against the batch", "batch", "share of the best throughput (%)",
        series, log_x=True,
        reading="Where a line is flat, a larger batch fills memory and gains nothing.",
    )  # fmt: skip


def _unit(points: list[Point]) -> str:
    found = points[0].record
    return found.unit if found else ""


def _batch_label(record: Record, several: bool) -> str:
    extras = [name for name in ("channels_last", "compile") if record.params.get(name)]
    more = "".join(f", {name.replace('_', ' ')}" for name in extras)
    name, precision = PLAIN[record.benchmark], record.params["precision"]
    return f"{name}, {precision}{more}{_on(record, several)}"


def gpu_memory(records: list[Record], _cluster: Cluster) -> Chart:
    """The peak of the GPU's memory against the batch."""
    runs = [one for name in ("resnet", "bert", "unet3d") for one in of(records, f"{name}-memory")]
    several = _several(runs)

    def label(one: Record) -> str:
        name = PLAIN[one.benchmark.removesuffix("-memory")]
        return f"{name}, {one.params['precision']}{_on(one, several)}"

    series = group(runs, label, lambda one: one.params["batch"])
    return Chart(
        "memory", "Memory of the GPU against the batch", "batch", "memory at its peak (GiB)",
        series, log_x=True, log_y=True,
        reading="What does not grow with the batch is weights, gradients and optimizer.",
    )  # fmt: skip


def estimates(records: list[Record], cluster: Cluster) -> Chart:
    """Measured against estimated: throughput and memory, as a ratio; 1 is a perfect estimate."""
    rates, sizes = [], []
    for one in records:
        expected = _expected_rate(one, cluster)
        if expected:
            rates.append(point(one, _setting(one), 1 / expected))
        expected = _expected_gib(one)
        if expected:
            sizes.append(point(one, _setting(one), 1 / expected))
    series = [Series("throughput", tuple(rates)), Series("memory", tuple(sizes))]
    return Chart(
        "estimates", "Measured against estimated", "", "measured over estimated (×)",
        tuple(one for one in series if one.points), bars=True,
        reading="At 1 the estimate was right; above 1 the machine did more than it said.",
    )  # fmt: skip


def _setting(record: Record) -> str:
    name = PLAIN[record.benchmark.removesuffix("-memory")]
    return f"{name}, {record.params['precision']}, {record.params['batch']}"


def _cost(record: Record) -> models.Cost | None:
    """What the estimates know of a record's model; None where its shape is another one."""
    params, name = record.params, record.benchmark.removesuffix("-memory")
    if name == "resnet":
        return models.resnet50(int(params["size"]))
    if name == "bert" and params["layers"] == 12:
        return models.bert(int(params["length"]))
    return None


def _expected_rate(record: Record, cluster: Cluster) -> float | None:
    """Samples a second by the estimate's likely value; None where it has none."""
    found = _cost(record)
    gpu = record.provenance["gpu_type"]
    if found is None or record.is_cpu or gpu is None or record.benchmark not in PLAIN:
        return None
    precision = str(record.params["precision"])
    layout = "nhwc" if record.params.get("channels_last") else "nchw"
    work = cost.Work(int(record.params["batch"]), precision, layout)
    seconds = cost.training_s(found, cost.device(cluster, gpu, precision), work)
    return 1 / seconds.likely


def _expected_gib(record: Record) -> float | None:
    """GiB by the estimate, without libraries, which torch does not count; or None."""
    if not record.benchmark.endswith("-memory"):
        return None
    found = _cost(record)
    if found is None:
        return None
    size, precision = int(record.params["batch"]), str(record.params["precision"])
    parts = memory.training(found, size, precision=precision, optimizer="momentum").parts
    return sum(part.likely for name, part in parts.items() if name != "libraries")


def matmul(records: list[Record], cluster: Cluster) -> Chart:
    """Achieved against size by precision, with the peak of a GPU of the cluster file."""
    runs = of(records, "matmul")
    several = _several(runs)
    series = list(
        group(
            runs,
            lambda one: f"{one.params['precision']}{_on(one, several)}",
            lambda one: one.params["size"],
        )
    )
    sizes = sorted({float(one.params["size"]) for one in runs})
    for gpu, precision in sorted(_peaks_shown(runs)):
        peak = cluster.fact(f"gpu.{gpu}.{PEAKS[precision]}").value
        if isinstance(peak, (int, float, Range)):
            value = peak.high if isinstance(peak, Range) else float(peak)
            line = tuple(_reference(size, value) for size in (sizes[0], sizes[-1]))
            series.append(Series(f"{precision} peak of {gpu}", line, reference=True))
    return Chart(
        "matmul", "Products of square matrices", "rows of a matrix", "TFLOP/s", tuple(series),
        log_x=True, log_y=True,
        reading="Where a line rises with the size, small products start work and hardly do any.",
    )  # fmt: skip


def _peaks_shown(runs: Iterable[Record]) -> set[tuple[str, str]]:
    return {
        (one.provenance["gpu_type"], str(one.params["precision"]))
        for one in runs
        if one.provenance["gpu_type"]
    }


def dense(records: list[Record], _cluster: Cluster) -> Chart:
    """Throughput of dense networks against their width, by batch."""
    runs = of(records, "dense", precision="fp32")
    several = _several(runs)
    series = group(
        runs,
        lambda one: f"batch {one.params['batch']:,}{_on(one, several)}",
        lambda one: one.params["width"],
    )
    return Chart(
        "dense", "Dense networks by width and batch", "width of a hidden layer", "samples a second",
        series, log_x=True, log_y=True,
        reading="Where a line is flat, starting the work costs more than doing it: no GPU helps.",
    )  # fmt: skip


def trees(records: list[Record], _cluster: Cluster) -> Chart:
    """Seconds of a training against the rows of the table, by library."""
    runs = of(records, "trees")
    several = _several(runs)
    series = group(
        runs,
        lambda one: LIBRARIES[str(one.params["library"])] + _on(one, several),
        lambda one: one.params["rows"],
    )
    return Chart(
        "trees", "Tree models by rows", "rows of the table", "seconds of a training", series,
        log_x=True, log_y=True,
        reading="Read how many times the time ten times the rows take: it depends on the library.",
    )  # fmt: skip


def loading(records: list[Record], _cluster: Cluster) -> Chart:
    """Images a second against the workers of the loader, cold and warm, by storage."""
    runs = of(records, "loading", kind="images")
    several = len({(machine(one), one.params["tier"]) for one in runs}) > 1
    series = group(
        runs,
        lambda one: (
            f"{'first reading' if one.params['cache'] == 'cold' else 'read before'}"
            + (f", {one.params['tier']}{_on(one, several)}" if several else "")
        ),
        lambda one: one.params["workers"],
    )
    return Chart(
        "loading", "Reading and decoding images", "workers of the loader", "images a second",
        series,
        reading="Where a line stops rising, no core is left for another worker, or the storage is "
        "what one waits for.",
    )  # fmt: skip


CHARTS: dict[str, Callable[[list[Record], Cluster], Chart]] = {
    "speedup": speedup,
    "scaling": scaling,
    "batch": batch,
    "memory": gpu_memory,
    "estimates": estimates,
    "dense": dense,
    "trees": trees,
    "loading": loading,
    "matmul": matmul,
}


def chart(name: str, records: Iterable[Record], cluster: Cluster) -> Chart:
    """One figure from the newest records of each key; KeyError for an unknown name."""
    return CHARTS[name](current(records), cluster)
