"""An example as a page of the site: text, code, output, figures in light and dark, its machine."""

import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from mlhpc.bench.catalogue import example_name
from mlhpc.lesson.figures import tables
from mlhpc.record import Record

FOLDER = "downloads"
EXAMPLE = '<div class="example" markdown="1">'


def render(name: str, entry: dict[str, Any], records: Iterable[Record] = ()) -> str:
    """The page of one example of ``results.json``, as Markdown.

    ``records`` are what the same file gave in jobs on other machines; they stand beside it.
    """
    parts = [
        front_matter(entry["title"], entry["summary"]),
        f"# {entry['title']}",
        entry["summary"],
        _machine(entry),
        _downloads(name),
        *(cell_markdown(cell) for cell in entry["cells"]),
        *_elsewhere(name, entry, records),
    ]
    return "\n\n".join(parts) + "\n"


def _elsewhere(name: str, entry: dict[str, Any], records: Iterable[Record]) -> Iterator[str]:
    """The values of this build beside those of jobs on other machines, where there are any."""
    benchmark = example_name(name)
    found = tables.current(one for one in records if one.benchmark == benchmark)
    if not found:
        return
    machines = list(dict.fromkeys(_where(one) for one in found))
    by_place = {(one.params["value"], _where(one)): one for one in found}
    yield "## The same file on other machines"
    yield (
        "The script that ran for this page also ran in jobs elsewhere. Each value is the median of "
        "its repetitions there."
    )
    yield _table(_values_table(entry["values"], machines, by_place))


def _where(record: Record) -> str:
    cluster = record.provenance["cluster"] or "no cluster"
    return f"{tables.machine(record)}, {cluster}, {record.started:%Y-%m-%d}"


def _values_table(
    values: dict[str, Any], machines: list[str], found: dict[tuple[Any, str], Record]
) -> str:
    rows = []
    for key, (value, unit) in values.items():
        cells = [key, f"{value:.4g} {unit}" if isinstance(value, float | int) else str(value)]
        for machine in machines:
            one = found.get((key, machine))
            cells.append(f"{one.median:.4g} {one.unit}" if one else "not measured")
        rows.append("".join(f"<td>{html.escape(cell)}</td>" for cell in cells))
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in ["value", "this page", *machines])
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def render_index(entries: dict[str, dict[str, Any]]) -> str:
    """The page that lists every example."""
    title, summary = "Examples", "Scripts that ran when this site was built, with what they gave."
    intro = (
        "Each example is one plain Python script. It ran when this site was built, and its page "
        "names the machine. The same file runs on your laptop and in a job on the cluster."
    )
    items = (f"- [{one['title']}]({name}.md): {one['summary']}" for name, one in entries.items())
    return "\n\n".join((front_matter(title, summary), f"# {title}", intro, "\n".join(items))) + "\n"


def front_matter(title: str, summary: str) -> str:
    """Title and description; braces in code are no macros."""
    # JSON strings are YAML strings
    lines = [f"title: {json.dumps(title)}", f"description: {json.dumps(summary)}"]
    return "\n".join(["---", *lines, "render_macros: false", "---"])


def cell_markdown(cell: dict[str, Any], folder: str = "") -> str:
    """One cell: text as it is; code with its output and figures, which lie in ``folder``."""
    if cell["kind"] == "markdown":
        return str(cell["source"])
    parts = [
        fence(cell["source"], "python"),
        fence(cell["stdout"], "text"),
        _table(cell["html"]) if cell["html"] else fence(cell["text"], "text"),
        *(figure_markdown(figure, folder) for figure in cell["figures"]),
    ]
    body = "\n\n".join(part for part in parts if part)
    return f"{EXAMPLE}\n\n{body}\n\n</div>"


def fence(text: str, language: str) -> str:
    """A code block that nothing in ``text`` can close; nothing for no text."""
    if not text.strip():
        return ""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{text.rstrip()}\n{marks}"


def _table(table: str) -> str:
    # a table that scrolls must be reachable from the keyboard
    frame = '<div class="example__table" tabindex="0" role="group" aria-label="Output table">'
    return f"{frame}\n{table}\n</div>"


def figure_markdown(figure: dict[str, Any], folder: str = "") -> str:
    """A figure twice, light and dark; the theme shows the one that fits."""
    alt = re.sub(r"([\[\]\\])", r"\\\1", figure["alt"])
    size = f'width="{figure["width"]}" height="{figure["height"]}" loading="lazy"'
    return "\n".join(
        f"![{alt}]({folder}{figure[theme]}#only-{theme}){{ {size} }}" for theme in ("light", "dark")
    )


def machine_line(machine: dict[str, Any], started: str) -> str:
    """Where and when a result was made."""
    return f"Run on {machine['text']} ({started[:10]})."


def _machine(entry: dict[str, Any]) -> str:
    text = machine_line(entry["machine"], entry["started"])
    if entry["metadata"]["exclusive"]:
        text += " It times something, so it ran alone."
    return f'<p class="example__machine">{html.escape(text)}</p>'


def _downloads(name: str) -> str:
    return (
        f'[Download the script]({FOLDER}/{name}.py){{ .md-button download="" }}\n'
        f'[Download the notebook]({FOLDER}/{name}.ipynb){{ .md-button download="" }}'
    )
