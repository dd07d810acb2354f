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
    return [*copied, folder / LOCK, folder / STDLIB]


def _compile(web: Path, target: Path) -> None:
    """Compile the standard library by Pyodide itself, where that was not done yet."""
    source = web / "node_modules" / "pyodide" / "package.json"
    if target.is_file() and target.stat().st_mtime >= source.stat().st_mtime:
        return
    made = target.with_suffix(".new")
    try:
        done = subprocess.run(
            ["node", "compile.mjs", str(made)], cwd=web, capture_output=True, text=True,
            timeout=COMPILING_LIMIT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"assets: node: {error}") from None
    if done.returncode != 0 or not made.is_file():
        words = done.stderr.strip().splitlines() or ["it failed without a word"]
        raise ToolError(f"assets: compile.mjs: {words[-1]}")
    made.replace(target)


def _copy(source: Path, target: Path) -> Path:
    if not source.is_file():
        raise ToolError(f"assets: {source} is missing; run npm ci in {WEB.name} first")
    shutil.copyfile(source, target)
    return target


def main() -> int:
    """Copy, and say in one line what is missing."""
    try:
        copied = [*copy_fonts(), *copy_python()]
    except ToolError as error:
        print(f"mlhpc: {error}", file=sys.stderr)
        return error.exit_code
    print(f"{len(copied)} files in {copied[0].parents[1].relative_to(WEB.parents[1])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
