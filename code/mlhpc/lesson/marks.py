"""Marks: how a figure in a page is tied to its receipt.

A macro writes a figure as a mark: private-use characters around its kind, its reference and its
text. They survive Markdown (tables too) and are never typed by a person. This extension of
Python-Markdown turns each mark into ``<span class="fig">`` and puts one link to the receipts
after each block (paragraph, list, table) that holds any. In code a mark becomes its plain text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.postprocessors import Postprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

START, MIDDLE, END = "\ue000", "\ue001", "\ue002"
MARK = re.compile(
    f"{START}(?P<kind>[a-z]+) (?P<ref>[^{MIDDLE}]+){MIDDLE}(?P<text>[^{END}]*){END}", re.S
)

# Weakest first: the ring of a block shows its weakest evidence.
KINDS = ("claim", "derived", "record")
RECEIPTS_PAGE = "/receipts.md"
BLOCKS = frozenset({"p", "ul", "ol", "table", "dl"})
TITLES = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "summary"})


def mark(kind: str, ref: str, text: str = "") -> str:
    """A figure's text as a mark; without text it ties its block to the receipt, unseen."""
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r}; valid: {', '.join(KINDS)}")
    return f"{START}{kind} {ref}{MIDDLE}{text}{END}"


def plain(text: str) -> str:
    """The text with each mark replaced by what it shows."""
    return MARK.sub(lambda match: match["text"], text)


def anchor(ref: str) -> str:
    """The id of a receipt's article: ``claim:grid-serial`` is at ``claim-grid-serial``."""
    return re.sub(r"[^A-Za-z0-9]+", "-", ref).strip("-")


@dataclass(frozen=True)
class Reference:
    """One figure's tie to its receipt."""

    kind: str
    ref: str


class MarkProcessor(InlineProcessor):
    """A mark to a ``span``: below code in priority, above everything else."""

    def handleMatch(  # type: ignore[override]  # noqa: N802
        self, match: re.Match[str], _data: str
    ) -> tuple[ElementTree.Element, int, int]:
        span = ElementTree.Element("span", {"class": "fig", "data-receipt": match["ref"]})
        span.set("data-kind", match["kind"])
        span.text = AtomicString(match["text"])
        return span, match.start(0), match.end(0)


class ReceiptLinks(Treeprocessor):
    """One link to the receipts after each block; a title's go to the block that follows it."""

    def run(self, root: ElementTree.Element) -> None:
        self.pending: list[Reference] = []
        self._visit(root)

    def _visit(self, parent: ElementTree.Element) -> None:
        for child in list(parent):
            if _is_title(child):
                self.pending += _take(child)
            elif child.tag in BLOCKS:
                references = self.pending + _take(child)
                self.pending = []
                if references:
                    _place(parent, child, _link(references))
            else:
                self._visit(child)


class PlainMarks(Postprocessor):
    """What is left in code becomes plain text; ties without text vanish."""

    def run(self, text: str) -> str:
        return plain(text)


class MarksExtension(Extension):
    """The three steps together."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        pattern = MARK.pattern
        md.inlinePatterns.register(MarkProcessor(pattern, md), "receipt-mark", 185)
        # after the inline pass (20), before links to pages are resolved (0)
        md.treeprocessors.register(ReceiptLinks(md), "receipt-links", 15)
        md.postprocessors.register(PlainMarks(md), "plain-marks", 1)


def makeExtension(**options: object) -> MarksExtension:  # noqa: N802
    """What Python-Markdown calls to find the extension of a module."""
    return MarksExtension(**options)


def _is_title(element: ElementTree.Element) -> bool:
    return element.tag in TITLES or "admonition-title" in element.get("class", "").split()


def _take(block: ElementTree.Element) -> list[Reference]:
    """The references of a block, in order, once each; spans without text are removed."""
    spans = [(parent, span) for parent, span in _pairs(block) if span.get("data-receipt")]
    found = [
        Reference(span.attrib.pop("data-kind", "claim"), span.attrib["data-receipt"])
        for _, span in spans
    ]
    for parent, span in spans:
        if not span.text:
            _remove(parent, span)
    return list(dict.fromkeys(found))


def _pairs(block: ElementTree.Element) -> Iterator[tuple[ElementTree.Element, ElementTree.Element]]:
    for parent in block.iter():
        for child in parent:
            yield parent, child


def _remove(parent: ElementTree.Element, child: ElementTree.Element) -> None:
    """Remove a child but keep the text that follows it."""
    index = list(parent).index(child)
    if index:
        parent[index - 1].tail = (parent[index - 1].tail or "") + (child.tail or "")
    else:
        parent.text = (parent.text or "") + (child.tail or "")
    parent.remove(child)


def _link(references: list[Reference]) -> ElementTree.Element:
    references = list(dict.fromkeys(references))
    weakest = min((reference.kind for reference in references), key=KINDS.index)
    count = len(references)
    label = (
        "Receipt: where this comes from"
        if count == 1
        else f"Receipts: where these {count} come from"
    )
    link = ElementTree.Element("a", {"class": f"receipt receipt--{weakest}"})
    link.set("href", f"{RECEIPTS_PAGE}#{anchor(references[0].ref)}")
    link.set("data-receipts", " ".join(reference.ref for reference in references))
    link.set("aria-label", label)
    link.set("title", label)
    ring = ElementTree.SubElement(link, "span", {"class": "receipt__ring", "aria-hidden": "true"})
    ring.text = AtomicString(
        "\u25cb" if weakest == "claim" else "\u25d0" if weakest == "derived" else "\u25cf"
    )
    return link


def _place(
    parent: ElementTree.Element, block: ElementTree.Element, link: ElementTree.Element
) -> None:
    """Inside the block's last line of text; after a table, in a line of its own."""
    if block.tag == "table":
        line = ElementTree.Element("p", {"class": "receipt-line"})
        line.append(link)
        parent.insert(list(parent).index(block) + 1, line)
        return
    target = block
    while (
        len(target)
        and target.tag in {"ul", "ol", "dl", "li", "dd"}
        and target[-1].tag
        in {
            "ul",
            "ol",
            "dl",
            "li",
            "dd",
            "p",
        }
        and not (target[-1].tail or "").strip()
    ):
        target = target[-1]
    _append_text(target, " ")
    target.append(link)


def _append_text(element: ElementTree.Element, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "").rstrip() + text
    else:
        element.text = (element.text or "").rstrip() + text
