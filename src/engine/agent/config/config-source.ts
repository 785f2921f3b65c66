import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from "yaml";

const HINTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: "indent with spaces",
  BLOCK_AS_IMPLICIT_KEY: "put a value that contains ': ' in quotes",
  BAD_SCALAR_START: "put the value in quotes",
  MULTIPLE_DOCS: "keep one document: remove the '---' line",
  TAG_RESOLVE_FAILED: "remove the tag, or put the value in quotes",
};

type FaultText = { readonly message: string; readonly hint?: string };

/** Rewords what the YAML parser found. */
function syntaxFault(code: string, message: string, text: string, offset: number): FaultText {
  if (code === "DUPLICATE_KEY") {
    const key = /^[^\s:,}\]]+/.exec(text.slice(offset, offset + 200))?.[0] ?? "this key";
    return { message: `'${key}' is defined twice`, hint: "remove one of them; YAML would use only the last" };
  }
  const lower = message.charAt(0).toLowerCase() + message.slice(1);
  const reason = code === "MULTIPLE_DOCS" ? "the file contains several documents" : lower;
  return { message: `this is not valid YAML: ${reason}`, hint: HINTS[code] };
}

/** A YAML text with positions. `value` is its content as far as it could be read, `undefined` if not at all. */
export class ConfigSource {
  readonly value: unknown;
  /** YAML errors. */
  readonly faults: readonly ConfigFault[];
  /** Offset of the first YAML error; faults after it may be caused by it. */
  readonly reliableTo: number;
  readonly #file: string;
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #document: Document;

  constructor(written: string, file: string) {
    const text = written.replace(/^\uFEFF/, "");
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
    const { problems: nodes, readable } = nodeProblems(this.#document);
    const read = readable ? this.#read() : { fault: "" };
    this.value = "fault" in read ? undefined : read.value;
    this.faults = [
      // One mistake makes the parser report several errors; the first one of a line is the useful one.
      ...syntax.filter((fault, at) => syntax.findIndex(({ line }) => line === fault.line) === at),
      ...nodes.map(({ offset, message }) => this.#fault(offset, "", { message })),
      ...("fault" in read && nodes.length === 0 ? [this.#fault(0, "", { message: read.fault })] : []),
    ];
  }

  locate = (complaint: Complaint): ConfigFault => {
    const { path, message, hint } = complaint;
    return this.#fault(this.offsetOf(complaint), pathText(path), { message, hint });
  };

  /** Dangling aliases and alias bombs only show when the value is built. */
  #read(): { readonly value: unknown } | { readonly fault: string } {
    try {
      const value: unknown = this.#document.toJS({ maxAliasCount: 100 });
      return { value: value ?? null };
    } catch (error) {
      const reason = error instanceof Error ? error.message : "it cannot be read";
      return { fault: `this is not valid YAML: ${reason}` };
    }
  }

  #fault(offset: number, path: string, text: FaultText): ConfigFault {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.#file, line: Math.max(1, line), column: Math.max(1, col), path, ...text };
  }

  offsetOf({ path, at, column = 1 }: Complaint): number {
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

/** Start offset of a node; `undefined` for an empty value. `column` moves into an unescaped string. */
function startOf(node: unknown, text = "", column = 1): number | undefined {
  const range = (node as Node | null | undefined)?.range;
  if (range === null || range === undefined || range[0] === range[1]) return undefined;
  if (column <= 1 || !isScalar(node) || typeof node.value !== "string") return range[0];
  const open = node.type === "PLAIN" ? 0 : 1;
  const isVerbatim = text.startsWith(node.value, range[0] + open) && !node.type?.startsWith("BLOCK");
  return isVerbatim ? range[0] + open + Math.min(column - 1, node.value.length) : range[0];
}

/** Start of the quoted string that runs to the end: its closing quote is missing. */
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

/** Keys that are unsafe in JavaScript, aliases without an anchor, and nesting that could overflow the stack of readers. */
function nodeProblems(document: Document): {
  readonly problems: readonly NodeProblem[];
  readonly readable: boolean;
} {
  const problems: NodeProblem[] = [];
  const add = (node: unknown, message: string) => problems.push({ offset: startOf(node) ?? 0, message });
  let level: readonly unknown[] = [document.contents];
  for (let depth = 0; level.length > 0; depth++) {
    const nested = level.find((node) => isSeq(node) || isMap(node));
    if (depth >= MAX_DEPTH && nested !== undefined) {
      const message = `this is nested more than ${MAX_DEPTH} levels deep`;
      return { problems: [{ offset: startOf(nested) ?? 0, message }], readable: false };
    }
    level = level.flatMap((node) => {
      if (isAlias(node) && node.resolve(document) === undefined) {
        add(node, `no anchor '&${node.source}' before this`);
      }
      if (isSeq(node)) return node.items;
      if (!isMap(node)) return [];
      return node.items.flatMap(({ key, value }) => {
        if (!isScalar(key)) add(key ?? node, "a key must be a plain name");
        else if (key.value === "__proto__") add(key, "'__proto__' cannot be used as a name");
        return [key, value];
      });
    });
  }
  return { problems, readable: true };
}

/** A fault in a configuration file. Lines and columns count from 1. */
export type ConfigFault = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Such as `agents.release.policies[0]`. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
};

/** A place in the file as keys and list indexes. */
export type ConfigPath = readonly (string | number)[];

/** A fault before its place in the text is known. It is about the value, unless `at` says that it is about the key. */
export type Complaint = {
  readonly path: ConfigPath;
  readonly at?: "key" | undefined;
  /** Column within a string value, from 1. */
  readonly column?: number;
  readonly message: string;
  readonly hint?: string;
};

/** `agents.release.policies[0]`; unusual names are quoted. */
function pathText(path: ConfigPath): string {
  return path.reduce<string>((before, part) => {
    if (typeof part === "number") return `${before}[${part}]`;
    const name = /^[\p{L}\p{N}_-]+$/u.test(part) ? part : JSON.stringify(part);
    return before === "" ? name : `${before}.${name}`;
  }, "");
}

/** Sorted by file, line and column, without duplicates. */
export function sortFaults(faults: readonly ConfigFault[]): readonly ConfigFault[] {
  const files = [...new Set(faults.map(({ file }) => file))];
  const byText = new Map(
    faults.map((fault) => [`${fault.file}:${fault.line}:${fault.column} ${fault.message}`, fault]),
  );
  const rank = ({ file }: ConfigFault) => (files.length === 1 ? 0 : files.indexOf(file));
  return [...byText.values()].sort((a, b) => rank(a) - rank(b) || a.line - b.line || a.column - b.column);
}
