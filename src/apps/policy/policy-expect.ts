import { canonicalJson } from "../../base/kernel/canonical-json.ts";
import type { ExplainedPart, ExplainedRule } from "../../engine/agent/rules/explain-rules.ts";
import type { CaseCall, RuleCase } from "../../engine/agent/rules/parse-cases.ts";
import type { RanCall } from "./policy-run.ts";

/** A call whose decision differs from its case. */
export type CaseFailure = {
  readonly case: string;
  readonly line: number;
  /** Position of the call, from 1. */
  readonly call: number;
  readonly rule: string;
  readonly expected: string;
  readonly got: string;
  readonly because: readonly string[];
};

/** The first call with an unexpected decision; later differences would only follow from it. */
export function checkCase(one: RuleCase & { readonly line: number }, ran: readonly RanCall[]): CaseFailure | undefined {
  for (const [at, call] of one.calls.entries()) {
    const went = ran[at];
    if (went === undefined) continue;
    const failure = checkCall(call, went, ran.slice(0, at));
    if (failure !== undefined) return { case: one.name, line: one.line, call: at + 1, ...failure };
  }
  return undefined;
}

/** The decision in the notation of a case: `deny read-before-write`. */
export function gotText({ decision, shadows }: RanCall): string {
  switch (decision.kind) {
    case "deny":
      return `${decision.endTurn ? "end-turn" : "deny"} ${decision.rule}`;
    case "ask":
      return `ask ${decision.rule}`;
    case "allow": {
      const advice = decision.advice.map(({ level, rule }) => `${level} ${rule}`);
      const told = [...advice, ...shadows.map(({ rule }) => `shadow ${rule}`)];
      return told.length === 0 ? "allow" : told.join(", ");
    }
  }
}

function checkCall(
  { expect, input }: CaseCall,
  went: RanCall,
  before: readonly RanCall[],
): Pick<CaseFailure, "rule" | "expected" | "got" | "because"> | undefined {
  const [kind = "allow", rule] = (expect ?? "allow").split(" ");
  const got = gotText(went);
  const met = expect === undefined ? went.decision.kind === "allow" : asExpected(kind, rule, went);
  if (met) {
    const made = went.decision.kind === "deny" ? undefined : (went.decision.input ?? went.args);
    if (input === undefined || canonicalJson(made) === canonicalJson(input)) return undefined;
    const because = [`the arguments are ${canonicalJson(made ?? null)}`];
    return { rule: ruleOf(went) ?? "set", expected: `input ${canonicalJson(input)}`, got: "other arguments", because };
  }
  const about = rule ?? ruleOf(went) ?? "no rule";
  const expected = expect ?? "allow (the case gives nothing else)";
  return { rule: about, expected, got, because: becauseOf(kind, about, went, before) };
}

function asExpected(kind: string, rule: string | undefined, { decision, shadows }: RanCall): boolean {
  const is = (one: string) => rule === undefined || one === rule;
  switch (kind) {
    case "allow":
      return decision.kind === "allow" && decision.advice.length === 0;
    case "deny":
    case "soft-deny":
      return decision.kind === "deny" && [decision.rule, ...decision.others.map((other) => other.rule)].some(is);
    case "end-turn":
      return decision.kind === "deny" && decision.endTurn && is(decision.rule);
    case "ask":
      return decision.kind === "ask" && decision.rule.split(" + ").some(is);
    case "shadow":
      return shadows.some((one) => is(one.rule));
    default:
      return decision.kind === "allow" && decision.advice.some((one) => one.level === kind && is(one.rule));
  }
}

function ruleOf({ decision }: RanCall): string | undefined {
  return decision.kind === "allow" ? decision.advice[0]?.rule : decision.rule;
}

/** Why the rule fired or not, so that a person can fix the rule or the case. */
function becauseOf(kind: string, rule: string, went: RanCall, before: readonly RanCall[]): readonly string[] {
  const explained = went.rules.find(({ id }) => id === rule);
  const { decision } = went;
  if (decision.kind === "deny" && decision.rule !== rule) return [`${decision.rule}: ${decision.reason}`];
  if (explained === undefined) {
    if (decision.kind === "deny") return [decision.reason];
    const names = [went.tool, ...(went.seen?.actions ?? [])].join(", ");
    return [`${rule} is not on this call: to the rules it is ${names}`];
  }
  if (explained.verdict === "violated") {
    const parts = explained.require === undefined ? [] : unmet(explained.require, before);
    const missing = explained.finding?.missing.map(({ what, why }) => `${what}: ${why}`) ?? [];
    const found = parts.length > 0 ? parts : missing;
    const also = kind !== "allow" && decision.kind !== "allow" ? [`${rule} has effect ${explained.effect}`] : [];
    return found.length > 0 ? [...found, ...also] : [`${rule} speaks against every call it is on`, ...also];
  }
  return satisfiedBecause(explained, before);
}

function satisfiedBecause(
  { id, unless, when, require, atMost }: ExplainedRule,
  before: readonly RanCall[],
): readonly string[] {
  if (unless?.truth === true) return [`${id} does not apply: unless is true: ${unless.source}`];
  if (when?.truth === false) return [`${id} does not apply: when is false: ${when.source}`];
  if (require !== undefined) return met(require, before);
  return [atMost === undefined ? `${id} has nothing against it` : `${id} is satisfied: ${atMost}`];
}

function met(part: ExplainedPart, before: readonly RanCall[]): readonly string[] {
  if (part.truth !== true) return [];
  if (part.call === undefined) {
    if (part.text !== "not") return part.parts.flatMap((one) => met(one, before));
    return [`not ${part.parts.map(({ text }) => text).join(", ")}: it was never seen`];
  }
  const at = before.findLastIndex(
    ({ establishes, outcome }) => outcome === "ok" && establishes.includes(part.call ?? ""),
  );
  return [`${part.text} counted as done${at < 0 ? "" : ` at call ${at + 1} (${callText(before[at])})`}`];
}

/** The missing call, and the earlier call that came closest to it. */
function unmet(part: ExplainedPart, before: readonly RanCall[]): readonly string[] {
  if (part.truth === true) return [];
  if (part.call === undefined) {
    if (part.text !== "not") return part.parts.flatMap((one) => unmet(one, before));
    return [`it wants no ${part.parts.map(({ text }) => text).join(", ")}, and there was one`];
  }
  const { why = "not met" } = part;
  const near = nearMiss(part, before);
  return [`${part.text}: ${why}${near === undefined ? "" : `; ${near}`}`];
}

export function nearMiss({ call = "", why = "" }: ExplainedPart, before: readonly RanCall[]): string | undefined {
  const ran = before.findLastIndex(({ establishes }) => establishes.includes(call));
  const alike = before.findLastIndex(({ seen }) => seen?.tool === call || seen?.actions.includes(call) === true);
  return closest(before, ran, alike, why);
}

function closest(before: readonly RanCall[], ran: number, alike: number, why: string): string | undefined {
  const done = before[ran];
  if (done !== undefined && done.outcome !== "ok") {
    const end = done.outcome === undefined ? "was not made" : `had the outcome ${done.outcome}, and only ok proves`;
    return `call ${ran + 1} (${callText(done)}) ${end}`;
  }
  if (done !== undefined)
    return why.startsWith("not seen") ? `call ${ran + 1} was in the same step, or had other arguments` : undefined;
  const similar = before[alike];
  return similar === undefined
    ? undefined
    : `call ${alike + 1} (${callText(similar)}) is one, but proves nothing: it is no plain command`;
}

/** `shell "npm test"`. */
export function callText(call: { readonly tool: string; readonly args: RanCall["args"] } | undefined): string {
  if (call === undefined) return "";
  const { command, path } = call.args;
  const shown = command ?? path;
  const text = shown === undefined ? JSON.stringify(call.args) : JSON.stringify(shown);
  return `${call.tool} ${text.length > 60 ? `${text.slice(0, 59)}…` : text}`;
}
