"""The page of receipts: for each figure where it comes from, what was checked, and its verdict."""

import html
from collections.abc import Iterable
from typing import Any

from mlhpc.claims import uses
from mlhpc.claims.derivations import REGISTRY
from mlhpc.claims.derive import Facts
from mlhpc.claims.scan import facts_used
from mlhpc.content import Lesson
from mlhpc.lesson.gallery.page import machine_line
from mlhpc.lesson.marks import anchor
from mlhpc.record import Record, in_words

Row = tuple[str, str]


def page(
    lesson: Lesson, ledger: Any, cluster: Any, records: Iterable[Record], results: dict[str, Any]
) -> str:
    """All receipts: what the pages say in the order of the pages, facts, measurements, retired."""
    retired = [claim for claim in ledger.values() if claim.verdict == "retired"]
    said = [claim for claim in _in_order(lesson, ledger) if claim not in retired]
    measured = [record_article(record) for record in records]
    measured += [example_article(name, result) for name, result in results.items()]
    facts = Facts(ledger, cluster)
    return "\n\n".join(
        (
            _section("What the lessons say", (claim_article(claim, facts) for claim in said)),
            _section("Facts of the cluster", map(fact_article, _facts(lesson, cluster))),
            _section("Measurements", measured),
            _section("Retired", (claim_article(claim, facts) for claim in retired)),
        )
    )


def _in_order(lesson: Lesson, ledger: Any) -> list[Any]:
    """What the pages use, in their order, then what only computations use."""
    used = [claim_id for claim_id in uses(lesson) if claim_id in ledger]
    return [ledger[claim_id] for claim_id in dict.fromkeys([*used, *ledger])]


def _facts(lesson: Lesson, cluster: Any) -> list[Any]:
    """What is known, and of the unknown what a page prints."""
    used = facts_used(lesson)
    return [fact for fact in cluster.facts() if fact.known or fact.path in used]


def claim_article(claim: Any, facts: Facts) -> str:
    """The receipt of one claim; of a computed one also how, and from which others."""
    fact = facts.of_cluster(claim.cluster) if claim.cluster else None
    value = (fact.shown() if fact and fact.value is not None else claim.shown()) or ""
    rows: list[Row] = [
        ("Verdict", _sentence(claim.verdict)),
        ("Condition", claim.condition),
        ("Where", claim.machine),
        ("Source", (fact.source if fact else claim.source) or ""),
        ("Checked", str((fact.checked if fact else claim.checked) or "")),
        *(_computation(claim, facts) if claim.check else ()),
        ("Earlier text", claim.was),
        ("Why it changed", claim.why),
        ("Statements", ", ".join(claim.rows)),
    ]
    return _article(f"claim:{claim.id}", claim.text, value, _kind(claim), rows)


def _computation(claim: Any, facts: Facts) -> list[Row]:
    """The derivation in words, and the values that it asked for."""
    facts.computed(claim.id)
    words = (REGISTRY[claim.check].__doc__ or "").splitlines()[0]
    asked = dict.fromkeys(facts.inputs[claim.id])
    values = (f"{facts.shown(name)} ({name})" for name in asked)
    return [("Worked out as", f"{words} [{claim.check}]"), ("From", "; ".join(values))]


def fact_article(fact: Any) -> str:
    """The receipt of one fact of the cluster file."""
    if fact.value is None:
        rows = [("Verdict", "Unknown: ask the centre"), ("This tells", fact.ask or "")]
        return _article(f"fact:{fact.path}", fact.path, "ask the centre", "claim", rows)
    rows = [("Source", fact.source), ("Checked", str(fact.checked)), ("Note", fact.note or "")]
    return _article(f"fact:{fact.path}", fact.about or fact.path, fact.shown(), "claim", rows)


def record_article(record: Record) -> str:
    """The receipt of one measurement."""
    rows = [
        ("Machine", machine(record)),
        ("Repeats", f"{len(record.samples)}, spread {record.spread:.1%}"),
        ("Parameters", in_words(record.params)),
        ("Notes", "; ".join(record.notes)),
        ("Date", f"{record.started:%Y-%m-%d}"),
        ("Python", f"{record.provenance['python']}; {_versions(record)}"),
        ("Commit", _commit(record)),
        ("Sources", record.provenance["sources"][:16]),
        ("Reproduce", record.provenance["command"]),
    ]
    value = f"{record.median:.4g} {record.unit}"
    return _article(f"record:{record.name}", record.benchmark, value, "record", rows)


def example_article(name: str, result: dict[str, Any]) -> str:
    """The receipt of an executed example: it speaks for the machine that built the site only."""
    rows = [
        ("Machine", machine_line(result["machine"], result["started"])),
        ("Reproduce", f"mlhpc gallery {name}"),
        ("Sources", result["hash"][:16]),
    ]
    return _article(f"example:{name}", result["title"], "", "record", rows)


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


def _commit(record: Record) -> str:
    where = record.provenance
    if where["commit"] is None:
        return f"unknown: {record.unknown['commit']}"
    return f"{where['commit']}{' and files of no commit' if where['dirty'] else ''}"


def _versions(record: Record) -> str:
    return ", ".join(f"{name} {version}" for name, version in record.provenance["packages"].items())
