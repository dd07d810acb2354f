// Writes Pyodide's standard library anew: compiled, and not compressed, so that a page starts
// Python in a third of the time. It is compiled by the Python that will run it: Pyodide's own.
//   node compile.mjs TARGET.zip
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

const COMPILE = `
import importlib._bootstrap_external as bootstrap, io, zipfile
LEFT_OUT = ("test/", "idlelib/", "tkinter/", "turtledemo/", "ensurepip/", "lib2to3/", "pydoc_data/", "curses/", "sqlite3/", "venv/")
out = io.BytesIO()
FIXED = (2026, 1, 1, 0, 0, 0)
with zipfile.ZipFile("/stdlib.zip") as old, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as new:
    for name in sorted(old.namelist()):
        if name.endswith("/") or name.startswith(LEFT_OUT):
            continue
        data = old.read(name)
        if name.endswith(".py"):
            code = compile(data, name, "exec", dont_inherit=True, optimize=0)
            name, data = name + "c", bytes(bootstrap._code_to_hash_pyc(code, b"\\0" * 8, checked=False))
        new.writestr(zipfile.ZipInfo(name, FIXED), data)
out.getvalue()
`;

const own = dirname(fileURLToPath(import.meta.url));
const python = await loadPyodide();
python.FS.writeFile("/stdlib.zip", readFileSync(join(own, "node_modules/pyodide/python_stdlib.zip")));
writeFileSync(process.argv[2], python.runPython(COMPILE).toJs());
