// The editor of the runnable cells: CodeMirror with what a cell of Python needs, and no more.
// Bundled into the theme by the set-up (mlhpc.lesson.assets).
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// the page's own colours, light and dark
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--code-word)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.function(tags.variableName), tags.definition(tags.function(tags.variableName))], color: "var(--code-name)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
]);

const look = EditorView.theme({
  "&": { fontSize: ".86rem", backgroundColor: "var(--raised)", color: "var(--ink)" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--ink)", padding: ".7rem 0" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--muted)", border: "0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused": { outline: "3px solid var(--sage)" },
  ".cm-wrong": { backgroundColor: "var(--rust-wash)", boxShadow: "inset 4px 0 var(--rust)" },
});

const markWrong = StateEffect.define();
const wrong = StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    for (const effect of change.effects) {
      if (!effect.is(markWrong)) continue;
      const { line } = effect.value;
      if (!line || line > change.state.doc.lines) return Decoration.none;
      return Decoration.set([Decoration.line({ class: "cm-wrong" }).range(change.state.doc.line(line).from)]);
    }
    return change.docChanged ? Decoration.none : marks;
  },
  provide: field => EditorView.decorations.from(field),
});

// `on.run` and `on.leave` are called for the keys that run the code and leave the editor.
export function edit(parent, text, label, on) {
  const own = keymap.of([
    { key: "Ctrl-Enter", mac: "Cmd-Enter", run: () => { on.run(); return true; } },
    // so that Tab can leave: Escape first
    { key: "Escape", run: () => { on.leave(); return true; } },
  ]);
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [own, lineNumbers(), history(), indentOnInput(), bracketMatching(), indentUnit.of("    "),
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]), python(), syntaxHighlighting(colours), look, wrong,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" })],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    set: value => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } }),
    mark: line => view.dispatch({ effects: markWrong.of({ line }) }),
    focus: () => view.focus(),
  };
}
