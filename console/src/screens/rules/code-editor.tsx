import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type RefObject, useEffect, useImperativeHandle, useRef } from "react";
import { plainText } from "../../ui/text.tsx";
import style from "./code-editor.module.css";
import { suggest } from "./suggest.ts";

/** A fault at a place; lines and columns count from 1. */
export type Mark = {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly level: "error" | "warning";
};
export type EditorHandle = { readonly goTo: (line: number, column?: number) => void };

const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--raised)", fontSize: "13px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--quiet)", border: "0" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent-bg) 45%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-bg)",
  },
  ".cm-placeholder": { color: "var(--quiet)" },
  ".cm-specialChar": { color: "var(--denied)" },
  ".cm-tooltip": {
    color: "var(--text)",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--edge)",
    borderRadius: "6px",
    fontFamily: "var(--font)",
  },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "240px" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "2px 8px", lineHeight: "20px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionInfo": { maxWidth: "320px", padding: "4px 8px", lineHeight: "20px" },
  ".cm-completionMatchedText": { textDecoration: "underline" },
  ".cm-diagnostic": { padding: "4px 8px", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--denied)" },
  ".cm-diagnostic-warning": { borderLeft: "4px solid var(--advised)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--denied)",
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--advised)",
    textUnderlineOffset: "3px",
  },
  // CodeMirror's own markers are images with inline styles, which the CSP blocks.
  ".cm-lint-marker": { width: "12px", height: "20px", lineHeight: "20px" },
  ".cm-lint-marker.cm-lint-marker-error, .cm-lint-marker.cm-lint-marker-warning": { content: "normal" },
  ".cm-lint-marker-error::before": { content: "'✗'", color: "var(--denied)", fontWeight: "600" },
  ".cm-lint-marker-warning::before": { content: "'!'", color: "var(--advised)", fontWeight: "600" },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--call)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--passed)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--quiet)" },
  { tag: [tags.bool, tags.number, tags.keyword, tags.attributeValue], color: "var(--prompt)" },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: "var(--quiet)" },
]);

/** Typing over a selection makes Chromium insert a styled span, which the CSP blocks. Insert the text instead. */
const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event;
    if (inputType !== "insertText" || data === null || isComposing || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});

/**
 * Editor for rules or cases, with faults marked in the text. Rendered in a shadow root, where CodeMirror uses
 * constructed style sheets, which the CSP allows.
 */
export default function CodeEditor({
  label,
  text,
  onChange,
  marks,
  known,
  hint,
  handle,
}: {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly marks: readonly Mark[];
  /** Names of tools and actions; enables completion. */
  readonly known?: readonly string[];
  readonly hint?: string;
  readonly handle?: RefObject<EditorHandle | null>;
}) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | undefined>(undefined);
  // Typed text comes back as `text` a moment later, when more may have been typed. Only text from elsewhere replaces
  // the content.
  const own = useRef(new Set<string>());
  const newest = useRef({ text, onChange, known, label, hint });
  newest.current = { text, onChange, known, label, hint };
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: newest.current.text,
        extensions: [
          lineNumbers(),
          lintGutter(),
          highlightSpecialChars(),
          highlightActiveLine(),
          history(),
          drawSelection(),
          indentUnit.of("  "),
          yaml(),
          syntaxHighlighting(colours),
          theme,
          EditorView.lineWrapping,
          placeholder(newest.current.hint ?? ""),
          EditorView.contentAttributes.of({ "aria-label": newest.current.label, spellcheck: "false" }),
          autocompletion({
            icons: false,
            override: [
              ({ state, pos, explicit }) => {
                const names = newest.current.known;
                const found = names === undefined ? undefined : suggest(state.doc.toString(), pos, names);
                if (found === undefined || (!explicit && found.from === pos)) return null;
                return {
                  from: found.from,
                  options: found.options.map(({ label: name, apply, info, kind }) => ({
                    label: plainText(name),
                    apply: apply ?? name,
                    type: kind,
                    info: info || undefined,
                  })),
                  validFor: /^[\w*./-]*$/,
                };
              },
            ],
          }),
          keymap.of([
            ...completionKeymap,
            ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"),
            ...historyKeymap,
            ...lintKeymap,
            indentWithTab,
          ]),
          typeOver,
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            const written = update.state.doc.toString();
            own.current.add(written);
            newest.current.onChange(written);
          }),
        ],
      }),
    });
    editor.current = view;
    return () => {
      view.destroy();
      editor.current = undefined;
    };
  }, []);
  useEffect(() => {
    const view = editor.current;
    if (view === undefined) return;
    const isOwn = own.current.has(text);
    const written = view.state.doc.toString();
    if (written === text) own.current.clear();
    if (isOwn || written === text) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    const view = editor.current;
    if (view !== undefined) view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state, marks)));
  }, [marks]);
  useImperativeHandle(handle, () => ({
    goTo(line, column = 1) {
      const view = editor.current;
      if (view === undefined) return;
      const at = positionOf(view.state, line, column);
      view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
      view.focus();
    },
  }));
  return <div ref={host} className={style.editor} data-editor={label} />;
}

function positionOf(state: EditorState, line: number, column: number): number {
  const found = state.doc.line(Math.min(Math.max(1, line), state.doc.lines));
  return Math.min(found.from + Math.max(0, column - 1), found.to);
}

function diagnosticsOf(state: EditorState, marks: readonly Mark[]): Diagnostic[] {
  return marks.map(({ line, column, message, hint, level }) => {
    const from = positionOf(state, line, column);
    const word = /^[\w*./-]+/.exec(state.sliceDoc(from, state.doc.lineAt(from).to))?.[0].length ?? 0;
    const to = Math.min(state.doc.length, from + Math.max(1, word));
    return {
      from: Math.min(from, to),
      to,
      severity: level,
      message: plainText(hint === undefined ? message : `${message}\n→ ${hint}`),
    };
  });
}
