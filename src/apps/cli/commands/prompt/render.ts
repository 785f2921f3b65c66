import { segmentGraphemes } from "../../../../base/kernel/text.ts";
import type { Fault } from "../../../../base/words/event.ts";
import type {
  BuiltPrompt,
  BuiltSection,
  ContributorSource,
  PromptCut,
  TraceEntry,
} from "../../../../base/words/prompt.ts";
import { clip, count, oneLine, wrap } from "../../../shared/printable.ts";
import type { Paint, Style } from "../../line/terminal.ts";

const EIGHTHS = "▏▎▍▌▋▊▉█";

export function renderSections({ sections, trace }: BuiltPrompt, { columns, paint }: PromptLayout): string {
  const because = new Map(trace.map(({ contributor, detail }) => [contributor, detail ?? ""]));
  const rows = sections.map((section) => ({
    ...section,
    name: shortName(section.contributor),
    why: oneLine(because.get(section.contributor) ?? ""),
  }));
  const bar = columns >= 100 ? 14 : 6;
  const from = widest(
    rows.map(({ source }) => source),
    "source",
  );
  // Indent, zone, priority, tokens, and two columns between each.
  const room = columns - 2 - from - 7 - 4 - 6 - bar - 12;
  const name = widest(
    rows.map((row) => row.name),
    "contributor",
  );
  const why = Math.min(
    widest(
      rows.map((row) => row.why),
      "because",
    ),
    room - name,
  );
  const most = Math.max(1, ...rows.map(({ tokens }) => tokens));
  const head = [
    "contributor".padEnd(name),
    "source".padEnd(from),
    "because".padEnd(why),
    "zone".padEnd(7),
    "prio",
    "tokens",
  ];
  const lines = rows.map((row) => {
    const style = SOURCE_STYLES[row.source];
    const cells = [
      paint(style, row.name.padEnd(name)),
      row.source.padEnd(from),
      clip(row.why, why).padEnd(why),
      row.zone.padEnd(7),
      String(row.priority).padStart(4),
      count(row.tokens).padStart(6),
      paint(style, barOf(row.tokens / most, bar)),
    ];
    return `  ${cells.join("  ")}`.trimEnd();
  });
  return [`  ${paint("dim", head.join("  "))}`, ...lines, ""].join("\n");
}

function widest(texts: readonly string[], title: string): number {
  return Math.max(title.length, ...texts.map(({ length }) => length));
}

/** Proportional, in eighths of a column, and never empty. */
export function barOf(share: number, width: number): string {
  const eighths = Math.max(1, Math.round(share * width * 8));
  return `${"█".repeat(Math.floor(eighths / 8))}${EIGHTHS.charAt((eighths % 8) - 1)}`;
}

type LeftOut = {
  readonly trace: readonly TraceEntry[];
  readonly cuts: readonly PromptCut[];
  readonly faults: readonly Fault[];
};

/** The most important first. */
const REASONS = {
  failed: "red",
  "over-budget": "amber",
  vetoed: "dim",
  "tag-miss": "dim",
  empty: "dim",
} as const satisfies { readonly [reason in Exclude<TraceEntry["reason"], "included">]: Style };

const UNCLASSIFIED = "; the session is not classified";

/** Contributors that are not in the prompt and why, truncated ones, and faults. Empty if there are none. */
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

/** One row for all contributors with the same reason. */
function rowsOf(trace: readonly TraceEntry[], reason: string, style: Style): readonly Row[] {
  const alike = Map.groupBy(
    trace.filter((entry) => entry.reason === reason),
    ({ detail = "" }) => detail,
  );
  return [...alike].map(([detail, entries]) => {
    const names = entries.map(({ contributor }) => shortName(contributor)).join(", ");
    // The first line of the preview already says so for all of them.
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

/** Controls the terminal, reverses the line or is invisible. Joiners stay: letters and emoji need them. */
const HIDDEN =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;

/** Makes hidden characters in a line of a prompt visible, as `⟨U+202E⟩`. */
export function visible(line: string): string {
  return line
    .replaceAll("\t", "  ")
    .replace(HIDDEN, (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

export function widthOf(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmentGraphemes(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Splits a visible line into pieces of at most `width` columns, at spaces where possible, all with the same indent. */
export function wrapLine(line: string, width: number): readonly string[] {
  const indent = Math.min(/^ *(?:[-*] |\d+\. )?/.exec(line)?.[0].length ?? 0, Math.floor(width / 2));
  const hang = " ".repeat(indent);
  const pieces: string[] = [];
  let rest = line;
  while (widthOf(rest) > width) {
    const end = breakAt(rest, width, indent);
    pieces.push(rest.slice(0, end).trimEnd());
    rest = `${hang}${rest.slice(end).trimStart()}`;
  }
  return [...pieces, rest];
}

/** At the last space that fits after the indent, else within the word. */
function breakAt(text: string, width: number, indent: number): number {
  let columns = 0;
  let space = -1;
  for (const { index, segment } of segmentGraphemes(text)) {
    columns += widthOf(segment);
    if (segment === " " && index > indent && columns <= width + 1) space = index;
    if (columns > width) return space > 0 ? space : Math.max(index, indent + segment.length);
  }
  return text.length;
}

export const SOURCE_STYLES: Readonly<Record<ContributorSource, Style>> = {
  builtin: "cyan",
  agent: "blue",
  config: "magenta",
  plugin: "green",
  workspace: "amber",
};

const WIDEST_NAME = 18;

export type PromptLayout = { readonly columns: number; readonly paint: Paint };

/** The prompt with its contributors in the margin, and a line at the end of the cached part. */
export function renderPrompt(prompt: BuiltPrompt, layout: PromptLayout): string {
  const { sections } = prompt;
  const width = Math.max(0, ...sections.map(({ contributor }) => shortName(contributor).length));
  const boundary = sections.findIndex(({ zone }) => zone === "turn");
  const blocks = sections.map((section, at) => {
    const lines = sectionLines(section, width, layout);
    return at === boundary ? [boundaryLine(prompt, layout), "", ...lines] : lines;
  });
  if (boundary < 0) blocks.push([boundaryLine(prompt, layout)]);
  return blocks.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

/** `identity` of `builtin:identity`, `task` of `section:001:task`. */
function shortName(contributor: string): string {
  return clip(oneLine(contributor.replace(/^(?:builtin:|workspace:|section:\d+:)/, "")), WIDEST_NAME);
}

function sectionLines(section: BuiltSection, width: number, { columns, paint }: PromptLayout): readonly string[] {
  const style = SOURCE_STYLES[section.source];
  const room = Math.max(20, columns - width - 5);
  let named = false;
  return section.text.split("\n").flatMap((line, at) => {
    const heading = at === 0 && section.heading !== undefined;
    return wrapLine(visible(line).trimEnd(), room).map((piece) => {
      const name = named ? "" : shortName(section.contributor);
      named = true;
      const margin = `  ${paint(style, `${name.padStart(width)} │`)}`;
      return piece === "" ? margin : `${margin} ${heading ? paint("bold", piece) : piece}`;
    });
  });
}

function boundaryLine({ sections, prefixTokens, tokens }: BuiltPrompt, { columns, paint }: PromptLayout): string {
  const turn = tokens - prefixTokens;
  const above = `cached above, ${count(prefixTokens)} tokens`;
  const text =
    sections.length === 0
      ? " empty prompt "
      : turn === 0
        ? ` ${above} · nothing below `
        : ` ${above} · changes every turn below, ${count(turn)} `;
  const rest = Math.max(0, columns - 4 - widthOf(text));
  const left = Math.min(4, rest);
  return `  ${paint("dim", `${"─".repeat(left)}${text}${"─".repeat(rest - left)}`)}`;
}
