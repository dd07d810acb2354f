// The planner in the page: fields, a live answer with its reasons, two scripts, a link to it all.
import { button, joined, make, receiptLinks, script, status } from "./make.js";
import { python } from "./python.js";

const WAIT_MS = 250;
const PLACES = {
  laptop: "On your laptop.",
  either: "Your laptop or the cluster: both will do.",
  cpu: "On the cluster, on CPU cores.",
  gpu: "On the cluster, on a GPU.",
  none: "It fits nowhere as it stands.",
};

function setUp(form) {
  const said = status("progress");
  const out = make("div", { class: "answer", role: "region", "aria-label": "The plan", "aria-live": "polite" });
  const fields = [...form.querySelectorAll("[name]")];
  let timer;
  let number = 0;

  function given() {
    const found = {};
    for (const field of fields) {
      const value = field.type === "checkbox" ? (field.checked ? "yes" : "") : field.value.trim();
      if (value) found[field.name] = value;
    }
    return found;
  }

  // The link carries these parameters and nothing else.
  function link() {
    return `${location.pathname}#${new URLSearchParams(given())}`;
  }

  function read() {
    const asked = new URLSearchParams(location.hash.slice(1, 4000));
    for (const field of fields) {
      const value = asked.get(field.name)?.slice(0, 200);
      if (value == null) continue;
      if (field.type === "checkbox") field.checked = value === "yes";
      else field.value = value;
    }
    return [...asked.keys()].some(name => fields.some(field => field.name === name));
  }

  async function plan() {
    const mine = ++number;
    history.replaceState(null, "", link());
    try {
      const found = await python.call("plan_project", { fields: given() });
      if (mine === number) show(found);
    } catch (error) {
      if (mine !== number) return;
      said.textContent = error.message;
      out.replaceChildren();
    }
  }

  function row(name, value) {
    return value == null || value === "" ? null : make("tr", {}, make("th", { scope: "row", text: name }), make("td", { text: value }));
  }

  function hours(span) {
    if (!span) return null;
    const text = value => (value < 48 ? `${value.toPrecision(2)} h` : `${(value / 24).toPrecision(2)} days`);
    return span[0] === span[1] ? text(span[0]) : `${text(span[0])} to ${text(span[1])}`;
  }

  function show(found) {
    said.textContent = "";
    const asks = make("table", {}, make("tbody", {},
      ...[row("Partition", found.partition), row("Cores", found.cpus_per_task),
        row("Memory", found.memory_gib && `${found.memory_gib} GiB`),
        row("GPUs", found.gpus_per_node ? `${found.gpus_per_node} × ${found.gpu}` : null),
        row("Array", found.array && `${found.array.tasks} tasks, ${found.array.limit} at once`),
        row("Time limit", found.time_limit_h && `${found.time_limit_h} h`),
        row("One task", hours(found.hours_per_task)), row("In all", hours(found.hours_total)),
        row("Raw data", found.storage?.raw), row("Results", found.storage?.results)].filter(Boolean)));
    const reason = one => {
      const name = /^claim:(.+)$/.exec(one.source ?? "")?.[1];
      return make("li", {}, `${one.text} `, ...(name ? joined(receiptLinks([name])) : []));
    };
    const section = (title, items) => (items.length ? [make("h2", { text: title }), make("ul", {}, ...items)] : []);
    out.replaceChildren(
      make("p", { class: "verdict", text: PLACES[found.place] ?? found.place }), asks,
      ...section("Why", found.reasons.map(reason)),
      ...section("Taken for granted", found.assumptions.map(text => make("li", { text }))),
      ...section("Not known here", found.unknown.map(one => make("li", { text: `${one.what ?? one}: ${one.ask ?? ""}` }))),
      ...(found.scripts.test ? [make("h2", { text: "First the test, of minutes" }), script("test.sh", found.scripts.test),
        make("h2", { text: "Then the full run" }), script("full.sh", found.scripts.full)] : []),
      make("p", {}, make("a", { href: link(), text: "A link to this plan" })));
  }

  const later = () => { clearTimeout(timer); timer = setTimeout(plan, WAIT_MS); };
  form.addEventListener("input", later);
  form.addEventListener("submit", event => { event.preventDefault(); plan(); });
  python.watch(text => { if (text) said.textContent = text; });
  form.querySelector(".actions").append(button("Start again", () => { form.reset(); history.replaceState(null, "", location.pathname); out.replaceChildren(); }));
  form.after(said, out);
  form.hidden = false;
  if (read()) plan();
  else python.start().catch(error => { said.textContent = error.message; });
}

for (const form of document.querySelectorAll("form[data-tool='planner']")) setUp(form);
