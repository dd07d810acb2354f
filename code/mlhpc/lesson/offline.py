"""The whole site as one file for a USB stick, with a starter that needs only Python.

``python -m mlhpc.lesson.offline`` packs ``site/`` into ``site/mlhpc-lesson.zip``. Whoever unpacks
it runs ``python3 start.py``: it serves the folder on this machine alone and opens the first page.
A server is needed since browsers start no worker from a file.
"""

import io
import re
import sys
import zipfile
from pathlib import Path

from mlhpc import content
from mlhpc.errors import InputError

NAME = "mlhpc-lesson.zip"
FOLDER = "mlhpc-lesson"
LINK = re.compile(rb"<a\b[^>]*" + NAME.encode() + rb"[^>]*>(.*?)</a>", re.S)
FIXED = (2026, 1, 1, 0, 0, 0)  # the same site gives the same bytes
READ_ME = """Machine Learning on HPC, without network: run  python3 start.py  in this folder,
or double-click start.bat (Windows) or start.command (macOS).
"""
START_BAT = "@cd /d %~dp0\r\n@py start.py || python start.py\r\n@pause\r\n"
START_COMMAND = '#!/bin/sh\ncd "$(dirname "$0")" && exec python3 start.py\n'
START = '''"""Shows the lesson in this folder, without network:  python3 start.py [PORT]"""
import functools
import http.server
import pathlib
import sys
import webbrowser

HERE = pathlib.Path(__file__).resolve().parent / "site"
http.server.SimpleHTTPRequestHandler.extensions_map.update(
    {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm"}
)
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(HERE))
port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
    address = f"http://127.0.0.1:{server.server_port}/"
    print(f"The lesson is at {address} (Ctrl-C stops it)", flush=True)
    if port == 0:
        webbrowser.open(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
'''


def pack(site: Path) -> bytes:
    """The zip of a built site. Raises InputError where there is none."""
    if not (site / "index.html").is_file():
        raise InputError(f"offline: no page in {site}; build the site first")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "start.py", START.encode())
        _add(archive, "start.bat", START_BAT.encode())
        _add(archive, "start.command", START_COMMAND.encode(), mode=0o755)
        _add(archive, "README.txt", READ_ME.encode())
        for path in sorted(site.rglob("*")):
            if path.is_file() and path.name != NAME:
                _add(archive, f"site/{path.relative_to(site).as_posix()}", _packed(path))
    return packed.getvalue()


def _packed(path: Path) -> bytes:
    """A file's bytes; a page's link to the zip is plain words: the zip does not hold itself."""
    data = path.read_bytes()
    return LINK.sub(rb"\1", data) if path.suffix == ".html" else data


def _add(archive: zipfile.ZipFile, name: str, data: bytes, mode: int = 0o644) -> None:
    entry = zipfile.ZipInfo(f"{FOLDER}/{name}", FIXED)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # so that the mode counts, wherever it is packed
    entry.external_attr = mode << 16
    archive.writestr(entry, data)


def write(site: Path) -> bool:
    """Write the zip into the site itself; True where it changed. Raises InputError."""
    return content.write_atomic(site / NAME, pack(site))


def main() -> int:
    """Pack the site of the checkout in this folder, beside its pages."""
    site = Path.cwd() / "site"
    try:
        write(site)
    except InputError as error:
        print(f"mlhpc: {error}", file=sys.stderr)
        return error.exit_code
    size_mb = (site / NAME).stat().st_size / 1e6
    print(f"{NAME}: {size_mb:.0f} MB", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
