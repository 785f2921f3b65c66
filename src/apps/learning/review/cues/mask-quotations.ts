/** Stands for one character that is not the person's own: a quotation, code in a line, an address. */
export const MASK = "\ue000";

const CLOSES: Readonly<Record<string, string>> = {
  '"': '"',
  "“": "”",
  "„": "“",
  "«": "»",
  "`": "`",
  "'": "'",
  "‘": "’",
};
const SINGLE = new Set(["'", "‘"]);
const MARK = /["“„«`'‘]/g;
const ADDRESS = /\b(?:https?:\/\/|www\.)\S*[^\s.,;:!?)\]]/gi;
const BEFORE = /[\s([{:,—–-]/;
/** What may follow a closing mark. */
const AFTER = /[\s.,;:!?)\]}…—–-]/;

/**
 * The line with all that it quotes masked, of the same length. A quotation that is not closed reaches to the end of the line. Linear: each
 * closing mark is looked for once.
 */
export function maskQuotations(line: string): string {
  const plain = line.replace(ADDRESS, (address) => MASK.repeat(address.length));
  if (plain.search(MARK) < 0) return plain;
  const closers = new Map<string, number>();
  let masked = "";
  let done = 0;
  MARK.lastIndex = 0;
  for (let match = MARK.exec(plain); match !== null; match = MARK.exec(plain)) {
    const [mark] = match;
    const from = match.index;
    if (!opens(plain, from)) continue;
    const end = closing(plain, mark, from, closers);
    if (end < 0 && (SINGLE.has(mark) || mark === "`")) continue;
    const to = end < 0 ? plain.length : end + 1;
    masked += plain.slice(done, from) + MASK.repeat(to - from);
    done = to;
    MARK.lastIndex = to;
  }
  return masked + plain.slice(done);
}

function opens(text: string, at: number): boolean {
  return (at === 0 || BEFORE.test(text[at - 1] ?? "")) && /\S/.test(text[at + 1] ?? " ");
}

/** The place of the mark that closes this one, or -1. */
function closing(text: string, mark: string, from: number, closers: Map<string, number>): number {
  const wanted = CLOSES[mark] ?? mark;
  let at = closers.get(mark) ?? from;
  if (at === Number.POSITIVE_INFINITY) return -1;
  if (at <= from) at = from;
  do at = text.indexOf(wanted, at + 1);
  while (at >= 0 && SINGLE.has(mark) && !closesSingle(text, at));
  closers.set(mark, at < 0 ? Number.POSITIVE_INFINITY : at - 1);
  return at;
}

/** An apostrophe inside a word closes nothing. */
function closesSingle(text: string, at: number): boolean {
  return AFTER.test(text[at + 1] ?? " ") && /\S/.test(text[at - 1] ?? " ");
}
