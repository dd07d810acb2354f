"""A built site as values: its pages taken apart, the files that links name, what a visit costs."""

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from mlhpc.errors import InputError

FETCHES = {
    "script": "src",
    "img": "src",
    "source": "src",
    "iframe": "src",
    "embed": "src",
    "object": "data",
    "video": "src",
    "audio": "src",
    "input": "src",
}
FETCHED_LINKS = {"stylesheet", "preload", "icon", "modulepreload", "manifest"}
UNREAD = {"script", "style", "pre", "code", "template", "title"}
FONT = re.compile(r'url\("?([^")]+\.woff2)"?\)')

Element = tuple[str, dict[str, str]]


class _Reader(HTMLParser):
    """Elements with their attributes, and the text that people read as text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.text: list[str] = []
        self.titles: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag in UNREAD:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            self._open.remove(tag)

    def handle_data(self, data: str) -> None:
        if not self._open:
            self.text.append(data)
        elif self._open == ["title"]:
            self.titles.append(data.strip())


@dataclass(frozen=True)
class Page:
    """One HTML file; ``address`` is its path from the top of its site."""

    address: str
    html: str = field(repr=False)
    site: "Site" = field(repr=False)

    @cached_property
    def reader(self) -> _Reader:
        """The page, taken apart."""
        reader = _Reader()
        reader.feed(self.html)
        return reader

    @cached_property
    def ids(self) -> list[str]:
        """Every anchor that a link may name."""
        return [attributes["id"] for _, attributes in self.reader.elements if "id" in attributes]

    def all(self, tag: str) -> list[dict[str, str]]:
        """The attributes of each element of a kind, in order."""
        return [attributes for name, attributes in self.reader.elements if name == tag]

    def fetched(self) -> Iterator[str]:
        """The address of everything that a browser fetches for the page."""
        for tag, attributes in self.reader.elements:
            if tag == "link" and FETCHED_LINKS & set(attributes.get("rel", "").split()):
                yield attributes["href"]
            elif tag in FETCHES and attributes.get(FETCHES[tag]):
                yield attributes[FETCHES[tag]]
            yield from (part.split()[0] for part in attributes.get("srcset", "").split(",") if part)

    def first_load(self) -> set[str]:
        """The files of a first visit, pictures aside: the page, its styles, scripts and fonts."""
        named = {self.site.file(self.address, address) for address in self.fetched()}
        files = {file for file in named if file.endswith((".css", ".js", ".woff2"))}
        styles = [file for file in files if file.endswith(".css")]
        return {self.address, *files}.union(*(self.site.fonts(style) for style in styles))


class Site:
    """The pages of a built site by address, and its other files."""

    def __init__(self, folder: Path) -> None:
        """Raises InputError where there is no page in ``folder``."""
        self.folder = folder
        found = sorted(folder.rglob("*.html"))
        if not found:
            raise InputError(f"site: no page in {folder}; build the site first")
        pages = (self._page(path) for path in found)
        self.pages = {page.address: page for page in pages}

    def _page(self, path: Path) -> Page:
        address = path.relative_to(self.folder).as_posix()
        return Page(address, path.read_text(encoding="utf-8"), self)

    @cached_property
    def base(self) -> str:
        """The path under which the site is served, from the first page's own address."""
        links = self.pages["index.html"].all("link") if "index.html" in self.pages else []
        canonical = [link["href"] for link in links if link.get("rel") == "canonical"]
        return urlsplit(canonical[0]).path if canonical else "/"

    def has(self, file: str) -> bool:
        """True for a file of the site."""
        return (self.folder / file).is_file()

    def file(self, address: str, link: str) -> str:
        """The file that ``link`` on the page at ``address`` names; a folder is its index.html."""
        path = unquote(urlsplit(urljoin(f"{self.base}{address}", link)).path)
        path = path.removeprefix(self.base).lstrip("/")
        return f"{path}index.html" if not path or path.endswith("/") else path

    def fonts(self, style: str) -> set[str]:
        """The fonts that a stylesheet names."""
        text = (self.folder / style).read_text(encoding="utf-8")
        return {self.file(style, name) for name in FONT.findall(text)}

    def size(self, file: str) -> int:
        """The bytes of a file as they travel: fonts as they are, all else compressed by gzip."""
        content = (self.folder / file).read_bytes()
        return len(content) if file.endswith(".woff2") else len(gzip.compress(content, 6))
