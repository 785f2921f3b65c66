import type { DirectiveCheck } from "../../../../../src/base/words/contract.ts";
import { parseCheck, writeCheck } from "../../../../../src/behavior/contract/directive-check.ts";

/** Every kind of check, with a description and an example. */
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

/** Parses a check for the form. Returns `undefined` if the form cannot show it. */
export function readCheck(text: string): DirectiveCheck | undefined {
  const read = parseCheck(text);
  return "wrong" in read ? undefined : read;
}

/** Returns the intended kind, even if the text is not valid yet. */
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

/** Formats a duration: `5m`. */
export function spanText(ms: number): string {
  for (const [size, unit] of SPANS) if (ms % size === 0) return `${ms / size}${unit}`;
  return `${ms}ms`;
}

/** Returns the shortest text that parses to this check. */
export function checkText(check: DirectiveCheck): string {
  if (check.kind !== "cadence" || check.withinMs === undefined) return writeCheck(check);
  return writeCheck(check).replace(/ in \d+ms$/, ` in ${spanText(check.withinMs)}`);
}

/** Returns the check with another amount, or with the other bound. */
export function withAmount<C extends Extract<DirectiveCheck, { readonly kind: "length" | "cadence" }>>(
  { atMost: _most, atLeast: _least, ...rest }: C,
  bound: "at most" | "at least",
  amount: number,
): DirectiveCheck {
  return { ...rest, ...(bound === "at most" ? { atMost: amount } : { atLeast: amount }) } as DirectiveCheck;
}
