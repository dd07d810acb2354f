// Runnable cells: code of the lesson that the reader changes and runs. Nothing runs unasked.
import { button, make, status } from "./make.js";
import { python } from "./python.js";

class Cell {
  constructor(box) {
    this.box = box;
    this.block = box.querySelector(".highlight");
    this.original = this.block.querySelector("code").textContent.trimEnd() + "\n";
    this.recorded = box.querySelector(".cell__output");
    this.output = make("pre", { class: "cell__live", tabindex: "0", "aria-label": "Output", hidden: true });
    this.said = status("progress");
    this.place = make("div", { class: "cell__editor" });
    this.run = button("Run", () => this.start(), { class: "action action--main" });
    this.change = button("Change it", () => this.open());
    this.stop = button("Stop", () => python.interrupt(), { hidden: true });
    this.reset = button("Reset", () => this.restore(), { hidden: true });
    this.actions = make("div", { class: "actions" }, this.run, this.change, this.stop, this.reset);
    this.block.after(this.place, this.actions, this.said, this.output);
    python.watch(text => { if (this.busy) this.said.textContent = text || "Running"; });
  }

  async open() {
    if (this.editor) return this.editor.focus();
    try {
      const { edit } = await import("../python/editor.js");
      this.edit(edit);
    } catch {
      this.said.textContent = "The editor could not be fetched. Try again when there is a network; the cell runs as it is.";
    }
  }

  edit(edit) {
    if (this.editor) return;
    this.editor = edit(this.place, this.original, "Python code", { run: () => this.start(), leave: () => this.leave() });
    this.block.hidden = true;
    this.change.hidden = true;
    this.reset.hidden = false;
    this.said.textContent = "Ctrl+Enter runs it. Esc, then Tab, leaves it.";
    this.editor.focus();
  }

  leave() {
    (this.busy ? this.stop : this.run).focus();
  }

  restore() {
    this.editor?.set(this.original);
    this.output.hidden = true;
    this.recorded.hidden = false;
    this.said.textContent = "As it was.";
  }

  async start() {
    if (this.busy) return;
    this.begin();
    try {
      const found = await python.run(this.editor?.text() ?? this.original, text => this.output.append(text));
      this.end(found);
    } catch (error) {
      this.end({ error: error.message });
    }
  }

  begin() {
    this.busy = true;
    this.editor?.mark(0);
    this.recorded.hidden = true;
    this.output.hidden = false;
    this.output.textContent = "";
    this.said.textContent = "Running";
    // not disabled: whoever pressed it keeps the focus
    this.run.setAttribute("aria-disabled", "true");
    this.reset.disabled = true;
    this.stop.hidden = false;
  }

  end(found) {
    this.busy = false;
    this.run.removeAttribute("aria-disabled");
    if (document.activeElement === this.stop) this.run.focus();
    this.reset.disabled = false;
    this.stop.hidden = true;
    if (found.error) {
      const where = found.line ? `Line ${found.line}: ` : "";
      this.output.append(`${where}${found.error}\n`);
      if (found.line) this.editor?.mark(found.line);
    }
    this.said.textContent = found.error ? (found.error === "stopped" ? "Stopped." : "It ended with an error.") : "Done.";
  }
}

for (const box of document.querySelectorAll(".cell")) new Cell(box);
