import { formatDuration } from "../../../base/kernel/duration.ts";
import { cutGraphemes, neutraliseTags } from "../../../base/kernel/text.ts";
import type { ToolCall } from "../../../base/words/call.ts";
import type { Missing } from "../../../base/words/decision.ts";
import type { Facts, WorkspaceState } from "../../../base/words/facts.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { PolicyContext, RuleFinding } from "../../../base/words/policy.ts";
import type { Rule } from "../../../base/words/rule.ts";
import { distinct, nextStep } from "../missing-needs.ts";
import { alwaysFor, predicateInput, repoFacts, shownArgs, tupleOf, versionOf, viewsOf } from "./call-views.ts";
import {
  type CompiledCondition,
  type CompiledRule,
  type Leaf,
  type RuleOn,
  WORKSPACE_CHANGE,
} from "./compile-rules.ts";
import { type Attempt, isFull, type PendingSighting, type RulesState, sightingOf, whyUntold } from "./rules-state.ts";

/** `undefined` is unknown. */
export type Truth = boolean | undefined;

/** The truth of a condition, and what is missing for it. */
type Evaluated = { readonly truth: Truth; readonly missing: readonly Missing[] };

/** `on`: the calls that the rule is on. They cannot come before themselves, so they are no advice. */
export type EvaluationContext = {
  readonly state: RulesState;
  readonly facts: Facts;
  readonly now: number;
  readonly on?: readonly string[];
};

/** Three-valued logic; `missing` names the parts that are not true. */
export function evaluate(condition: CompiledCondition, view: JsonObject, context: EvaluationContext): Evaluated {
  switch (condition.kind) {
    case "all": {
      const parts = condition.of.map((one) => evaluate(one, view, context));
      return { truth: allOf(parts), missing: distinct(parts.flatMap((part) => part.missing)) };
    }
    case "any": {
      const parts = condition.of.map((one) => evaluate(one, view, context));
      const truth = anyOf(parts);
      if (truth === true) return MET;
      const possible = parts.filter((_, at) => !isOn(condition.of[at], context.on));
      return { truth, missing: alternatives(possible.length === 0 ? parts : possible) };
    }
    case "not":
      return negate(condition.of, evaluate(condition.of, view, context));
    case "leaf":
      return evaluateLeaf(condition, view, context);
  }
}

function evaluateLeaf(leaf: Leaf, view: JsonObject, { state, facts, now }: EvaluationContext): Evaluated {
  const { monitor, mine, since, within } = leaf;
  const unmet = (truth: Truth, why: string): Evaluated => {
    const file = mine.length === 1 && mine[0] === "path" ? FILE_LABELS[monitor.call] : undefined;
    const given = mine.map((name) => `${name} ${shownValue(view[name])}`);
    const what =
      file === undefined
        ? [LABELS[monitor.call] ?? monitor.call, ...given].join(" with ")
        : `${file} ${shownValue(view.path)}`;
    return { truth, missing: [{ what, why }] };
  };
  const tuple = tupleOf(view, mine, facts);
  if (tuple === undefined) return unmet(undefined, "this call lacks the argument");
  const seen = sightingOf(state, monitor, tuple);
  const attempt = state.attempts?.get(monitor.id);
  if (seen === undefined && monitor.kept && state.overflow) return unmet(undefined, whyUntold(state));
  if (seen === undefined) return unmet(false, attemptText(attempt, now) ?? notDone(state));
  // Most leaves are met, and need no text.
  const done = () => `${monitor.files === true ? "passed" : "done"} ${ago(now - seen.at)}`;
  const outdated = (why: string): Evaluated => {
    const later = attempt !== undefined && attempt.at > seen.at ? attemptText(attempt, now) : undefined;
    return unmet(false, later ?? `${done()}, but ${why}`);
  };
  const change = changeSince(seen, facts.workspace);
  if (since !== undefined) {
    const last = sightingOf(state, since, "[]");
    if (last === undefined && state.overflow) return unmet(undefined, whyUntold(state));
    if (last !== undefined && last.seq > seen.seq) {
      const what = change ?? `${last.changed ?? "files"} changed since`;
      return outdated(since.call === WORKSPACE_CHANGE ? what : `not since the last ${since.call}`);
    }
  }
  if (change !== undefined) return outdated(change);
  if (within !== undefined && now - seen.at > within) {
    return unmet(false, `${done()}, but it must be at most ${formatDuration(within)} old`);
  }
  if (!monitor.fresh) return MET;
  const version = versionOf(view, facts);
  if (version === undefined || seen.version === undefined) return unmet(undefined, "the file's version is unknown");
  return version === seen.version ? MET : unmet(false, "the file has changed since");
}

/** How the workspace differs from the one that the evidence is about, if both are known. */
function changeSince(
  { files }: Pick<PendingSighting, "files">,
  current: WorkspaceState | undefined,
): string | undefined {
  if (files?.mark === undefined || current === undefined || current.mark === files.mark) return undefined;
  if (current.mark === undefined) return "the files could not be compared in time since; do it again";
  const changed = current.changes.filter(({ at }) => at > files.at).map(({ path }) => path);
  return changed.length === 0 ? "files were removed or renamed since" : `${shownPaths(changed)} changed since`;
}

const SHOWN_PATHS = 3;

/** At most three names, then how many more. */
export function shownPaths(paths: readonly string[]): string | undefined {
  const [first, ...more] = paths.slice(0, SHOWN_PATHS).map(shownValue);
  if (first === undefined) return undefined;
  const rest = paths.length - SHOWN_PATHS;
  if (rest > 0) return `${[first, ...more].join(", ")} and ${rest} more`;
  return more.length === 0 ? first : `${[first, ...more.slice(0, -1)].join(", ")} and ${more.at(-1)}`;
}

/** How common effects are called in a sentence. */
const LABELS: Readonly<Record<string, string>> = {
  "tests.run": "run the tests",
  "builds.run": "build",
  "lints.run": "run the linter",
  "types.check": "check the types",
};

/** Runtimes have names of their own for these tools. */
const FILE_LABELS: Readonly<Record<string, string>> = { read_file: "read", write_file: "write", edit_file: "edit" };

function isOn(condition: CompiledCondition | undefined, on: readonly string[] = []): boolean {
  return condition?.kind === "leaf" && on.includes(condition.monitor.call);
}

function notDone({ evidence }: RulesState): string {
  return `not done in this session${evidence.forgotten > 0 ? ", or no longer remembered" : ""}`;
}

function ago(ms: number): string {
  return ms < 1_000 ? "just now" : `${formatDuration(ms)} ago`;
}

/** A call that was made is never told as not made. */
function attemptText(attempt: Attempt | undefined, now: number): string | undefined {
  if (attempt === undefined) return undefined;
  const ran = `ran ${ago(now - attempt.at)}`;
  switch (attempt.outcome) {
    case "failed":
      return `${ran} and failed${attempt.exitCode === undefined ? "" : ` with exit code ${attempt.exitCode}`}`;
    case "ok":
      return `${ran}, but that command cannot show that it passed; run it as a command of its own`;
    default:
      return `${ran}, but the outcome is unknown`;
  }
}

const MET: Evaluated = { truth: true, missing: [] };

function allOf(parts: readonly Evaluated[]): Truth {
  if (parts.some(({ truth }) => truth === false)) return false;
  return parts.every(({ truth }) => truth === true) ? true : undefined;
}

function anyOf(parts: readonly Evaluated[]): Truth {
  if (parts.some(({ truth }) => truth === true)) return true;
  return parts.every(({ truth }) => truth === false) ? false : undefined;
}

function negate(of: CompiledCondition, { truth }: Evaluated): Evaluated {
  if (truth === false) return MET;
  const what = `no ${namesIn(of).join(", ")}`;
  if (truth === undefined) return { truth, missing: [{ what, why: "unknown" }] };
  return { truth: false, missing: [{ what, why: "already happened in this session" }] };
}

function alternatives(parts: readonly Evaluated[]): readonly Missing[] {
  const missing = parts.flatMap((part) => part.missing);
  if (missing.length < 2) return missing;
  const names = [...new Set(missing.map(({ what }) => what))];
  const reasons = [...new Set(missing.map(({ why }) => why))];
  return [{ what: names.join(" or "), why: reasons.join("; ") }];
}

function namesIn(condition: CompiledCondition): readonly string[] {
  if (condition.kind === "leaf") return [condition.monitor.call];
  return condition.kind === "not" ? namesIn(condition.of) : condition.of.flatMap(namesIn);
}

/** The state changes of a decision, computed while it is made. */
export type RuleMemo = {
  readonly reserves: readonly string[];
  readonly rests: readonly string[];
  readonly records: readonly PendingSighting[];
};

/** A call that is checked. `policy`: the name under which its facts were gathered. */
export type CheckedCall = {
  readonly call: ToolCall;
  readonly context: PolicyContext<RulesState>;
  readonly policy: string;
};

/** The arguments as set by matching rules; `undefined` if none sets any. */
export function rewrittenArgs(matching: readonly CompiledRule[], checked: CheckedCall): JsonObject | undefined {
  let args: JsonObject | undefined;
  for (const compiled of matching) {
    if (compiled.rule.set === undefined || !applies(compiled, checked.call.args, checked)) continue;
    args = { ...(args ?? checked.call.args), ...compiled.rule.set };
  }
  return args;
}

/** Every violated rule, in written order. */
export function findingsOf(
  matching: readonly RuleOn[],
  checked: CheckedCall,
): { readonly findings: readonly RuleFinding[]; readonly memo: Omit<RuleMemo, "records"> } {
  const { call, context } = checked;
  const { state, facts, session } = context;
  const findings: RuleFinding[] = [];
  const reserves: string[] = [];
  const rests: string[] = [];
  for (const compiled of matching) {
    const { rule, name } = compiled;
    let found = false;
    const { names } = compiled;
    for (const view of names.length === 1 ? viewsOf(call, name) : names.flatMap((one) => viewsOf(call, one))) {
      if (!applies(compiled, view, checked)) continue;
      const tuple = rule.atMost && tupleOf(view, rule.atMost.per, facts);
      const counter = tuple && JSON.stringify([rule.id, tuple]);
      // Every call that is let through counts, even if a rule warns about it.
      if (counter !== undefined) reserves.push(counter);
      const unmet = found ? undefined : violation(compiled, view, counter, context);
      if (unmet === undefined) continue;
      // Attempts are the same for the same rule and the same values that it asks about.
      const keys = compiled.keys.map((one) => tupleOf(view, [one], facts) ?? null);
      // A person's no is about this file or this command, not about everything that the rule asks about.
      const asked = rule.effect === "ask" ? [tupleOf(view, ["path"], facts) ?? view.command ?? null] : [];
      const key = JSON.stringify([rule.id, name, ...keys, ...asked]);
      if (rule.effect === "soft-deny") {
        if ((state.rests.get(key) ?? 0) > session.now) continue;
        rests.push(key);
      }
      found = true;
      const repo = repoFacts(facts, checked.policy);
      const always = rule.remember === undefined ? undefined : alwaysFor(compiled, call, facts);
      const args = shownArgs(view, facts, checked.policy);
      findings.push({ ...explain(rule, name, { args, repo }, unmet.missing), key, always });
    }
  }
  return { findings, memo: { reserves, rests } };
}

/** An unknown predicate never exempts a call. */
function applies(compiled: CompiledRule, view: JsonObject, { call, context, policy }: CheckedCall): boolean {
  const { unless, except, when } = compiled;
  if (unless === undefined && except === undefined && when === undefined) return true;
  const input = predicateInput(call, view, context, policy);
  return unless?.(input) !== true && except?.(input) !== true && (when === undefined || when(input) !== false);
}

/** What is not satisfied. A rule without a demand objects to the call itself. */
function violation(
  { rule, require }: CompiledRule,
  view: JsonObject,
  counter: string | undefined,
  { state, facts, session }: PolicyContext<RulesState>,
): Evaluated | undefined {
  if (require !== undefined) {
    const met = evaluate(require, view, { state, facts, now: session.now, on: rule.on });
    if (met.truth !== true) return met;
  }
  if (rule.atMost !== undefined) {
    const { count, per } = rule.atMost;
    const unmet = (truth: Truth, why: string): Evaluated => {
      const values = per.map((name) => `${name} ${shownValue(view[name])}`).join(", ");
      return { truth, missing: [{ what: per.length === 0 ? "a call left" : `a call left for ${values}`, why }] };
    };
    if (counter === undefined) return unmet(undefined, "this call lacks the argument");
    const used = state.counters.get(counter) ?? 0;
    if (used >= count) return unmet(false, `${used} of ${count} are used`);
    return used === 0 && isFull(state) ? unmet(false, whyUntold(state)) : undefined;
  }
  return require === undefined && rule.set === undefined ? { truth: false, missing: [] } : undefined;
}

/** What `say` can show. */
type Sayable = { readonly args: JsonObject; readonly repo: JsonObject };

function explain(rule: Rule, name: string, view: Sayable, missing: readonly Missing[]): Omit<RuleFinding, "key"> {
  const { id, effect, say, place } = rule;
  const [first] = missing;
  const needs = missing.map(({ what }) => what).join(", ");
  const standard = first === undefined ? `'${name}' is not allowed.` : `'${name}' requires: ${needs}`;
  const reason = say === undefined ? standard : fillSay(say, view);
  return { rule: id, effect, reason, missing, next: nextStep(missing), place };
}

/** Fills in `{{args.x}}` and `{{repo.x}}` once; placeholders inside an argument stay as they are. */
function fillSay(say: string, view: Sayable): string {
  return say.replace(/\{\{\s*(args|repo)\.([\w-]+)\s*\}\}/g, (_whole, of: "args" | "repo", name: string) =>
    shownValue(Object.hasOwn(view[of], name) ? view[of][name] : undefined),
  );
}

/** A value for use in a sentence, shortened. */
function shownValue(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  const short = cutGraphemes(text.replace(/\s+/g, " "), 80);
  return neutraliseTags(short.length < text.length ? `${short}…` : short);
}
