import { createHash } from "node:crypto";
import { type Node, parseSync, Visitor } from "oxc-parser";

/** A small fault in a source file, which a switch turns on while the program runs. */
export type Mutant = {
  /** The file and a hash of the code: it stays the same while other lines of the file change. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  /** What the fault does, with the code that it is about. */
  readonly what: string;
  /** The same fault without a switch: this part of the file is replaced. */
  readonly edit: Edit;
};

export type Edit = { readonly start: number; readonly end: number; readonly text: string };

/** Code around a part of the file: the fault is on while `__conductMutant(id)` is true. */
type Wrap = { readonly start: number; readonly end: number; readonly before: string; readonly after: string };

const SHOWN = 60;

/** Calls that only make or print text: what is inside them wires nothing. */
const TEXT_CALLS = new Set(["badArgument", "failed", "done", "log", "report", "errorText", "Error", "ConfigError"]);
/** The properties of an outcome, which is text for a person. */
const OUTCOME = new Set(["message", "fix", "text", "next", "code", "exitCode"]);

/**
 * Puts every fault of wiring into a source file, each behind its own switch, so that one build serves all of them: a
 * property or an option becomes `undefined`, a call statement is skipped, a name is another one, a condition is
 * negated. Only code in the named functions changes (everywhere without names), and no code that only makes text.
 * `prelude` defines the switch.
 */
export function withMutants(
  file: string,
  text: string,
  prelude: string,
  functions: readonly string[] = [],
): { readonly text: string; readonly mutants: readonly Mutant[] } {
  const mutants: Mutant[] = [];
  const wraps: Wrap[] = [];
  const same = new Map<string, number>();
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const { inside, without } = placesIn(program, functions);
  const add = (
    { start, end }: Node,
    what: string,
    edit: string | Edit,
    wrap: (on: string) => readonly [string, string],
  ) => {
    const isIn = (one: Place) => one.start <= start && end <= one.end;
    if (without.some(isIn) || (functions.length > 0 && !inside.some(isIn))) return;
    const line = text.slice(0, start).split("\n").length;
    const code = text.slice(start, end).replace(/\s+/g, " ");
    const shown = code.length > SHOWN ? `${code.slice(0, SHOWN)}…` : code;
    const hash = createHash("sha256").update(`${what}\n${code}`).digest("hex").slice(0, 8);
    const count = (same.get(hash) ?? 0) + 1;
    same.set(hash, count);
    const id = `${file}#${hash}${count === 1 ? "" : `.${count}`}`;
    const plain = typeof edit === "string" ? { start, end, text: edit } : edit;
    mutants.push({ id, file, line, what: `${what}: ${shown}`, edit: plain });
    const [before, after] = wrap(`__conductMutant(${JSON.stringify(id)})`);
    wraps.push({ start, end, before, after });
  };
  const textOf = ({ start, end }: Node) => text.slice(start, end);
  const drop = (node: Node, what: string, edit: string | Edit, name = "") =>
    add(node, what, edit, (on) => [`${name}(${on} ? undefined : (`, "))"]);
  const negate = (node: Node) => add(node, "negated", `!(${textOf(node)})`, (on) => [`(${on} !== Boolean(`, "))"]);

  new Visitor({
    ObjectExpression({ properties }) {
      const names = properties.map((one) => (one.type === "Property" && "name" in one.key ? one.key.name : ""));
      if (names.some((name) => name === "message" || name === "ok")) return;
      for (const one of properties) {
        if (one.type !== "Property" || one.kind !== "init" || one.method || one.computed) continue;
        const name = one.key.type === "Identifier" ? one.key.name : "";
        if (OUTCOME.has(name)) continue;
        const before = one.shorthand ? `${name}: ` : "";
        drop(one.value, `${name || "property"} dropped`, `${before}undefined`, before);
      }
    },
    ExpressionStatement(node) {
      const { expression } = node;
      const called = expression.type === "AwaitExpression" ? expression.argument : expression;
      const isVoid = called.type === "UnaryExpression" && called.operator === "void";
      if (called.type !== "CallExpression" && !isVoid) return;
      if (called.type === "CallExpression" && (nameOf(called.callee) === "log" || called.callee.type === "Super"))
        return;
      add(node, "skipped", "{}", (on) => [`{ if (!${on}) { `, " } }"]);
    },
    IfStatement({ test }) {
      negate(test);
    },
    ConditionalExpression({ test }) {
      negate(test);
    },
    LogicalExpression({ operator, left, right, start, end }) {
      if (operator === "??") drop(left, "ignored", { start, end, text: textOf(right) });
    },
    CallExpression({ arguments: given }) {
      for (const one of given)
        if (one.type === "Literal" && typeof one.value === "string" && /^[\w:./-]+$/.test(one.value))
          add(one, "another name", '"another-name"', (on) => [`(${on} ? "another-name" : `, ")"]);
    },
  }).visit(program);
  return { text: `${prelude}\n${insert(text, wraps)}`, mutants };
}

type Place = { readonly start: number; readonly end: number };

const nameOf = (node: Node): string => (node.type === "Identifier" ? node.name : "");

/** Where the named functions are, and the arguments of calls that only make text. */
function placesIn(program: Node & { type: "Program" }, functions: readonly string[]) {
  const inside: Place[] = [];
  const without: Place[] = [];
  new Visitor({
    FunctionDeclaration(node) {
      if (node.id !== null && functions.includes(node.id.name)) inside.push(node);
    },
    MethodDefinition(node) {
      if ("name" in node.key && functions.includes(String(node.key.name))) inside.push(node);
    },
    CallExpression({ callee, arguments: given }) {
      if (TEXT_CALLS.has(nameOf(callee))) without.push(...given);
    },
    NewExpression({ callee, arguments: given }) {
      if (TEXT_CALLS.has(nameOf(callee))) without.push(...given);
    },
  }).visit(program);
  return { inside, without };
}

/** Inserts the wraps, the outer one first where several begin or end at one place. */
function insert(text: string, wraps: readonly Wrap[]): string {
  const openings = wraps.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const closings = wraps.toSorted((a, b) => a.end - b.end || b.start - a.start);
  const places = [...new Set(wraps.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  let out = "";
  let at = 0;
  for (const place of places) {
    out += text.slice(at, place);
    for (const { end, after } of closings) if (end === place) out += after;
    for (const { start, before } of openings) if (start === place) out += before;
    at = place;
  }
  return out + text.slice(at);
}
