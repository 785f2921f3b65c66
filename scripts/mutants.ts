import { type Node, parseSync, Visitor } from "oxc-parser";

/** A small fault in a source file, which a switch turns on while the program runs. */
export type Mutant = {
  readonly id: number;
  readonly file: string;
  readonly line: number;
  /** What the fault does, with the code that it is about. */
  readonly what: string;
};

/** Code around a part of the file: the fault is on while `__conductMutant(id)` is true. */
type Wrap = { readonly start: number; readonly end: number; readonly before: string; readonly after: string };

const SHOWN = 60;

/**
 * Puts every fault of wiring into a source file, each behind its own switch, so that one build serves all of them: a
 * property or an option becomes `undefined`, a call statement is skipped, a name is another one, a condition is
 * negated. `first` is the first free number, and `prelude` defines the switch.
 */
export function withMutants(
  file: string,
  text: string,
  first: number,
  prelude: string,
): { readonly text: string; readonly mutants: readonly Mutant[] } {
  const mutants: Mutant[] = [];
  const wraps: Wrap[] = [];
  const add = ({ start, end }: Node, what: string, wrap: (on: string) => readonly [string, string]) => {
    const id = first + mutants.length;
    const line = text.slice(0, start).split("\n").length;
    const code = text.slice(start, end).replace(/\s+/g, " ");
    const shown = code.length > SHOWN ? `${code.slice(0, SHOWN)}…` : code;
    mutants.push({ id, file, line, what: `${what}: ${shown}` });
    const [before, after] = wrap(`__conductMutant(${id})`);
    wraps.push({ start, end, before, after });
  };
  const drop = (node: Node, what: string, name = "") =>
    add(node, what, (on) => [`${name === "" ? "" : `${name}: `}(${on} ? undefined : (`, "))"]);
  const negate = (node: Node) => add(node, "negated", (on) => [`(${on} !== Boolean(`, "))"]);

  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  new Visitor({
    ObjectExpression({ properties }) {
      for (const one of properties) {
        if (one.type !== "Property" || one.kind !== "init" || one.method || one.computed) continue;
        const name = one.key.type === "Identifier" ? one.key.name : "";
        drop(one.value, `${name || "property"} dropped`, one.shorthand ? name : "");
      }
    },
    ExpressionStatement(node) {
      const { expression } = node;
      const called = expression.type === "AwaitExpression" ? expression.argument : expression;
      const isVoid = called.type === "UnaryExpression" && called.operator === "void";
      if (called.type !== "CallExpression" && !isVoid) return;
      add(node, "skipped", (on) => [`if (!${on}) { `, " }"]);
    },
    IfStatement({ test }) {
      negate(test);
    },
    ConditionalExpression({ test }) {
      negate(test);
    },
    LogicalExpression({ operator, left }) {
      if (operator === "??") drop(left, "ignored");
    },
    CallExpression({ arguments: given }) {
      for (const one of given)
        if (one.type === "Literal" && typeof one.value === "string" && /^[\w:./-]+$/.test(one.value))
          add(one, "another name", (on) => [`(${on} ? "another-name" : `, ")"]);
    },
  }).visit(program);
  return { text: `${prelude}\n${insert(text, wraps)}`, mutants };
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
