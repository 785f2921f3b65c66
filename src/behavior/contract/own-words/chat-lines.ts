import { KEYWORDS } from "../parse/keywords.ts";
import type { MessageLine } from "./foreign-lines.ts";
import { LABELS, ROLE } from "./paste-words.ts";

/** Lines from `from` up to, not including, `to`. */
export type Block = { readonly from: number; readonly to: number; readonly why: string };

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
export function chatLines(lines: readonly MessageLine[]): readonly Block[] {
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
  return `it stands among the messages of a chat (line ${at + 1}), so it may be somebody else's words`;
}

function isHead(lines: readonly MessageLine[], at: number): boolean {
  const text = lines[at]?.text ?? "";
  if (text.length > 120) return false;
  if (HEAD.test(text)) return true;
  if (TIME_ALONE.test(text) && /^\s*\p{Lu}/u.test(lines[at - 1]?.text ?? "")) return true;
  if (ROLE.test(text) && /:[*_\s]*$/.test(text)) return true;
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
  if (SAID_AT.test(text) || ROLE.test(text)) return true;
  const nick = NICK_SAID.exec(text);
  if (nick !== null) return nick[1] === undefined || !isLabel(nick[1]);
  const [, name = "", more] = SPEAKER.exec(text) ?? [];
  return name !== "" && more !== undefined && !isLabel(name);
}

/** Words in capitals (`NOTE`, `HTTP`, our keywords) are not names. */
function isLabel(name: string): boolean {
  return name === name.toUpperCase() || LABELS.has(name.toLowerCase()) || KEYWORDS.has(name.toUpperCase());
}

function paragraphEnd(lines: readonly MessageLine[], from: number): number {
  const end = lines.findIndex(({ text }, at) => at > from && text.trim() === "");
  return end < 0 ? lines.length : end;
}
