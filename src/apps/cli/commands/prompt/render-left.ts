import type { Fault } from "../../../../base/words/event.ts";
import type { PromptCut, TraceEntry } from "../../../../base/words/prompt.ts";
import type { Style } from "../../line/paint.ts";
import { count, oneLine, wrap } from "../../line/printable.ts";
import { type PromptLayout, shortName } from "./render.ts";

/** What is not in a prompt, and what went wrong on the way. */
export type LeftOut = {
  readonly trace: readonly TraceEntry[];
  readonly cuts: readonly PromptCut[];
  readonly faults: readonly Fault[];
};

/** What matters most first. */
const REASONS = {
  failed: "red",
  "over-budget": "amber",
  vetoed: "dim",
  "tag-miss": "dim",
  empty: "dim",
} as const satisfies { readonly [reason in Exclude<TraceEntry["reason"], "included">]: Style };

const UNCLASSIFIED = "; the session is not classified";

/** Who is not in the prompt and why, what is there only in part, what else was wrong. Empty when there is nothing to tell. */
export function renderLeftOut({ trace, cuts, faults }: LeftOut, layout: PromptLayout): string {
  const files = faults.filter(isOfFile);
  const others = faults.filter((fault) => !isOfFile(fault) && fault.code !== "contributor-failed");
  const left = [
    ...files.map(fileRow),
    ...Object.entries(REASONS).flatMap(([reason, style]) => rowsOf(trace, reason, style)),
  ];
  const blocks: readonly (readonly [string, readonly Row[]])[] = [
    ["left out", left],
    ["cut", cuts.map(cutRow)],
    ["warnings", others.map(({ code, message }) => ({ label: code, style: "amber", text: message }))],
  ];
  return blocks
    .filter(([, rows]) => rows.length > 0)
    .map(([title, rows]) => renderRows(title, rows, layout))
    .join("\n");
}

type Row = { readonly label: string; readonly style: Style; readonly text: string };

/** One row for all that are left out for the same reason. */
function rowsOf(trace: readonly TraceEntry[], reason: string, style: Style): readonly Row[] {
  const alike = Map.groupBy(
    trace.filter((entry) => entry.reason === reason),
    ({ detail = "" }) => detail,
  );
  return [...alike].map(([detail, entries]) => {
    const names = entries.map(({ contributor }) => shortName(contributor)).join(", ");
    // The first line of the preview says so for all of them.
    const why = detail.endsWith(UNCLASSIFIED) ? detail.slice(0, -UNCLASSIFIED.length) : detail;
    return { label: reason, style, text: why === "" ? names : `${names}: ${oneLine(why)}` };
  });
}

function fileRow({ where, code, message }: Fault): Row {
  const label = code === "trust-unreadable" ? "untrusted" : code.replace(/^prompt-/, "");
  return { label, style: "amber", text: `${where}: ${message.replace(/; it is left out$/, "")}` };
}

function cutRow({ contributor, limit, kept, of }: PromptCut): Row {
  const text = `${shortName(contributor)}: kept ${count(kept)} of ${count(of)} characters`;
  return { label: limit, style: "amber", text };
}

function renderRows(title: string, rows: readonly Row[], { columns, paint }: PromptLayout): string {
  const width = Math.max(...rows.map(({ label }) => label.length));
  const lines = rows.flatMap(({ label, style, text }, row) =>
    wrap(text, columns - width - 8).map((line, at) => {
      const shown = at === 0 && rows[row - 1]?.label !== label ? label : "";
      return `    ${paint(style, shown.padEnd(width))}  ${line}`;
    }),
  );
  return [`  ${paint("bold", title)}`, ...lines, ""].join("\n");
}

function isOfFile({ code }: Fault): boolean {
  return code.startsWith("prompt-") || code === "trust-unreadable";
}
