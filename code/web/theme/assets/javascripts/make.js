// Small pieces of a page, made without markup: text stays text, whoever wrote it.

export function make(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "text") made.textContent = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter(child => child != null));
  return made;
}

export function button(text, onclick, more = {}) {
  return make("button", { type: "button", class: "action", text, onclick, ...more });
}

// A place where something is said that a screen reader should read out.
export function status(className) {
  return make("div", { class: className, role: "status", "aria-live": "polite" });
}

export function receiptLinks(names) {
  const base = document.querySelector('meta[name="mlhpc-receipts"]')?.content ?? "receipts/";
  return names.map(name => make("a", { href: `${base}#claim-${name}`, text: name }));
}

export function joined(nodes) {
  return nodes.flatMap((node, at) => (at ? [", ", node] : [node]));
}

// A block that can be copied and saved as a file.
export function script(name, text) {
  const copy = button("Copy", async () => {
    await navigator.clipboard.writeText(text);
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  });
  const address = URL.createObjectURL(new Blob([text], { type: "text/x-shellscript" }));
  const save = make("a", { class: "action", href: address, download: name, text: `Save as ${name}` });
  const block = make("pre", { tabindex: "0", "aria-label": name }, make("code", { text }));
  return make("section", { class: "answer" }, block, make("div", { class: "actions" }, copy, save));
}

export function kept(name) {
  try {
    const found = JSON.parse(localStorage.getItem(`mlhpc.${name}`) ?? "{}");
    return found && typeof found === "object" && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(`mlhpc.${name}`, JSON.stringify(value));
  } catch { /* no storage: it holds for this page */ }
}
