import type { BinaryOperator, Expression } from "./predicate-expression.ts";
import type { Compiled, Of, Scope } from "./predicate-part.ts";
import { aKind, compiled, fault, fits } from "./predicate-part.ts";
import type { Kind, Maybe, Run } from "./predicate-values.ts";
import { compare, equal, isIn, isList, MAX_ITEMS, MAX_STRING, spend } from "./predicate-values.ts";

const ORDER: { readonly [operator in "<" | "<=" | ">" | ">="]: (sign: number) => boolean } = {
  "<": (sign) => sign < 0,
  "<=": (sign) => sign <= 0,
  ">": (sign) => sign > 0,
  ">=": (sign) => sign >= 0,
};

export function compileBinary(expression: Of<"binary">, left: Compiled, right: Compiled, scope: Scope): Compiled {
  const { operator } = expression;
  switch (operator) {
    case "==":
    case "!=":
      checkSame(expression, left, right, ["bool", "number", "string", "list", "map"], scope);
      return compiled("bool", runEquality(operator, left.run, right.run), [left, right]);
    case "<":
    case "<=":
    case ">":
    case ">=":
      checkSame(expression, left, right, ["number", "string"], scope);
      return compiled("bool", runOrder(ORDER[operator], left.run, right.run), [left, right]);
    case "in":
      checkIn(expression, left, right, scope);
      return compiled("bool", (frame) => isIn(frame, left.run(frame), right.run(frame)), [left, right]);
    case "+":
      checkSame(expression, left, right, ["number", "string", "list"], scope);
      return compileSum(left, right);
    default:
      checkSame(expression, left, right, ["number"], scope);
      return compileArithmetic(operator, left, right);
  }
}

function runEquality(operator: "==" | "!=", left: Run, right: Run): Run {
  const wanted = operator === "==";
  return (frame) => {
    const same = equal(frame, left(frame), right(frame));
    return same === undefined ? undefined : same === wanted;
  };
}

function runOrder(holds: (sign: number) => boolean, left: Run, right: Run): Run {
  return (frame) => {
    const sign = compare(frame, left(frame), right(frame));
    return sign === undefined ? undefined : holds(sign);
  };
}

/** Both sides are of one kind, and it is one that the operator takes. */
function checkSame(
  expression: Of<"binary">,
  left: Compiled,
  right: Compiled,
  kinds: readonly Kind[],
  scope: Scope,
): void {
  if (fits(left.kind, ...kinds) && fits(right.kind, ...kinds) && fits(left.kind, right.kind)) return;
  fault(scope, expression, {
    message: `'${expression.operator}' does not take ${aKind(left.kind)} and ${aKind(right.kind)}`,
    ...hintFor(expression, left, right),
  });
}

function hintFor(expression: Expression, left: Compiled, right: Compiled): { hint?: string } {
  const kinds = [left.kind, right.kind];
  if (expression.kind === "binary" && kinds.includes("number") && kinds.includes("string")) {
    return { hint: "convert one side with string(), int() or double()" };
  }
  return {};
}

function checkIn(expression: Of<"binary">, left: Compiled, right: Compiled, scope: Scope): void {
  const wanted = right.kind === "map" ? "string" : right.items;
  const { left: key, right: container } = expression;
  if (key.kind === "literal" && container.kind === "name" && container.name === "args")
    scope.args.add(String(key.value));
  if (!fits(right.kind, "list", "map")) {
    fault(scope, expression, {
      message: `'in' looks into a list or a map, not ${aKind(right.kind)}`,
      ...(right.kind === "string" ? { hint: "for text write text.contains(part)" } : {}),
    });
  } else if (!fits(left.kind, wanted)) {
    fault(scope, expression, { message: `'in' does not look for ${aKind(left.kind)} among ${wanted}s` });
  }
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

/** JSON has one kind of number, and so have predicates; only whole numbers as written divide without a rest. */
function compileArithmetic(operator: Exclude<BinaryOperator, "+" | "in">, left: Compiled, right: Compiled): Compiled {
  const whole = left.whole && right.whole;
  const run: Run = (frame) => {
    const a = left.run(frame);
    const b = right.run(frame);
    return typeof a === "number" && typeof b === "number" ? calculate(operator, a, b, whole) : undefined;
  };
  return compiled("number", run, [left, right], { whole });
}

function calculate(operator: BinaryOperator, a: number, b: number, whole: boolean): Maybe<number> {
  switch (operator) {
    case "-":
      return finite(a - b);
    case "*":
      return finite(a * b);
    case "/":
      return b === 0 ? undefined : finite(whole ? Math.trunc(a / b) : a / b);
    default:
      return b === 0 ? undefined : a % b;
  }
}

function finite(value: number): Maybe<number> {
  return Number.isFinite(value) ? value : undefined;
}
