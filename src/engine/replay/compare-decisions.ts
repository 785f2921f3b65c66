import { canonicalJson } from "../../base/kernel/canonical-json.ts";
import type { Decision, Missing, Objection } from "../../base/words/decision.ts";
import type { Effect, Place } from "../../base/words/rule.ts";

/** A decision on a call, recorded or replayed. */
export type Said = { readonly decision: Decision; readonly shadows: readonly Objection[] };

export type Objecting = Exclude<Effect, "soft-deny">;

export type Cause =
  | {
      readonly kind: "objects";
      readonly rule: string;
      readonly effect: Objecting;
      readonly place?: Place;
      readonly reason: string;
      readonly missing: readonly Missing[];
    }
  | { readonly kind: "silent"; readonly rule: string; readonly effect: Objecting; readonly place?: Place }
  | {
      readonly kind: "effect";
      readonly rule: string;
      readonly was: Objecting;
      readonly effect: Objecting;
      readonly place?: Place;
    }
  /** The same rule at another stage: withdrawn, turn ended, attempts left. */
  | { readonly kind: "escalation"; readonly rule: string; readonly was: string; readonly now: string }
  | { readonly kind: "rewrite"; readonly now: "other" | "none" };

export type ChangeKind =
  | "newly-denied"
  | "no-longer-denied"
  | "newly-asked"
  | "no-longer-asked"
  /** The same verdict with another rule, advice or arguments. */
  | "otherwise";

/** Compares decisions without ids, times and wording. */
export function sameSaid(a: Said, b: Said): boolean {
  return a === b || (isPlain(a) && isPlain(b)) || signature(a) === signature(b);
}

/** Allowed without advice or objections, as most calls are. */
function isPlain({ decision, shadows }: Said): boolean {
  return (
    decision.kind === "allow" && shadows.length === 0 && decision.advice.length === 0 && decision.input === undefined
  );
}

function signature({ decision, shadows }: Said): string {
  const aside = shadows.length === 0 ? "" : shadows.map(({ rule, code }) => `${rule} ${code}`).join("|");
  switch (decision.kind) {
    case "allow":
      if (decision.advice.length === 0 && decision.input === undefined) return `allow ${aside}`;
      return `allow ${aside} ${decision.advice.map(({ rule, level }) => `${rule} ${level}`).join("|")} ${inputOf(decision)}`;
    case "ask":
      return `ask ${aside} ${decision.rule} ${inputOf(decision)}`;
    case "deny": {
      const { rule, code, endTurn, attemptsLeft, others } = decision;
      return `deny ${aside} ${rule} ${code} ${endTurn} ${attemptsLeft} ${others.map((one) => `${one.rule} ${one.code}`).join("|")}`;
    }
  }
}

function inputOf({ input }: Exclude<Decision, { kind: "deny" }>): string {
  return input === undefined ? "" : canonicalJson(input);
}

export function changeKind(was: Decision, now: Decision): ChangeKind {
  if (was.kind === now.kind) return "otherwise";
  if (now.kind === "deny") return "newly-denied";
  if (was.kind === "deny") return "no-longer-denied";
  return now.kind === "ask" ? "newly-asked" : "no-longer-asked";
}

type Objections = ReadonlyMap<string, { readonly effect: Objecting; readonly place?: Place; readonly reason: string }>;

/** All objections to a call, including those in shadow. */
export function objectionsIn({ decision, shadows }: Said): Objections {
  const found = new Map<string, { effect: Objecting; place?: Place; reason: string }>();
  const add = (rule: string, effect: Objecting, reason: string, place?: Place) => {
    if (!found.has(rule)) found.set(rule, { effect, reason, place });
  };
  if (decision.kind === "deny") {
    // A turn that ends because a denied call was retried too often is not ended by the rule.
    const ends = decision.endTurn && decision.code !== "withdrawn";
    add(decision.rule, ends ? "end-turn" : "deny", decision.reason, decision.place);
    for (const { rule, reason, place } of decision.others) add(rule, "deny", reason, place);
  } else if (decision.kind === "ask") {
    for (const rule of decision.rule.split(" + ")) add(rule, "ask", decision.question, decision.place);
  } else {
    for (const { rule, level, text } of decision.advice) add(rule, level, text);
  }
  for (const { rule, reason, place } of shadows) add(rule, "shadow", reason, place);
  return found;
}

/** Compares verdicts and rules, ignoring the number of earlier attempts. */
export function sameObjections(a: Said, b: Said): boolean {
  const [one, other] = [objectionsIn(a), objectionsIn(b)];
  return (
    a.decision.kind === b.decision.kind && one.size === other.size && [...one.keys()].every((rule) => other.has(rule))
  );
}

/**
 * The causes of a difference, new objections first; `places` locates rules whose decision has no location. Empty only
 * if nothing differs.
 */
export function causesOf(was: Said, now: Said, places: ReadonlyMap<string, Place> = new Map()): readonly Cause[] {
  const [before, after] = [objectionsIn(was), objectionsIn(now)];
  const missing = now.decision.kind === "deny" ? now.decision.missing : [];
  const causes: Cause[] = [];
  for (const [rule, { effect, reason, ...said }] of after) {
    const known = before.get(rule);
    const place = said.place ?? places.get(rule);
    const main = now.decision.kind !== "allow" && now.decision.rule === rule;
    if (known === undefined)
      causes.push({ kind: "objects", rule, effect, place, reason, missing: main ? missing : [] });
    else if (known.effect !== effect) causes.push({ kind: "effect", rule, was: known.effect, effect, place });
  }
  for (const [rule, { effect, place }] of before) {
    if (!after.has(rule)) causes.push({ kind: "silent", rule, effect, place });
  }
  if (causes.length > 0) return causes;
  const [a, b] = [was.decision, now.decision];
  if (a.kind === "deny" && b.kind === "deny") {
    return [{ kind: "escalation", rule: b.rule, was: stage(a), now: stage(b) }];
  }
  if (a.kind !== "deny" && b.kind !== "deny" && inputOf(a) !== inputOf(b)) {
    return [{ kind: "rewrite", now: b.input === undefined ? "none" : "other" }];
  }
  return [];
}

function stage({ code, attemptsLeft, endTurn }: Extract<Decision, { kind: "deny" }>): string {
  return `${code}, ${attemptsLeft} left${endTurn ? ", turn ends" : ""}`;
}
