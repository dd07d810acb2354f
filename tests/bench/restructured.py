"""Built pages as reStructuredText, so that Sphinx is given the same content: headings, paragraphs,
inline markup, lists, tables, admonitions and highlighted code."""

import re
from html.parser import HTMLParser

RULES = {"h1": "=", "h2": "-", "h3": "~", "h4": "^", "h5": "'", "h6": "."}
BLOCKS = {"p", "li", "dt", "dd", "figcaption", *RULES}
INLINE = {"code": "``", "strong": "**", "em": "*"}
SKIPPED = {"script", "style", "svg", "button", "nav", "form", "template", "title", "footer"}
BOXES = {"div", "details", "section", "article", "figure"}
ADMONITION = re.compile(r"\badmonition\b")
LANGUAGE = re.compile(r"\blanguage-(\w+)")


def convert(page: str) -> str:
    """One page."""
    parser = _Page()
    parser.feed(page)
    parser.close()
    head = [] if any(RULES["h1"] * 5 in part for part in parser.parts) else ["Page\n====="]
    return "\n\n".join(head + parser.parts) + "\n"


class _Page(HTMLParser):
    """Collects the blocks of a page's article as reStructuredText."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._inside = self._skipping = self._level = 0
        self._boxes: list[bool] = []  # for each open box: is it an admonition?
        self._words: list[str] = []
        self._mark: str | None = None
        self._language, self._code = "text", False
        self._rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self._inside += tag == "article"
        self._skipping += tag in SKIPPED
        if tag in BOXES:
            self._open_box(tag, given.get("class", ""))
        elif tag == "pre":
            self._flush("p")
            self._code = True
        elif tag == "tr":
            self._rows.append([])
        elif tag in INLINE and not self._code and not self._mark:
            self._mark = INLINE[tag]
        elif tag in BLOCKS or tag in ("td", "th"):
            self._flush("p")

    def handle_endtag(self, tag: str) -> None:
        self._inside -= tag == "article"
        self._skipping -= tag in SKIPPED
        if tag in BOXES and self._boxes:
            self._flush("p")
            self._boxes.pop()
        elif tag == "pre":
            self._end_code()
        elif tag in ("td", "th") and self._rows:
            self._rows[-1].append(self._taken())
        elif tag == "table":
            self._end_table()
        elif tag in INLINE:
            self._mark = None
        elif tag in BLOCKS and not self._rows:
            self._flush(tag)

    def handle_data(self, data: str) -> None:
        if self._inside <= 0 or self._skipping > 0:
            return
        words = " ".join(data.split())
        if self._code:
            self._words.append(data)
        elif self._mark and words:
            self._words.append(f"\\ {self._mark}{_plain(words, self._mark)}{self._mark}\\ ")
        else:
            self._words.append(_escaped(data))

    def _open_box(self, tag: str, classes: str) -> None:
        self._flush("p")
        found = LANGUAGE.search(classes)
        self._language = found[1] if found else self._language
        is_admonition = bool(ADMONITION.search(classes)) or tag == "details"
        if is_admonition and self._inside > 0:
            self._add(".. admonition:: Note")
        self._boxes.append(is_admonition)

    def _taken(self) -> str:
        words, self._words = " ".join("".join(self._words).split()), []
        return words

    def _flush(self, tag: str) -> None:
        words = self._taken() if not self._code else ""
        if not words:
            return
        if tag in RULES:
            self._level = min(int(tag[1]), self._level + 1)  # no level may be left out
            self._add(f"{words}\n{RULES[f'h{self._level}'] * (len(words) + 2)}")
        else:
            self._add(f"* {words}" if tag in ("li", "dt", "dd") else words)

    def _end_code(self) -> None:
        lines = "".join(self._words).rstrip().splitlines()
        self._words, self._code = [], False
        if lines:
            self._add(
                "\n".join(
                    [f".. code-block:: {self._language}", "", *(f"   {line}" for line in lines)]
                )
            )
        self._language = "text"

    def _end_table(self) -> None:
        rows, self._rows = [row for row in self._rows if row], []
        if rows and len({len(row) for row in rows}) == 1:
            cells = [_row(row) for row in rows]
            self._add("\n".join([".. list-table::", "   :header-rows: 1", "", *cells]))

    def _add(self, text: str) -> None:
        indent = "   " * sum(self._boxes)
        self.parts.append("\n".join(indent + line if line else "" for line in text.splitlines()))


def _row(cells: list[str]) -> str:
    first, *others = (cell or "\\ " for cell in cells)
    return "\n".join([f"   * - {first}", *(f"     - {cell}" for cell in others)])


def _plain(words: str, mark: str) -> str:
    return words.replace("`", "'") if mark == "``" else _escaped(words)


def _escaped(words: str) -> str:
    return re.sub(r"([\\*`_|])", r"\\\1", words)
