import { canonicalJson } from "../../base/kernel/canonical-json.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Decision, Missing, Objection } from "../../base/words/decision.ts";
import type { Effect, Place } from "../../base/words/rule.ts";
import type { AgentPolicies } from "./agent-policies.ts";
import type { EventOf, RecordedCall } from "./recorded-call.ts";
import { PROTECTED_PATHS } from "./replay-agents.ts";

/** Machine-readable reason why a replay cannot determine a decision. */
export type UnknownCode =
  | "outcome"
  | "fact"
  | "redacted"
  | "budget"
  | "history"
  | "policy"
  | "policy-failed"
  | "results"
  | "unreadable";

export type Unknown = { readonly code: UnknownCode; readonly why: string };

/** The recording has a gap, so the state may differ from here on. */
export function gapInHistory(why: string): Unknown {
  return { code: "history", why };
}

/** Rule names that Conduct itself uses in objections. */
const OWN_RULES: ReadonlySet<string> = new Set(["session", "limits", "requirement", "paths", "call"]);

/**
 * Why a call cannot be judged, whatever is decided. `final`: the call as rules rewrite it; `sameArgs`: its arguments
 * are the recorded ones; `flipped`: an earlier decision changed; `made`: calls of the session up to this one.
 */
export function unknownBeforeDeciding(
  { bounds, call: recorded }: EventOf<"call">,
  read: RecordedCall,
  policies: AgentPolicies,
  call: { readonly final: ToolCall; readonly sameArgs: boolean; readonly flipped: boolean; readonly made: number },
): Unknown | undefined {
  const { final, sameArgs, flipped, made } = call;
  // The facts about the original call are recorded, also if rules rewrote it then.
  const unseen = sameArgs || final === read.call ? undefined : unseenIn(final, recorded, read);
  if (unseen !== undefined) {
    return { code: "fact", why: `rules rewrite it to a call on '${unseen}', and no facts about that were recorded` };
  }
  const { calls: limit = Number.POSITIVE_INFINITY } = policies.agent.limits;
  if (flipped && (bounds?.exhausted?.what === "calls" || made > limit)) {
    return { code: "budget", why: "earlier calls would have used a different amount of the budget" };
  }
  const why = policies.blindness(read, recorded);
  return why === undefined ? undefined : { code: "redacted", why };
}

/**
 * A file or argument of a rewritten call without recorded facts or protection. Values set by today's rules count as
 * unprotected, unless the recorded call was denied for protection.
 */
function unseenIn({ paths, args }: ToolCall, recorded: ToolCall, { call, facts }: RecordedCall): string | undefined {
  const path = paths.find((one) => !recorded.paths.some(({ path }) => path === one.path))?.path;
  if (path !== undefined) return path;
  const wasProtected = Object.hasOwn(facts.final.policies, PROTECTED_PATHS);
  const matters = (name: string) => wasProtected || name === "command" || args[name] === call.args[name];
  const isOther = (name: string) => canonicalJson(args[name]) !== canonicalJson(recorded.args[name] ?? null);
  const other = Object.keys(args).find((name) => matters(name) && isOther(name));
  return other === undefined ? undefined : String(args[other]);
}

/** Why a difference may not come from the changed rules. `asked`: rules from files that asked in this session. */
export function doubtOf(
  was: Verdict,
  now: Verdict,
  policies: AgentPolicies,
  { gap, asked }: { readonly gap: Unknown | undefined; readonly asked: ReadonlySet<string> },
): Unknown | undefined {
  if (gap !== undefined) return gap;
  const { decision } = was;
  if (decision.kind === "deny" && (decision.code === "policy-error" || decision.code === "policy-timeout")) {
    return {
      code: "policy-failed",
      why: `'${decision.rule}' failed at that time, and a replay does not repeat failures`,
    };
  }
  const [before, after] = [objectionsIn(was), objectionsIn(now)];
  for (const [rule, { place }] of before) {
    if (after.has(rule) || place !== undefined || asked.has(rule)) continue;
    if (policies.known.has(rule) || OWN_RULES.has(rule)) continue;
    return {
      code: "policy",
      why: `'${rule}' objected at that time, but the agent's definition here does not include it`,
    };
  }
  const reader = [...before.keys(), ...after.keys()].find((rule) => policies.resultReaders.has(rule));
  if (reader === undefined) return undefined;
  return { code: "results", why: `'${reader}' reads the content of results, which is not recorded` };
}

/** A decision on a call, recorded or replayed. */
export type Verdict = { readonly decision: Decision; readonly shadows: readonly Objection[] };

type Objecting = Exclude<Effect, "soft-deny">;

type OfRule = { readonly rule: string; readonly effect: Objecting; readonly place?: Place };

export type Cause =
  | (OfRule & { readonly kind: "objects"; readonly reason: string; readonly missing: readonly Missing[] })
  | (OfRule & { readonly kind: "silent" })
  | (OfRule & { readonly kind: "effect"; readonly was: Objecting })
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
export function sameVerdict(a: Verdict, b: Verdict): boolean {
  return a === b || (isPlain(a) && isPlain(b)) || signature(a) === signature(b);
}

/** Allowed without advice or objections, as most calls are. */
function isPlain({ decision, shadows }: Verdict): boolean {
  return (
    decision.kind === "allow" && shadows.length === 0 && decision.advice.length === 0 && decision.input === undefined
  );
}

function signature({ decision, shadows }: Verdict): string {
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
export function objectionsIn({ decision, shadows }: Verdict): Objections {
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
export function sameObjections(a: Verdict, b: Verdict): boolean {
  const [one, other] = [objectionsIn(a), objectionsIn(b)];
  return (
    a.decision.kind === b.decision.kind && one.size === other.size && [...one.keys()].every((rule) => other.has(rule))
  );
}

/**
 * The causes of a difference, new objections first; `places` locates rules whose decision has no location. Empty only
 * if nothing differs.
 */
export function causesOf(was: Verdict, now: Verdict, places: ReadonlyMap<string, Place> = new Map()): readonly Cause[] {
  const [before, after] = [objectionsIn(was), objectionsIn(now)];
  const missing = now.decision.kind === "deny" ? now.decision.missing : [];
  const causes: Cause[] = [];
  for (const [rule, { effect, reason, ...found }] of after) {
    const known = before.get(rule);
    const place = found.place ?? places.get(rule);
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
