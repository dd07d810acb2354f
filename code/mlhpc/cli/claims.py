"""``mlhpc claims``: the ledger of what the lesson says, and its check."""

import argparse
from collections import Counter

from mlhpc import claims, content
from mlhpc.claims import Claim, Ledger, Problem
from mlhpc.cli import Answer
from mlhpc.cluster import Cluster
from mlhpc.cluster import load as load_cluster
from mlhpc.errors import InputError

HELP = "the ledger of what the lesson says, and its check"
WIDEST_VALUE = 28


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the lesson is, which cluster it speaks of, and whether to list or to check."""
    add = parser.add_argument
    add("action", nargs="?", choices=("list", "check"), default="list", help="default: list")
    add("--lesson", metavar="DIR", help="the lesson's folder (default: this one)")
    add("--cluster", default="sagehen", metavar="NAME|FILE", help="whose facts (default: sagehen)")


def run(args: argparse.Namespace) -> Answer:
    """List, or check: exit code 1 where something does not hold."""
    lesson = content.find(args.lesson)
    cluster = load_cluster(args.cluster)
    ledger = claims.load(lesson.claims)
    if args.action == "list":
        listed = [claim.document() for claim in ledger.values()]
        return Answer({"claims": listed}, table(ledger, cluster))
    if not lesson.pages():
        # the copy in the wheel has the ledger alone, where nothing could be used
        raise InputError(
            f"claims check: no page in {lesson.root}; run it in a checkout of the lesson, or name "
            "the lesson's folder with --lesson DIR"
        )
    return report(ledger, claims.check(lesson, cluster))


def report(ledger: Ledger, problems: list[Problem]) -> Answer:
    """One line a problem, and how many claims have which verdict."""
    counts = Counter(claim.verdict for claim in ledger.values())
    tally = ", ".join(f"{counts[verdict]} {verdict}" for verdict in claims.VERDICTS)
    summary = f"{len(ledger)} claims: {tally}"
    if problems:
        summary = f"{len(problems)} problems in {summary}"
    document = {
        "ok": not problems,
        "counts": {verdict: counts[verdict] for verdict in claims.VERDICTS},
        "problems": [{"kind": p.kind, "where": p.where, "what": p.what} for p in problems],
        "claims": [claim.document() for claim in ledger.values()],
    }
    lines = [*(str(problem) for problem in problems), summary]
    return Answer(document, "\n".join(lines), 1 if problems else 0)


def table(ledger: Ledger, cluster: Cluster) -> str:
    """Id, value, verdict and text, a line each."""
    rows = [("CLAIM", "VALUE", "VERDICT", "TEXT")]
    rows += [
        (claim.id, value(claim, cluster), claim.verdict, claim.text) for claim in ledger.values()
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        + f"  {row[3]}"
        for row in rows
    )


def value(claim: Claim, cluster: Cluster) -> str:
    """What a page prints for a claim, cut to a column."""
    text = cluster.fact(claim.cluster).shown() if claim.cluster else claim.shown()
    return text if len(text) <= WIDEST_VALUE else text[: WIDEST_VALUE - 1] + "…"
