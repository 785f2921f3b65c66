/** What a line begins inside of, when its paragraph opened something before it. */
export type InlinePlace = "code" | "quotation" | "comment";

export type InlinePlaces = {
  /** For each line of the paragraph. */
  readonly places: readonly (InlinePlace | undefined)[];
  /** The line that opens a comment which the paragraph does not close. */
  readonly comment?: number;
};

type Span = { readonly from: number; readonly to: number; readonly place: InlinePlace };

const MARK = /`+|<!--|["“”«»]/g;
/** A mark that opens a quotation stands before a word, not after one: 5" is a length. */
const BEFORE_OPENING = /[\s([{:—–-]/;
const CLOSES: Readonly<Record<string, string>> = { '"': '"', "“": "”", "«": "»" };

/** Reads a paragraph once, in linear time: code in backticks, comments and quotations that reach over the end of a line. */
export function inlinePlaces(lines: readonly string[]): InlinePlaces {
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

/** Spans in their order, none inside another; `comment`: where one begins that does not end here. */
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

/** Finds the run of backticks that closes one of the same length; each run is looked at once. */
function backtickRuns(text: string): { after(length: number, at: number): number | undefined } {
  const runs = new Map<number, number[]>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const places = runs.get(run.length);
    if (places === undefined) runs.set(run.length, [index]);
    else places.push(index);
  }
  const seen = new Map<number, number>();
  return {
    after(length, at) {
      const places = runs.get(length) ?? [];
      let next = seen.get(length) ?? 0;
      while ((places[next] ?? Number.POSITIVE_INFINITY) <= at) next += 1;
      seen.set(length, next);
      const found = places[next];
      return found === undefined ? undefined : found + length;
    },
  };
}
