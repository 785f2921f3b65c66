/** What an earlier line of the paragraph opened and this line begins inside of. */
type InlinePlace = "code" | "quotation" | "comment";

type InlinePlaces = {
  /** For each line of the paragraph. */
  readonly places: readonly (InlinePlace | undefined)[];
  /** The line that opens a comment that the paragraph does not close. */
  readonly comment?: number;
};

type Span = { readonly from: number; readonly to: number; readonly place: InlinePlace };

const MARK = /`+|<!--|["“”«»]/g;

/** A quotation mark after a word opens nothing: 5" is a length. */
const BEFORE_OPENING = /[\s([{:—–-]/;
const CLOSES: Readonly<Record<string, string>> = { '"': '"', "“": "”", "«": "»" };

/** Finds code, comments and quotations that span lines of a paragraph, in linear time. */
function inlinePlaces(lines: readonly string[]): InlinePlaces {
  const text = lines.join("\n");
  const { spans, comment } = spansIn(text);
  const places: (InlinePlace | undefined)[] = [];
  let start = 0;
  let next = 0;
  let commentLine: number | undefined;
  for (const [at, line] of lines.entries()) {
    while ((spans[next]?.to ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    const span = spans[next];
    places.push(span !== undefined && span.from < start ? span.place : undefined);
    if (comment !== undefined && comment >= start && comment <= start + line.length) commentLine = at;
    start += line.length + 1;
  }
  return commentLine === undefined ? { places } : { places, comment: commentLine };
}

/** Spans in order, not nested; `comment`: the start of one that does not end here. */
function spansIn(text: string): { readonly spans: readonly Span[]; readonly comment?: number } {
  const spans: Span[] = [];
  const closers = backtickRuns(text);
  let quote: { readonly from: number; readonly mark: string } | undefined;
  MARK.lastIndex = 0;
  for (let match = MARK.exec(text); match !== null; match = MARK.exec(text)) {
    const [mark] = match;
    const from = match.index;
    if (mark.startsWith("`")) {
      const to = closers.after(mark.length, from);
      if (to === undefined) continue;
      if (quote === undefined) spans.push({ from, to, place: "code" });
      MARK.lastIndex = to;
    } else if (mark === "<!--") {
      const end = text.indexOf("-->", from + 4);
      if (end < 0) return { spans, comment: from };
      spans.push({ from, to: end + 3, place: "comment" });
      quote = undefined;
      MARK.lastIndex = end + 3;
    } else if (quote !== undefined) {
      if (mark !== CLOSES[quote.mark]) continue;
      spans.push({ from: quote.from, to: from + 1, place: "quotation" });
      quote = undefined;
    } else if (mark in CLOSES && opens(text, from)) quote = { from, mark };
  }
  return { spans };
}

function opens(text: string, at: number): boolean {
  return (at === 0 || BEFORE_OPENING.test(text[at - 1] ?? "")) && !/[ \t]/.test(text[at + 1] ?? " ");
}

/** Finds the closing run of backticks of the same length; visits each run once. */
function backtickRuns(text: string): { after(length: number, at: number): number | undefined } {
  const runs = Map.groupBy(text.matchAll(/`+/g), ([run]) => run.length);
  const seen = new Map<number, number>();
  return {
    after(length, at) {
      const places = runs.get(length) ?? [];
      let next = seen.get(length) ?? 0;
      while ((places[next]?.index ?? Number.POSITIVE_INFINITY) <= at) next += 1;
      seen.set(length, next);
      const found = places[next]?.index;
      return found === undefined ? undefined : found + length;
    },
  };
}

/** The last line of an element, or `open` if it is never closed. */
type TagReach = { readonly until: number } | { readonly until: "open"; readonly name: string };

type Opened = { readonly at: number; readonly line: number };

const TAG = /<(\/?)([a-z][\w.:-]{0,80})(?=[\s>])[^<>]*>/gi;
const AT_START = /^ {0,3}<([a-z][\w.:-]{0,80})(?:\s[^<>]*)?>/i;

/** Elements without content. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/**
 * Elements that span lines, by their first line: that of the tag if it starts the line, else the next one. Their content was
 * pasted or generated. An unclosed element counts only if its tag is alone on its line.
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

/** The last end of the elements that begin in a line, by line. */
function longest(closedIn: ReadonlyMap<string, number>): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  for (const [place, until] of closedIn) {
    const from = Number(place.split(":")[0]);
    if (until > from) ends.set(from, Math.max(until, ends.get(from) ?? 0));
  }
  return ends;
}

/** The line that closes each opening tag, by `line:column`. */
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

/** Whose words a line is. `apart`: code, a quote, a comment, an element. `unsure`: maybe; `why` is for the writer. */
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

/** Ends a quote that continues without its mark. */
const INTERRUPTS = /^ {0,3}(?:(?:[-*+•]|\d{1,9}[.)])[ \t]|#{1,6}[ \t]|(?:[-*_][ \t]*){3,}$)/;

/** Classifies the lines of a message in linear time. When in doubt a line is not the operator's own. */
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
    const why = `<${region.name}> on line ${places.length + 1} is never closed. Close it or remove it`;
    fill(places, lines.length, { kind: "unsure", why });
  } else fill(places, region.until + 1, APART);
}

function readFence(places: LinePlace[], lines: readonly string[], fence: Fence): void {
  const end = findFrom(lines, fence.line + 1, (line) => closes(line, fence));
  const why = `the code block that begins on line ${fence.line + 1} is never closed. Close it with ${fence.marks}`;
  fillTo(places, end, lines.length, why);
}

/** Markdown adds a line right below a quote to it; the writer may not have meant that. */
function readQuote(places: LinePlace[], lines: readonly string[]): void {
  const goesOn = /[^>\s]/.test((lines[places.length] ?? "").replace(QUOTE, ""));
  places.push(APART);
  const lazy: LinePlace = { kind: "unsure", why: "it is right below a quote. Leave an empty line between them" };
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

/** The rest of the comment's last line is ignored too. */
function readComment(places: LinePlace[], lines: readonly string[]): void {
  const from = places.length;
  const end = findFrom(lines, from, (line) => line.includes("-->"));
  const why = `the comment that begins on line ${from} is never closed. Close it with -->`;
  fillTo(places, end, lines.length, why);
}

function placeOf(inline: InlinePlace | undefined): LinePlace {
  switch (inline) {
    case undefined:
      return OWN;
    case "comment":
      return APART;
    case "code":
      return { kind: "unsure", why: "it is between two backticks. Close the code before it" };
    case "quotation":
      return { kind: "unsure", why: "it is between quotation marks. Close them before it" };
  }
}

function fenceIn(text: string, line: number): Fence | undefined {
  const [, marks = "", rest = ""] = FENCE.exec(text) ?? [];
  // Backticks after a fence of backticks make it inline code.
  return marks === "" || (marks.startsWith("`") && rest.includes("`")) ? undefined : { marks, line };
}

function findFrom(lines: readonly string[], from: number, found: (line: string) => boolean): number {
  for (let at = from; at < lines.length; at++) if (found(lines[at] ?? "")) return at;
  return -1;
}

function closes(text: string, { marks }: Fence): boolean {
  return /^[ \t]*(`{3,}|~{3,})[ \t]*$/.exec(text)?.[1]?.startsWith(marks) === true;
}

/** Fills up to the end, or to the end of the message if there is none. */
function fillTo(places: LinePlace[], end: number, all: number, why: string): void {
  if (end < 0) fill(places, all, { kind: "unsure", why });
  else fill(places, end + 1, APART);
}

function fill(places: LinePlace[], to: number, place: LinePlace): void {
  while (places.length < to) places.push(place);
}
