import type { Moment } from "../../../base/words/event.ts";
import type { Paint, Style } from "../paint.ts";
import { clip, wrap } from "../printable.ts";

/** One glyph and one colour for each moment, the same wherever a turn is shown. */
export const MOMENTS: Readonly<Record<Moment, { readonly glyph: string; readonly style: Style }>> = {
  message: { glyph: "◦", style: "cyan" },
  prompt: { glyph: "¶", style: "magenta" },
  call: { glyph: "▸", style: "blue" },
  result: { glyph: "◂", style: "cyan" },
  stop: { glyph: "■", style: "magenta" },
};

/** Time, glyph and name of the moment take this much of every line. */
const MARGIN = 23;

export type Layout = { readonly columns: number; readonly paint: Paint; readonly timeOf: (at: number) => string };

/** `mark` carries the meaning of the colour in a character. */
export type Mark = { readonly mark: "✓" | "!" | "✗" | " "; readonly style: Style; readonly text: string };

/** A moment's own line: what it was about on the left, what came of it on the right. */
export function headLine(
  { columns, paint, timeOf }: Layout,
  head: {
    readonly at: number;
    readonly moment: Moment;
    readonly what: string;
    readonly came?: Mark;
    readonly by?: string;
  },
): string {
  const { glyph, style } = MOMENTS[head.moment];
  const start = `  ${paint("dim", timeOf(head.at))}  ${paint(style, `${glyph} ${head.moment.padEnd(8)}`)} `;
  if (head.came === undefined) return `${start}${clip(head.what, columns - MARGIN)}`;
  const { mark, text, style: outcome } = head.came;
  const came = `${mark} ${text}`;
  const by = head.by === undefined ? "" : `   ${head.by}`;
  const room = columns - MARGIN;
  const left = Math.max(16, Math.min(leftWidth(columns), room - came.length - by.length - 2));
  return `${start}${clip(head.what, left).padEnd(left)}  ${paint(outcome, came)}${paint("bold", clip(by, room - left - 2 - came.length))}`;
}

/** Lines under a moment: a word that says what they are, and the text, wrapped. */
export function detailLines({ columns, paint }: Layout, label: string, text: string, style?: Style): readonly string[] {
  const indent = " ".repeat(MARGIN);
  const lines = wrap(text, columns - MARGIN - 11);
  return lines.map((line, at) => {
    const shown = style === undefined ? line : paint(style, line);
    return `${indent}${paint("dim", (at === 0 ? label : "").padEnd(9))}  ${shown}`;
  });
}

/** What the agent says is no moment: it stands between them, without a time. */
export function speechLines({ columns, paint }: Layout, text: string): readonly string[] {
  const lines = wrap(`“${text}”`, columns - MARGIN);
  return lines.map((line, at) => paint("dim", `${(at === 0 ? "              agent" : "").padEnd(MARGIN)}${line}`));
}

function leftWidth(columns: number): number {
  return Math.max(26, Math.floor((columns - MARGIN) * 0.42));
}
