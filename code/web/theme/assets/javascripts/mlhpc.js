// What a page does beyond being read. Everything here is an addition: without it the text, the
// solutions, the receipts and the list of pages are all there.

const root = document.documentElement;

function keep(key, value) {
  try {
    localStorage.setItem("mlhpc." + key, value);
  } catch { /* no storage: it holds for this page */ }
}

// Colours: as the system says, light, dark, and round again.
const THEMES = ["system", "light", "dark"];
const THEME_LABELS = { system: "as your system says", light: "light", dark: "dark" };

function showTheme(button, theme) {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  button.setAttribute("aria-label", `Colours: ${THEME_LABELS[theme]}`);
  button.title = button.getAttribute("aria-label");
}

function setUpTheme(button) {
  let theme = root.dataset.theme ?? "system";
  showTheme(button, theme);
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    showTheme(button, theme);
    keep("theme", theme === "system" ? "" : theme);
  });
}

// Instructor notes: off until asked for, then remembered on every page.
function setUpNotes(button) {
  if (!document.querySelector(".admonition.instructor")) return;
  const show = on => {
    root.dataset.notes = on ? "shown" : "hidden";
    button.setAttribute("aria-pressed", on);
  };
  button.hidden = false;
  show(root.dataset.notes === "shown");
  button.addEventListener("click", () => {
    show(root.dataset.notes !== "shown");
    keep("notes", root.dataset.notes);
  });
}

// Code: one button that copies what a person would type, without prompts and output.
function textToCopy(block) {
  const copy = block.querySelector("pre").cloneNode(true);
  const typed = copy.querySelector(".gp") !== null;
  for (const part of copy.querySelectorAll(".gp, .go")) part.remove();
  const text = copy.textContent.trimEnd();
  return (typed ? text.split("\n").filter(line => line.trim()).join("\n") : text) + "\n";
}

function setUpCopying(block) {
  if (!block.querySelector("pre") || block.matches(".language-text, .language-output")) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(textToCopy(block));
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  block.append(button);
}

// What scrolls sideways can be reached by keyboard; what fits is no stop on the way.
function setUpScrolling(box) {
  const scrolls = box.scrollWidth > box.clientWidth;
  if (scrolls) box.tabIndex = 0;
  else box.removeAttribute("tabindex");
}

// The heading that is being read is marked in the list beside the text.
function setUpSpy(list) {
  const links = [...list.querySelectorAll("a")];
  const headings = links.map(link => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  const mark = () => {
    const line = window.innerHeight / 4;
    const at = headings.findLastIndex(heading => heading && heading.getBoundingClientRect().top < line);
    links.forEach((link, index) => {
      if (index === at) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
  };
  document.addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true });
  mark();
}

// The two dialogs are fetched when they are first asked for.
async function openReceipt(event) {
  const link = event.target.closest("a.receipt");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  try {
    const { showReceipts } = await import("./receipt.js");
    await showReceipts(link);
  } catch {
    location.assign(link.href);
  }
}

async function openSearch() {
  const { showSearch } = await import("./search.js");
  showSearch();
}

function onKey(event) {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  openSearch();
}

const action = name => document.querySelectorAll(`[data-action="${name}"]`);
action("theme").forEach(setUpTheme);
action("notes").forEach(setUpNotes);
action("search").forEach(button => button.addEventListener("click", openSearch));
action("print").forEach(button => button.addEventListener("click", () => window.print()));
document.querySelectorAll(".highlight").forEach(setUpCopying);
document.querySelectorAll("[data-spy]").forEach(setUpSpy);
document.addEventListener("click", openReceipt);
document.addEventListener("keydown", onKey);

const scrolling = ".table, .example__table, .example > p:has(> img), .prose pre";
const watcher = new ResizeObserver(entries => entries.forEach(entry => setUpScrolling(entry.target)));
document.querySelectorAll(scrolling).forEach(box => watcher.observe(box));

// What needs Python is fetched by the pages that have it; Python itself when it is first asked.
for (const [selector, module] of [[".quiz", "./quiz.js"], [".cell", "./cells.js"], ["[data-tool='check-script']", "./check.js"], ["[data-tool='planner']", "./planner.js"]]) {
  if (document.querySelector(selector)) import(module);
}
