// Check a job script in the page: findings with their lines, and the line to write at a click.
import { button, make, status } from "./make.js";
import { python } from "./python.js";

const LARGEST = 200_000;
const WAIT_MS = 350;

function setUp(place) {
  const said = status("progress");
  const list = make("div", { role: "region", "aria-label": "Findings" });
  const input = make("textarea", { rows: "14", spellcheck: "false", autocapitalize: "off" }, place.dataset.sample ?? "");
  let timer;
  let begun = false;

  async function check() {
    begun = true;
    if (input.value.length > LARGEST) { said.textContent = `A job script of more than ${LARGEST.toLocaleString("en")} characters is none.`; return; }
    try {
      const lines = input.value.split("\n");
      show(await python.call("check", { script: input.value }), lines);
    } catch (error) {
      said.textContent = error.message;
    }
  }

  function fix(finding) {
    const lines = input.value.split("\n");
    if (["shebang", "empty"].includes(finding.rule)) lines.unshift(finding.fix);
    else lines[finding.line - 1] = finding.fix;
    input.value = lines.join("\n");
    input.focus();
    check();
  }

  // The finding beside its line: the editor shows the line, chosen whole.
  function goTo(finding) {
    const before = input.value.split("\n").slice(0, finding.line - 1).join("\n");
    const begin = finding.line > 1 ? before.length + 1 : 0;
    const end = input.value.indexOf("\n", begin);
    input.focus();
    input.setSelectionRange(begin, end < 0 ? input.value.length : end);
    input.scrollTop = (finding.line - 2) * parseFloat(getComputedStyle(input).lineHeight);
  }

  function show(findings, lines) {
    const count = weight => findings.filter(one => one.severity === weight).length;
    const told = ["error", "warning", "note"].map(weight => [count(weight), weight])
      .filter(([number]) => number).map(([number, weight]) => `${number} ${weight}${number > 1 ? "s" : ""}`);
    const good = !count("error") && !count("warning");
    said.textContent = `${good ? "No error and no warning" : ""}${good && told.length ? "; " : ""}${told.join(", ")}.`;
    list.replaceChildren(...findings.map(one => make("article", { class: `finding finding--${one.severity}` },
      make("p", { class: "finding__line" },
        button(`Line ${one.line}`, () => goTo(one), { class: "action action--small" }),
        make("code", { text: lines[one.line - 1] ?? "" })),
      make("p", { text: `${one.severity[0].toUpperCase()}${one.severity.slice(1)}: ${one.message}` }),
      one.fix ? make("pre", {}, make("code", { text: one.fix })) : null,
      one.fix ? button("Write this line", () => fix(one)) : null,
      make("p", {}, make("a", { href: `../rules/#${one.rule}`, text: `The rule: ${one.rule}` })))));
  }

  async function load(file) {
    if (!file) return;
    if (file.size > LARGEST) { said.textContent = `${file.name} is too large for a job script.`; return; }
    input.value = await file.text();
    check();
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    if (begun) timer = setTimeout(check, WAIT_MS);
  });
  input.addEventListener("dragover", event => event.preventDefault());
  input.addEventListener("drop", event => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    load(event.dataTransfer.files[0]);
  });
  python.watch(text => { if (text) said.textContent = text; });
  place.replaceChildren(
    make("label", { class: "field" }, "Your job script: paste it, type it, or drop a file here", input),
    make("div", { class: "actions" },
      button("Check", check, { class: "action action--main" }),
      make("label", { class: "field field--short" }, "or open a file", make("input", { type: "file", onchange: event => load(event.target.files[0]) }))),
    said, list);
  place.hidden = false;
  // this is what the page is for: Python may come while the script is being pasted
  python.start().catch(error => { said.textContent = error.message; });
}

for (const place of document.querySelectorAll("[data-tool='check-script']")) setUp(place);
