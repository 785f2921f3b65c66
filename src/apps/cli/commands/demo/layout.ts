import type { Moment } from "../../../../base/words/event.ts";
import { type Mark, MOMENTS } from "../../../shared/event-words.ts";
import { clip, wrap } from "../../../shared/printable.ts";
import type { Paint, Style } from "../../line/terminal.ts";

/** Columns for time, glyph and name of the moment on every line. */
const MARGIN = 23;

export type Layout = { readonly columns: number; readonly paint: Paint; readonly timeOf: (at: number) => string };

/** The moment's subject on the left, its outcome and rule on the right, or on a separate line if too long. */
export function headLines(
  layout: Layout,
  head: {
    readonly at: number;
    readonly moment: Moment;
    readonly what: string;
    readonly came?: Mark;
    readonly by?: string;
  },
): readonly string[] {
  const { columns, paint, timeOf } = layout;
  const { glyph, style } = MOMENTS[head.moment];
  const start = `  ${paint("dim", timeOf(head.at))}  ${paint(style, `${glyph} ${head.moment.padEnd(8)}`)} `;
  const room = columns - MARGIN;
  if (head.came === undefined) return [`${start}${clip(head.what, room)}`];
  const came = `${head.came.mark} ${head.came.text}`;
  const by = head.by === undefined ? "" : `   ${head.by}`;
  const fits = Math.min(head.what.length, usualLeft(room)) + 2 + came.length + by.length <= room;
  const left = Math.max(12, Math.min(usualLeft(room), room - 2 - came.length - (fits ? by.length : 0)));
  const line = `${start}${clip(head.what, left).padEnd(left)}  ${paint(head.came.style, came)}`;
  if (fits) return [`${line}${paint("bold", by)}`];
  return [line, ...detailLines(layout, "rule", by.trim(), "bold")];
}

export function detailLines({ columns, paint }: Layout, label: string, text: string, style?: Style): readonly string[] {
  const indent = " ".repeat(MARGIN);
  const lines = wrap(text, columns - MARGIN - 11);
  return lines.map((line, at) => {
    const shown = style === undefined ? line : paint(style, line);
    return `${indent}${paint("dim", (at === 0 ? label : "").padEnd(9))}  ${shown}`;
  });
}

/** Speech of the agent is no moment: it is shown between them, without a time. */
export function speechLines({ columns, paint }: Layout, text: string): readonly string[] {
  const lines = wrap(`“${text}”`, columns - MARGIN);
  return lines.map((line, at) => paint("dim", `${(at === 0 ? "              agent" : "").padEnd(MARGIN)}${line}`));
}

function usualLeft(room: number): number {
  return Math.max(26, Math.floor(room * 0.42));
}
