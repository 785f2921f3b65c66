import type { ConductEvent, Moment } from "../../../../base/words/event.ts";
import { eventWords, MOMENTS } from "../../../shared/event-words.ts";
import { clip, oneLine, wrap } from "../../../shared/printable.ts";
import type { Paint } from "../../line/terminal.ts";

export type WatchLayout = { readonly columns: number; readonly paint: Paint; readonly timeOf: (at: number) => string };

const KIND = 11;
const WIDEST_NAME = 26;
/** Outcomes align in one column if the subject is no longer than this. */
const COLUMN = 28;
const WIDEST = 44;
/** The subject is never cut below this width. */
const LEAST = 12;

/** Renders events of many sessions as lines. Events for programs only are left out. */
export function watchLines({
  columns,
  paint,
  timeOf,
}: WatchLayout): (event: ConductEvent, name: string) => readonly string[] {
  // Grows with the names seen, so that the text after them stays aligned.
  let width = 12;
  return (event, name) => {
    const shown = eventWords(event);
    if (shown === undefined) return [];
    width = Math.min(WIDEST_NAME, Math.max(width, name.length));
    const margin = 1 + 8 + 2 + width + 2 + KIND;
    const room = Math.max(30, columns - margin);
    const start = ` ${paint("dim", timeOf(event.at))}  ${clip(name, width).padEnd(width)}  ${paintKind(shown.kind, paint)}`;
    // Foreign text must not control the terminal.
    const what = oneLine(shown.what);
    const by = shown.by === undefined ? undefined : oneLine(shown.by);
    const { came, more = "" } = shown;
    const below = (text: string, style: "dim" | "bold") =>
      wrap(text, columns - margin).map((line) => `${" ".repeat(margin)}${paint(style, line)}`);
    const also = below(more, "dim");
    if (came === undefined) return [`${start}${clip(what, room)}`.trimEnd(), ...also];
    const mark = oneLine(`${came.mark} ${came.text}`);
    const beside = by === undefined ? 0 : 3 + by.length;
    const least = what === "" ? 0 : Math.max(LEAST, Math.min(COLUMN, what.length));
    const inLine = least + 2 + mark.length + beside <= room;
    const most = Math.max(LEAST, room - 2 - mark.length - (inLine ? beside : 0));
    const left = what === "" ? 0 : Math.min(most, Math.max(COLUMN, Math.min(what.length, WIDEST)));
    const result = paint(came.style, clip(mark, Math.max(12, room - left - 2)));
    const head = what === "" ? `${start}${result}` : `${start}${clip(what, left).padEnd(left)}  ${result}`;
    if (by === undefined) return [head, ...also];
    if (inLine) return [`${head}   ${paint("bold", by)}`, ...also];
    return [head, ...below(by, "bold"), ...also];
  };
}

function paintKind(kind: string, paint: Paint): string {
  const moment = kind in MOMENTS ? MOMENTS[kind as Moment] : undefined;
  if (moment === undefined) return paint("dim", `  ${kind}`.padEnd(KIND));
  return paint(moment.style, `${moment.glyph} ${kind}`.padEnd(KIND));
}
