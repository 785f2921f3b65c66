import type { Fault } from "../../base/words/event.ts";
import type { BuiltPrompt, PromptCut, TraceEntry } from "../../base/words/prompt.ts";
import type { Paint, Style } from "./paint.ts";
import { clip, count, oneLine, wrap } from "./printable.ts";
import { type PromptLayout, SOURCE_STYLES, shortName } from "./prompt-render.ts";

const EIGHTHS = "▏▎▍▌▋▊▉█";

/** What every section is, why it is in, and what it costs. */
export function renderSections({ sections, trace }: BuiltPrompt, { columns, paint }: PromptLayout): string {
  const because = new Map(trace.map(({ contributor, detail }) => [contributor, detail ?? ""]));
  const rows = sections.map((section) => ({
    ...section,
    name: oneLine(section.contributor),
    why: oneLine(because.get(section.contributor) ?? ""),
  }));
  const bar = columns >= 100 ? 14 : 8;
  // Indent, source, zone, priority, tokens, and two columns between each.
  const room = columns - 2 - 9 - 7 - 8 - 6 - bar - 12;
  const why = Math.min(Math.max(10, ...rows.map((row) => row.why.length)), Math.floor(room * 0.45));
  const name = Math.min(Math.max(11, ...rows.map((row) => row.name.length)), room - why);
  const most = Math.max(1, ...rows.map(({ tokens }) => tokens));
  const head = [
    "contributor".padEnd(name),
    "source".padEnd(9),
    "because".padEnd(why),
    "zone".padEnd(7),
    "priority",
    "tokens",
  ];
  const lines = rows.map((row) => {
    const style = SOURCE_STYLES[row.source];
    const cells = [
      paint(style, clip(row.name, name).padEnd(name)),
      row.source.padEnd(9),
      clip(row.why, why).padEnd(why),
      row.zone.padEnd(7),
      String(row.priority).padStart(8),
      count(row.tokens).padStart(6),
      paint(style, barOf(row.tokens / most, bar)),
    ];
    return `  ${cells.join("  ")}`.trimEnd();
  });
  return [`  ${paint("dim", head.join("  "))}`, ...lines, ""].join("\n");
}

/** Proportional, in eighths of a column, and never nothing. */
export function barOf(share: number, width: number): string {
  const eighths = Math.max(1, Math.round(share * width * 8));
  return `${"█".repeat(Math.floor(eighths / 8))}${EIGHTHS.charAt((eighths % 8) - 1)}`;
}

const REASONS: Readonly<Record<Exclude<TraceEntry["reason"], "included">, Style>> = {
  "tag-miss": "dim",
  vetoed: "dim",
  empty: "dim",
  failed: "red",
  "over-budget": "amber",
};

/** What is not in the prompt, why, and what is there only in part. Empty when there is nothing to tell. */
export function renderLeftOut(
  about: {
    readonly trace: readonly TraceEntry[];
    readonly cuts: readonly PromptCut[];
    readonly faults: readonly Fault[];
  },
  { columns, paint }: PromptLayout,
): string {
  const left = Map.groupBy(
    about.trace.filter(({ reason }) => reason !== "included"),
    ({ reason, detail }) => `${reason}\n${detail ?? ""}`,
  );
  const files = about.faults.filter(isOfFile);
  const others = about.faults.filter((fault) => !isOfFile(fault) && fault.code !== "contributor-failed");
  const outs = [...left.values()].flatMap(([first, ...more]) => {
    if (first === undefined || first.reason === "included") return [];
    const names = [first, ...more].map(({ contributor }) => shortName(contributor)).join(", ");
    const why = first.detail === undefined ? "" : `: ${oneLine(first.detail)}`;
    return [{ label: first.reason, style: REASONS[first.reason], text: `${names}${why}` }];
  });
  const rows = [
    ...outs,
    ...files.map((fault) => ({
      label: labelOf(fault),
      style: "amber" as const,
      text: `${fault.where}: ${fault.message.replace(/; it is left out$/, "")}`,
    })),
  ];
  const cut = about.cuts.map(({ contributor, limit, kept, of }) => {
    const text = `${shortName(contributor)}: kept ${count(kept)} of ${count(of)} characters`;
    return { label: limit, style: "amber" as const, text };
  });
  const told = others.map(({ code, message }) => ({ label: code, style: "amber" as const, text: message }));
  const blocks = [
    ["left out", rows],
    ["cut", cut],
    ["warnings", told],
  ] as const;
  return blocks
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => block(title, lines, columns, paint))
    .join("\n");
}

type Row = { readonly label: string; readonly style: Style; readonly text: string };

function block(title: string, rows: readonly Row[], columns: number, paint: Paint): string {
  const width = Math.max(...rows.map(({ label }) => label.length));
  const lines = rows.flatMap(({ label, style, text }) =>
    wrap(text, columns - width - 8).map((line, at) => {
      return `    ${at === 0 ? paint(style, label.padEnd(width)) : " ".repeat(width)}  ${line}`;
    }),
  );
  return [`  ${paint("bold", title)}`, ...lines, ""].join("\n");
}

function isOfFile({ code }: Fault): boolean {
  return code.startsWith("prompt-") || code === "trust-unreadable";
}

function labelOf({ code }: Fault): string {
  return code === "trust-unreadable" ? "untrusted" : code.replace(/^prompt-/, "");
}
