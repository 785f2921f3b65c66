import {
  aKind,
  type BinaryOperator,
  type Compiled,
  compiled,
  fits,
  isName,
  type Node,
  reject,
  type Scope,
} from "./predicate-part.ts";
import { compare, equal, isIn, isList, type Kind, MAX_ITEMS, MAX_STRING, type Run, spend } from "./predicate-values.ts";

type Binary = Node<BinaryOperator>;

const ORDER: { readonly [operator in "<" | "<=" | ">" | ">="]: (sign: number) => boolean } = {
  "<": (sign) => sign < 0,
  "<=": (sign) => sign <= 0,
  ">": (sign) => sign > 0,
  ">=": (sign) => sign >= 0,
};

export function compileBinary(node: Binary, left: Compiled, right: Compiled, scope: Scope): Compiled {
  const { op } = node;
  const sides = [left, right];
  switch (op) {
    case "==":
    case "!=": {
      checkSame(node, left, right, ["bool", "number", "string", "list", "map"]);
      const run: Run = (frame) => {
        const same = equal(frame, left.run(frame), right.run(frame));
        return same === undefined ? undefined : same === (op === "==");
      };
      return compiled("bool", run, sides);
    }
    case "<":
    case "<=":
    case ">":
    case ">=": {
      checkSame(node, left, right, ["number", "string"]);
      const isOrdered = ORDER[op];
      const run: Run = (frame) => {
        const sign = compare(frame, left.run(frame), right.run(frame));
        return sign === undefined ? undefined : isOrdered(sign);
      };
      return compiled("bool", run, sides);
    }
    case "in":
      checkIn(node, left, right, scope);
      return compiled("bool", (frame) => isIn(frame, left.run(frame), right.run(frame)), sides);
    case "+":
      checkSame(node, left, right, ["number", "string", "list"]);
      return compileSum(left, right);
    default:
      checkSame(node, left, right, ["number"]);
      return compileArithmetic(op, left, right);
  }
}

/** Both sides must be of one kind that the operator takes. */
function checkSame(node: Binary, { kind: left }: Compiled, { kind: right }: Compiled, kinds: readonly Kind[]): void {
  if (fits(left, ...kinds) && fits(right, ...kinds) && fits(left, right)) return;
  const convertible = [left, right].includes("number") && [left, right].includes("string");
  const hint = convertible ? "convert one side with string(), int() or double()" : undefined;
  reject(node, `'${node.op}' does not take ${aKind(left)} and ${aKind(right)}`, hint);
}

function checkIn(node: Binary, left: Compiled, right: Compiled, scope: Scope): void {
  const wanted = right.kind === "map" ? "string" : right.items;
  const [key, container] = node.args;
  if (key.op === "value" && isName(container, "args")) scope.args.add(String(key.args));
  if (!fits(right.kind, "list", "map")) {
    const hint = right.kind === "string" ? "for text write text.contains(part)" : undefined;
    reject(node, `'in' searches a list or a map, not ${aKind(right.kind)}`, hint);
  }
  if (!fits(left.kind, wanted)) reject(node, `'in' cannot find ${aKind(left.kind)} among ${wanted}s`);
}

function compileSum(left: Compiled, right: Compiled): Compiled {
  const kind = left.kind === "any" ? right.kind : left.kind;
  const items = left.items === right.items ? left.items : "any";
  const run: Run = (frame) => {
    const a = left.run(frame);
    const b = right.run(frame);
    if (typeof a === "number" && typeof b === "number") return finite(a + b);
    if (typeof a === "string" && typeof b === "string") {
      const length = a.length + b.length;
      return length <= MAX_STRING && spend(frame, length >> 2) ? a + b : undefined;
    }
    if (!isList(a) || !isList(b) || a.length + b.length > MAX_ITEMS) return undefined;
    return spend(frame, a.length + b.length) ? [...a, ...b] : undefined;
  };
  return compiled(kind, run, [left, right], { items, whole: left.whole && right.whole });
}

/** A division by zero is not finite, and therefore unknown. */
const ARITHMETIC: { readonly [operator in "-" | "*" | "/" | "%"]: (a: number, b: number) => number } = {
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};

/** JSON has one kind of number; only static whole numbers divide as integers. */
function compileArithmetic(operator: keyof typeof ARITHMETIC, left: Compiled, right: Compiled): Compiled {
  const whole = left.whole && right.whole;
  const calculate = operator === "/" && whole ? (a: number, b: number) => Math.trunc(a / b) : ARITHMETIC[operator];
  const run: Run = (frame) => {
    const a = left.run(frame);
    const b = right.run(frame);
    return typeof a === "number" && typeof b === "number" ? finite(calculate(a, b)) : undefined;
  };
  return compiled("number", run, [left, right], { whole });
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
