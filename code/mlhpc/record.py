"""A measurement with its provenance: validate, key, latest, load, save.

A record is one JSON file in ``episodes/measurements/``. It says what ran, where, with what, and
every repetition. A field that is not known holds ``null`` and its reason stands under
``unknown``; a field that is missing is refused. The checksum catches an edit by accident, not
one by intent. ``notes`` say what was odd while it ran: throttling, another process, a wide spread.
"""

import hashlib
import json
import math
import re
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from mlhpc import content
from mlhpc.errors import InputError

SCHEMA = 1
LONGEST_NOTE = 300

# The only variables of the environment that a record may hold: they change speed, none names a
# person or a machine.
VARIABLES = frozenset(
    {
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "CUDA_LAUNCH_BLOCKING",
        "NVIDIA_TF32_OVERRIDE",
        "NCCL_P2P_DISABLE",
        "PYTORCH_ALLOC_CONF",
        "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
        "SLURM_CPUS_PER_TASK",
        "SLURM_NTASKS",
        "SLURM_JOB_NUM_NODES",
        "SLURM_GPUS_ON_NODE",
    }
)

FIELDS: dict[str, tuple[type, ...]] = {
    "schema": (int,),
    "benchmark": (str,),
    "params": (dict,),
    "unit": (str,),
    "samples": (list,),
    "started": (str,),
    "provenance": (dict,),
    "unknown": (dict,),
    "notes": (list,),
    "checksum": (str,),
}
PROVENANCE: dict[str, tuple[type, ...]] = {
    "cluster": (str,),
    "partition": (str,),
    "node": (int,),
    "cpu_model": (str,),
    "cpus": (int,),
    "gpu_type": (str,),
    "gpu_model": (str,),
    "gpu_count": (int,),
    "driver": (str,),
    "cuda": (str,),
    "power_limit_w": (int, float),
    "python": (str,),
    "packages": (dict,),
    "commit": (str,),
    "dirty": (bool,),
    "sources": (str,),
    "command": (str,),
    "variables": (dict,),
}
# These are always known to the program that writes a record.
NEVER_UNKNOWN = frozenset({"python", "packages", "command", "variables", "gpu_count", "sources"})


@dataclass(frozen=True)
class Key:
    """What makes two records measurements of the same thing on the same kind of machine."""

    benchmark: str
    params: tuple[tuple[str, str], ...]
    cluster: str | None
    cpu_model: str | None
    gpu: str | None
    gpu_count: int

    def __str__(self) -> str:
        params = in_words(dict(self.params))
        gpu = f"{self.gpu_count} x {self.gpu}" if self.gpu_count else f"no GPU, {self.cpu_model}"
        return f"{self.benchmark} ({params}) on {self.cluster}: {gpu}"


@dataclass(frozen=True)
class Record:
    """One validated measurement. ``samples`` are in ``unit``, one for each repetition."""

    benchmark: str
    params: Mapping[str, Any]
    unit: str
    samples: tuple[float, ...]
    started: datetime
    provenance: Mapping[str, Any]
    unknown: Mapping[str, str]
    notes: tuple[str, ...]
    checksum: str

    @property
    def median(self) -> float:
        """The median of the samples, in ``unit``."""
        return statistics.median(self.samples)

    @property
    def spread(self) -> float:
        """(largest - smallest) / median: a share, 0 for a single sample."""
        return (max(self.samples) - min(self.samples)) / self.median

    @property
    def is_cpu(self) -> bool:
        """Whether no GPU took part."""
        return bool(self.provenance["gpu_count"] == 0)

    @property
    def key(self) -> Key:
        """What this is a measurement of; records with one key supersede each other by date."""
        where = self.provenance
        params = tuple(sorted((name, json.dumps(value)) for name, value in self.params.items()))
        return Key(
            self.benchmark,
            params,
            where["cluster"],
            None if where["gpu_count"] else where["cpu_model"],
            where["gpu_type"] or where["gpu_model"],
            where["gpu_count"],
        )

    @property
    def name(self) -> str:
        """A short name that is the same on each build: for file names, links and anchors."""
        return f"{self.benchmark}-{self.checksum[:12]}"


def in_words(params: Mapping[str, object]) -> str:
    """Parameters in one line: 'batch=4 precision=fp32'."""
    return " ".join(f"{name}={value}" for name, value in params.items())


def checksum(document: Mapping[str, Any]) -> str:
    """The SHA-256 of a record's document without its checksum, in one fixed spelling."""
    body = {name: value for name, value in document.items() if name != "checksum"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def parse(document: object, where: str) -> Record:
    """A document as read from JSON to a Record; InputError that names ``where`` and the field."""
    if not isinstance(document, dict):
        raise InputError(f"{where}: a record is one JSON object, not {type(document).__name__}")
    _check_names(document, FIELDS, where)
    provenance, unknown = document["provenance"], document["unknown"]
    _check_types(document, FIELDS, where, unknown={})
    _check_names(provenance, PROVENANCE, f"{where}: provenance")
    _check_unknown(provenance, unknown, where)
    _check_types(provenance, PROVENANCE, f"{where}: provenance", unknown)
    _check_values(document, where)
    return Record(
        benchmark=document["benchmark"],
        params=document["params"],
        unit=document["unit"],
        samples=tuple(float(sample) for sample in document["samples"]),
        started=_started(document["started"], where),
        provenance=provenance,
        unknown=unknown,
        notes=tuple(document["notes"]),
        checksum=document["checksum"],
    )


def load(path: Path) -> Record:
    """One record from its file. Raises InputError for anything that is not one."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse_constant)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not valid JSON: {error}") from error
    return parse(document, str(path))


def seal(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with the checksum that fits it. Raises InputError where it is no record."""
    sealed = {**document, "checksum": checksum(document)}
    parse(sealed, str(document.get("benchmark", "record")))
    return sealed


def file_name(document: Mapping[str, Any]) -> str:
    """The name of a record's file: what, when, and which of several of that moment."""
    when = datetime.fromisoformat(document["started"]).strftime("%Y%m%dT%H%M%SZ")
    return f"{document['benchmark']}-{when}-{document['checksum'][:12]}.json"


def save(document: Mapping[str, Any], folder: Path) -> Path:
    """Write a sealed record into ``folder``, whole or not at all; the path of its file.

    A record that is there already is left as it is: one file, however often it is saved. Raises
    InputError for a document that is no record.
    """
    name = file_name(document)
    parse(document, name)
    text = json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    content.write_atomic(folder / name, text)
    return folder / name


def merge(sources: Iterable[Path], folder: Path) -> list[Path]:
    """Save records from other files into ``folder``; the paths of those that were new.

    Every file is read first: one that is no record stops the merge before anything is written.
    Raises InputError also for two records of one moment that measure the same and differ.
    """
    known = load_all(folder)
    seen = {found.checksum for found in known}
    moments = {(found.key, found.started): found.checksum for found in known}
    new = []
    for path in sources:
        found = load(path)
        if moments.setdefault((found.key, found.started), found.checksum) != found.checksum:
            raise InputError(f"{path}: another record measures the same at the same moment")
        if found.checksum not in seen:
            seen.add(found.checksum)
            new.append(json.loads(path.read_text(encoding="utf-8")))
    return [save(document, folder) for document in new]


def load_all(folder: Path) -> list[Record]:
    """Every record in a folder, in the order of their dates; an absent folder has none."""
    records = [load(path) for path in sorted(folder.glob("*.json"))]
    return sorted(records, key=lambda record: (record.started, record.checksum))


def latest(
    records: Iterable[Record],
    benchmark: str,
    *,
    gpu: str | None = None,
    cluster: str | None = None,
    **params: object,
) -> Record | None:
    """The newest record that fits, or None where nothing was measured.

    ``gpu`` is a GPU type of the cluster file, or "none" for a measurement without one. Raises
    InputError where records of more than one key fit: a page must say which of them it means.
    """
    fitting = [
        record
        for record in records
        if record.benchmark == benchmark
        and _fits_gpu(record, gpu)
        and cluster in (None, record.provenance["cluster"])
        and all(record.params.get(name) == value for name, value in params.items())
    ]
    keys = sorted({str(record.key) for record in fitting})
    if len(keys) > 1:
        raise InputError(f"record: {benchmark!r} is ambiguous; say which of: {'; '.join(keys)}")
    return _newest(fitting)


def _newest(records: list[Record]) -> Record | None:
    if not records:
        return None
    newest = max(record.started for record in records)
    candidates = [record for record in records if record.started == newest]
    if len(candidates) > 1:
        names = ", ".join(record.name for record in candidates)
        raise InputError(f"record: two records of one moment measure the same: {names}")
    return candidates[0]


def _fits_gpu(record: Record, gpu: str | None) -> bool:
    if gpu == "none":
        return bool(record.provenance["gpu_count"] == 0)
    return gpu in (None, record.provenance["gpu_type"])


def _check_names(found: object, known: Mapping[str, object], where: str) -> None:
    if not isinstance(found, dict):
        raise InputError(f"{where}: must be an object")
    for name in known:
        if name not in found:
            raise InputError(f"{where}: field {name!r} is missing; write null and give its reason")
    for name in found:
        if name not in known:
            raise InputError(f"{where}: unknown field {name!r}; valid: {', '.join(known)}")


def _check_types(
    found: Mapping[str, Any],
    known: Mapping[str, tuple[type, ...]],
    where: str,
    unknown: Mapping[str, str],
) -> None:
    for name, types in known.items():
        value = found[name]
        if value is None and name in unknown:
            continue
        # bool is an int to isinstance, and never meant where a number is
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            valid = " or ".join(kind.__name__ for kind in types)
            raise InputError(f"{where}: {name}: {value!r} is not a {valid}")


def _check_unknown(provenance: Mapping[str, Any], unknown: object, where: str) -> None:
    if not isinstance(unknown, dict):
        raise InputError(f"{where}: unknown: must be an object of field: reason")
    for name, reason in unknown.items():
        if name not in PROVENANCE or name in NEVER_UNKNOWN:
            raise InputError(f"{where}: unknown: {name!r} is not a field that may be unknown")
        if not isinstance(reason, str) or not reason.strip():
            raise InputError(f"{where}: unknown: {name}: needs its reason")
        if provenance[name] is not None:
            raise InputError(f"{where}: {name}: has a value and a reason to be unknown")


def _check_values(document: Mapping[str, Any], where: str) -> None:
    if document["schema"] != SCHEMA:
        raise InputError(f"{where}: schema: {document['schema']} is not known; valid: {SCHEMA}")
    if not re.fullmatch(r"[a-z][a-z0-9-]*", document["benchmark"]):
        raise InputError(f"{where}: benchmark: {document['benchmark']!r}: use a-z, 0-9 and -")
    if not document["unit"].strip():
        raise InputError(f"{where}: unit: is empty")
    _check_samples(document["samples"], where)
    _check_provenance(document["provenance"], where)
    _check_params(document["params"], where)
    _check_notes(document["notes"], where)
    if document["checksum"] != checksum(document):
        raise InputError(f"{where}: checksum: does not fit; the record was changed by hand")


def _check_samples(samples: list[object], where: str) -> None:
    if not samples:
        raise InputError(f"{where}: samples: there is none; a record holds every repetition")
    for sample in samples:
        if isinstance(sample, bool) or not isinstance(sample, (int, float)):
            raise InputError(f"{where}: samples: {sample!r} is not a number")
        if not math.isfinite(sample) or sample <= 0:
            raise InputError(f"{where}: samples: {sample!r} is not a finite number above 0")


def _check_params(params: Mapping[str, object], where: str) -> None:
    for name, value in params.items():
        if not isinstance(value, (str, int, float, bool)):
            raise InputError(
                f"{where}: params: {name}: {value!r} is not text, number or true/false"
            )


def _check_notes(notes: list[object], where: str) -> None:
    for note in notes:
        if not isinstance(note, str) or not note.strip() or len(note) > LONGEST_NOTE:
            raise InputError(
                f"{where}: notes: {note!r} is not a text of 1 to {LONGEST_NOTE} characters"
            )


def _check_provenance(provenance: Mapping[str, Any], where: str) -> None:
    for name in ("packages", "variables"):
        for key, value in provenance[name].items():
            if not isinstance(value, str):
                raise InputError(f"{where}: {name}: {key}: {value!r} is not text")
    for name in provenance["variables"]:
        if name not in VARIABLES:
            valid = ", ".join(sorted(VARIABLES))
            raise InputError(f"{where}: variables: {name!r} may not be kept; valid: {valid}")
    for name in ("gpu_count", "cpus", "node", "power_limit_w"):
        value = provenance[name]
        if value is not None and value < 0:
            raise InputError(f"{where}: {name}: {value} is below 0")
    if provenance["gpu_count"] == 0 and provenance["gpu_type"] is not None:
        raise InputError(f"{where}: gpu_type: {provenance['gpu_type']!r} with no GPU counted")
    if not re.fullmatch(r"[0-9a-f]{64}", provenance["sources"]):
        raise InputError(f"{where}: sources: is not a SHA-256 in hexadecimal")


def _started(text: str, where: str) -> datetime:
    try:
        started = datetime.fromisoformat(text)
        in_utc = started.utcoffset() == timedelta(0)
    except ValueError:
        in_utc = False
    if not in_utc:
        raise InputError(f"{where}: started: {text!r} is not a UTC time like 2026-05-01T12:00:00Z")
    return started


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")
