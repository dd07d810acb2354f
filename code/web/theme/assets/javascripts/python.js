// The page's side of Python: one worker, fetched when first needed, shared by all of a page.
//
//   const found = await python.call("grade", { name, answer });   // throws Error with one line
//   python.watch(text => …)                                       // progress, "" when there is none

const WHEEL = document.querySelector('meta[name="mlhpc-wheel"]')?.content;
const LIMIT_MS = 20_000; // no question takes a tenth of it: beyond it the worker is started anew

const STOPPED = "stopped";
const BUSY = "A cell of this page is running: stop it or wait for its end, then ask again.";

let worker;
let ready;
let cells = 0; // that run now
let last = 0;
const waiting = new Map();
const watchers = new Set();

function show(text) {
  for (const watcher of watchers) watcher(text);
}

function heard({ data }) {
  if (data.kind === "progress") { show(data.text); return; }
  if (data.kind === "broken") { failed(data.message); return; }
  const asked = waiting.get(data.id);
  if (!asked) return;
  if (data.kind === "output") { asked.output?.(data.text); return; }
  waiting.delete(data.id);
  if (data.kind === "done") asked.resolve(data.result);
  else asked.reject(new Error(data.message));
}

function send(message, output) {
  return new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, { resolve, reject, output });
    worker.postMessage({ ...message, id });
  });
}

function failed(reason) {
  stop();
  show("");
  for (const asked of waiting.values()) asked.reject(new Error(reason));
  waiting.clear();
}

// What a person can do about it, by what went wrong.
function remedy(message) {
  if (location.protocol === "file:") return "Python in the page needs a server: python3 -m http.server in the folder of the site, then http://127.0.0.1:8000/.";
  if (typeof WebAssembly === "undefined") return "This browser has no WebAssembly, or it is switched off. The answers can be unfolded without it.";
  if (!navigator.onLine) return "There is no network, and Python was not fetched before. Try again when you are back.";
  return `Python did not start (${message}). Load the page again; the answers can be unfolded without it.`;
}

function start() {
  if (ready) return ready;
  show("Starting Python");
  try {
    worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  } catch (error) {
    return Promise.reject(new Error(remedy(error.message)));
  }
  worker.addEventListener("message", heard);
  worker.addEventListener("error", event => failed(event.message || "the worker ended"));
  ready = send({ kind: "start", wheel: new URL(WHEEL, document.baseURI).href }).catch(error => {
    stop();
    show("");
    throw error.message === STOPPED ? error : new Error(remedy(error.message));
  });
  return ready;
}

function stop() {
  worker?.terminate();
  worker = undefined;
  ready = undefined;
}

async function call(name, given) {
  if (cells) throw new Error(BUSY);
  await start();
  const limit = setTimeout(() => failed("it took too long, and was stopped"), LIMIT_MS);
  try {
    const found = await send({ kind: "call", name, given });
    if ("error" in found) throw new Error(found.error);
    return found.answer;
  } finally {
    clearTimeout(limit);
  }
}

// Runs a cell; output comes as it is written. A cell may take as long as it likes: stop() ends it.
async function run(code, output) {
  cells += 1;
  try {
    await start();
    return await send({ kind: "run", code }, output);
  } finally {
    cells -= 1;
  }
}

// Ends whatever runs: the worker goes, and the next question starts another.
function interrupt() {
  failed(STOPPED);
}

function watch(watcher) {
  watchers.add(watcher);
}

export const python = { start, stop, call, run, interrupt, watch };
