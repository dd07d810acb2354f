// Python, in a worker of its own: a page that waits for it can still be read, and a question that
// takes too long can be stopped. Messages are plain data; what the page asks goes through one door,
// mlhpc.page.call, which knows a handful of names.
import { loadPyodide } from "../python/pyodide.mjs";

const OPEN_THE_DOOR = `
import json
from mlhpc import page
lambda name, given: json.dumps(page.call(name, json.loads(given)))
`;

// A cell is run as a file of its own name, so that an error names its line.
const RUN = `
import sys, traceback
def run(code, scope):
    try:
        exec(compile(code, "<cell>", "exec"), scope)
    except BaseException as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<cell>"]
        line = lines[-1] if lines else getattr(error, "lineno", None)
        text = traceback.format_exception_only(error)[-1].strip()
        return json.dumps({"error": text, "line": line})
    return "{}"
scope = {"__name__": "__main__"}
lambda code: run(code, scope)
`;
const MOST_OUTPUT = 100_000; // characters: a page that holds more is no use to anybody

let call;
let run;

function tell(text) {
  postMessage({ kind: "progress", text });
}

async function start(wheel) {
  tell("Fetching Python, once: some megabytes");
  const python = await loadPyodide({ indexURL: new URL("../python/", import.meta.url).href });
  tell("Fetching the lesson's package");
  const response = await fetch(wheel);
  if (!response.ok) throw new Error(`${wheel} answered ${response.status}`);
  python.unpackArchive(await response.arrayBuffer(), "wheel");
  call = python.runPython(OPEN_THE_DOOR);
  run = python.runPython(RUN);
  const write = text => say(`${text}\n`);
  python.setStdout({ batched: write });
  python.setStderr({ batched: write });
  tell("");
}

let running;

function say(text) {
  if (!running || running.left <= 0) return;
  const shown = text.slice(0, running.left);
  running.left -= text.length;
  const end = running.left <= 0 ? "\n… more than the page shows\n" : "";
  postMessage({ kind: "output", id: running.id, text: shown + end });
}

function runCell({ id, code }) {
  running = { id, left: MOST_OUTPUT };
  try {
    return JSON.parse(run(code));
  } finally {
    running = undefined;
  }
}

const DOES = {
  run: runCell,
  start: ({ wheel }) => start(wheel),
  call: ({ name, given }) => JSON.parse(call(name, JSON.stringify(given))),
};

// what fails inside Pyodide, out of reach of the caller
addEventListener("unhandledrejection", event => {
  postMessage({ kind: "broken", message: String(event.reason?.message ?? event.reason) });
});

addEventListener("message", async ({ data }) => {
  try {
    postMessage({ kind: "done", id: data.id, result: await DOES[data.kind](data) });
  } catch (error) {
    postMessage({ kind: "failed", id: data.id, message: String(error.message ?? error) });
  }
});
