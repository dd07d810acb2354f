"""What Lighthouse finds missing from 100 on the lesson pages, as a phone loads them.

Run as a program it prints one line of JSON. The built site (``MLHPC_SITE``, else ``site/``) is
served from this machine with what static hosts do: text compressed, files cached for ten minutes.
"""

import functools
import gzip
import http.server
import json
import os
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
PAGES = ("01-why-hpc/", "02-ml-workflow/")
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
TEXT = (".html", ".css", ".js", ".mjs", ".svg", ".json")
FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-background-networking"


@functools.cache
def compressed(path: Path) -> bytes:
    """A text file as it is sent; a host compresses it once, not while a reader waits."""
    return gzip.compress(path.read_bytes())


class Host(http.server.SimpleHTTPRequestHandler):
    """Files with the headers of a static host."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with a file, compressed where it is text."""
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        data = compressed(path) if path.suffix in TEXT else path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Cache-Control", "max-age=600")
        if path.suffix in TEXT:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which a folder is served meanwhile."""
    handler = functools.partial(Host, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def scores(url: str) -> dict[str, float]:
    """Lighthouse's score of a page in each category, 0 to 100, as a phone sees it."""
    program = HERE / "node_modules" / ".bin" / "lighthouse"
    command = [str(program), url, "--quiet", "--output=json", f"--chrome-flags={FLAGS}"]
    command.append(f"--only-categories={','.join(CATEGORIES)}")
    environ = {"CHROME_PATH": "/usr/bin/chromium", **os.environ}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environ)
    found = json.loads(done.stdout)["categories"]
    return {name: 100 * found[name]["score"] for name in CATEGORIES}


def measure(repeats: int) -> dict[str, float | int]:
    """The most that is missing from 100 on a page, in each category, by medians of ``repeats``."""
    site = Path(os.environ.get("MLHPC_SITE", CHECKOUT / "site"))
    runs = {}
    with served(site) as address:
        for page in PAGES:
            runs[page] = [scores(address + page) for _ in range(repeats)]
    missing = {
        f"{name.replace('-', '_')}_missing": round(
            max(100 - statistics.median(run[name] for run in runs[page]) for page in PAGES), 1
        )
        for name in CATEGORIES
    }
    return {**missing, "repeats": repeats}


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5)))
