"""Copy fonts and Pyodide from the npm packages to where the theme finds them.

``python -m mlhpc.lesson.assets`` runs once at set-up, after ``npm ci``. The fonts are under the SIL
Open Font License, which goes with them; Pyodide, Python for the page, is under the MPL 2.0. Its
standard library is compiled anew (``code/web/compile.mjs``), so that it starts sooner.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from mlhpc.errors import ToolError

WEB = Path(__file__).resolve().parents[2] / "web"
INTER = "@fontsource-variable/inter"
MONO = "@fontsource/jetbrains-mono"

# name in the theme: file in node_modules; the Latin subset is all that the lesson's text needs
FONTS = {
    "inter.woff2": f"{INTER}/files/inter-latin-wght-normal.woff2",
    "inter-LICENSE.txt": f"{INTER}/LICENSE",
    "jetbrains-mono.woff2": f"{MONO}/files/jetbrains-mono-latin-400-normal.woff2",
    "jetbrains-mono-LICENSE.txt": f"{MONO}/LICENSE",
}


def copy_fonts(web: Path = WEB) -> list[Path]:
    """Copy every font with its licence; ToolError where a package is not installed."""
    folder = web / "theme" / "assets" / "fonts"
    folder.mkdir(parents=True, exist_ok=True)
    return [_copy(web / "node_modules" / source, folder / name) for name, source in FONTS.items()]


PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
STDLIB, LOCK = "python_stdlib.zip", "pyodide-lock.json"
NOTICE = """Python for the page

pyodide.mjs, pyodide.asm.mjs, pyodide.asm.wasm: Pyodide {version}, unchanged, under the Mozilla
Public License 2.0 (https://www.mozilla.org/MPL/2.0/). Its source:
https://github.com/pyodide/pyodide/tree/{version}

python_stdlib.zip: Python's standard library as Pyodide {version} brings it, compiled to bytecode.
pyodide.asm.wasm also holds Python itself. Copyright (c) 2001 Python Software Foundation; All Rights
Reserved. Under the Python Software Foundation License Version 2
(https://docs.python.org/3/license.html), which also names what Python incorporates.
"""
COMPILING_LIMIT_S = 600


def copy_python(web: Path = WEB) -> list[Path]:
    """Copy Pyodide, without its packages; ToolError where it is not installed."""
    source = web / "node_modules" / "pyodide"
    folder = web / "theme" / "assets" / "python"
    folder.mkdir(parents=True, exist_ok=True)
    copied = [_copy(source / name, folder / name) for name in PYODIDE]
    lock = json.loads((source / LOCK).read_text(encoding="utf-8"))
    (folder / LOCK).write_text(json.dumps({**lock, "packages": {}}), encoding="utf-8")
    _compile(web, folder / STDLIB)
    version = json.loads((source / "package.json").read_text(encoding="utf-8"))["version"]
    notice = folder / "python-LICENSE.txt"
    notice.write_text(NOTICE.format(version=version), encoding="utf-8")
    return [*copied, folder / LOCK, folder / STDLIB, notice]


def bundle_editor(web: Path = WEB) -> Path:
    """Bundle the editor of the runnable cells into one file."""
    target = web / "theme" / "assets" / "python" / "editor.js"
    _by_node(web, "bundle.mjs", target)
    licences = sorted((web / "node_modules").glob("@codemirror/*/LICENSE"))
    licences += sorted((web / "node_modules").glob("@lezer/*/LICENSE"))
    if not licences:
        raise ToolError("assets: the editor's licences are missing; run npm ci first")
    texts = [f"{path.parent.parent.name}/{path.parent.name}\n\n{path.read_text(encoding='utf-8')}"
             for path in licences]  # fmt: skip
    target.with_name("editor-LICENSE.txt").write_text("\n\n".join(texts), encoding="utf-8")
    return target


def _compile(web: Path, target: Path) -> None:
    """Compile the standard library by Pyodide itself, where that was not done yet."""
    source = web / "node_modules" / "pyodide" / "package.json"
    if not target.is_file() or target.stat().st_mtime < source.stat().st_mtime:
        _by_node(web, "compile.mjs", target)


def _by_node(web: Path, program: str, target: Path) -> None:
    """Let a program of node's write a file: beside it, then in its place. Raises ToolError."""
    made = target.with_name(f"new-{target.name}")
    try:
        done = subprocess.run(
            ["node", program, str(made)], cwd=web, capture_output=True, text=True,
            timeout=COMPILING_LIMIT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"assets: node: {error}") from None
    if done.returncode != 0 or not made.is_file():
        words = done.stderr.strip().splitlines() or ["it failed without a word"]
        raise ToolError(f"assets: {program}: {words[-1]}")
    made.replace(target)


def _copy(source: Path, target: Path) -> Path:
    if not source.is_file():
        raise ToolError(f"assets: {source} is missing; run npm ci in {WEB.name} first")
    shutil.copyfile(source, target)
    return target


def main() -> int:
    """Copy, and say in one line what is missing."""
    try:
        copied = [*copy_fonts(), *copy_python(), bundle_editor()]
    except ToolError as error:
        print(f"mlhpc: {error}", file=sys.stderr)
        return error.exit_code
    print(f"{len(copied)} files in {copied[0].parents[1].relative_to(WEB.parents[1])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
