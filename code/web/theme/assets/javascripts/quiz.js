// Questions become forms: answered, graded by the same Python as in the terminal, drawn anew.
import { button, joined, keep, kept, make, receiptLinks, status } from "./make.js";
import { python } from "./python.js";

const LETTERS = "abcdefghijklmnopqrst";
const ASKS = { one: "Choose one", many: "Choose all that are right", order: "Put them in order" };

class Question {
  constructor(box) {
    this.box = box;
    ({ question: this.name, kind: this.kind, unit: this.unit } = box.dataset);
    this.seed = null;
    this.list = box.querySelector(":scope > ol");
    this.options = this.list ? [...this.list.children].map(item => item.textContent.trim()) : [];
    this.script = this.kind === "script" ? box.querySelector(":scope > .highlight code") : null;
    this.own = [...box.querySelectorAll(":scope > details")];
    this.text = box.querySelectorAll(":scope > p")[1];
    this.table = this.kind === "script" ? null : box.querySelector(":scope > .highlight code");
    this.asWritten = { text: this.text.textContent, table: this.table?.textContent, options: this.options };
    this.said = status("said");
    this.progress = status("progress");
    this.inputs = make("div");
    this.form = make("form", { novalidate: true, onsubmit: event => this.check(event) },
      this.inputs,
      make("div", { class: "actions" },
        make("button", { class: "action action--main", text: "Check" }),
        button("Another like this", () => this.another()),
        this.back = button("The lesson's own", () => this.asLesson(), { hidden: true })),
      this.progress, this.said);
    this.list?.replaceWith(this.form);
    if (!this.list) (this.own[0] ?? null) ? this.own[0].before(this.form) : box.append(this.form);
    if (this.script) this.script.closest(".highlight").hidden = true;
    python.watch(text => { if (this.asked) this.progress.textContent = text; });
    this.draw(this.options);
    if (kept("quiz")[this.name]?.correct) this.say([make("p", { class: "verdict", text: "You had this one right." })]);
  }

  draw(options) {
    this.options = options;
    this.inputs.replaceChildren(...this.fields());
  }

  fields() {
    if (this.kind === "number") {
      const label = this.unit ? `Your answer, in ${this.unit}` : "Your answer";
      return [make("label", { class: "field field--short" }, label,
        this.input = make("input", { type: "text", inputmode: "decimal", autocomplete: "off" }))];
    }
    if (this.kind === "script") {
      return [make("label", { class: "field" }, "Your script",
        this.input = make("textarea", { rows: "10", spellcheck: "false", autocapitalize: "off" }, this.script.textContent.trim() + "\n"))];
    }
    return this.kind === "order" ? [this.ordering()] : [this.choices()];
  }

  choices() {
    const type = this.kind === "one" ? "radio" : "checkbox";
    return make("fieldset", {}, make("legend", { text: ASKS[this.kind] }),
      ...this.options.map((text, at) => make("label", { class: "choice" },
        make("input", { type, name: `answer-${this.name}`, value: LETTERS[at] }), make("span", { text }))));
  }

  ordering() {
    const list = make("ol", { class: "order", "aria-label": ASKS.order });
    const move = (item, by) => {
      const items = [...list.children];
      const to = items.indexOf(item) + by;
      if (to < 0 || to >= items.length) return;
      by < 0 ? items[to].before(item) : items[to].after(item);
      this.progress.textContent = `${item.querySelector("span").textContent}: now at place ${to + 1}`;
    };
    for (const [at, text] of this.options.entries()) {
      const item = make("li", { "data-letter": LETTERS[at] }, make("span", { text }));
      for (const [sign, name, by] of [["↑", "up", -1], ["↓", "down", 1]]) {
        item.append(button(sign, event => { move(item, by); event.target.focus(); },
          { class: "action action--small", "aria-label": `Move ${name}: ${text}` }));
      }
      list.append(item);
    }
    return list;
  }

  answer() {
    if (this.input?.isConnected) return this.input.value;
    if (this.kind === "order") return [...this.inputs.querySelectorAll("li")].map(item => item.dataset.letter);
    const chosen = [...this.inputs.querySelectorAll("input:checked")].map(input => input.value);
    return this.kind === "one" ? chosen.join("") : chosen;
  }

  async ask(name, given) {
    this.asked = true;
    try {
      return await python.call(name, given);
    } catch (error) {
      this.say([make("p", { text: error.message })], true);
      return null;
    } finally {
      this.asked = false;
      this.progress.textContent = "";
    }
  }

  async check(event) {
    event.preventDefault();
    const found = await this.ask("grade", { name: this.name, answer: this.answer(), seed: this.seed });
    if (!found) return;
    if (this.seed === null) keep("quiz", { ...kept("quiz"), [this.name]: { correct: found.correct, credit: found.credit } });
    document.dispatchEvent(new CustomEvent("answered"));
    this.show(found);
  }

  show(found) {
    const verdict = found.correct ? "Right." : found.credit > 0 ? `Partly: ${Math.round(found.credit * 100)} %.` : "Not yet.";
    const parts = [make("p", { class: "verdict", text: verdict }), ...found.feedback.map(text => make("p", { text }))];
    const why = () => [
      make("p", { text: found.explain }),
      found.receipts.length ? make("p", {}, "Receipts: ", ...joined(receiptLinks(found.receipts))) : null,
    ];
    if (found.correct) parts.push(...why());
    else parts.push(button("Show the answer", () => this.say([make("p", { class: "verdict", text: found.right }), ...why()])));
    this.say(parts, !found.correct);
  }

  say(parts, wrong = false) {
    this.said.className = wrong ? "said said--wrong" : "said";
    this.said.replaceChildren(...parts.filter(Boolean));
  }

  async another() {
    const seed = Math.floor(Math.random() * 1_000_000);
    const drawn = await this.ask("question", { name: this.name, seed });
    if (!drawn) return;
    this.seed = seed;
    this.put(drawn.text, drawn.table, drawn.options.map(option => option.text));
  }

  asLesson() {
    this.seed = null;
    this.put(this.asWritten.text, this.asWritten.table, this.asWritten.options);
  }

  put(text, table, options) {
    this.text.textContent = text;
    if (this.table) this.table.textContent = table;
    this.draw(options);
    this.say([]);
    // the answer that stands in the page is that of the lesson's own numbers
    for (const details of this.own) details.hidden = this.seed !== null;
    this.back.hidden = this.seed === null;
  }
}

// What was answered, kept in this browser alone.
function setUpProgress(place, count) {
  const line = make("p", { class: "progress" });
  const show = () => {
    const right = Object.values(kept("quiz")).filter(entry => entry?.correct === true).length;
    line.textContent = `${right} right so far. Your answers stay in this browser.`;
  };
  const save = () => {
    const file = new Blob([JSON.stringify(kept("quiz"), null, 2)], { type: "application/json" });
    const link = make("a", { href: URL.createObjectURL(file), download: "quiz-progress.json" });
    link.click();
  };
  place.append(line, make("div", { class: "actions" }, button("Save my answers", save),
    button("Forget my answers", () => { keep("quiz", {}); show(); })));
  document.addEventListener("answered", show);
  show();
  return count;
}

const boxes = [...document.querySelectorAll(".quiz")];
for (const box of boxes) new Question(box);
const place = document.getElementById("quiz-progress");
if (place) setUpProgress(place, boxes.length);
