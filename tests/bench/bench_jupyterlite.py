"""The first executed cell of a new reader: this site's, and JupyterLite's, round by round.

Run as a program it prints one line of JSON. The built site (``MLHPC_SITE``, else ``site/``) and
JupyterLite's REPL are served alike from this machine; every time is a new reader's, with nothing
stored. JupyterLite is the newest that pip installs, set up once in ``.cache/jupyterlite`` with what
its kernel would fetch from elsewhere: the Pyodide of the version that it names, from npm, and the
wheels that it loads, of the versions in Pyodide's lock file, by pip. Nothing of it is left out
or replaced by a stand-in; without a network between, it is sooner there than for its readers.

- ``cold_s``: from the click on Run to the end of the cell, the page being there.
- ``opened_s``: from opening the page, Run being clicked as soon as it is there.
- ``jupyterlite_s``: from opening the REPL, which runs its cell unasked, to the output.
"""

import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import Any

import bench_page
from bench_lighthouse import CHECKOUT, served
from playwright.sync_api import Browser, Page, sync_playwright

Lock = dict[str, dict[str, Any]]  # what Pyodide's lock file says of each package
# nothing can come from elsewhere: what is measured is what is served here
FLAGS = [*bench_page.FLAGS, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
CACHE = CHECKOUT / ".cache" / "jupyterlite"
PIP = ["-m", "pip", "--quiet", "--disable-pip-version-check"]
NAMES = ("jupyterlite-core", "jupyterlite-pyodide-kernel")
REPL = "repl/index.html?kernel=python&code=print(6*7)&execute=1"
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
# what the kernel installs when it starts and Pyodide's lock file has; comm is not in it
LOADED = ("micropip", "ipython", "jedi")
VERSIONS = """
import importlib.metadata as metadata, json
from jupyterlite_pyodide_kernel.constants import PYODIDE_PYTHON_VERSION, PYODIDE_VERSION
found = {name: metadata.version(name) for name in NAMES}
print(json.dumps({**found, "pyodide": PYODIDE_VERSION, "python": PYODIDE_PYTHON_VERSION}))
"""


def _run(*command: str | Path) -> str:
    """What a program says, run in the cache; where it fails, its errors."""
    done = subprocess.run([str(part) for part in command], cwd=CACHE, check=False, text=True,
                          capture_output=True)  # fmt: skip
    assert not done.returncode, f"{command}\n{done.stderr}"
    return done.stdout


def _installed() -> Path:
    """The Python of a virtual environment of its own that has JupyterLite."""
    venv.create(CACHE / "venv", with_pip=True)
    python = CACHE / "venv" / "bin" / "python"
    _run(python, *PIP, "install", *NAMES, "jupyter-server")  # the last to index its files
    return python


def _unpacked(version: str) -> Path:
    """The folder of the npm package ``pyodide``."""
    places = os.pathsep.join([os.environ.get("PATH", ""), str(Path(sys.executable).parent)])
    npm = shutil.which("npm", path=places)
    assert npm, "JupyterLite needs npm, for Pyodide"
    (CACHE / "npm").mkdir()
    _run(npm, "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts",
         "--prefix", CACHE / "npm", f"pyodide@{version}")  # fmt: skip
    return CACHE / "npm" / "node_modules" / "pyodide"


def closure(packages: Lock, names: tuple[str, ...]) -> Lock:
    """The packages of a lock file that are loaded with the named ones, themselves included."""
    found: Lock = {}
    todo = list(names)
    while todo:
        name = todo.pop().lower().replace("_", "-")
        if name not in found:
            found[name] = packages[name]
            todo += packages[name]["depends"]
    return found


def _wheels(python: Path, wanted: list[str], version: str) -> Path:
    """A folder with pure wheels for Python ``version``."""
    folder = CACHE / "wheels"
    _run(python, *PIP, "download", "--no-deps", "--only-binary", ":all:", "--platform", "any",
         "--implementation", "py", "--abi", "none", "--python-version", version,
         "--dest", folder, *wanted)  # fmt: skip
    return folder


def _place(pyodide: Path, wheels: Path, lock: dict[str, Any], loaded: Lock) -> None:
    """Put Pyodide and its wheels where ``jupyter lite build`` looks for them."""
    target = CACHE / "lite" / "static" / "pyodide"
    target.mkdir(parents=True)
    for name in PYODIDE:
        shutil.copy(pyodide / name, target / name)
    for package in loaded.values():
        wheel = wheels / package["file_name"]
        shutil.copy(wheel, target / wheel.name)
        package["sha256"] = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (target / LOCK).write_text(json.dumps(lock), encoding="utf-8")


def build() -> None:
    """Set up JupyterLite anew: ``built`` and ``versions.json`` in the cache."""
    shutil.rmtree(CACHE, ignore_errors=True)
    CACHE.mkdir(parents=True)
    python = _installed()
    versions = json.loads(_run(python, "-c", f"NAMES = {NAMES}\n{VERSIONS}"))
    pyodide = _unpacked(versions["pyodide"])
    lock = json.loads((pyodide / LOCK).read_text(encoding="utf-8"))
    loaded = closure(lock["packages"], LOADED)
    wanted = [f"{name}=={package['version']}" for name, package in loaded.items()]
    wheels = _wheels(python, ["comm", *wanted], versions["python"])
    _place(pyodide, wheels, lock, loaded)
    (comm,) = wheels.glob("comm-*.whl")
    _run(python, "-m", "jupyterlite_core", "build", "--lite-dir", "lite", "--output-dir", "built",
         "--apps", "repl", "--piplite-wheels", comm)  # fmt: skip
    (CACHE / "versions.json").write_text(json.dumps(versions), encoding="utf-8")


def _tab(browser: Browser) -> Page:
    """A tab of a new reader."""
    tab = browser.new_context().new_page()
    tab.set_default_timeout(bench_page.LIMIT_MS)
    return tab


def opened(browser: Browser, address: str) -> float:
    """Seconds from opening this site's page to the end of its cell."""
    tab = _tab(browser)
    begin = time.perf_counter()
    tab.goto(f"{address}01-why-hpc/", wait_until="commit")
    cell = tab.locator("#cell-sweep")
    cell.get_by_role("button", name="Run").click()
    cell.get_by_role("status").get_by_text("Done.").wait_for()
    taken = time.perf_counter() - begin
    tab.context.close()
    return taken


def jupyterlite(browser: Browser, address: str) -> float:
    """Seconds from opening JupyterLite's REPL to the output of its cell."""
    tab = _tab(browser)
    begin = time.perf_counter()
    tab.goto(f"{address}{REPL}", wait_until="commit")
    tab.locator(".jp-OutputArea-output").get_by_text("42", exact=True).wait_for()
    taken = time.perf_counter() - begin
    tab.context.close()
    return taken


def versions(site: Path) -> dict[str, dict[str, str]]:
    """What was measured: ours and JupyterLite's, each with its Pyodide."""
    notice = (site / "assets" / "python" / "python-LICENSE.txt").read_text(encoding="utf-8")
    (wheel,) = (site / "wheels").glob("mlhpc-*.whl")
    ours = {"mlhpc": wheel.name.split("-")[1], "pyodide": notice.split("Pyodide ")[1].split(",")[0]}
    theirs = json.loads((CACHE / "versions.json").read_text(encoding="utf-8"))
    return {"ours": ours, "jupyterlite": theirs}


def rounds(site: Path, repeats: int) -> tuple[list[tuple[float, float, float]], str]:
    """``cold_s``, ``opened_s``, ``jupyterlite_s`` of each round; the browser's version."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with served(site) as ours, served(CACHE / "built") as theirs, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        times = [(bench_page.once(browser, ours)[0], opened(browser, ours),
                  jupyterlite(browser, theirs)) for _ in range(repeats)]  # fmt: skip
        version = browser.version
        browser.close()
    return times, version


def measure(repeats: int) -> dict[str, Any]:
    """Medians over ``repeats`` rounds, after one that is not counted, and the versions."""
    if not (CACHE / "versions.json").exists():
        build()
    site = Path(os.environ.get("MLHPC_SITE", CHECKOUT / "site"))
    times, chromium = rounds(site, repeats + 1)
    cold, whole, other = (statistics.median(each) for each in zip(*times[1:], strict=True))
    return {"cold_s": round(cold, 2), "opened_s": round(whole, 2), "jupyterlite_s": round(other, 2),
            "ratio": round(cold / other, 3), "opened_ratio": round(whole / other, 3),
            "versions": {**versions(site), "chromium": chromium}, "repeats": repeats}  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 3)))
