"""The page of receipts: for each figure where it comes from, what was checked, and its verdict."""

import html
from collections.abc import Iterable
from typing import Any

from mlhpc import claims
from mlhpc.content import Lesson
from mlhpc.lesson.marks import anchor
from mlhpc.record import Record

Row = tuple[str, str]


def page(lesson: Lesson, ledger: Any, cluster: Any, records: Iterable[Record]) -> str:
    """All receipts: what each page uses in the order of the page, then what was retired."""
    uses = claims.uses(lesson)
    parts = [_claims_section(ledger, cluster, uses)]
    parts.append(_section("Facts of the cluster", (fact_article(fact) for fact in cluster.facts())))
    found = list(records)
    if found:
        parts.append(_section("Measurements", (record_article(record) for record in found)))
    else:
        parts.append("## Measurements\n\nNothing has been measured on this cluster yet.")
    return "\n\n".join(parts)


def _claims_section(ledger: Any, cluster: Any, uses: Any) -> str:
    used = [ledger[claim_id] for claim_id in uses if claim_id in ledger]
    retired = [claim for claim in ledger.values() if claim.verdict == "retired"]
    known = {claim.id for claim in (*used, *retired)}
    rest = [claim for claim in ledger.values() if claim.id not in known]
    sections = [
        _section("What the lessons say", (claim_article(claim, cluster) for claim in used + rest))
    ]
    if retired:
        sections.append(_section("Retired", (claim_article(claim, cluster) for claim in retired)))
    return "\n\n".join(sections)


def claim_article(claim: Any, cluster: Any) -> str:
    """The receipt of one claim."""
    fact = cluster.fact(claim.cluster) if claim.cluster else None
    value = (fact.shown() if fact and fact.value is not None else claim.shown()) or ""
    rows: list[Row] = [
        ("Verdict", _sentence(claim.verdict)),
        ("Condition", claim.condition),
        ("Where", claim.machine),
        ("Source", fact.source if fact else claim.source),
        ("Checked", str((fact.checked if fact else claim.checked) or "")),
        ("Computed by", f"mlhpc.claims.derivations: {claim.check}" if claim.check else ""),
        ("Earlier text", claim.was),
        ("Why it changed", claim.why),
        ("Statements", ", ".join(claim.rows)),
    ]
    return _article(f"claim:{claim.id}", claim.text, value, _kind(claim), rows)


def fact_article(fact: Any) -> str:
    """The receipt of one fact of the cluster file."""
    if fact.value is None:
        rows = [("Verdict", "Unknown: ask the centre"), ("This tells", fact.ask or "")]
        return _article(f"fact:{fact.path}", fact.path, "ask the centre", "claim", rows)
    rows = [("Source", fact.source), ("Checked", str(fact.checked))]
    return _article(f"fact:{fact.path}", fact.path, fact.shown(), "claim", rows)


def record_article(record: Record) -> str:
    """The receipt of one measurement."""
    rows = [
        ("Machine", machine(record)),
        ("Repeats", f"{len(record.samples)}, spread {record.spread:.1%}"),
        ("Date", f"{record.started:%Y-%m-%d}"),
        ("Python", f"{record.provenance['python']}; {_versions(record)}"),
        ("Commit", record.provenance["commit"] or f"unknown: {record.unknown.get('commit', '')}"),
        ("Reproduce", record.provenance["command"]),
    ]
    value = f"{record.median:.4g} {record.unit}"
    return _article(f"record:{record.name}", record.benchmark, value, "record", rows)


def machine(record: Record) -> str:
    """The machine of a record in words, without a name that is anybody's."""
    where = record.provenance
    gpu, cpu = (
        where["gpu_model"] or "GPU of unknown model",
        where["cpu_model"] or "CPU of unknown model",
    )
    hardware = f"{where['gpu_count']} × {gpu}" if where["gpu_count"] else cpu
    return f"{hardware}, {where['cluster'] or 'cluster unknown'}"


def history(claim: Any) -> str:
    """What an earlier text said, what is right, why: for the instructor's page."""
    earlier = f"An earlier text said: <q>{html.escape(claim.was)}</q> " if claim.was else ""
    why = f" {html.escape(claim.why)}" if claim.why else ""
    return f'<span class="history">{earlier}**{html.escape(claim.text)}**{why}</span>'


def _section(title: str, articles: Iterable[str]) -> str:
    return f"## {title}\n\n" + "\n\n".join(articles)


def _article(ref: str, title: str, value: str, kind: str, rows: Iterable[Row]) -> str:
    """One receipt, in raw HTML on lines without blanks, so that Markdown leaves it alone."""
    shown = f'<p class="till__value">{html.escape(value)}</p>' if value else ""
    listed = "".join(
        f"<dt>{html.escape(name)}</dt><dd>{html.escape(text)}</dd>" for name, text in rows if text
    )
    return (
        f'<article class="till till--{kind}" id="{anchor(ref)}">'
        f'<h3 class="till__title">{html.escape(title)}</h3>{shown}<dl>{listed}</dl></article>'
    )


def _kind(claim: Any) -> str:
    return "derived" if claim.kind == "derived" else "claim"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _versions(record: Record) -> str:
    return ", ".join(f"{name} {version}" for name, version in record.provenance["packages"].items())
