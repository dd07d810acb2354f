"""Which evidence each verdict asks for.

=====================  ========================================================================
holds                  derived: a check. hardware: source and date, or a cluster fact that has
                       them. measurable: a record of the cluster, or a public measurement with
                       value, machine, source and date. given: it holds by definition.
holds if               a condition, and the evidence of 'holds' (a judgement needs none).
corrected              what it was and why it changed, and the evidence of 'holds'.
not measured here      measurable only: no value, and no record of the cluster.
stated by the centre   policy only: a cluster fact that is known and has a source.
judgement              judgement only.
retired                why.
=====================  ========================================================================
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from mlhpc import record
from mlhpc.claims.claim import Claim
from mlhpc.cluster import Cluster, Fact


@dataclass(frozen=True)
class Evidence:
    """What speaks for a claim: its own fields, its cluster fact, its record."""

    claim: Claim
    fact: Fact | None
    record: record.Record | None


def faults(claim: Claim, cluster: Cluster, records: Iterable[record.Record]) -> list[str]:
    """What the claim's verdict lacks, none where it follows. InputError for an unknown fact."""
    fact = cluster.fact(claim.cluster) if claim.cluster else None
    evidence = Evidence(claim, fact, _record(claim, cluster, records))
    found = list(RULES[claim.verdict](evidence))
    if claim.was and not claim.why:
        found.append("says what it was, but not why it changed")
    return found


def _record(
    claim: Claim, cluster: Cluster, records: Iterable[record.Record]
) -> record.Record | None:
    if claim.record is None:
        return None
    which: dict[str, Any] = {**claim.record, "cluster": cluster.key}
    return record.latest(records, **which)


def _holds(evidence: Evidence) -> Iterator[str]:
    if evidence.claim.kind in ("policy", "judgement"):
        valid = {"policy": "stated by the centre", "judgement": "judgement"}[evidence.claim.kind]
        yield f"a {evidence.claim.kind} cannot hold; its verdict is '{valid}'"
    else:
        yield from EVIDENCE[evidence.claim.kind](evidence)


def _derived(evidence: Evidence) -> Iterator[str]:
    if not evidence.claim.check:
        yield "is derived, but names no check that computes it"
    if not evidence.claim.numbers and not evidence.claim.cluster:
        yield "is derived, but has no value"


def _hardware(evidence: Evidence) -> Iterator[str]:
    if evidence.claim.cluster:
        yield from _known_fact(evidence)
    else:
        yield from _lacking(evidence.claim, "source", "checked")


def _measurable(evidence: Evidence) -> Iterator[str]:
    if evidence.record is None:
        yield from _lacking(evidence.claim, "machine", "source", "checked")
        if not evidence.claim.numbers:
            yield "is measurable, but has neither a public value nor a record of the cluster"


def _nothing(evidence: Evidence) -> Iterator[str]:  # noqa: ARG001
    yield from ()


def _holds_if(evidence: Evidence) -> Iterator[str]:
    yield from _lacking(evidence.claim, "condition")
    if evidence.claim.kind != "judgement":
        yield from _holds(evidence)


def _corrected(evidence: Evidence) -> Iterator[str]:
    yield from _lacking(evidence.claim, "was", "why")
    if evidence.claim.kind != "judgement":
        yield from _holds(evidence)


def _not_measured(evidence: Evidence) -> Iterator[str]:
    if evidence.claim.kind != "measurable":
        yield f"is {evidence.claim.kind}; only what is measurable can be 'not measured here'"
    if evidence.claim.numbers:
        yield "has a value, yet says that it was not measured"
    if evidence.record is not None:
        yield f"was measured: see the record {evidence.record.name}"


def _stated(evidence: Evidence) -> Iterator[str]:
    if evidence.claim.kind != "policy":
        yield f"is {evidence.claim.kind}; only a policy is 'stated by the centre'"
    if not evidence.claim.cluster:
        yield "names no cluster fact"
    yield from _known_fact(evidence)


def _judgement(evidence: Evidence) -> Iterator[str]:
    if evidence.claim.kind != "judgement":
        yield f"is {evidence.claim.kind}; only a judgement has this verdict"


def _retired(evidence: Evidence) -> Iterator[str]:
    yield from _lacking(evidence.claim, "why")


def _known_fact(evidence: Evidence) -> Iterator[str]:
    fact = evidence.fact
    if fact is not None and not fact.known:
        yield f"the cluster file does not say {fact.path}"
    elif fact is not None and not (fact.source and fact.checked):
        yield f"the cluster file gives no source or date for {fact.path}"


def _lacking(claim: Claim, *names: str) -> Iterator[str]:
    for name in names:
        if not getattr(claim, name):
            yield f"verdict '{claim.verdict}' needs {name}"


Rule = Callable[[Evidence], Iterator[str]]
EVIDENCE: dict[str, Rule] = {
    "derived": _derived,
    "hardware": _hardware,
    "measurable": _measurable,
    "given": _nothing,
}
RULES: dict[str, Rule] = {
    "holds": _holds,
    "holds if": _holds_if,
    "corrected": _corrected,
    "not measured here": _not_measured,
    "stated by the centre": _stated,
    "judgement": _judgement,
    "retired": _retired,
}
