"""What must be true of every page of a built site. Read from the files, without a browser.

``python -m mlhpc.lesson.checks SITE_DIR`` prints each page where something is not so. What only a
browser can tell (contrast, focus, requests) is in tests/browser.
"""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mlhpc.errors import InputError
from mlhpc.lesson import policy
from mlhpc.lesson.built import Page, Site

# HTML, styles, scripts and fonts of a first visit, compressed; pictures come on top
FIRST_LOAD_MAX_KB = 200
ELSEWHERE = re.compile(r"""(?:url\(\s*["']?|@import\s+["']?)(?:https?:)?//[^"')\s]*""")
# template marks, our own marks (private use), Markdown blocks that nothing has read
LEFTOVERS = re.compile(r"\{\{|\}\}|\{%|%\}|[\ue000-\uf8ff]|^ *(?:!!!|\?\?\?|===|```)", re.M)
USAGE = "mlhpc: checks: name one folder; valid: python -m mlhpc.lesson.checks SITE_DIR"


@dataclass(frozen=True)
class Problem:
    """Something that is not so, and where."""

    page: str
    what: str

    def __str__(self) -> str:
        return f"{self.page}: {self.what}"


def links_resolve(page: Page) -> Iterator[str]:
    """Each link inside the site leads to a file, and its anchor to an element there."""
    for link in (anchor["href"] for anchor in page.all("a") if "href" in anchor):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        file = page.site.file(page.address, link)
        target = page.site.pages.get(file)
        if not page.site.has(file):
            yield f"link to {link}: there is no {file}"
        elif target and parts.fragment and unquote(parts.fragment) not in target.ids:
            yield f"link to {link}: {file} has no anchor of that name"


def images_speak(page: Page) -> Iterator[str]:
    """Each picture is there, with words for those who do not see it, and keeps its room free."""
    for image in page.all("img"):
        name = image.get("src", "")
        if not image.get("alt", "").strip():
            yield f"picture {name[:80]} has no alternative text"
        if not (image.get("width") and image.get("height")):
            yield f"picture {name[:80]} names no width and height"
        if not name.startswith("data:") and not page.site.has(page.site.file(page.address, name)):
            yield f"picture {name} is not there"


def has_a_head(page: Page) -> Iterator[str]:
    """Language, title and description, and exactly one first heading."""
    if not any(root.get("lang") for root in page.all("html")):
        yield "no language"
    if not any(page.reader.titles):
        yield "no title"
    described = [meta for meta in page.all("meta") if meta.get("name") == "description"]
    if not any(meta.get("content", "").strip() for meta in described):
        yield "no description"
    if len(page.all("h1")) != 1:
        yield f"{len(page.all('h1'))} first headings, not 1"


def ids_are_unique(page: Page) -> Iterator[str]:
    """No two elements have the same id."""
    for name in sorted(set(page.ids)):
        if page.ids.count(name) > 1:
            yield f"{page.ids.count(name)} elements have the id {name}"


def fetches_nothing_elsewhere(page: Page) -> Iterator[str]:
    """Scripts, styles, fonts and pictures come from the site itself."""
    for address in page.fetched():
        if urlsplit(address).netloc:
            yield f"fetches {address}"
    for found in ELSEWHERE.findall(page.html):
        yield f"fetches {found}"


def policy_in_force(page: Page) -> Iterator[str]:
    """One policy, before all that it rules, that names the page's own scripts and no others."""
    named = [meta for meta in page.all("meta") if meta.get("http-equiv") == policy.NAME]
    policies = [meta["content"] for meta in named]
    if len(policies) != 1:
        yield f"{len(policies)} content security policies, not 1"
    elif policies[0] != policy.policy(page.html):
        yield "the content security policy does not fit the page's scripts"
    ruled = re.search(r"<(script|link|style)\b", page.html)
    if ruled and policy.NAME not in page.html[: ruled.start()]:
        yield "the content security policy comes after something that it should rule"
    if policy.HANDLER.search(page.html):
        yield "an event handler stands in an attribute"


def nothing_left_over(page: Page) -> Iterator[str]:
    """No template mark, no mark of ours and no unread Markdown in what people read."""
    text = "".join(page.reader.text)
    for found in LEFTOVERS.finditer(text):
        yield f"left over: {text[max(0, found.start() - 30) : found.end() + 30]!r}"


def light_enough(page: Page) -> Iterator[str]:
    """The first visit stays under the limit, pictures aside."""
    size_kb = sum(page.site.size(file) for file in page.first_load()) / 1000
    if size_kb >= FIRST_LOAD_MAX_KB:
        yield f"{size_kb:.0f} KB on first load; at most {FIRST_LOAD_MAX_KB}"


CHECKS: tuple[Callable[[Page], Iterator[str]], ...] = (
    links_resolve,
    images_speak,
    has_a_head,
    ids_are_unique,
    fetches_nothing_elsewhere,
    policy_in_force,
    nothing_left_over,
    light_enough,
)


def check(folder: Path) -> list[Problem]:
    """Every check on every page. Raises InputError where there is no page."""
    pages = Site(folder).pages.values()
    return [Problem(page.address, what) for page in pages for rule in CHECKS for what in rule(page)]


def main(arguments: list[str]) -> int:
    """``python -m mlhpc.lesson.checks SITE_DIR``: 1 where something is not so."""
    if len(arguments) != 1:
        print(USAGE, file=sys.stderr)
        return InputError.exit_code
    try:
        problems = check(Path(arguments[0]))
    except InputError as error:
        print(f"mlhpc: {error}", file=sys.stderr)
        return error.exit_code
    print("\n".join(map(str, problems)) or "every check holds on every page")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
