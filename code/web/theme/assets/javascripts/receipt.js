// The card of a receipt: the slips of the figures in one block, taken from the page of receipts.
import { closeButton, makeDialog } from "./dialog.js";

const pages = new Map();
let card;

// claim:grid-serial is at claim-grid-serial on the page of receipts.
function anchor(reference) {
  return reference.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

async function receiptsPage(address) {
  if (!pages.has(address)) {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    pages.set(address, new DOMParser().parseFromString(await answer.text(), "text/html"));
  }
  return pages.get(address);
}

function slip(page, reference, address) {
  const found = page.getElementById(anchor(reference));
  if (!found) throw new Error(`no receipt ${reference}`);
  const copy = document.importNode(found, true);
  copy.removeAttribute("id");
  for (const link of copy.querySelectorAll("a[href]")) link.href = new URL(link.getAttribute("href"), address);
  for (const part of copy.querySelectorAll(".headerlink, [id]")) {
    if (part.matches(".headerlink")) part.remove();
    else part.removeAttribute("id");
  }
  return copy;
}

function makeCard() {
  const made = makeDialog("card", "card-title");
  const head = document.createElement("div");
  head.className = "card__head";
  const title = document.createElement("h2");
  title.id = "card-title";
  head.append(title, closeButton(made));
  const slips = document.createElement("div");
  const all = document.createElement("p");
  all.className = "card__all";
  all.append(document.createElement("a"));
  made.append(head, slips, all);
  return made;
}

export async function showReceipts(link) {
  const address = link.href.split("#")[0];
  const references = link.dataset.receipts.split(" ");
  const page = await receiptsPage(address);
  const slips = references.map(reference => slip(page, reference, address));
  card ??= makeCard();
  card.querySelector("h2").textContent = slips.length === 1 ? "Receipt" : `${slips.length} receipts`;
  card.children[1].replaceChildren(...slips);
  const more = card.querySelector(".card__all a");
  more.href = link.href;
  more.textContent = "See it among all receipts";
  card.showModal();
  card.scrollTop = 0;
}
