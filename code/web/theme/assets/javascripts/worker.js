// Python, in a worker of its own: a page that waits for it can still be read, and a question that
// takes too long can be stopped. Messages are plain data; what the page asks goes through one door,
// mlhpc.page.call, which knows a handful of names.
import { loadPyodide } from "../python/pyodide.mjs";

const OPEN_THE_DOOR = `
import json
from mlhpc import page
lambda name, given: json.dumps(page.call(name, json.loads(given)))
`;

// A cell is run as a file of its own name, so that an error names its line. What it did to the
// streams is undone for the next one, and what it wrote without an end of line is shown as well.
const RUN = `
import sys, traceback
from json import dumps
LONGEST_ERROR = 2000
def no_input(*_):
    raise RuntimeError("a cell cannot ask; write the value into the code")
def wrong(error):
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<cell>"]
    line = lines[-1] if lines else getattr(error, "lineno", None)
    text = traceback.format_exception_only(error)[-1].strip()
    return {"error": text[:LONGEST_ERROR] + "…" * (len(text) > LONGEST_ERROR), "line": line}
def run(code, scope):
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    try:
        exec(compile(code, "<cell>", "exec"), scope)
    except BaseException as error:
        ended_well = isinstance(error, SystemExit) and error.code in (None, 0)
        return {} if ended_well else wrong(error)
    finally:
        sys.__stdout__.flush()
        sys.__stderr__.flush()
    return {}
scope = {"__name__": "__main__", "input": no_input}
lambda code: dumps(run(code, scope))
`;
// A page that holds more is no use to anybody, and one that is told more stands still.
const MOST_OUTPUT = 100_000; // characters
const LEAST_COUNTED = 20; // what the shortest piece counts for: it is a message of its own

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
  python.setStdout(stream());
  python.setStderr(stream());
  tell("");
}

const GONE = "Python itself ended at this; it starts anew with the next run";
let running;

// Text as it comes, also the part of a line; a character may be cut between two pieces.
function stream() {
  const decoder = new TextDecoder();
  return {
    write(bytes) {
      say(decoder.decode(bytes, { stream: true }));
      return bytes.length;
    },
  };
}

function say(text) {
  if (!running || running.left <= 0) return;
  const shown = text.slice(0, running.left);
  running.left -= Math.max(text.length, LEAST_COUNTED);
  const end = running.left <= 0 ? "\n… more than the page shows\n" : "";
  postMessage({ kind: "output", id: running.id, text: shown + end });
}

function runCell({ id, code }) {
  running = { id, left: MOST_OUTPUT };
  try {
    return JSON.parse(run(code));
  } catch {
    // the code brought Python itself down: the page ends this worker and starts another
    throw new Error(GONE);
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
    const kind = error.message === GONE ? "broken" : "failed";
    postMessage({ kind, id: data.id, message: String(error.message ?? error) });
  }
});
