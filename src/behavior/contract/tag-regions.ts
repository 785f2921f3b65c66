/** How far an element reaches that begins in a line: to a line, or nobody knows, because it is never closed. */
export type TagReach = { readonly until: number } | { readonly until: "open"; readonly name: string };

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
export function tagRegions(lines: readonly string[]): ReadonlyMap<number, TagReach> {
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
