// Search over all pages: the index is fetched once, when the search is first opened.
import { closeButton, makeDialog } from "./dialog.js";

const SITE = new URL("../../", import.meta.url);
const MOST = 12;
let finder;
let sections;

function plain(html) {
  return new DOMParser().parseFromString(html, "text/html").body.textContent.replace(/[\s\u25cb\u25d0\u25cf]+/g, " ").trim();
}

async function load() {
  const answer = await fetch(new URL("search/search_index.json", SITE));
  const { docs } = await answer.json();
  const titles = new Map(docs.filter(doc => !doc.location.includes("#")).map(doc => [doc.location, plain(doc.title)]));
  return docs.map(doc => {
    const title = plain(doc.title);
    const text = plain(doc.text);
    const page = titles.get(doc.location.split("#")[0]) ?? "";
    return { address: new URL(doc.location, SITE), title, text, page, words: `${title} ${text}`.toLowerCase(), named: `${page} ${title}`.toLowerCase() };
  });
}

// A word in a title is worth ten in the text; a section must hold every word that was typed.
function score(section, words) {
  let sum = 0;
  for (const word of words) {
    const inText = section.words.split(word).length - 1;
    const inName = section.named.split(word).length - 1;
    if (!inText && !inName) return 0;
    sum += 10 * Math.min(inName, 2) + Math.min(inText, 5) + (section.title.toLowerCase().startsWith(word) ? 10 : 0);
  }
  return sum;
}

function find(words) {
  return sections
    .map(section => ({ section, rank: score(section, words) }))
    .filter(found => found.rank > 0)
    .sort((one, other) => other.rank - one.rank)
    .map(found => found.section);
}

function excerpt(text, words) {
  const first = Math.min(...words.map(word => text.toLowerCase().indexOf(word)).filter(at => at >= 0), text.length);
  const from = first < text.length ? Math.max(0, text.lastIndexOf(" ", Math.max(0, first - 40))) : 0;
  const part = text.slice(from, from + 150).trim();
  return (from ? "\u2026 " : "") + part + (from + 150 < text.length ? " \u2026" : "");
}

function marked(text, words) {
  const pattern = new RegExp(`(${words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "gi");
  return text.split(pattern).map((part, index) => {
    if (index % 2 === 0) return part;
    const mark = document.createElement("mark");
    mark.textContent = part;
    return mark;
  });
}

function entry(section, words) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = section.address;
  const title = document.createElement("strong");
  title.append(...marked(section.title, words));
  const text = document.createElement("small");
  const where = section.page && section.page !== section.title ? `${section.page}: ` : "";
  text.append(where, ...marked(excerpt(section.text, words), words));
  link.append(title, text);
  item.append(link);
  return item;
}

function answer(typed) {
  if (!sections) return;
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length ? find(words) : [];
  const count = finder.querySelector(".finder__count");
  const kind = found.length === 1 ? "place" : "places";
  if (!words.length) count.textContent = "Type a word: a partition, a library, a question.";
  else if (!found.length) count.textContent = "Nothing has all of these words. Try fewer.";
  else count.textContent = found.length > MOST ? `${found.length} places; the best ${MOST}:` : `${found.length} ${kind}:`;
  finder.querySelector("ol").replaceChildren(...found.slice(0, MOST).map(section => entry(section, words)));
}

// Arrow keys walk through the answers; Tab does too, since they are links.
function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const stops = [finder.querySelector("input"), ...finder.querySelectorAll("li a")];
  const at = stops.indexOf(document.activeElement);
  stops[Math.max(0, Math.min(stops.length - 1, at + step))].focus();
  event.preventDefault();
}

function makeFinder() {
  const made = makeDialog("finder", "finder-label");
  const line = document.createElement("form");
  line.className = "finder__line";
  line.method = "dialog";
  line.innerHTML = `<input type="search" id="finder-word" aria-labelledby="finder-label" autocomplete="off" spellcheck="false" placeholder="Search the lesson">`;
  line.append(closeButton(made));
  const label = document.createElement("span");
  label.id = "finder-label";
  label.hidden = true;
  label.textContent = "Search the lesson";
  const count = document.createElement("p");
  count.className = "finder__count";
  count.setAttribute("role", "status");
  made.append(label, line, count, document.createElement("ol"));
  made.addEventListener("keydown", walk);
  line.addEventListener("submit", event => {
    event.preventDefault();
    made.querySelector("li a")?.click();
  });
  line.querySelector("input").addEventListener("input", event => answer(event.target.value));
  return made;
}

export async function showSearch() {
  finder ??= makeFinder();
  finder.showModal();
  const input = finder.querySelector("input");
  input.focus();
  input.select();
  if (sections) return;
  finder.querySelector(".finder__count").textContent = "Fetching the index\u2026";
  sections = await load();
  answer(input.value);
}
