import type { Frame, Maybe } from "./predicate-values.ts";
import { spend } from "./predicate-values.ts";

/** For so many units the engine's own search is fast whatever the text; for long needles it is quadratic (0.15 s on 64 KB). */
const HEAD = 16;

/** Where `needle` first (or last) stands in `text`, or -1. Unknown when near misses have used up the fuel. */
export function find(frame: Frame, text: string, needle: string, which: "first" | "last"): Maybe<number> {
  if (!spend(frame, text.length >> 1)) return undefined;
  const next = (from: number) =>
    which === "first" ? text.indexOf(head, from) : from < 0 ? -1 : text.lastIndexOf(head, from);
  const head = needle.slice(0, HEAD);
  const step = which === "first" ? 1 : -1;
  let at = next(which === "first" ? 0 : text.length);
  while (at >= 0) {
    if (needle.length <= HEAD) return at;
    if (!spend(frame, 4 + (needle.length >> 3))) return undefined;
    if (text.startsWith(needle, at)) return at;
    at = next(at + step);
  }
  return -1;
}
