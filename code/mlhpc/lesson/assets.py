"""Copy the fonts from the npm packages to where the theme finds them.

``python -m mlhpc.lesson.assets`` runs once at set-up, after ``npm ci``. The fonts are under the SIL
Open Font License, which goes with them.
"""

import shutil
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
    """Copy every font and its licence; ToolError where a package is not installed."""
    folder = web / "theme" / "assets" / "fonts"
    folder.mkdir(parents=True, exist_ok=True)
    return [_copy(web / "node_modules" / source, folder / name) for name, source in FONTS.items()]


def _copy(source: Path, target: Path) -> Path:
    if not source.is_file():
        raise ToolError(f"assets: {source} is missing; run npm ci in {WEB.name} first")
    shutil.copyfile(source, target)
    return target


def main() -> int:
    """Copy, and say in one line what is missing."""
    try:
        copied = copy_fonts()
    except ToolError as error:
        print(f"mlhpc: {error}", file=sys.stderr)
        return error.exit_code
    print(f"{len(copied)} files in {copied[0].parent.relative_to(WEB.parents[1])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
