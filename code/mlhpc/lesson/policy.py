"""The content security policy of a page: what its browser may run and fetch.

Everything comes from the site itself. A script written into the page runs only where its hash is
named; handlers in attributes (``onclick=``) never do, so they are taken out. The policy stands in
the page, since a static host lets nobody set headers. ``python -m mlhpc.lesson.policy SITE_DIR``
does to a built folder what the build does to each page.
"""

import base64
import hashlib
import re
import sys
from pathlib import Path

from mlhpc.content import write_atomic
from mlhpc.errors import InputError

NAME = "Content-Security-Policy"
SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.S | re.I)
HANDLER = re.compile(r"""(<[a-z][^<>]*?)\son[a-z]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)""", re.I)
POLICY = re.compile(rf'\s*<meta http-equiv="{NAME}"[^>]*>', re.I)
CHARSET = re.compile(r"<meta charset=[^>]*>", re.I)
# scripts that a browser runs; others, such as JSON-LD, are data
RUNS = re.compile(r"""type\s*=\s*["']?(?:module|(?:text|application)/javascript)\b""", re.I)
USAGE = "mlhpc: policy: name one folder; valid: python -m mlhpc.lesson.policy SITE_DIR"


def add_policy(html: str) -> str:
    """The page with its policy, whatever it had before.

    Raises InputError where there is no ``<meta charset>`` for the policy to follow.
    """
    bare = _without_handlers(POLICY.sub("", html))
    charset = CHARSET.search(bare)
    if not charset:
        raise InputError("policy: page has no <meta charset>; the policy goes after it")
    meta = f'\n    <meta http-equiv="{NAME}" content="{policy(bare)}">'
    return bare[: charset.end()] + meta + bare[charset.end() :]


def policy(html: str) -> str:
    """The policy that fits the page's own inline scripts."""
    hashes = sorted({source_hash(text) for text in inline_scripts(html)})
    rules = {
        "default-src": ["'self'"],
        # WebAssembly is Python's; nothing else may be evaluated
        "script-src": ["'self'", "'wasm-unsafe-eval'", *hashes],
        "style-src": ["'self'", "'unsafe-inline'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "worker-src": ["'self'"],
        "object-src": ["'none'"],
        "base-uri": ["'self'"],
        "form-action": ["'self'"],
    }
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in rules.items())


def inline_scripts(html: str) -> list[str]:
    """The text of each script in the page that a browser would run."""
    return [
        match[2]
        for match in SCRIPT.finditer(html)
        if not re.search(r"\bsrc\s*=", match[1], re.I)
        and ("type" not in match[1].lower() or RUNS.search(match[1]))
    ]


def source_hash(script: str) -> str:
    """How a policy names a script by its text: ``'sha256-...'``."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _without_handlers(html: str) -> str:
    before = None
    while before != html:
        before, html = html, HANDLER.sub(r"\1", html)
    return html


def apply(site: Path) -> int:
    """Give every page of a built site its policy; the number of pages that changed."""
    pages = sorted(site.rglob("*.html"))
    if not pages:
        raise InputError(f"policy: no page in {site}; build the site first")
    return sum(write_atomic(page, add_policy(page.read_text(encoding="utf-8"))) for page in pages)


def main(arguments: list[str]) -> int:
    """``python -m mlhpc.lesson.policy SITE_DIR``."""
    if len(arguments) != 1:
        print(USAGE, file=sys.stderr)
        return InputError.exit_code
    try:
        print(f"{apply(Path(arguments[0]))} pages changed")
    except InputError as error:
        print(f"mlhpc: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
