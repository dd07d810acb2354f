// Python, in a worker of its own: a page that waits for it can still be read, and a question that
// takes too long can be stopped. Messages are plain data; what the page asks goes through one door,
// mlhpc.page.call, which knows a handful of names.
import { loadPyodide } from "../python/pyodide.mjs";

const OPEN_THE_DOOR = `
import json
from mlhpc import page
lambda name, given: json.dumps(page.call(name, json.loads(given)))
`;

let call;

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
  tell("");
}

const DOES = {
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
