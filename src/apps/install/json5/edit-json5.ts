import { isSameJson } from "../../../base/kernel/canonical-json.ts";
import { isObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { type Node, parseJson5, skipSpace } from "./parse-json5.ts";

/** A replaced part of the text. */
type Edit = { readonly start: number; readonly end: number; readonly text: string };
type Entry = { readonly start: number; readonly end: number };

/**
 * Changes a JSON5 text so that it has another value. Comments, order, quotes and spacing of everything else stay.
 * Removing what was added restores the text to the byte. Throws `Json5Error`.
 */
export function editJson5(text: string, wanted: JsonObject): string {
  const edits = editsOf(text, parseJson5(text), wanted).toSorted((a, b) => b.start - a.start || b.end - a.end);
  return edits.reduce((now, { start, end, text: put }) => `${now.slice(0, start)}${put}${now.slice(end)}`, text);
}

function editsOf(text: string, node: Node, wanted: Json): readonly Edit[] {
  if (isSameJson(node.value, wanted)) return [];
  if (node.kind === "object" && isObject(wanted)) {
    const kept = node.members.filter(({ key }) => Object.hasOwn(wanted, key) && wanted[key] !== undefined);
    const known = new Set(node.members.map(({ key }) => key));
    const added = Object.entries(wanted).flatMap(([key, value]) =>
      known.has(key) || value === undefined
        ? []
        : [(indent: string) => `${JSON.stringify(key)}: ${written(value, indent)}`],
    );
    const inside = kept.flatMap(({ key, node: below }) => editsOf(text, below, wanted[key] ?? null));
    return [...inside, ...listEdits(text, node, node.members, kept, added)];
  }
  if (node.kind === "array" && Array.isArray(wanted)) {
    const left = [...wanted];
    const kept = node.items.filter((item) => {
      const at = left.findIndex((one) => isSameJson(one, item.value));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
    const added = left.map((value) => (indent: string) => written(value, indent));
    if (isSameJson([...kept.map(({ value }) => value), ...left], wanted))
      return listEdits(text, node, node.items, kept, added);
  }
  return [{ start: node.start, end: node.end, text: written(wanted, indentAt(text, node.start)) }];
}

/** Removes entries of an object or a list, and adds others at its end. */
function listEdits(
  text: string,
  node: Entry,
  entries: readonly Entry[],
  kept: readonly Entry[],
  added: readonly ((indent: string) => string)[],
): readonly Edit[] {
  const inner = text.slice(node.start + 1, node.end - 1);
  // An object that became empty again is written without a line break, unless it has comments.
  if (kept.length === 0 && added.length === 0 && isBare(text, node, entries)) {
    return [{ start: node.start + 1, end: node.end - 1, text: "" }];
  }
  const edits: Edit[] = entries.flatMap((entry) => {
    if (kept.includes(entry)) return [];
    const comma = commaAfter(text, entry);
    const gap = /[ \t]*(?:\r?\n[ \t]*)?$/.exec(text.slice(node.start + 1, entry.start))?.[0].length ?? 0;
    return [{ start: entry.start - gap, end: comma === undefined ? entry.end : comma + 1, text: "" }];
  });
  const last = kept.at(-1);
  const comma = last === undefined ? undefined : commaAfter(text, last);
  const hadTrailing = entries.length > 0 && commaAfter(text, entries.at(-1) ?? node) !== undefined;
  if (added.length === 0) {
    // The comma after the last entry that stays led to a removed one.
    const isLoose = comma !== undefined && !hadTrailing && last !== entries.at(-1);
    return isLoose ? [...edits, { start: comma, end: comma + 1, text: "" }] : edits;
  }
  const [first] = entries;
  const isMany = first === undefined || text.slice(node.start, first.start).includes("\n");
  const outer = indentAt(text, node.start);
  const indent = first !== undefined && isMany ? indentAt(text, first.start) : `${outer}${unitOf(text)}`;
  const before = isMany ? `\n${indent}` : entries.length > 0 ? " " : "";
  const body = added.map((write) => `${before}${write(isMany ? indent : outer)}`).join(",");
  const at = node.end - 1 - (/\s*$/.exec(inner)?.[0].length ?? 0);
  const close = first === undefined && !inner.includes("\n") ? `\n${outer}` : "";
  const separator = last !== undefined && comma === undefined ? "," : "";
  const ending = `${body}${hadTrailing ? "," : ""}${close}`;
  if (last?.end === at) return [...edits, { start: at, end: at, text: `${separator}${ending}` }];
  const between = last === undefined || separator === "" ? [] : [{ start: last.end, end: last.end, text: separator }];
  return [...edits, ...between, { start: at, end: at, text: ending }];
}

/** Whether only spaces and commas are between the entries and the brackets. */
function isBare(text: string, node: Entry, entries: readonly Entry[]): boolean {
  const gaps = [node.start + 1, ...entries.flatMap(({ start, end }) => [start, end]), node.end - 1];
  return gaps.every((from, at) => at % 2 === 1 || /^[\s,]*$/.test(text.slice(from, gaps[at + 1])));
}

/** The comma after an entry, past comments. */
function commaAfter(text: string, { end }: Entry): number | undefined {
  const at = skipSpace(text, end);
  return text[at] === "," ? at : undefined;
}

/** The spaces at the beginning of the line. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))?.[0] ?? "";
}

function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function written(value: Json, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);
}
