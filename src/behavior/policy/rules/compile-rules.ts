import { NamesMemo } from "../../../base/kernel/bounded-map.ts";
import { globMatches } from "../../../base/kernel/glob.ts";
import type { ToolCall } from "../../../base/words/call.ts";
import type { CallLeaf, Condition, Predicate, Rule, RuleSet } from "../../../base/words/rule.ts";
import { namesOf } from "./call-views.ts";
import { compilePredicate } from "./predicate/predicate.ts";

/** Something that changes files: evidence with `since` this is compared with the state of the workspace. */
export const WORKSPACE_CHANGE = "workspace.change";

/** Watches calls of one name, distinguished by the values of some arguments. Rules share monitors. */
export type Monitor = {
  readonly id: string;
  readonly call: string;
  readonly theirs: readonly string[];
  readonly fresh: boolean;
  readonly where?: Predicate;
  readonly counts: "succeeded" | "allowed";
  /** Never evicted, because it is under a `not` or in a `since`: forgetting it would allow a call. */
  readonly kept: boolean;
  /** The evidence is about the workspace's files: it is stored with their state. */
  readonly files?: boolean;
};

/** A compiled leaf: the monitor, and the arguments of the checked call. */
export type Leaf = {
  readonly kind: "leaf";
  readonly monitor: Monitor;
  readonly mine: readonly string[];
  readonly within?: number;
  /** The evidence must be newer than this monitor's. */
  readonly since?: Monitor;
};

export type CompiledCondition =
  | { readonly kind: "all" | "any"; readonly of: readonly CompiledCondition[] }
  | { readonly kind: "not"; readonly of: CompiledCondition }
  | Leaf;

export type CompiledRule = {
  readonly rule: Rule;
  readonly when?: Predicate;
  readonly unless?: Predicate;
  readonly except?: Predicate;
  readonly require?: CompiledCondition;
  /** Arguments that distinguish attempts. */
  readonly keys: readonly string[];
};

/** Whether a condition is about the state of the workspace. */
export function isAboutFiles(condition: CompiledCondition | undefined): boolean {
  if (condition === undefined) return false;
  if (condition.kind === "leaf") return condition.monitor.files === true;
  return condition.kind === "not" ? isAboutFiles(condition.of) : condition.of.some(isAboutFiles);
}

/** A rule, and the call's names that it matches: the first one, and every further effect. */
export type RuleOn = CompiledRule & { readonly name: string; readonly names: readonly string[] };

/** Rules looked up by name: the cost depends only on the rules for the called tool. */
export class CompiledRules {
  readonly ruleSet: RuleSet;
  readonly monitors: ReadonlyMap<string, Monitor>;
  readonly #rules: readonly CompiledWithFiles[];
  readonly #byNames = new NamesMemo<readonly RuleOn[]>();
  readonly #monitorsByCall: ReadonlyMap<string, readonly Monitor[]>;
  readonly #implied = new Map<string, ReadonlySet<string>>();

  constructor(ruleSet: RuleSet) {
    this.ruleSet = ruleSet;
    const monitors = new Map<string, Monitor>();
    this.#rules = ruleSet.rules.map((rule) => compileRule(rule, monitors));
    this.monitors = monitors;
    this.#monitorsByCall = Map.groupBy(monitors.values(), ({ call }) => call);
  }

  /** The rules for any of the call's names, in written order. */
  rulesOn(call: Pick<ToolCall, "tool" | "actions" | "effects">): readonly RuleOn[] {
    const others = namesOf(call);
    return this.#byNames.get(call.tool, others, () => {
      const effects = others.slice(call.actions.length);
      return this.#rules.flatMap((compiled) => {
        const name = nameOn(compiled.rule, [call.tool, ...others]);
        if (name === undefined) return [];
        const more = effects.filter((one) => one !== name && nameOn(compiled.rule, [one]) !== undefined);
        // A rule on the tool itself looks at the call as a whole.
        return [{ ...compiled, name, names: name === call.tool ? [name] : [name, ...more] }];
      });
    });
  }

  /** Arguments whose files the rules for these names ask about. */
  filesFor(names: readonly string[]): readonly string[] {
    return [...new Set(this.#rules.flatMap(({ rule, files }) => (nameOn(rule, names) === undefined ? [] : files)))];
  }

  /** Facts about the repository that the rules for these names ask about. */
  repoFor(names: readonly string[]): readonly string[] {
    return [...new Set(this.#rules.flatMap(({ rule, repo }) => (nameOn(rule, names) === undefined ? [] : repo)))];
  }

  monitorsOf(name: string): readonly Monitor[] {
    return this.#monitorsByCall.get(name) ?? [];
  }

  /** The name and everything it implies, transitively. */
  implied(name: string): ReadonlySet<string> {
    const known = this.#implied.get(name);
    if (known !== undefined) return known;
    const closed = new Set<string>([name]);
    for (const one of closed) for (const more of this.ruleSet.actions[one]?.implies ?? []) closed.add(more);
    if (this.#implied.size < 10_000) this.#implied.set(name, closed);
    return closed;
  }
}

function nameOn(rule: Rule, names: readonly string[]): string | undefined {
  return names.find((name) => rule.on.some((pattern) => globMatches(pattern, name)));
}

type CompiledWithFiles = CompiledRule & { readonly files: readonly string[]; readonly repo: readonly string[] };

function compileRule(rule: Rule, monitors: Map<string, Monitor>): CompiledWithFiles {
  const files = new Set<string>();
  const repo = new Set<string>();
  const predicate = (source: string | undefined): Predicate | undefined => {
    if (source === undefined) return undefined;
    const compiled = compilePredicate(source, {}, rule.patterns);
    // The loader rejects such a rule. Unknown keeps it enforced if one gets here.
    if ("fault" in compiled) return () => undefined;
    for (const file of compiled.files) files.add(file);
    for (const fact of compiled.repo) repo.add(fact);
    return compiled.predicate;
  };
  const condition = (given: Condition, negated: boolean): CompiledCondition => {
    switch (given.kind) {
      case "all":
      case "any":
        return { kind: given.kind, of: given.of.map((one) => condition(one, negated)) };
      case "not":
        return { kind: "not", of: condition(given.of, !negated) };
      case "call":
        return leaf(given, negated);
    }
  };
  const leaf = ({ call, same, fresh, counts, within, where, since: after }: CallLeaf, kept: boolean): Leaf => {
    const theirs = same.map((pair) => pair.theirs);
    const files = after === WORKSPACE_CHANGE || undefined;
    const monitor = watch(monitors, { call, theirs, fresh, counts, kept, files, where: predicate(where) }, where);
    const sinceCall = { call: after ?? "", theirs: [], fresh: false, counts: "succeeded", kept: true } as const;
    const since = after === undefined ? undefined : watch(monitors, sinceCall);
    return { kind: "leaf", monitor, mine: same.map((pair) => pair.mine), within, since };
  };
  const when = predicate(rule.when);
  const unless = predicate(rule.unless);
  const except = predicate(rule.except);
  const require = rule.require && condition(rule.require, false);
  const keys = [...new Set([...keysOf(rule.require), ...(rule.atMost?.per ?? [])])].sort();
  return { rule, when, unless, except, require, keys, files: [...files], repo: [...repo] };
}

/** Equal monitors are shared between rules. */
function watch(monitors: Map<string, Monitor>, monitor: Omit<Monitor, "id">, where?: string): Monitor {
  const { call, theirs, fresh, counts, kept, files } = monitor;
  const id = JSON.stringify([call, theirs, fresh, counts, kept, where ?? null, ...(files === true ? ["files"] : [])]);
  const shared = monitors.get(id) ?? { id, ...monitor };
  monitors.set(id, shared);
  return shared;
}

function keysOf(condition: Condition | undefined): readonly string[] {
  if (condition === undefined) return [];
  if (condition.kind === "call") return condition.same.map(({ mine }) => mine);
  return condition.kind === "not" ? keysOf(condition.of) : condition.of.flatMap(keysOf);
}
