import { type Block, chatLines } from "./chat-lines.ts";
import {
  ADDRESS_SAYS,
  ASKS_ABOUT,
  CLOSING,
  FIRST_PERSON,
  FORWARDED_FROM,
  FROM_SOMEBODY,
  GREETING,
  HEADER,
  INTRODUCES,
  JAPANESE_SAYS,
  LABELS,
  NAME_AND_TITLE,
  OPENING,
  OWN_INTRODUCTION,
  PHONE_SIGNATURE,
  SAYS_AT_END,
  SAYS_SHORTLY,
  SAYS_WITH_TIME,
  SIGNED_MESSAGE,
  SUBJECT_PREFIX,
  TITLE_OF_TEXT,
  TO_AGENT,
  TO_AGENTS,
  WORK_ON_TEXT,
  YOURS,
} from "./paste-words.ts";

/** `quoted`: the line is already known to be code or a quotation. */
export type MessageLine = { readonly text: string; readonly quoted: boolean };

/**
 * Finds lines that may be somebody else's words, pasted into a message, with the reason to show its writer. Takes linear
 * time. A wrong guess costs the operator one confirmation; a missed one changes the contract.
 */
export function foreignLines(lines: readonly MessageLine[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const mark = (from: number, to: number, why: string) => {
    for (let at = from; at < to; at++) if (!found.has(at)) found.set(at, why);
  };
  const opening = lines.findIndex((line, at) => !line.quoted && opensForeign(lines, at));
  if (opening >= 0) mark(opening + 1, lines.length, below(opening, lines[opening]?.text ?? ""));
  if (lines.some(({ text, quoted }) => !quoted && PHONE_SIGNATURE.test(text.trim()))) {
    mark(0, lines.length, "the message ends like a mail that was sent from a phone");
  }
  const blocks = [...chatLines(lines), ...delimited(lines), ...letters(lines), ...programLines(lines)];
  for (const { from, to, why } of blocks) mark(from, to, why);
  return found;
}

function below(at: number, text: string): string {
  return `it stands below '${shortened(text)}' on line ${at + 1}, so it may be somebody else's words`;
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
  if (OPENING.test(plain) && !/^quote$|^cita$|^zitat$|^citation$/iu.test(plain)) return true;
  if (OPENING.test(plain) && /[:：]\s*$/u.test(text)) return true;
  if (FORWARDED_FROM.test(plain) || (SAYS_WITH_TIME.test(text) && !FIRST_PERSON.test(text)) || isDiff(text))
    return true;
  // A signature's delimiter; three dashes are a rule.
  if (/^--\s?$/.test(lines[at]?.text ?? "")) return true;
  if (SUBJECT_PREFIX.test(plain) || SIGNED_MESSAGE.test(text)) return true;
  if (isHeader(lines, at)) return true;
  // If a quotation follows `wrote:`, only that quotation is foreign.
  return isAttribution(lines, at) && !quoteFollows(lines, at);
}

function isDiff(text: string): boolean {
  return /^(?:diff --git |@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|(?:---|\+\+\+) [ab]\/|Index: \S)/.test(text);
}

/** One header that only mails have, an address, or two of any kind. */
function isHeader(lines: readonly MessageLine[], at: number): boolean {
  const header = HEADER.exec(lines[at]?.text ?? "");
  if (header === null) return false;
  if (header[1] !== undefined || /\S@\S+\.\S/.test(lines[at]?.text ?? "")) return true;
  return [at + 1, at + 2].some((next) => HEADER.test(lines[next]?.text ?? ""));
}

/** `On Mon, 2 Nov 2026 at 10:32, Bob <bob@example.org> wrote:`, which mail programs break over two or three lines. */
function isAttribution(lines: readonly MessageLine[], at: number): boolean {
  const text = (lines[at]?.text ?? "").trim();
  if (JAPANESE_SAYS.test(text) || ADDRESS_SAYS.test(text)) return true;
  if (SAYS_AT_END.test(text) || SAYS_SHORTLY.test(text)) return !FIRST_PERSON.test(text);
  if (INTRODUCES.test(text)) return !YOURS.test(text);
  if ([WORK_ON_TEXT, TITLE_OF_TEXT, NAME_AND_TITLE, TO_AGENTS].some((form) => form.test(text))) return true;
  // `IMPORTANT NOTICE`: a heading in capitals.
  if (/^[\p{Lu}\d\s,'’-]{8,120}$/u.test(text) && /\p{Lu}\s\p{Lu}/u.test(text)) return true;
  if (ASKS_ABOUT.test(text) || /^<?https?:\/\/\S+>?$/.test(text)) return true;
  return /[:：]$/.test(text) && !introducesOwn(text);
}

/** `New rules:`, `From now on:`; any other line with a colon at its end may announce somebody else's words. */
function introducesOwn(text: string): boolean {
  const plain = text.replaceAll(/^[\s#>*_-]+|[\s*_]*[:：][\s*_]*$/gu, "");
  if (LABELS.has(plain.toLowerCase())) return true;
  return !FROM_SOMEBODY.test(plain) && (OWN_INTRODUCTION.test(plain) || TO_AGENT.test(plain));
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
  return `it stands in the quotation that line ${at + 1} opens, so it may be somebody else's words`;
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
  const from = lines.findIndex(({ text, quoted }) => !quoted && GREETING.test(text.trim()));
  if (from < 0) return [];
  const to = lines.findLastIndex(({ text }, at) => at > from && closes(text.trim(), lines[at + 1]?.text));
  const why = `it stands in a letter that begins on line ${from + 1}, so it may be somebody else's words`;
  return to < 0 ? [] : [{ from, to: lines.length, why }];
}

/** A closing with a name on the next line, or after a comma: `Regards, Bob`. */
function closes(text: string, below: string | undefined): boolean {
  if (CLOSING.test(text)) return isName(below);
  const [before = "", name = ""] = text.split(/,\s+/, 2);
  return name !== "" && CLOSING.test(before) && isName(name);
}

function isName(text: string | undefined): boolean {
  return /^\s*[-–—]?\s*\p{Lu}[\p{L}.'’-]*(?:\s+\p{Lu}[\p{L}.'’-]*){0,3}\s*$/u.test(text ?? "");
}

/** Directives in the middle of a log, a stack trace or a settings file. */
function programLines(lines: readonly MessageLine[]): readonly Block[] {
  return lines.flatMap((_, at): readonly Block[] => {
    const [before = "", own = "", after = ""] = [at - 1, at, at + 1].map((near) => lines[near]?.text ?? "");
    if (LOG_LINE.test(before) || LOG_LINE.test(after)) {
      return [{ from: at, to: at + 1, why: "it stands among the lines of a log" }];
    }
    // `— Bob` below a line says whose it is.
    if (/^\s*[-–—~]{1,2}\s?\p{Lu}[\p{L}.'’-]*(?:\s+\p{Lu}[\p{L}.'’-]*){0,2}\s*$/u.test(after)) {
      return [{ from: at, to: at + 1, why: "the line below it names who said it" }];
    }
    const settings = /^ {1,3}\S/.test(own) && /^\s*[\w.-]+:\s*$/.test(before);
    return settings ? [{ from: at, to: at + 1, why: "it stands in a settings file" }] : [];
  });
}

const LOG_LINE =
  /^(?:\s*\d{1,6}\s?\||\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b[\]: ]|[$%] \S|>>> |Traceback \(|\s+at \S+ ?\(|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d )/;
