"""A real browser, and the built site served to it from this machine."""

import functools
import http.server
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright
from playwright.sync_api import Page as Tab

from mlhpc.lesson.built import Site

AXE = (
    Path(__file__).resolve().parents[2]
    / "code"
    / "web"
    / "node_modules"
    / "axe-core"
    / "axe.min.js"
)
# every rule that is on by default, and the size of what is touched
AXE_OPTIONS = json.dumps(
    {"rules": {"target-size": {"enabled": True}}, "resultTypes": ["violations"]}
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Visit:
    """A page in the browser, and what happened there."""

    tab: Tab
    host: str
    errors: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Note each error on the console and each request to another host."""
        self.tab.on("console", self._console)
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on("request", self._request)
        self.tab.on("requestfailed", self._failed)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def _failed(self, request: Any) -> None:
        # a page that is left stops what it was fetching: that is no failure
        if request.failure != "net::ERR_ABORTED":
            self.errors.append(f"failed: {request.url}")

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.host, "data:", "blob:")):
            self.elsewhere.append(request.url)

    def open(self, address: str) -> Tab:
        """Go to a page of the site."""
        self.tab.goto(self.host + address.removesuffix("index.html"))
        return self.tab

    def violations(self) -> list[str]:
        """What axe finds wrong with the page as it is now: rule and first place."""
        if not self.tab.evaluate("'axe' in window"):
            self.tab.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.tab.evaluate(f"axe.run(document, {AXE_OPTIONS})")
        assert len(found["passes"]) > 10, "axe looked at nothing"
        return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found["violations"]]

    def overflow_px(self) -> int:
        """By how much the page is wider than the window."""
        return int(self.tab.evaluate("document.documentElement.scrollWidth - innerWidth"))


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix(self.server.base))  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def site(site_folder: Path) -> Site:
    """The built site."""
    return Site(site_folder)


@pytest.fixture(scope="session")
def host(site: Site) -> Iterator[str]:
    """The address of the site, served as a static host would."""
    handler = functools.partial(_Quiet, directory=str(site.folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.base = site.base.rstrip("/")  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}{site.base}"
    server.shutdown()


@pytest.fixture(scope="session")
def browser(need: Callable[[str, bool, str], None]) -> Iterator[Browser]:
    """Chromium, without a window."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    need("browser", program is not None, "install chromium (apt-get install chromium)")
    need("browser", AXE.is_file(), "run npm --prefix code/web ci")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def visit(browser: Browser, host: str) -> Iterator[Callable[..., Visit]]:
    """``visit(width=..., color_scheme=...)``: a new reader with nothing stored."""
    contexts: list[BrowserContext] = []

    def start(width: int = 1280, height: int = 900, **options: Any) -> Visit:
        viewport = {"width": width, "height": height}
        context = browser.new_context(viewport=viewport, reduced_motion="reduce", **options)
        context.set_default_timeout(10_000)
        contexts.append(context)
        started = Visit(context.new_page(), host)
        started.watch()
        return started

    yield start
    for context in contexts:
        context.close()
