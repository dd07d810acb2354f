"""A cluster, as its file describes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlhpc.cluster import consistency, parse
from mlhpc.cluster.facts import Fact
from mlhpc.cluster.place import near
from mlhpc.cluster.tables import (
    NAMED,
    SINGLE,
    About,
    Gpu,
    Limits,
    Login,
    NodeGroup,
    OnDemand,
    Partition,
    Software,
    Storage,
)
from mlhpc.errors import InputError

BUILT_IN = Path(__file__).resolve().parent.parent / "clusters"
TOTAL = "gpu.total"


@dataclass(frozen=True)
class Cluster:
    """A cluster: tables of plain values (None where unknown), and each as a Fact by its path.

    ``key`` is the file's name without its ending, ``origin`` the file itself, for messages.
    """

    key: str
    origin: str
    about: About
    login: Login
    partitions: Mapping[str, Partition]
    nodes: Mapping[str, NodeGroup]
    gpus: Mapping[str, Gpu]
    storage: Mapping[str, Storage]
    ondemand: OnDemand
    software: Software
    limits: Limits
    by_path: Mapping[str, Fact] = field(repr=False)
    text: str = field(repr=False, default="")

    @property
    def name(self) -> str:
        """What people call it."""
        return self.about.name or self.key

    def facts(self) -> list[Fact]:
        """Every fact that the format knows of this cluster's tables, the unknown ones too."""
        return list(self.by_path.values())

    def fact(self, path: str) -> Fact:
        """The fact at ``path``, such as 'gpu.a100.memory_gb', 'gpu.total', 'login.host'.

        A fact that the file does not give has the value None. Raises InputError for a path that
        the format does not know, or that names a GPU, partition, ... which the file has not.
        """
        if path not in self.by_path:
            choices = ", ".join(near(path, self.by_path)[:8])
            raise InputError(f"{self.origin}: no fact '{path}'; valid choices: {choices}, ...")
        return self.by_path[path]


def load(name_or_path: str | Path = "sagehen") -> Cluster:
    """The cluster of that name that comes with this package, or of the .toml file at that path.

    Raises InputError where there is none, or where the file is not as the format says.
    """
    path = _find(str(name_or_path))
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"cluster: {path}: cannot be read: {reason}") from None
    return from_text(text, path.stem, path.name if path.parent == BUILT_IN else str(path))


def from_text(text: str, key: str, origin: str) -> Cluster:
    """The cluster that a file's text describes."""
    tables = parse.read(text, origin)
    consistency.check(tables, origin)
    single: dict[str, Any] = {
        section: kind(**_plain(tables.single[section])) for section, kind in SINGLE.items()
    }
    named: dict[str, Any] = {
        section: {name: kind(key=name, **_plain(entry)) for name, entry in entries.items()}
        for (section, kind), entries in zip(NAMED.items(), tables.named.values(), strict=True)
    }
    return Cluster(
        key=key,
        origin=origin,
        about=single["cluster"],
        login=single["login"],
        partitions=named["partition"],
        nodes=named["node"],
        gpus=named["gpu"],
        storage=named["storage"],
        ondemand=single["ondemand"],
        software=single["software"],
        limits=single["limits"],
        by_path=_facts(tables),
        text=text,
    )


def names() -> list[str]:
    """The clusters that come with this package."""
    return sorted(path.stem for path in BUILT_IN.glob("*.toml"))


def _find(name_or_path: str) -> Path:
    if "/" in name_or_path or name_or_path.endswith(".toml"):
        return Path(name_or_path)
    if name_or_path not in names():
        choices = ", ".join([*names(), "the path of a .toml file"])
        raise InputError(f"cluster: no cluster '{name_or_path}'; valid choices: {choices}")
    return BUILT_IN / f"{name_or_path}.toml"


def _plain(entry: parse.Entry) -> dict[str, Any]:
    return {key: fact.value for key, fact in entry.items()}


def _facts(tables: parse.Tables) -> dict[str, Fact]:
    entries = [*tables.single.values()]
    for named in tables.named.values():
        entries += named.values()
    facts = {fact.path: fact for entry in entries for fact in entry.values()}
    counts = [entry["count"] for entry in tables.named["gpu"].values()]
    return {**facts, TOTAL: _total(counts)}


def _total(counts: list[Fact]) -> Fact:
    """The sum of the GPUs of all types; unknown where one count is, or where there is no type."""
    about, ask = "GPUs of all types", 'sinfo -e -o "%D %G"'
    known = [fact for fact in counts if isinstance(fact.value, int)]
    if not counts or len(known) < len(counts):
        return Fact(TOTAL, None, "", None, None, ask, about)
    total = sum(fact.value for fact in known if isinstance(fact.value, int))
    sources = list(dict.fromkeys(str(fact.source) for fact in known))
    oldest = min(str(fact.checked) for fact in known)
    note = "the sum of " + ", ".join(fact.path for fact in known)
    return Fact(TOTAL, total, "", "; ".join(sources), oldest, ask, about, note)
