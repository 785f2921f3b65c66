import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from "yaml";
import { type Complaint, type ConfigFault, type ConfigPath, pathText } from "./config-fault.ts";

const HINTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: "indent with spaces",
  BLOCK_AS_IMPLICIT_KEY: "put a value that contains ': ' in quotes",
  BAD_SCALAR_START: "put the value in quotes",
  MULTIPLE_DOCS: "keep one document: remove the '---' line",
  TAG_RESOLVE_FAILED: "remove the tag, or put the value in quotes",
};

/** What the YAML parser found, in words for people. */
function syntaxFault(
  code: string,
  message: string,
  text: string,
  offset: number,
): { readonly message: string; readonly hint?: string } {
  if (code === "DUPLICATE_KEY") {
    const key = /^[^\s:,}\]]+/.exec(text.slice(offset, offset + 200))?.[0] ?? "this key";
    return { message: `'${key}' is there twice`, hint: "keep one of them; YAML would take only the last" };
  }
  const hint = HINTS[code];
  const said = code === "MULTIPLE_DOCS" ? "the file contains several documents" : lowerFirst(message);
  return { message: `this is not valid YAML: ${said}`, hint };
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

/** A fault and where in the text it begins. */
export type Located = ConfigFault & { readonly offset: number };

/** A YAML text with its positions. `value` is what it says, as far as it could be read. */
export class ConfigSource {
  readonly value: unknown;
  /** What is wrong with the text as YAML. */
  readonly faults: readonly ConfigFault[];
  /** Where the text stops being reliable; faults found beyond it may come from this one. */
  readonly reliableTo: number;
  readonly #file: string;
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #document: Document;

  constructor(text: string, file: string) {
    this.#file = file;
    this.#text = text;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, logLevel: "error" });
    const problems = [...this.#document.errors, ...this.#document.warnings];
    const places = problems.map(({ code, pos }) => {
      return (code === "MISSING_CHAR" ? openQuote(this.#document, pos[0]) : undefined) ?? pos[0];
    });
    const broken = places.filter((_, at) => problems[at]?.code !== "DUPLICATE_KEY");
    this.reliableTo = Math.min(...broken, Number.POSITIVE_INFINITY);
    const syntax = problems.map(({ code, message, pos }, at) =>
      this.#fault(places[at] ?? pos[0], "", syntaxFault(code, message, text, pos[0])),
    );
    const deep = tooDeep(this.#document.contents);
    const nodes = deep === undefined ? nodeProblems(this.#document.contents, this.#document) : [deep];
    const read = deep === undefined ? this.#read() : { fault: deep.message };
    this.value = "fault" in read ? undefined : read.value;
    this.faults = [
      // One slip makes a parser complain several times over; the first complaint of a line is the telling one.
      ...syntax.filter((fault, at) => syntax.findIndex(({ line }) => line === fault.line) === at),
      ...nodes.map(({ offset, message }) => this.#fault(offset, "", { message })),
      ...("fault" in read && nodes.length === 0 ? [this.#fault(0, "", { message: read.fault })] : []),
    ];
  }

  get readable(): boolean {
    return this.value !== undefined;
  }

  /** Gives a complaint its line and column. */
  locate({ path, at, column, message, hint }: Complaint): Located {
    const offset = this.#offset(path, at, column ?? 1);
    return { ...this.#fault(offset, pathText(path), { message, hint }), offset };
  }

  /** Aliases that lead nowhere, or that would fill the memory, show only when the value is made. */
  #read(): { readonly value: unknown } | { readonly fault: string } {
    try {
      const value: unknown = this.#document.toJS({ maxAliasCount: 100 });
      return { value: value ?? null };
    } catch (error) {
      const reason = error instanceof Error ? error.message : "it cannot be read";
      return { fault: `this is not valid YAML: ${reason}` };
    }
  }

  #fault(offset: number, path: string, said: { readonly message: string; readonly hint?: string }): ConfigFault {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.#file, line: Math.max(1, line), column: Math.max(1, col), path, ...said };
  }

  #offset(path: ConfigPath, at: "key" | "value", column: number): number {
    let node: unknown = this.#document.contents;
    let key: unknown;
    for (const part of path) {
      node = isAlias(node) ? node.resolve(this.#document) : node;
      if (isMap(node)) {
        const pair = node.items.findLast(({ key }) => isScalar(key) && String(key.value) === String(part));
        if (pair === undefined) break;
        key = pair.key;
        node = pair.value;
      } else if (isSeq(node) && typeof part === "number") {
        key = undefined;
        node = node.items[part];
      } else break;
    }
    const value = startOf(node, this.#text, column);
    return (at === "key" ? startOf(key) : undefined) ?? value ?? startOf(key) ?? 0;
  }
}

/** Nothing, where there is nothing: an empty value has no place of its own. `column` moves into a text that stands as it is. */
function startOf(node: unknown, text = "", column = 1): number | undefined {
  const range = (node as Node | null | undefined)?.range;
  if (range === null || range === undefined || range[0] === range[1]) return undefined;
  if (column <= 1 || !isScalar(node) || typeof node.value !== "string") return range[0];
  const open = node.type === "PLAIN" ? 0 : 1;
  const asItIs = text.startsWith(node.value, range[0] + open) && !node.type?.startsWith("BLOCK");
  return asItIs ? range[0] + open + Math.min(column - 1, node.value.length) : range[0];
}

/** Where a quoted text begins that runs on to the end: there the quote is missing, not where the parser gave up. */
function openQuote(document: Document, end: number): number | undefined {
  let start: number | undefined;
  visit(document, {
    Scalar(_, { type, range }) {
      const quoted = type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE";
      if (quoted && range && range[0] < end && range[1] >= end) start = range[0];
    },
  });
  return start;
}

type NodeProblem = { readonly offset: number; readonly message: string };

const MAX_DEPTH = 100;

/** What is nested without end would overflow whoever reads it. */
function tooDeep(contents: unknown): NodeProblem | undefined {
  let level: readonly unknown[] = [contents];
  for (let depth = 0; level.length > 0; depth++) {
    const below = level.flatMap((node) =>
      isSeq(node) ? node.items : isMap(node) ? node.items.flatMap(({ key, value }) => [key, value]) : [],
    );
    const last = level.find((node) => isSeq(node) || isMap(node));
    if (depth >= MAX_DEPTH && last !== undefined) {
      return { offset: startOf(last) ?? 0, message: `this is nested more than ${MAX_DEPTH} levels deep` };
    }
    level = below;
  }
  return undefined;
}

/** Keys that JavaScript would change the meaning of, and aliases that lead nowhere. */
function nodeProblems(node: unknown, document: Document): readonly NodeProblem[] {
  if (isAlias(node) && node.resolve(document) === undefined) {
    return [{ offset: startOf(node) ?? 0, message: `there is no anchor '&${node.source}' before this` }];
  }
  if (isSeq(node)) return node.items.flatMap((item) => nodeProblems(item, document));
  if (!isMap(node)) return [];
  return node.items.flatMap(({ key, value }) => {
    const offset = startOf(key) ?? startOf(node) ?? 0;
    const below = nodeProblems(value, document);
    if (!isScalar(key)) return [{ offset, message: "a key must be a plain name" }, ...below];
    if (key.value === "__proto__") return [{ offset, message: "'__proto__' cannot be used as a name" }, ...below];
    return below;
  });
}
