import type { Json } from "../../../base/words/json.ts";

/** A value and its place in the text. */
export type Node = { readonly start: number; readonly end: number; readonly value: Json } & (
  | { readonly kind: "object"; readonly members: readonly Member[] }
  | { readonly kind: "array"; readonly items: readonly Node[] }
  | { readonly kind: "scalar" }
);
/** A member's place begins with its key. */
export type Member = { readonly key: string; readonly start: number; readonly end: number; readonly node: Node };

/** A text that is not JSON5. `at` is the first character that cannot be read. */
export class Json5Error extends Error {
  readonly at: number;
  constructor(at: number, what: string) {
    super(what);
    this.at = at;
  }
}

const SPACE = /[\s\uFEFF]+|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\//y;
const NAME = /[\p{L}\p{Nl}$_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}$_\u200C\u200D]*/uy;
const NUMBER = /[+-]?(?:0[xX][\da-fA-F]+|Infinity|NaN|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y;
const STRING = /"(?:[^"\\\n\r]|\\(?:\r\n|[\s\S]))*"|'(?:[^'\\\n\r]|\\(?:\r\n|[\s\S]))*'/y;
const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", 0: "\0" };
const WORDS: Readonly<Record<string, Json>> = { true: true, false: false, null: null };

/** Parses JSON5: JSON with comments, trailing commas, single quotes and keys without quotes. Throws `Json5Error`. */
export function parseJson5(text: string): Node {
  const root = valueAt(text, skipSpace(text, 0));
  const end = skipSpace(text, root.end);
  if (end < text.length) throw unexpected(text, end);
  return root;
}

/** The position after spaces and comments. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  for (let found = match(SPACE, text, at); found !== undefined; found = match(SPACE, text, at)) at += found.length;
  return at;
}

function valueAt(text: string, start: number): Node {
  if (text[start] === "{") return objectAt(text, start);
  if (text[start] === "[") return arrayAt(text, start);
  const string = match(STRING, text, start);
  if (string !== undefined) return { kind: "scalar", start, end: start + string.length, value: unescapeText(string) };
  const number = match(NUMBER, text, start);
  if (number !== undefined) {
    const digits = number.replace(/^[+-]/, "");
    const value = number.startsWith("-") ? -Number(digits) : Number(digits);
    return { kind: "scalar", start, end: start + number.length, value };
  }
  const word = match(NAME, text, start);
  if (word === undefined || !Object.hasOwn(WORDS, word)) throw unexpected(text, start);
  return { kind: "scalar", start, end: start + word.length, value: WORDS[word] ?? null };
}

function objectAt(text: string, start: number): Node {
  const members: Member[] = [];
  const end = listAt(text, start, "}", (at) => {
    const quoted = match(STRING, text, at);
    const key = quoted ?? match(NAME, text, at);
    if (key === undefined) throw unexpected(text, at);
    const colon = skipSpace(text, at + key.length);
    if (text[colon] !== ":") throw unexpected(text, colon);
    const node = valueAt(text, skipSpace(text, colon + 1));
    members.push({ key: quoted === undefined ? key : unescapeText(quoted), start: at, end: node.end, node });
    return node.end;
  });
  const value = Object.fromEntries(members.map(({ key, node }) => [key, node.value]));
  return { kind: "object", start, end, members, value };
}

function arrayAt(text: string, start: number): Node {
  const items: Node[] = [];
  const end = listAt(text, start, "]", (at) => {
    const node = valueAt(text, at);
    items.push(node);
    return node.end;
  });
  return { kind: "array", start, end, items, value: items.map(({ value }) => value) };
}

/** Reads entries up to the closing bracket; returns the position after it. A trailing comma is allowed. */
function listAt(text: string, start: number, close: string, entryAt: (at: number) => number): number {
  let at = skipSpace(text, start + 1);
  while (text[at] !== close) {
    at = skipSpace(text, entryAt(at));
    if (text[at] === ",") at = skipSpace(text, at + 1);
    else if (text[at] !== close) throw unexpected(text, at);
  }
  return at + 1;
}

function unescapeText(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replace(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|(\r\n|[\s\S]))/g, (_, long?: string, short?: string, one = "") => {
      const code = long ?? short;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      return /[\r\n\u2028\u2029]/.test(one) ? "" : (ESCAPES[one] ?? one);
    });
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function unexpected(text: string, at: number): Json5Error {
  const found = text[at];
  return new Json5Error(at, found === undefined ? "unexpected end" : `unexpected ${JSON.stringify(found)}`);
}
