"""A cluster and a comparison, written for people and for programs."""

from collections.abc import Mapping, Sequence

from mlhpc.cluster.facts import UNKNOWN, Fact, Range, Value, is_unlimited
from mlhpc.cluster.findings import Finding
from mlhpc.cluster.model import TOTAL, Cluster
from mlhpc.cluster.tables import NAMED, ORDER, SECTIONS, specs

WORDS = {"cluster": "The cluster", "ondemand": "Open OnDemand", "gpu": "GPU", "node": "Nodes"}


def table(cluster: Cluster) -> str:
    """All facts for people, a block for each table, sources numbered and listed at the end."""
    tables = {
        name: [fact for fact in facts if not _idle(cluster, fact)]
        for name, facts in by_table(cluster).items()
    }
    sources = _sources(tables)
    blocks = [f"{cluster.name}  ({cluster.origin})"]
    for name, facts in tables.items():
        known = [_known_row(fact, sources) for fact in facts if fact.known]
        unknown = [_unknown_row(fact) for fact in facts if not fact.known]
        blocks.append("\n".join([_heading(name), *known, *unknown]))
    listed = [f"  [{number}] {source}" for source, number in sources.items()]
    blocks.append("\n".join(["Sources, and when each was checked", *listed]))
    return "\n\n".join([*blocks, _totals(cluster, tables)])


def document(cluster: Cluster) -> dict[str, object]:
    """The same for programs: section, name, key, and of each its value and where it is from."""
    single: dict[str, object] = {}
    named: dict[str, dict[str, object]] = {section: {} for section in NAMED}
    for name, facts in by_table(cluster).items():
        values = {fact.path.rpartition(".")[2]: fact_document(fact) for fact in facts}
        section, _, key = name.partition(".")
        (named[section] if key else single)[key or section] = values
    return {
        "key": cluster.key,
        "file": cluster.origin,
        **single,
        **named,
        "gpu_total": fact_document(cluster.fact(TOTAL)),
    }


def by_table(cluster: Cluster) -> dict[str, list[Fact]]:
    """The facts of each table, 'partition.gpu' -> facts, tables in an order for people."""
    found: dict[str, list[Fact]] = {}
    for path, fact in cluster.by_path.items():
        name = path.rpartition(".")[0]
        if path != TOTAL:
            found.setdefault(name, []).append(fact)
    return dict(sorted(found.items(), key=lambda item: ORDER.index(item[0].partition(".")[0])))


def _idle(cluster: Cluster, fact: Fact) -> bool:
    """Whether another fact leaves nothing to ask: who knows a quota in GB need not ask in TB."""
    name, _, key = fact.path.rpartition(".")
    spec = specs(SECTIONS[name.partition(".")[0]])[key]
    return not fact.known and any(cluster.fact(f"{name}.{other}").known for other in spec.unless)


def fact_document(fact: Fact) -> dict[str, object]:
    """A fact for programs: no limit is "unlimited", a range { low, high }, unknown null."""
    return {
        "value": _plain(fact.value),
        "unit": fact.unit or None,
        "source": fact.source,
        "checked": fact.checked,
        "note": fact.note,
        "ask": fact.ask,
    }


def report(cluster: Cluster, sources: Sequence[str], findings: Sequence[Finding]) -> str:
    """A comparison for people: each difference, then what to add, all with the lines to write."""
    differences = [it for it in findings if it.kind == "difference"]
    notes = [it for it in findings if it.kind == "note"]
    said = [
        f"{cluster.origin} beside {', '.join(sources)}: "
        f"{_number(len(differences), 'difference')}, {_number(len(notes), 'note')}"
    ]
    if differences:
        said.append("\n".join(["Differences", *(_difference(cluster, it) for it in differences)]))
    if notes:
        said.append("\n".join(["Not in the file", *_notes(cluster, notes)]))
    return "\n\n".join(said)


def report_document(
    cluster: Cluster, sources: Sequence[str], findings: Sequence[Finding]
) -> dict[str, object]:
    """The same for programs."""
    return {
        "key": cluster.key,
        "file": cluster.origin,
        "compared_with": list(sources),
        "differences": [_document(it) for it in findings if it.kind == "difference"],
        "notes": [_document(it) for it in findings if it.kind == "note"],
    }


def _heading(name: str) -> str:
    section, _, key = name.partition(".")
    word = WORDS.get(section, section.capitalize())
    return f"{word} {key}" if section in NAMED else word


def _known_row(fact: Fact, sources: Mapping[str, int]) -> str:
    note = f"  ({fact.note})" if fact.note else ""
    key = fact.path.rpartition(".")[2]
    return f"  {key:<26} {fact.shown()}{note}  [{sources[_source(fact)]}]"


def _unknown_row(fact: Fact) -> str:
    how = fact.ask if fact.ask.startswith(UNKNOWN) else f"{UNKNOWN}: {fact.ask}"
    return f"  {fact.path.rpartition('.')[2]:<26} {how}"


def _sources(tables: Mapping[str, list[Fact]]) -> dict[str, int]:
    """Each source with its date -> its number, in the order of the page."""
    facts = [fact for facts in tables.values() for fact in facts]
    distinct = dict.fromkeys(_source(fact) for fact in facts if fact.known)
    return {source: number for number, source in enumerate(distinct, start=1)}


def _source(fact: Fact) -> str:
    return f"{fact.source} ({fact.checked})"


def _totals(cluster: Cluster, tables: Mapping[str, list[Fact]]) -> str:
    facts = [fact for facts in tables.values() for fact in facts]
    known = sum(fact.known for fact in facts)
    return (
        f"GPUs of all types: {cluster.fact(TOTAL).shown()}\n"
        f"{known} facts known, {len(facts) - known} to ask the centre"
    )


def _plain(value: Value | None) -> object:
    if isinstance(value, Range):
        return {"low": value.low, "high": value.high}
    if is_unlimited(value):
        return "unlimited"
    return value


def _number(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _difference(cluster: Cluster, finding: Finding) -> str:
    lines = [
        f"  {finding.path}: the file {_says(finding.file)}, the cluster {_says(finding.cluster)}",
        f"    {_place(cluster, finding)}: {finding.action}",
        *_indented(finding),
    ]
    return "\n".join(lines)


def _notes(cluster: Cluster, notes: Sequence[Finding]) -> list[str]:
    """Lines to add to one table stand together, under its place."""
    places: dict[str, list[str]] = {}
    for note in notes:
        place = f"    {_place(cluster, note)}: {note.action}"
        places.setdefault(place, []).extend(_indented(note))
    return [line for place, lines in places.items() for line in (place, *lines)]


def _place(cluster: Cluster, finding: Finding) -> str:
    return f"{cluster.origin}:{finding.line}" if finding.line else cluster.origin


def _indented(finding: Finding) -> list[str]:
    return [f"      {line}" for line in finding.toml.splitlines()]


def _says(what: str) -> str:
    return what if what.startswith(("does not", "has ")) else f"says {what}"


def _document(finding: Finding) -> Mapping[str, object]:
    return {
        "path": finding.path,
        "file": finding.file,
        "cluster": finding.cluster,
        "action": finding.action,
        "line": finding.line,
        "toml": finding.toml or None,
    }
