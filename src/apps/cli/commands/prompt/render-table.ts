import type { BuiltPrompt } from "../../../../base/words/prompt.ts";
import { clip, count, oneLine } from "../../line/printable.ts";
import { type PromptLayout, SOURCE_STYLES, shortName } from "./render.ts";

const EIGHTHS = "▏▎▍▌▋▊▉█";

/** What every section is, why it is in, and what it costs. */
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

/** Proportional, in eighths of a column, and never nothing. */
export function barOf(share: number, width: number): string {
  const eighths = Math.max(1, Math.round(share * width * 8));
  return `${"█".repeat(Math.floor(eighths / 8))}${EIGHTHS.charAt((eighths % 8) - 1)}`;
}
