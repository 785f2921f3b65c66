import { KEYWORDS } from "../parse/directive-form.ts";
import { type LinePlace, messagePlaces } from "../parse/message-places.ts";
import * as words from "./paste-words.ts";

/** Lines from `from` up to, not including, `to`. */
type Block = { readonly from: number; readonly to: number; readonly why: string };

const NAME = "[@~]?\\p{Lu}[\\p{L}\\p{M}\\d_.'’-]*(?:\\s+[\\p{Lu}(\\d][\\p{L}\\p{M}\\d_.'’()/-]*){0,3}|@[\\w.-]{2,40}";
const CLOCK = "\\d{1,2}[:.]\\d{2}(?:[:.]\\d{2})?(?:\\s?[APap]\\.?[Mm]\\.?)?";
const DAY_NAMES =
  "[Tt]oday|[Yy]esterday|[Hh]eute|[Gg]estern|[Hh]ier|[Aa]ujourd'hui|[Hh]oy|[Aa]yer|(?:[Mm]on|[Tt]ues|[Ww]ednes|[Tt]hurs|[Ff]ri|[Ss]atur|[Ss]un)day";
const DATES =
  "\\d{1,4}[./-]\\d{1,2}[./-]\\d{1,4}|\\p{L}{3,9}\\.? \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?|\\d{1,2}\\.? \\p{L}{3,9}\\.?(?: \\d{4})?";
const DAY = `(?:${DAY_NAMES}|${DATES})`;
const WHEN = `(?:${DAY},?\\s*(?:(?:at|um|à|a las)\\s+)?)?${CLOCK}`;

/** `[10:32] Bob: hi`, `1/2/26, 10:32 - Bob: hi`, `10:32 <bob> hi`. */
const SAID_AT = new RegExp(`^\\s*[\\[(<]?${WHEN}[\\])>]?\\s*[-–—|]?\\s*(?:(?:${NAME})\\s?:|<[^<>\\s]{1,40}>)`, "iu");
/** `Bob  10:32 AM`, `Bob — Today at 10:32`, `[10:32] Bob`, `Bob, [02.11.26 10:32]`: the message is below it. */
const HEAD = new RegExp(
  `^\\s*[*_]{0,2}(?:(?:${NAME})[*_]{0,2}(?:\\s+(?:APP|BOT|app|bot))?\\s*[,—–|·•-]?\\s*[\\[(]?${WHEN}[\\])]?:?|[\\[(]?${WHEN}[\\])]?\\s*[-–—|,]?\\s*(?:${NAME}):?)\\s*$`,
  "u",
);
/** A lone time below a name. */
const TIME_ALONE = new RegExp(`^\\s*${WHEN}\\s*$`, "iu");
const SPEAKER = new RegExp(`^\\s{0,3}[*_]{0,2}(${NAME})[*_]{0,2}\\s?:[*_]{0,2}(?:\\s+(\\S)|\\s*$)`, "u");

/** Pasted chats: from the first line with a speaker to the last, or to the end below a line of only a name and a time. */
function chatLines(lines: readonly MessageLine[]): readonly Block[] {
  const heads = lines.findIndex((line, at) => !line.quoted && isHead(lines, at));
  const blocks: Block[] = [];
  if (heads >= 0) blocks.push({ from: heads + 1, to: lines.length, why: among(heads) });
  const said = lines.flatMap(({ text, quoted }, at) => (quoted || !isSaid(text) ? [] : [at]));
  const [first] = said;
  const last = said.at(-1);
  if (first !== undefined && last !== undefined) {
    blocks.push({ from: first + 1, to: paragraphEnd(lines, last), why: among(first) });
  }
  return blocks;
}

function among(at: number): string {
  return `it is part of a pasted chat (line ${at + 1}), so someone else may have written it`;
}

function isHead(lines: readonly MessageLine[], at: number): boolean {
  const text = lines[at]?.text ?? "";
  if (text.length > 120) return false;
  if (HEAD.test(text)) return true;
  if (TIME_ALONE.test(text) && /^\s*\p{Lu}/u.test(lines[at - 1]?.text ?? "")) return true;
  if (words.ROLE.test(text) && /:[*_\s]*$/.test(text)) return true;
  const [, name = "", more] = SPEAKER.exec(text) ?? [];
  return name !== "" && more === undefined && !isLabel(name);
}

/** `bob: hi`, `[bob] hi`, `anna.m [14:02]: hi`, `Q: why?` */
const NICK_SAID = new RegExp(
  `^\\s*(?:([a-z][\\w.-]{1,20}):\\s\\S|\\[[^\\]\\s][^\\]]{1,30}\\]\\s\\S|\\S{1,30}\\s*[\\[(]${WHEN}[\\])]\\s*:?\\s|[QA]\\d{0,3}[:.]\\s)`,
  "u",
);

/** A line with its speaker before it. */
function isSaid(text: string): boolean {
  if (text.length > 2_000) return false;
  if (SAID_AT.test(text) || words.ROLE.test(text)) return true;
  const nick = NICK_SAID.exec(text);
  if (nick !== null) return nick[1] === undefined || !isLabel(nick[1]);
  const [, name = "", more] = SPEAKER.exec(text) ?? [];
  return name !== "" && more !== undefined && !isLabel(name);
}

/** Words in capitals (`NOTE`, `HTTP`, our keywords) are not names. */
function isLabel(name: string): boolean {
  return name === name.toUpperCase() || words.LABELS.has(name.toLowerCase()) || KEYWORDS.has(name.toUpperCase());
}

function paragraphEnd(lines: readonly MessageLine[], from: number): number {
  const end = lines.findIndex(({ text }, at) => at > from && text.trim() === "");
  return end < 0 ? lines.length : end;
}

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

const IN_LONG_TEXT = "it is in the middle of a long text, which someone else may have written";

/** `quoted`: the line is already known to be code or a quotation. */
type MessageLine = { readonly text: string; readonly quoted: boolean };

/**
 * Finds lines that may be somebody else's words, pasted into a message, with the reason to show its writer. Takes linear
 * time. A wrong guess costs the operator one confirmation; a missed one changes the contract.
 */
function foreignLines(lines: readonly MessageLine[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const mark = (from: number, to: number, why: string) => {
    for (let at = from; at < to; at++) if (!found.has(at)) found.set(at, why);
  };
  const opening = lines.findIndex((line, at) => !line.quoted && opensForeign(lines, at));
  if (opening >= 0) mark(opening + 1, lines.length, below(opening, lines[opening]?.text ?? ""));
  if (lines.some(({ text, quoted }) => !quoted && words.PHONE_SIGNATURE.test(text.trim()))) {
    mark(0, lines.length, "the message ends with the signature of a mail app");
  }
  const blocks = [...chatLines(lines), ...delimited(lines), ...letters(lines), ...programLines(lines)];
  for (const { from, to, why } of blocks) mark(from, to, why);
  return found;
}

function below(at: number, text: string): string {
  return `it follows '${shortened(text)}' on line ${at + 1}, so someone else may have written it`;
}

function shortened(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}'"`]/gu, "").trim();
  return plain.length <= 40 ? plain : `${plain.slice(0, 39)}…`;
}

/** Does everything below this line belong to somebody else? */
function opensForeign(lines: readonly MessageLine[], at: number): boolean {
  const text = (lines[at]?.text ?? "").trimEnd();
  if (text.length > 400 || text.trim() === "") return false;
  const plain = text.replaceAll(/^[\s\-–—_=*~>#|<]+|[\s\-–—_=*~>#|:：.]+$/gu, "");
  if (words.OPENING.test(plain) && !/^quote$|^cita$|^zitat$|^citation$/iu.test(plain)) return true;
  if (words.OPENING.test(plain) && /[:：]\s*$/u.test(text)) return true;
  if (
    words.FORWARDED_FROM.test(plain) ||
    (words.SAYS_WITH_TIME.test(text) && !words.FIRST_PERSON.test(text)) ||
    isDiff(text)
  )
    return true;
  // A signature's delimiter; three dashes are a rule.
  if (/^--\s?$/.test(lines[at]?.text ?? "")) return true;
  if (words.SUBJECT_PREFIX.test(plain) || words.SIGNED_MESSAGE.test(text)) return true;
  if (isHeader(lines, at)) return true;
  // If a quotation follows `wrote:`, only that quotation is foreign.
  return isAttribution(lines, at) && !quoteFollows(lines, at);
}

function isDiff(text: string): boolean {
  return /^(?:diff --git |@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|(?:---|\+\+\+) [ab]\/|Index: \S)/.test(text);
}

/** One header that only mails have, an address, or two of any kind. */
function isHeader(lines: readonly MessageLine[], at: number): boolean {
  const header = words.HEADER.exec(lines[at]?.text ?? "");
  if (header === null) return false;
  if (header[1] !== undefined || /\S@\S+\.\S/.test(lines[at]?.text ?? "")) return true;
  return [at + 1, at + 2].some((next) => words.HEADER.test(lines[next]?.text ?? ""));
}

/** `On Mon, 2 Nov 2026 at 10:32, Bob <bob@example.org> wrote:`, which mail programs break over two or three lines. */
function isAttribution(lines: readonly MessageLine[], at: number): boolean {
  const text = (lines[at]?.text ?? "").trim();
  if (words.JAPANESE_SAYS.test(text) || words.ADDRESS_SAYS.test(text)) return true;
  if (words.SAYS_AT_END.test(text) || words.SAYS_SHORTLY.test(text)) return !words.FIRST_PERSON.test(text);
  if (words.INTRODUCES.test(text)) return !words.YOURS.test(text);
  if ([words.WORK_ON_TEXT, words.TITLE_OF_TEXT, words.NAME_AND_TITLE, words.TO_AGENTS].some((form) => form.test(text)))
    return true;
  // `IMPORTANT NOTICE`: a heading in capitals.
  if (/^[\p{Lu}\d\s,'’-]{8,120}$/u.test(text) && /\p{Lu}\s\p{Lu}/u.test(text)) return true;
  if (words.ASKS_ABOUT.test(text) || /^<?https?:\/\/\S+>?$/.test(text)) return true;
  return /[:：]$/.test(text) && !introducesOwn(text);
}

/** `New rules:`, `From now on:`; any other line with a colon at its end may announce somebody else's words. */
function introducesOwn(text: string): boolean {
  const plain = text.replaceAll(/^[\s#>*_-]+|[\s*_]*[:：][\s*_]*$/gu, "");
  if (words.LABELS.has(plain.toLowerCase())) return true;
  return !words.FROM_SOMEBODY.test(plain) && (words.OWN_INTRODUCTION.test(plain) || words.TO_AGENT.test(plain));
}

function quoteFollows(lines: readonly MessageLine[], at: number): boolean {
  const next = lines.slice(at + 1, at + 4).find(({ text }) => text.trim() !== "");
  return next?.quoted === true;
}

/** Text between delimiters outside Markdown: `[quote]`, `{quote}`, triple quotation marks, an element that is never closed. */
function delimited(lines: readonly MessageLine[]): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly at: number; readonly close: RegExp } | undefined;
  for (const [at, { text, quoted }] of lines.entries()) {
    if (open !== undefined) {
      if (!open.close.test(text)) continue;
      blocks.push({ from: open.at + 1, to: at + 1, why: inside(open.at) });
      open = undefined;
      continue;
    }
    if (quoted) continue;
    const found = DELIMITERS.find(({ opens }) => opens.test(text));
    if (found !== undefined && !found.closes.test(text.replace(found.opens, ""))) open = { at, close: found.closes };
  }
  if (open !== undefined) blocks.push({ from: open.at + 1, to: lines.length, why: inside(open.at) });
  return blocks;
}

function inside(at: number): string {
  return `it is inside the quotation that starts on line ${at + 1}, so someone else may have written it`;
}

const DELIMITERS: readonly { readonly opens: RegExp; readonly closes: RegExp }[] = [
  { opens: /\[(?:quote|code|spoiler|pre)\b[^\]\n]{0,80}\]/i, closes: /\[\/(?:quote|code|spoiler|pre)\]/i },
  { opens: /\{(?:quote|code|noformat|panel)\b[^}\n]{0,80}\}/i, closes: /\{(?:quote|code|noformat|panel)\}/i },
  {
    opens: /<(?:blockquote|pre|code|q|cite|samp|textarea|xmp)\b[^<>\n]{0,200}>/i,
    closes: /<\/(?:blockquote|pre|code|q|cite|samp|textarea|xmp)>/i,
  },
  { opens: /^\s*#\+begin_\w+/i, closes: /^\s*#\+end_\w+/i },
  {
    opens: /\\begin\{(?:quote|quotation|verbatim|lstlisting)\}/,
    closes: /\\end\{(?:quote|quotation|verbatim|lstlisting)\}/,
  },
  { opens: /"""|“““|'''/, closes: /"""|”””|'''/ },
  { opens: /^\s*[„“«‹「『"](?!\s)(?=[^"”“»›」』]*$)/u, closes: /["”“»›」』]\s*(?:[.,;]\s*)?(?:$|[—–-])/u },
  { opens: /^(?:_{4,}|\.{4,}|\+{4,}|={4,})\s*$/, closes: /^(?:_{4,}|\.{4,}|\+{4,}|={4,})\s*$/ },
];

/** A letter: a greeting by name, and a closing with a name. */
function letters(lines: readonly MessageLine[]): readonly Block[] {
  const from = lines.findIndex(({ text, quoted }) => !quoted && words.GREETING.test(text.trim()));
  if (from < 0) return [];
  const to = lines.findLastIndex(({ text }, at) => at > from && closes(text.trim(), lines[at + 1]?.text));
  const why = `it is part of a letter that starts on line ${from + 1}, so someone else may have written it`;
  return to < 0 ? [] : [{ from, to: lines.length, why }];
}

/** A closing with a name on the next line, or after a comma: `Regards, Bob`. */
function closes(text: string, below: string | undefined): boolean {
  if (words.CLOSING.test(text)) return isName(below);
  const [before = "", name = ""] = text.split(/,\s+/, 2);
  return name !== "" && words.CLOSING.test(before) && isName(name);
}

function isName(text: string | undefined): boolean {
  return /^\s*[-–—]?\s*\p{Lu}[\p{L}.'’-]*(?:\s+\p{Lu}[\p{L}.'’-]*){0,3}\s*$/u.test(text ?? "");
}

/** Directives in the middle of a log, a stack trace or a settings file. */
function programLines(lines: readonly MessageLine[]): readonly Block[] {
  return lines.flatMap((_, at): readonly Block[] => {
    const [before = "", own = "", after = ""] = [at - 1, at, at + 1].map((near) => lines[near]?.text ?? "");
    if (LOG_LINE.test(before) || LOG_LINE.test(after)) {
      return [{ from: at, to: at + 1, why: "it is part of a log" }];
    }
    // `— Bob` below a line says whose it is.
    if (/^\s*[-–—~]{1,2}\s?\p{Lu}[\p{L}.'’-]*(?:\s+\p{Lu}[\p{L}.'’-]*){0,2}\s*$/u.test(after)) {
      return [{ from: at, to: at + 1, why: "the next line names its author" }];
    }
    const settings = /^ {1,3}\S/.test(own) && /^\s*[\w.-]+:\s*$/.test(before);
    return settings ? [{ from: at, to: at + 1, why: "it is part of a settings file" }] : [];
  });
}

const LOG_LINE =
  /^(?:\s*\d{1,6}\s?\||\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b[\]: ]|[$%] \S|>>> |Traceback \(|\s+at \S+ ?\(|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d )/;
