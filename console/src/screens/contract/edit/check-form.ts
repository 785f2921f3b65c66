import type { DirectiveCheck } from "../../../../../src/base/words/contract.ts";
import { parseCheck, writeCheck } from "../../../../../src/behavior/contract/directive-check.ts";

/** Every kind of check, what it tells, and one to begin with. */
export const CHECKS: readonly {
  readonly kind: DirectiveCheck["kind"];
  readonly name: string;
  readonly first: string;
}[] = [
  { kind: "length", name: "Reply length", first: "length: at most 120 words" },
  { kind: "cadence", name: "Reply frequency", first: "cadence: at most 2 replies" },
  { kind: "order", name: "Tool order", first: "order: test before deploy" },
  { kind: "reply", name: "Expression", first: 'reply: !text.contains("As an AI")' },
];

/** The check that the text says, as the builder shows it; `undefined` where it says none that can be built. */
export function readCheck(text: string): DirectiveCheck | undefined {
  const read = parseCheck(text);
  return "wrong" in read ? undefined : read;
}

/** Of which kind it is meant to be, even when it cannot be read as yet. */
export function kindOfCheck(text: string): DirectiveCheck["kind"] | undefined {
  const word = /^\s*(\w+)\s*:/.exec(text)?.[1];
  return CHECKS.find(({ kind }) => kind === word)?.kind;
}

const SPANS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
];

/** `5m`, as a person writes it. */
export function spanText(ms: number): string {
  for (const [size, unit] of SPANS) if (ms % size === 0) return `${ms / size}${unit}`;
  return `${ms}ms`;
}

/** The text of a check, in the shortest form that is read as the same. */
export function checkText(check: DirectiveCheck): string {
  if (check.kind !== "cadence" || check.withinMs === undefined) return writeCheck(check);
  return writeCheck(check).replace(/ in \d+ms$/, ` in ${spanText(check.withinMs)}`);
}

/** The same check with another amount, or the other bound. */
export function withAmount<C extends Extract<DirectiveCheck, { readonly kind: "length" | "cadence" }>>(
  { atMost: _most, atLeast: _least, ...rest }: C,
  bound: "at most" | "at least",
  amount: number,
): DirectiveCheck {
  return { ...rest, ...(bound === "at most" ? { atMost: amount } : { atLeast: amount }) } as DirectiveCheck;
}
