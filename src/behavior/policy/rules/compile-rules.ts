import { globMatches } from "../../../base/kernel/glob.ts";
import { NamesMemo } from "../../../base/kernel/names-memo.ts";
import type { ToolCall } from "../../../base/words/call.ts";
import type { CallLeaf, Condition, Predicate, Rule, RuleSet } from "../../../base/words/rule.ts";
import { compilePredicate } from "./predicate/predicate.ts";

/** One thing that is watched for: calls of a name, told apart by the values of some arguments. Rules share monitors. */
export type Monitor = {
  readonly id: string;
  readonly call: string;
  readonly theirs: readonly string[];
  readonly fresh: boolean;
  readonly where?: Predicate;
  readonly counts: "succeeded" | "allowed";
  /** Forgetting it would let something through: it stands under a `not`, or something must have come since it. */
  readonly kept: boolean;
};

/** A leaf as it is evaluated: the monitor, and what this call contributes. */
export type Leaf = {
  readonly kind: "leaf";
  readonly monitor: string;
  readonly call: string;
  readonly mine: readonly string[];
  readonly fresh: boolean;
  readonly within?: number;
  /** The monitor that any evidence must be newer than. */
  readonly since?: string;
};

export type CompiledCondition =
  | { readonly kind: "all" | "any"; readonly of: readonly CompiledCondition[] }
  | { readonly kind: "not"; readonly of: CompiledCondition }
  | Leaf;

export type CompiledRule = {
  readonly rule: Rule;
  readonly when?: Predicate;
  readonly unless?: Predicate;
  readonly require?: CompiledCondition;
  /** Arguments that tell one attempt from another. */
  readonly keys: readonly string[];
};

/** A rule on a call, and the first of the call's names that it is on. */
export type RuleOn = CompiledRule & { readonly name: string };

/** Rules made ready: looked up by name, so that cost follows the rules on the called tool and nothing else. */
export class CompiledRules {
  readonly ruleSet: RuleSet;
  readonly monitors: ReadonlyMap<string, Monitor>;
  /** Arguments that some rule asks `fileExists` about, by the names it is on. */
  readonly #rules: readonly (CompiledRule & { readonly files: readonly string[] })[];
  readonly #byNames = new NamesMemo<readonly RuleOn[]>();
  readonly #monitorsByCall = new Map<string, Monitor[]>();
  readonly #implied = new Map<string, ReadonlySet<string>>();

  constructor(ruleSet: RuleSet) {
    this.ruleSet = ruleSet;
    const monitors = new Map<string, Monitor>();
    this.#rules = ruleSet.rules.map((rule) => compileRule(rule, monitors));
    this.monitors = monitors;
    for (const monitor of monitors.values()) {
      const of = this.#monitorsByCall.get(monitor.call) ?? [];
      of.push(monitor);
      this.#monitorsByCall.set(monitor.call, of);
    }
  }

  /** The rules on any of a call's names, in the order they are written. */
  rulesOn({ tool, actions }: Pick<ToolCall, "tool" | "actions">): readonly RuleOn[] {
    return this.#byNames.get(tool, actions, () => {
      const names = [tool, ...actions];
      return this.#rules.flatMap((compiled) => {
        const name = nameOn(compiled.rule, names);
        return name === undefined ? [] : [{ ...compiled, name }];
      });
    });
  }

  /** Arguments whose files have to be looked up before the rules on these names can be decided. */
  filesFor(names: readonly string[]): readonly string[] {
    return [...new Set(this.#rules.flatMap(({ rule, files }) => (nameOn(rule, names) === undefined ? [] : files)))];
  }

  /** What is watched for when something establishes this name. */
  monitorsOf(name: string): readonly Monitor[] {
    return this.#monitorsByCall.get(name) ?? [];
  }

  /** The name itself and all that it implies, closed transitively. */
  implied(name: string): ReadonlySet<string> {
    const known = this.#implied.get(name);
    if (known !== undefined) return known;
    const closed = new Set<string>([name]);
    for (const one of closed) for (const more of this.ruleSet.actions[one]?.implies ?? []) closed.add(more);
    if (this.#implied.size < 10_000) this.#implied.set(name, closed);
    return closed;
  }
}

/** The first of the names that the rule is on. */
function nameOn(rule: Rule, names: readonly string[]): string | undefined {
  return names.find((name) => rule.on.some((pattern) => globMatches(pattern, name)));
}

function compileRule(rule: Rule, monitors: Map<string, Monitor>): CompiledRule & { readonly files: readonly string[] } {
  const files = new Set<string>();
  const predicate = (source: string): Predicate => {
    const compiled = compilePredicate(source);
    // The loader refuses such a rule; should one come this way all the same, it is unknown for ever, and so it binds.
    if ("fault" in compiled) return () => undefined;
    for (const file of compiled.files) files.add(file);
    return compiled.predicate;
  };
  const when = rule.when === undefined ? {} : { when: predicate(rule.when) };
  const unless = rule.unless === undefined ? {} : { unless: predicate(rule.unless) };
  const require =
    rule.require === undefined ? {} : { require: compileCondition(rule.require, monitors, predicate, false) };
  const keys = [...new Set([...keysOf(rule.require), ...(rule.atMost?.per ?? [])])].sort();
  return { rule, ...when, ...unless, ...require, keys, files: [...files] };
}

function compileCondition(
  condition: Condition,
  monitors: Map<string, Monitor>,
  predicate: (source: string) => Predicate,
  negated: boolean,
): CompiledCondition {
  switch (condition.kind) {
    case "all":
    case "any":
      return {
        kind: condition.kind,
        of: condition.of.map((one) => compileCondition(one, monitors, predicate, negated)),
      };
    case "not":
      return { kind: "not", of: compileCondition(condition.of, monitors, predicate, !negated) };
    case "call":
      return compileLeaf(condition, monitors, predicate, negated);
  }
}

function compileLeaf(
  leaf: CallLeaf,
  monitors: Map<string, Monitor>,
  predicate: (source: string) => Predicate,
  kept: boolean,
): Leaf {
  const theirs = leaf.same.map((pair) => pair.theirs);
  const where = leaf.where === undefined ? {} : { where: predicate(leaf.where) };
  const monitor = watch(
    monitors,
    { call: leaf.call, theirs, fresh: leaf.fresh, counts: leaf.counts, kept, ...where },
    leaf.where,
  );
  const since =
    leaf.since === undefined
      ? {}
      : { since: watch(monitors, { call: leaf.since, theirs: [], fresh: false, counts: "succeeded", kept: true }) };
  return {
    kind: "leaf",
    monitor,
    call: leaf.call,
    mine: leaf.same.map((pair) => pair.mine),
    fresh: leaf.fresh,
    within: leaf.within,
    ...since,
  };
}

/** The same thing is watched for once, whoever asks; whether it may be forgotten is part of what it is. */
function watch(monitors: Map<string, Monitor>, monitor: Omit<Monitor, "id">, where?: string): string {
  const { call, theirs, fresh, counts, kept } = monitor;
  const id = JSON.stringify([call, theirs, fresh, counts, kept, where ?? null]);
  if (!monitors.has(id)) monitors.set(id, { id, ...monitor });
  return id;
}

function keysOf(condition: Condition | undefined): readonly string[] {
  if (condition === undefined) return [];
  if (condition.kind === "call") return condition.same.map(({ mine }) => mine);
  return condition.kind === "not" ? keysOf(condition.of) : condition.of.flatMap(keysOf);
}
