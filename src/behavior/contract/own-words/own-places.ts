import { type LinePlace, messagePlaces } from "../parse/message-places.ts";
import { foreignLines } from "./foreign-lines.ts";

/** In a text with more lines or characters besides its directives, only those at its start are sure to be the writer's. */
const LONG = { lines: 20, characters: 2_000 };

/**
 * Whose words each line is. `formed` are the lines that look like directives, `quoted` those that the transport marks as
 * quotation or code (from 1).
 */
export function ownPlaces(
  lines: readonly string[],
  formed: ReadonlySet<number>,
  quoted: readonly number[],
): readonly LinePlace[] {
  const marked = new Set(quoted);
  const places = messagePlaces(lines).map((place, at): LinePlace => (marked.has(at + 1) ? { kind: "apart" } : place));
  const foreign = foreignLines(lines.map((text, at) => ({ text, quoted: places[at]?.kind === "apart" })));
  const prose = lines.flatMap((text, at) => {
    return text.trim() === "" || formed.has(at) || places[at]?.kind === "apart" ? [] : [at];
  });
  const [first = lines.length] = prose;
  const characters = prose.reduce((sum, at) => sum + (lines[at]?.length ?? 0), 0);
  const isLong = prose.length > LONG.lines || characters > LONG.characters;
  return places.map((place, at) => {
    if (place.kind !== "own") return place;
    const why = foreign.get(at) ?? (isLong && at > first ? IN_LONG_TEXT : undefined);
    return why === undefined ? place : { kind: "unsure", why };
  });
}

const IN_LONG_TEXT = "it stands in the middle of a long text, which may be somebody else's words";
