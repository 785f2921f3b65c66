import schema from "../../../../docs/schema/rules.schema.json";

type Schema = {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
};

type Suggestion = {
  readonly label: string;
  readonly apply?: string;
  readonly info?: string;
  readonly kind: string;
};
type Suggestions = { readonly from: number; readonly options: readonly Suggestion[] };

/** Keys whose value is the name of a tool or an action. */
const NAMES = new Set([
  "on",
  "call",
  "tool",
  "since",
  "toolName",
  "requiredPrior",
  "prerequisites",
  "all",
  "any",
  "not",
  "require",
]);
const RULES: Schema & { readonly definitions: { readonly [name: string]: Schema } } = schema;

/** Suggests keys and values of the schema, and names of tools and actions, for a position in a rule file. */
export function suggest(text: string, position: number, known: readonly string[]): Suggestions | undefined {
  const place = placeAt(text, position);
  if (place === undefined) return undefined;
  const { path, at, beside, from } = place;
  const found = schemasAt(path);
  const keys = Object.entries(
    Object.assign({}, ...found.map(({ properties }) => properties ?? {})) as Record<string, Schema>,
  )
    .filter(([name]) => !beside.includes(name))
    .map(([label, one]) => ({ label, apply: `${label}: `, info: descriptionOf(one), kind: "property" }));
  if (at === "key" && path.at(-1) !== "[]") return { from, options: keys };
  const values = found.flatMap((one) => (one.type === "boolean" ? ["true", "false"] : (one.enum ?? [])));
  const last = path.findLast((part) => part !== "[]") ?? "";
  const names = NAMES.has(last) ? [...new Set([...known, ...actionsOf(text)])] : [];
  const options = [
    ...values.map((label) => ({ label, kind: "enum" })),
    ...names.map((label) => ({ label, kind: "variable", info: "a tool or action" })),
    ...(at === "key" ? keys : []),
  ];
  return options.length === 0 ? undefined : { from, options };
}

/** Returns every schema that the path may lead to. */
function schemasAt(path: readonly string[]): readonly Schema[] {
  let found = open(RULES);
  for (const part of path) found = found.flatMap((one) => open(part === "[]" ? one.items : below(one, part)));
  return found;
}

function below({ properties, additionalProperties }: Schema, key: string): Schema | undefined {
  const own = properties?.[key];
  if (own !== undefined) return own;
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** Resolves references, and returns all alternatives. */
function open(one: Schema | undefined): readonly Schema[] {
  if (one === undefined) return [];
  if (one.$ref !== undefined) return open(RULES.definitions[one.$ref.split("/").at(-1) ?? ""]);
  return [one, ...(one.allOf ?? []).flatMap(open), ...(one.anyOf ?? []).flatMap(open)];
}

function descriptionOf(one: Schema): string {
  return one.description ?? "";
}

/** Returns the actions that the text declares. */
function actionsOf(text: string): readonly string[] {
  const block = /^actions:[ \t]*\n((?:[ \t]+.*\n?|\s*\n)*)/m.exec(text)?.[1] ?? "";
  return [...block.matchAll(/^ {1,4}([\w.-]+):/gm)].map(([, name = ""]) => name);
}

/** Position in a YAML text: the keys that lead to it (`[]` for a list item), and what can be inserted. */
type YamlPlace = {
  readonly path: readonly string[];
  readonly at: "key" | "value";
  /** Other keys of the same map. */
  readonly beside: readonly string[];
  /** Start of the word being typed. */
  readonly from: number;
};

type Level = { readonly column: number; readonly key: string };

/** Reads the lines above by indentation, and the current line by brackets, so that it works with incomplete text. */
export function placeAt(text: string, position: number): YamlPlace | undefined {
  const start = text.lastIndexOf("\n", position - 1) + 1;
  const before = text.slice(start, position);
  if (/(^|\s)#/.test(before) || inQuotes(before)) return undefined;
  const word = /[\w*./-]*$/.exec(before)?.[0] ?? "";
  const from = position - word.length;
  const { dashes, column, rest } = lineParts(before);
  const above = text.slice(0, start).split("\n").slice(0, -1);
  const levels = levelsAbove(above, dashes, column);
  const path = levels.map(({ key }) => key);
  const flow = flowAt(rest);
  if (flow !== undefined) return { path: [...path, ...flow.path], at: flow.at, beside: flow.beside, from };
  const key = /^("?[\w.-]+"?):\s/.exec(rest)?.[1];
  if (key !== undefined) return { path: [...path, unquote(key)], at: "value", beside: [], from };
  if (/\S\s/.test(rest)) return undefined;
  return { path, at: "key", beside: siblings(text, start, column), from };
}

/** The content of `  - on: x` starts at column 4. Every dash is a list of its own. */
function lineParts(line: string) {
  let column = /^ */.exec(line)?.[0].length ?? 0;
  const dashes: number[] = [];
  for (;;) {
    const dash = /^-(\s+|$)/.exec(line.slice(column));
    if (dash === null) break;
    dashes.push(column);
    column += dash[0].length;
  }
  return { dashes, column, rest: line.slice(column) };
}

/** Returns what encloses a line whose content starts at `column`, outermost first. */
function levelsAbove(lines: readonly string[], dashes: readonly number[], column: number): readonly Level[] {
  const levels: Level[] = dashes.map((at) => ({ column: at, key: "[]" })).reverse();
  let limit = dashes[0] ?? column;
  // A list may start at the column of its key.
  let orAt = dashes.length > 0;
  for (const line of lines.toReversed()) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const parts = lineParts(line);
    const key = /^("?[\w.-]+"?):(\s|$)/.exec(parts.rest)?.[1];
    if (key !== undefined && (parts.column < limit || (orAt && parts.column === limit)) && isOpen(parts.rest)) {
      levels.push({ column: parts.column, key: unquote(key) });
      limit = parts.column;
      orAt = false;
    }
    for (const dash of parts.dashes.toReversed())
      if (dash < limit) {
        levels.push({ column: dash, key: "[]" });
        limit = dash;
        orAt = true;
      }
    if (limit === 0 && !orAt) break;
  }
  return levels.reverse();
}

/** `on:` has its value on the lines below; `on: x` does not. */
function isOpen(rest: string): boolean {
  return /^"?[\w.-]+"?:\s*(#.*)?$/.test(rest);
}

function flowAt(rest: string): Omit<YamlPlace, "from"> | undefined {
  const stack: { readonly kind: "{" | "["; readonly at: number; readonly key: string | undefined }[] = [];
  let quote = "";
  let since = 0;
  for (const [at, letter] of [...rest].entries()) {
    if (quote !== "") {
      if (letter === quote) quote = "";
    } else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === "{" || letter === "[") {
      stack.push({ kind: letter, at, key: /([\w.-]+):\s*$/.exec(rest.slice(since, at))?.[1] });
      since = at + 1;
    } else if (letter === "}" || letter === "]") {
      stack.pop();
      since = at + 1;
    } else if (letter === ",") since = at + 1;
  }
  const last = stack.at(-1);
  if (last === undefined) return undefined;
  const path = stack.flatMap(({ key, kind }) => [...(key === undefined ? [] : [key]), ...(kind === "[" ? ["[]"] : [])]);
  const here = rest.slice(since);
  if (last.kind === "[") return { path, at: "value", beside: [] };
  const key = /^\s*([\w.-]+):\s+/.exec(here)?.[1];
  if (key !== undefined) return { path: [...path, key], at: "value", beside: [] };
  const beside = [...rest.slice(last.at).matchAll(/([\w.-]+):/g)].map(([, name = ""]) => name);
  return { path, at: "key", beside };
}

/** Returns the keys of the same map: those at the same column, up and down to its ends. */
function siblings(text: string, start: number, column: number): readonly string[] {
  const end = text.indexOf("\n", start);
  const above = text.slice(0, start).split("\n").slice(0, -1).toReversed();
  const below = end < 0 ? [] : text.slice(end + 1).split("\n");
  const own = lineParts(text.slice(start, end < 0 ? undefined : end));
  const up = own.dashes.length > 0 ? [] : keysUntil(above, column, true);
  return [...up, ...keysUntil(below, column, false)];
}

function keysUntil(lines: readonly string[], column: number, upwards: boolean): readonly string[] {
  const keys: string[] = [];
  for (const line of lines) {
    if (line.trim() === "") continue;
    const parts = lineParts(line);
    const first = parts.dashes[0] ?? parts.column;
    if (!upwards && first < column) break;
    if (parts.column === column) {
      const key = /^("?[\w.-]+"?):/.exec(parts.rest)?.[1];
      if (key !== undefined) keys.push(unquote(key));
    }
    if (upwards && first < column) break;
  }
  return keys;
}

function inQuotes(before: string): boolean {
  const plain = before.replaceAll(/\\./g, "");
  return (plain.match(/"/g)?.length ?? 0) % 2 === 1;
}

function unquote(key: string): string {
  return key.replaceAll('"', "");
}
