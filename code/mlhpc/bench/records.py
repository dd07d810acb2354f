"""From what a program printed to records: the result, where it was made, what was odd."""

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mlhpc import record
from mlhpc.bench import launch, provenance, sources, watch
from mlhpc.bench.catalogue import Program
from mlhpc.bench.provenance import Machine
from mlhpc.bench.watch import Watch
from mlhpc.errors import InputError
from mlhpc.train.measure import spread

LIMIT_S = 6 * 3600.0
BUSY_SHARE = 0.1  # of all cores: more than that at work before the start is worth a note


@dataclass
class Measured:
    """What one program gave: sealed records, findings, and why it ended, where not well."""

    program: str
    preset: str
    command: str
    seconds: float
    records: list[dict[str, Any]] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    failure: str = ""

    def document(self) -> dict[str, Any]:
        """For ``--json``."""
        return dict(vars(self))


def measure(
    program: Program,
    preset: str,
    machine: Machine,
    *,
    on_gpu: bool = False,
    hear: launch.Hear = launch.nobody,
    tier: tuple[str, str] | None = None,
) -> Measured:
    """Run one program here and make records of its results.

    ``tier`` is the name and the folder of a storage, for a program that reads. Raises InputError
    where a GPU is asked for, or a storage, and the program has no use for it.
    """
    if on_gpu and program.device == "cpu":
        raise InputError(f"bench: {program.name} does not use a GPU; leave --device cuda out")
    if tier and "loading" not in program.benchmarks:
        raise InputError(f"bench: {program.name} reads no files; leave --tier and --folder out")
    more = ["--tier", tier[0], "--folder", tier[1]] if tier else []
    gpus = max(1, len(machine.report.gpus)) if on_gpu else 0
    busy = busy_note(watch.busy_cores(), machine)
    with Watch(machine.uuids if on_gpu else (), run=machine.run) as seen:
        ran = launch.run(
            [*program.command(preset, on_gpu, gpus), *more], machine.environ, LIMIT_S, hear,
            lambda pid: setattr(seen, "pid", pid),
        )  # fmt: skip
    command = spoken(program, preset, on_gpu, tier[0] if tier else None)
    found = Measured(program.name, preset, command, round(ran.seconds, 3))
    notes = [*sorted(seen.notes), *busy]
    for line, moment in zip(ran.lines, ran.moments, strict=True):
        if line["kind"] == "finding":
            found.findings.append({name: line[name] for name in launch.LINE_FIELDS["finding"]})
        else:
            found.records.append(
                make(
                    line, moment, program, machine, command=command, notes=notes, ran_s=ran.seconds
                )
            )
    found.failure = ran.failure
    if ran.failure == launch.KILLED:
        found.findings.append({"benchmark": program.name, "params": {}, "finding": launch.KILLED})
    return found


def make(
    line: Mapping[str, Any],
    moment: datetime,
    program: Program,
    machine: Machine,
    *,
    command: str,
    notes: Iterable[str] = (),
    ran_s: float = 0,
) -> dict[str, Any]:
    """One sealed record. Raises InputError for a result that cannot be one."""
    check_durations(line, ran_s)
    stood_on = sources.of_program(program.path)
    packages = {name: sources.version(name) for name in program.packages}
    digest = sources.digest(stood_on.files, machine.root)
    where = provenance.describe(machine, line["device"], command, packages, digest)
    return record.seal(
        {
            "schema": record.SCHEMA,
            "benchmark": line["benchmark"],
            "params": line["params"],
            "unit": line["unit"],
            "samples": line["samples"],
            "started": moment.isoformat(timespec="milliseconds"),
            "provenance": where.values,
            "unknown": where.unknown,
            "notes": [*notes, *_unsettled(line)],
        }
    )


def check_durations(line: Mapping[str, Any], ran_s: float) -> None:
    """Refuse a result of no duration, or of more time than the program ran. Raises InputError."""
    name, seconds = line["benchmark"], line["seconds"]
    if len(seconds) != len(line["samples"]) or not seconds:
        raise InputError(f"{name}: {len(seconds)} durations for {len(line['samples'])} samples")
    if min(seconds) <= 0:
        raise InputError(f"{name}: a repetition of no duration: {min(seconds)} s")
    if ran_s and sum(seconds) > ran_s:
        raise InputError(f"{name}: {sum(seconds):.3g} s in a program that ran for {ran_s:.3g} s")


def spoken(program: Program, preset: str, on_gpu: bool, tier: str | None = None) -> str:
    """The command that makes the same again, without anybody's paths."""
    device = "cuda" if on_gpu else "cpu"
    storage = f" --tier {tier}" if tier else ""
    return f"mlhpc bench run {program.name} --preset {preset} --device {device}{storage}"


def _unsettled(line: Mapping[str, Any]) -> list[str]:
    if line["settled"]:
        return []
    wide = spread(line["samples"])
    return [f"the repetitions did not settle: half of them lie within {wide:.1%} of the median"]


def busy_note(busy_cores: float | None, machine: Machine) -> list[str]:
    """A note where other work kept this machine busy just before the program was started."""
    cores = machine.report.cpus.machine or machine.report.cpus.usable
    if busy_cores is None or not cores or busy_cores <= BUSY_SHARE * cores:
        return []
    return [f"other work kept {busy_cores:.1f} of {cores:g} cores busy just before"]


def table(records: Iterable[Mapping[str, Any]]) -> list[tuple[str, str, str, str, str]]:
    """(benchmark, parameters, median, spread, device) of each record, as text."""
    rows = []
    for one in records:
        params = record.in_words(one["params"])
        where = one["provenance"]
        device = f"{where['gpu_count']} × {where['gpu_model']}" if where["gpu_count"] else "CPU"
        median = f"{statistics.median(one['samples']):.4g} {one['unit']}"
        rows.append((one["benchmark"], params, median, f"{spread(one['samples']):.1%}", device))
    return rows
