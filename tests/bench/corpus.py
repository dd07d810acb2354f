"""The same examples and pages, once for this project and once for Sphinx with sphinx-gallery."""

import ast
import shutil
from pathlib import Path

from restructured import convert

from mlhpc.lesson.gallery import parse
from mlhpc.lesson.gallery.project import Project
from mlhpc.lesson.gallery.script import Cell

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LEFT_OUT = shutil.ignore_patterns("node_modules", "__pycache__", "gallery", "*.ipynb")

# Both builders load the libraries before the first script, so that a script's own share is alike.
CONF = """
import os

if not os.path.exists("gallery"):
    {imports}

project = "The same lesson"
extensions = ["sphinx_gallery.gen_gallery"]
html_theme = "pydata_sphinx_theme"
sphinx_gallery_conf = {{
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "ignore_pattern": r"/(?!plot_)[^/]*\\.py$",
    "abort_on_example_error": True,
}}
"""
BARE = """
{imports}
import runpy
import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot

for path in sorted(Path("examples").glob("plot_*.py")):
    sys.argv = [str(path)]
    runpy.run_path(str(path.resolve()), run_name="__main__")
    pyplot.close("all")
"""


def make_ours(folder: Path) -> None:
    """This checkout as it is, with a probe around each cell of its examples."""
    for name in ("code", "episodes", "tests/recorded"):
        shutil.copytree(ROOT / name, folder / name, ignore=_without_generated)
    shutil.copy(ROOT / "mkdocs.yml", folder)
    shutil.copy(HERE / "probe.py", folder / "code" / "examples")
    _put_probes(Project.around(folder / "episodes"))
    _allow_probes(folder / "code" / "mlhpc" / "lesson" / "examples.py")


def _without_generated(folder: str, names: list[str]) -> set[str]:
    ignored = LEFT_OUT(folder, names)
    # the gallery that is generated, not the package that generates it
    return ignored if Path(folder).name == "episodes" else ignored - {"gallery"}


def _allow_probes(module: Path) -> None:
    """A probe adds two lines to a cell, which must not make it too long for a lesson."""
    text = module.read_text(encoding="utf-8")
    assert text.count("VISIBLE_LINES = 15\n") == 1
    module.write_text(text.replace("VISIBLE_LINES = 15\n", "VISIBLE_LINES = 17\n"))


def _put_probes(project: Project) -> None:
    for script in parse.read_all(project):
        lines = script.path.read_text(encoding="utf-8").splitlines()
        for cell in reversed(script.code()):
            _probe(cell, lines)
        script.path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _probe(cell: Cell, lines: list[str]) -> None:
    """Put ``begin`` before the cell and ``end`` after it; its last expression stays its last."""
    last = ast.parse(cell.padded()).body[-1]
    assert last.end_lineno is not None and last.end_col_offset is not None
    if isinstance(last, ast.Expr):
        _insert(lines, last.end_lineno, last.end_col_offset, ")")
        _insert(lines, last.lineno, last.col_offset, "probe.end(")
    else:
        lines.insert(last.end_lineno, "probe.end()")
    lines.insert(cell.line - 1, "import probe; probe.begin()")


def _insert(lines: list[str], line: int, column: int, text: str) -> None:
    # the parser counts bytes, not characters
    raw = lines[line - 1].encode()
    lines[line - 1] = (raw[:column] + text.encode() + raw[column:]).decode()


def make_theirs(folder: Path, ours: Path, names: list[str]) -> None:
    """The examples and the built pages of ``ours`` for Sphinx; ``names`` are loaded at first."""
    imports = "import " + ", ".join(names)
    shutil.copytree(ours / "code" / "examples", folder / "examples")
    if (ours / "code" / "jobs").exists():
        shutil.copytree(ours / "code" / "jobs", folder / "jobs")
    (folder / "examples" / "README.txt").write_text("Examples\n========\n\nScripts.\n")
    (folder / "bare.py").write_text(BARE.format(imports=imports))
    source = folder / "source"
    source.mkdir()
    (source / "conf.py").write_text(CONF.format(imports=imports))
    pages = _convert_pages(ours / "site", source)
    listed = "\n".join(f"   {page}" for page in [*pages, "gallery/index"])
    (source / "index.rst").write_text(f"Lesson\n======\n\n.. toctree::\n\n{listed}\n")


def _convert_pages(site: Path, source: Path) -> list[str]:
    """Every built page that is not an example's, as reStructuredText; return their names."""
    pages = []
    for path in sorted(site.rglob("index.html")):
        name = path.parent.relative_to(site).as_posix().replace("/", "-")
        if not name.startswith("gallery"):
            page = "start" if name == "." else name
            (source / f"{page}.rst").write_text(convert(path.read_text(encoding="utf-8")))
            pages.append(page)
    assert len(pages) >= 5, f"only {len(pages)} pages were built"
    return pages
