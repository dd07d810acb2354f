"""What a page may call: every figure comes through here and carries its receipt.

mkdocs-macros calls ``define_env``; the functions are methods of ``Pages``, which holds the three
sources of truth (cluster file, claims, records) and the executed examples, each read once.
"""

import html
import os
import re
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import cached_property, wraps
from pathlib import Path
from typing import Any

from mlhpc import claims as claims_ledger
from mlhpc import cluster, content, quiz, record
from mlhpc.errors import InputError, ToolError
from mlhpc.lesson import cells, examples, planning, questions, receipts, rules
from mlhpc.lesson.figures import embed, tables
from mlhpc.lesson.marks import mark
from mlhpc.quiz import bank

NAMES = (
    "claim",
    "see",
    "fact",
    "gpu",
    "partition",
    "storage",
    "measured",
    "evidence",
    "figure",
    "history",
    "example",
    "example_link",
    "result",
    "recorded",
    "receipts",
    "lint_rules",
    "question",
    "questions",
    "cell",
    "planner_form",
    "worked_plans",
    "plan_rules",
)
NOT_MEASURED = "not measured here"


class Table:
    """A table of the cluster file whose facts print with their unit: ``gpu("a100").memory_gb``."""

    def __init__(self, pages: "Pages", path: str) -> None:
        self._pages, self._path = pages, path

    def __getattr__(self, name: str) -> str:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._pages.fact(f"{self._path}.{name}")


class Pages:
    """The macros over one lesson and one cluster."""

    def __init__(self, lesson: content.Lesson, cluster_name: str = "sagehen") -> None:
        self.lesson = lesson
        self.cluster = cluster.load(cluster_name)
        self.ledger = claims_ledger.load(lesson.claims)
        self.records = record.load_all(lesson.measurements)

    @cached_property
    def book(self) -> quiz.Book:
        """The questions of the lesson."""
        world = quiz.World(self.cluster, self.ledger)
        return quiz.Book(bank.load(self.lesson.quizzes, self.ledger), world)

    @cached_property
    def results(self) -> dict[str, Any]:
        """What the executed examples left, by name."""
        return examples.load(self.lesson)

    def claim(self, claim_id: str, form: str = "unit") -> str:
        """A claim's value with its unit; ``form="bare"`` leaves the unit out."""
        found = self.ledger[claim_id]
        if found.cluster:
            return self._tie(found, self._fact_text(self.cluster.fact(found.cluster), form))
        text = found.shown(unit=form != "bare")
        if not text:
            raise InputError(f"claims: {claim_id!r} has no value to print; tie it with see()")
        return self._tie(found, text)

    def see(self, *claim_ids: str) -> str:
        """Nothing to read; the block is tied to these claims' receipts."""
        return "".join(self._tie(self.ledger[claim_id], "") for claim_id in claim_ids)

    def fact(self, path: str, form: str = "unit") -> str:
        """A fact of the cluster file with its unit, or 'ask the centre'."""
        found = self.cluster.fact(path)
        return mark("claim", f"fact:{path}", self._fact_text(found, form))

    def gpu(self, name: str) -> Table:
        """The facts of a GPU type."""
        return self._table("gpu", name, self.cluster.gpus)

    def partition(self, name: str) -> Table:
        """The facts of a partition."""
        return self._table("partition", name, self.cluster.partitions)

    def storage(self, name: str) -> Table:
        """The facts of a storage tier."""
        return self._table("storage", name, self.cluster.storage)

    def measured(self, benchmark: str, **which: Any) -> str:
        """The newest record's median, or 'not measured here'."""
        found = record.latest(self.records, benchmark, **which)
        return self._measured(found) if found else _unmeasured()

    def evidence(self, claim_id: str, workload: str, gpu: str, gpus: int = 1) -> str:
        """For a cell: this cluster's speed-up, else the claim with where it was seen, unmeasured.

        ``workload`` is named as in the figure of speed-ups.
        """
        found = tables.measured_gain(self.records, self.cluster, workload, gpu, gpus)
        if found:
            times, one, base = found
            shown = examples.shown(times, "×")
            tie = mark("record", f"record:{base.name}")
            tie += mark("record", f"record:{one.name}", shown)
            return f'{tie}<br><small class="evidence">over {tables.machine(base)}</small>'
        stated = self.ledger[claim_id]
        text = stated.shown()
        if not text:
            return self._tie(stated, "") + _unmeasured()
        where = html.escape(stated.machine or NOT_MEASURED)
        return f'{self._tie(stated, text)}<br><small class="evidence">{where}</small>'

    def figure(self, name: str) -> str:
        """A figure made from records, with its data; 'not measured here' where there is none."""
        if name not in tables.CHARTS:
            raise InputError(f"figure: no {name!r}; valid: {', '.join(tables.CHARTS)}")
        found = tables.chart(name, self.records, self.cluster)
        return embed.figure(self.lesson, found, self.records, self.cluster.key, _today())

    def history(self, claim_id: str) -> str:
        """What an earlier text said, what is right and why, as a list item's text."""
        return self._tie(self.ledger[claim_id], "") + receipts.history(self.ledger[claim_id])

    def example(self, name: str, cell: int, figure: int | None = None) -> str:
        """One code cell of an executed example, its result, and the machine that made it.

        ``figure`` names another cell whose output and figure stand under it.
        """
        return examples.embed(self._result(name), name, cell, figure)

    def example_link(self, name: str) -> str:
        """A link to an example's page, by its title."""
        return f"[{self._result(name)['title']}](/gallery/{name}.md)"

    def result(self, name: str, key: str) -> str:
        """A named value that an executed example left."""
        values = self._result(name)["values"]
        if key not in values:
            raise InputError(f"example: {name} left no {key!r}; valid: {', '.join(values)}")
        value, unit = values[key]
        return mark("record", f"example:{name}", examples.shown(value, unit))

    def recorded(self, name: str) -> str:
        """A recorded output of a real tool, as a console block."""
        path = Path(self.lesson.root).parent / "tests" / "recorded" / name
        if not path.is_file():
            raise InputError(f"recorded: there is no {name!r} under tests/recorded")
        return f"```console\n{path.read_text(encoding='utf-8').rstrip()}\n```"

    def receipts(self) -> str:
        """The whole page of receipts."""
        return receipts.page(self.lesson, self.ledger, self.cluster, self.records, self.results)

    def lint_rules(self) -> str:
        """The whole list of rules of the check of job scripts."""
        return rules.page()

    def question(self, name: str) -> str:
        """A question of the quiz, with its answer to unfold."""
        marks = self.see(*self.book[name].claims) if self.book[name].claims else ""
        marks += "".join(mark("claim", f"fact:{path}", "") for path in self.book[name].facts)
        return questions.question(self.book, name, marks)

    def questions(self, place: str = "") -> str:
        """All questions of an episode, or those of the page of questions."""
        return "\n".join(self.question(found.id) for found in self.book.of(place))

    def cell(self, name: str) -> str:
        """A cell that the reader may change and run."""
        return cells.cell(name)

    def planner_form(self) -> str:
        """The planner's form."""
        return planning.form()

    def worked_plans(self) -> str:
        """What the planner says of some worked projects."""
        return planning.worked(self.cluster)

    def plan_rules(self) -> str:
        """The planner's rules, each with the receipt of its claim."""
        found = planning.rules()
        return "\n".join(
            f'- <span class="no-figures">{text}</span>{self.see(name)}' for text, name in found
        )

    def _tie(self, found: Any, text: str) -> str:
        kind = "derived" if found.kind == "derived" else "claim"
        return mark(kind, f"claim:{found.id}", text)

    def _fact_text(self, found: Any, form: str) -> str:
        return str(found.bare() if form == "bare" else found.shown())

    def _table(self, kind: str, name: str, known: Any) -> Table:
        if name not in known:
            raise InputError(f"cluster: no {kind} {name!r}; valid: {', '.join(known)}")
        return Table(self, f"{kind}.{name}")

    def _measured(self, found: record.Record) -> str:
        text = examples.shown(found.median, found.unit)
        own = found.provenance["cluster"] == self.cluster.key
        where = "" if own else f" ({receipts.machine(found)})"
        return mark("record", f"record:{found.name}", text + where)

    def _result(self, name: str) -> dict[str, Any]:
        if name not in self.results:
            raise InputError(f"example: no {name!r}; valid: {', '.join(sorted(self.results))}")
        return dict(self.results[name])


def define_env(env: Any) -> None:
    """Offer the macros to mkdocs-macros; an error names page and line and ends the build."""
    pages = Pages(content.find(env.conf["docs_dir"]))
    for name in NAMES:
        env.macro(_located(env, name, getattr(pages, name)), name)


def _located(env: Any, name: str, macro: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(macro)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return _checked(env, name, args, macro(*args, **named))
        except (InputError, ToolError) as error:
            _stop(env, name, args, error)

    return call


def _checked(env: Any, name: str, args: tuple[Any, ...], value: Any) -> Any:
    """Wrap a table so that an unknown fact of it is located like everything else."""
    return _LocatedTable(env, name, args, value) if isinstance(value, Table) else value


class _LocatedTable:
    def __init__(self, env: Any, name: str, args: tuple[Any, ...], table: Table) -> None:
        self._parts = env, name, args, table

    def __getattr__(self, attribute: str) -> str:
        env, name, args, table = self._parts
        try:
            return str(getattr(table, attribute))
        except InputError as error:
            _stop(env, name, args, error)
            raise


def _stop(env: Any, name: str, args: tuple[Any, ...], error: InputError | ToolError) -> None:
    """One line and the exit code; SystemExit passes through mkdocs-macros' own handler."""
    source = Path(env.page.file.abs_src_path)
    line = find_call(source.read_text(encoding="utf-8"), name, args)
    print(f"mlhpc: {env.page.file.src_uri}:{line}: {error}", file=sys.stderr)
    raise SystemExit(error.exit_code)


def find_call(text: str, name: str, args: tuple[Any, ...]) -> int:
    """The number of the line with a macro's call; its arguments tell it from others."""
    first = re.escape(str(args[0])) if args else ""
    call = re.compile(rf"\b{name}\(\s*[\"']?{first}[\"']?\s*[,)]")
    wanted = [str(arg) for arg in args if isinstance(arg, str)]
    for number, line in enumerate(text.splitlines(), 1):
        if call.search(line) and all(arg in line for arg in wanted):
            return number
    return 1


def _today() -> date:
    """The day of the build; SOURCE_DATE_EPOCH fixes it, so that a build can be made again."""
    stamp = os.environ.get("SOURCE_DATE_EPOCH")
    return (datetime.fromtimestamp(int(stamp), UTC) if stamp else datetime.now(UTC)).date()


def _unmeasured() -> str:
    return f'<span class="unmeasured">{NOT_MEASURED}</span>'
