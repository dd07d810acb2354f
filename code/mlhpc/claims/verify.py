"""What in the ledger does not hold together, with itself, with the cluster, with the pages."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mlhpc import record
from mlhpc.claims import verdicts
from mlhpc.claims.claim import Claim
from mlhpc.claims.derivations import REGISTRY
from mlhpc.claims.derive import Facts, Span
from mlhpc.claims.form import near
from mlhpc.claims.ledger import Ledger, load
from mlhpc.claims.scan import Found, facts_used, uses
from mlhpc.cluster import Cluster
from mlhpc.cluster import load as load_cluster
from mlhpc.content import Lesson

# The statements of the lesson's first edition: 70 of 'ML Workflow Overview', 59 of 'Why Machine
# Learning on HPC?'. Each must be settled by at least one claim.
ROWS = (*(f"W{n:02}" for n in range(1, 71)), *(f"Y{n:02}" for n in range(1, 60)))


@dataclass(frozen=True)
class Problem:
    """One thing that does not hold: where (a claim, or a page with its line), and what."""

    kind: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def check(lesson: Lesson, cluster: Cluster | None = None) -> list[Problem]:
    """Every problem of the lesson's claims, none where all is well.

    Raises InputError for a ledger, cluster file or record that cannot be read, for a ``check``
    that names no derivation, and for claims that depend on themselves.
    """
    ledger = load(lesson.claims)
    cluster = cluster or load_cluster()
    records = record.load_all(lesson.measurements)
    facts = Facts(ledger, cluster)
    found = [
        *uncovered_rows(ledger),
        *unfounded_verdicts(ledger, cluster, records),
        *wrong_values(ledger, facts, cluster),
        *idle_derivations(ledger),
        *unknown_on_pages(ledger, uses(lesson)),
        *unused(ledger, used_ids(ledger, lesson, facts.inputs)),
    ]
    return sorted(found, key=lambda problem: problem.kind == "unused")


def uncovered_rows(ledger: Ledger) -> Iterator[Problem]:
    """Statements that no claim settles, and numbers that are no statement."""
    settled = {row for claim in ledger.values() for row in claim.rows}
    for row in ROWS:
        if row not in settled:
            yield Problem("rows", row, "no claim settles this statement")
    for claim in ledger.values():
        for row in set(claim.rows) - set(ROWS):
            yield Problem("rows", claim.id, f"rows: {row} is no statement; W01-W70, Y01-Y59")


def unfounded_verdicts(
    ledger: Ledger, cluster: Cluster, records: Iterable[record.Record]
) -> Iterator[Problem]:
    """Verdicts that do not follow from the evidence beside them."""
    known = list(records)
    for claim in ledger.values():
        for what in verdicts.faults(claim, cluster, known):
            yield Problem("verdict", claim.id, what)


def wrong_values(ledger: Ledger, facts: Facts, cluster: Cluster) -> Iterator[Problem]:
    """Computed values that no longer fit what is printed."""
    for claim in ledger.values():
        if claim.check:
            computed = facts.computed(claim.id)
            if not _fits(claim, computed, cluster):
                shown = claim.shown() or cluster.fact(claim.cluster).shown()
                what = f"prints {shown}, but {claim.check} computes {_spelled(computed)}"
                yield Problem("value", claim.id, what)


def idle_derivations(ledger: Ledger) -> Iterator[Problem]:
    """Derivations that no claim asks for."""
    asked = {claim.check for claim in ledger.values()}
    for name in REGISTRY:
        if name not in asked:
            yield Problem("derivation", name, "no claim is computed by this derivation")


def unknown_on_pages(ledger: Ledger, named: Found) -> Iterator[Problem]:
    """Pages that name a claim which does not exist."""
    for claim_id, places in named.items():
        if claim_id not in ledger:
            choices = ", ".join(near(claim_id, ledger))
            for place in places:
                what = f"no claim '{claim_id}'; valid choices: {choices}, ..."
                yield Problem("page", str(place), what)


def unused(ledger: Ledger, used: set[str]) -> Iterator[Problem]:
    """Claims that nothing uses and that are not retired."""
    for claim in ledger.values():
        if claim.id not in used and claim.verdict != "retired":
            yield Problem("unused", claim.id, "no page uses it; use it, or retire it with a reason")


def used_ids(ledger: Ledger, lesson: Lesson, inputs: Mapping[str, list[str]]) -> set[str]:
    """The claims that a page uses: by name, by the cluster fact that they are, or as an input.

    What a used claim is computed from is used too: the page prints it, worked up.
    """
    facts = facts_used(lesson)
    named = {claim_id for claim_id in uses(lesson) if claim_id in ledger}
    named |= {claim.id for claim in ledger.values() if claim.cluster in facts}
    waiting, used = list(named), set()
    while waiting:
        claim_id = waiting.pop()
        if claim_id not in used:
            used.add(claim_id)
            waiting += inputs.get(claim_id, [])
    return used


def _fits(claim: Claim, computed: Span, cluster: Cluster) -> bool:
    if claim.cluster:
        return computed == (cluster.fact(claim.cluster).value,) * 2
    if not claim.numbers:
        return False
    ends = zip((claim.low, claim.high), computed, strict=True)
    return all(
        printed is not None
        # half a unit of the last printed digit, and a hair for binary fractions
        and abs(exact - float(printed)) <= 0.5000001 * 10.0 ** -claim.decimals(printed)
        for printed, exact in ends
    )


def _spelled(computed: Span) -> str:
    low, high = computed
    return f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"
