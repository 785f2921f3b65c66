import { type InlinePlace, inlinePlaces } from "./inline-places.ts";

/** How far an element reaches that begins in a line: to a line, or nobody knows, because it is never closed. */
type TagReach = { readonly until: number } | { readonly until: "open"; readonly name: string };

type Opened = { readonly at: number; readonly line: number };

const TAG = /<(\/?)([a-z][\w.:-]{0,80})(?=[\s>])[^<>]*>/gi;
const AT_START = /^ {0,3}<([a-z][\w.:-]{0,80})(?:\s[^<>]*)?>/i;
/** Never closed, and nothing is inside them. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/**
 * The elements that reach over the end of a line, by the line they are the first of: the line of the tag where that stands at its
 * start, else the one below it. Whatever stands inside one was pasted or put there by a program. One that is never closed
 * counts when its tag stands alone in its line; elsewhere it is taken for text.
 */
function tagRegions(lines: readonly string[]): ReadonlyMap<number, TagReach> {
  const regions = new Map<number, TagReach>();
  if (!lines.some((line) => line.includes("<"))) return regions;
  const closedIn = pairTags(lines);
  for (const [from, until] of longest(closedIn)) regions.set(from + 1, { until });
  for (const [line, text] of lines.entries()) {
    const [tag = "", name = ""] = AT_START.exec(text) ?? [];
    if (name === "" || VOID.test(name) || tag.endsWith("/>")) continue;
    const until = closedIn.get(`${line}:${text.indexOf("<")}`);
    if (until !== undefined) regions.set(line, { until });
    else if (text.slice(tag.length).trim() === "") regions.set(line, { until: "open", name });
  }
  return regions;
}

/** Of the elements that begin in a line and end in a later one, the one that ends last; by line. */
function longest(closedIn: ReadonlyMap<string, number>): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  for (const [place, until] of closedIn) {
    const from = Number(place.split(":")[0]);
    if (until > from) ends.set(from, Math.max(until, ends.get(from) ?? 0));
  }
  return ends;
}

/** For each opening tag, by line and place, the line that closes it: the next one of its name that closes no other. */
function pairTags(lines: readonly string[]): ReadonlyMap<string, number> {
  const open = new Map<string, Opened[]>();
  const closedIn = new Map<string, number>();
  for (const [line, text] of lines.entries()) {
    for (const match of text.matchAll(TAG)) {
      const name = (match[2] ?? "").toLowerCase();
      const opened = open.get(name) ?? [];
      if (match[1] === "") {
        opened.push({ at: match.index, line });
        open.set(name, opened);
        continue;
      }
      const last = opened.pop();
      if (last !== undefined) closedIn.set(`${last.line}:${last.at}`, line);
    }
  }
  return closedIn;
}

/**
 * Whose words a line of a message is. `apart`: code, a quote, a comment, an element. `unsure`: it may be one of these, so
 * nothing is taken from it; `why` tells the writer.
 */
export type LinePlace =
  | { readonly kind: "own" }
  | { readonly kind: "apart" }
  | { readonly kind: "unsure"; readonly why: string };

type Fence = { readonly marks: string; readonly line: number };

const OWN: LinePlace = { kind: "own" };
const APART: LinePlace = { kind: "apart" };

const BLANK = /^\s*$/;
const QUOTE = /^(?: {0,3}(?:[-*+•]|\d{1,9}[.)])[ \t])*\s*>/;
const FENCE = /^(?:[ \t]*(?:[-*+•]|\d{1,9}[.)])(?=[ \t]))*[ \t]*(`{3,}|~{3,})(.*)$/;
const INDENTED = /^(?: {4}| {0,3}\t)/;
/** Ends a quote that goes on without its mark. */
const INTERRUPTS = /^ {0,3}(?:(?:[-*+•]|\d{1,9}[.)])[ \t]|#{1,6}[ \t]|(?:[-*_][ \t]*){3,}$)/;

/** Reads the lines of a message once, in linear time. When in doubt a line is not the operator's own. */
export function messagePlaces(lines: readonly string[]): readonly LinePlace[] {
  const places: LinePlace[] = [];
  const regions = tagRegions(lines);
  while (places.length < lines.length) {
    const at = places.length;
    const text = lines[at] ?? "";
    const region = regions.get(at);
    const fence = fenceIn(text, at);
    if (region !== undefined) readRegion(places, lines, region);
    else if (fence !== undefined) readFence(places, lines, fence);
    else if (BLANK.test(text)) places.push(OWN);
    else if (QUOTE.test(text)) readQuote(places, lines);
    else readParagraph(places, lines, regions);
  }
  return places;
}

function readRegion(places: LinePlace[], lines: readonly string[], region: TagReach): void {
  if (region.until === "open") {
    const why = `<${region.name}> on line ${places.length + 1} is never closed; close it, or leave it out`;
    fill(places, lines.length, { kind: "unsure", why });
  } else fill(places, region.until + 1, APART);
}

function readFence(places: LinePlace[], lines: readonly string[], fence: Fence): void {
  const end = findFrom(lines, fence.line + 1, (line) => closes(line, fence));
  const why = `the code block that begins on line ${fence.line + 1} is never closed; close it with ${fence.marks}`;
  fillTo(places, end, lines.length, why);
}

/** A line right below a quote belongs to it, for markdown; people may have meant it as their own. */
function readQuote(places: LinePlace[], lines: readonly string[]): void {
  const goesOn = /[^>\s]/.test((lines[places.length] ?? "").replace(QUOTE, ""));
  places.push(APART);
  const lazy: LinePlace = { kind: "unsure", why: "it stands right below a quote; leave a line empty between them" };
  for (let at = places.length; goesOn && at < lines.length; at++) {
    const text = lines[at] ?? "";
    if (BLANK.test(text) || QUOTE.test(text) || INTERRUPTS.test(text) || fenceIn(text, at) !== undefined) return;
    places.push(lazy);
  }
}

function readParagraph(places: LinePlace[], lines: readonly string[], regions: ReadonlyMap<number, TagReach>): void {
  const from = places.length;
  let to = from + 1;
  while (to < lines.length && !BLANK.test(lines[to] ?? "") && !QUOTE.test(lines[to] ?? "")) {
    if (regions.has(to) || fenceIn(lines[to] ?? "", to) !== undefined) break;
    to += 1;
  }
  const { places: inline, comment } = inlinePlaces(lines.slice(from, to));
  for (let at = from; at < to; at++) {
    if (comment !== undefined && at > from + comment) break;
    places.push(INDENTED.test(lines[at] ?? "") ? APART : placeOf(inline[at - from]));
  }
  if (comment !== undefined) readComment(places, lines);
}

/** After the comment the rest of its last line is read as nobody's. */
function readComment(places: LinePlace[], lines: readonly string[]): void {
  const from = places.length;
  const end = findFrom(lines, from, (line) => line.includes("-->"));
  const why = `the comment that begins on line ${from} is never closed; close it with -->`;
  fillTo(places, end, lines.length, why);
}

function placeOf(inline: InlinePlace | undefined): LinePlace {
  switch (inline) {
    case undefined:
      return OWN;
    case "comment":
      return APART;
    case "code":
      return { kind: "unsure", why: "it stands between two backticks; close the code before it" };
    case "quotation":
      return { kind: "unsure", why: "it stands between quotation marks; close them before it" };
  }
}

function fenceIn(text: string, line: number): Fence | undefined {
  const [, marks = "", rest = ""] = FENCE.exec(text) ?? [];
  // A fence of backticks cannot have more of them after it: that is code in a line.
  return marks === "" || (marks.startsWith("`") && rest.includes("`")) ? undefined : { marks, line };
}

function closes(text: string, { marks }: Fence): boolean {
  const found = /^[ \t]*(`{3,}|~{3,})[ \t]*$/.exec(text)?.[1] ?? "";
  return found.startsWith(marks);
}

function findFrom(lines: readonly string[], from: number, found: (line: string) => boolean): number {
  for (let at = from; at < lines.length; at++) if (found(lines[at] ?? "")) return at;
  return -1;
}

/** Up to its end; to the end of the message where it has none. */
function fillTo(places: LinePlace[], end: number, all: number, why: string): void {
  if (end < 0) fill(places, all, { kind: "unsure", why });
  else fill(places, end + 1, APART);
}

function fill(places: LinePlace[], to: number, place: LinePlace): void {
  while (places.length < to) places.push(place);
}
