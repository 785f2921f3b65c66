import { NamesMemo } from "../../base/kernel/bounded-map.ts";
import { isObject } from "../../base/kernel/json.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Agent, AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { Place, Rule } from "../../base/words/rule.ts";
import { ReadBeforeWritePolicy } from "../../behavior/policy/builtin/read-before-write-policy.ts";
import { isTrusted } from "../../behavior/policy/builtin/requirements.ts";
import { SequentialDependencyPolicy } from "../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { namesIn } from "../agent/rules/write-rule.ts";
import { EVERYTHING, type RecordedCall } from "./recorded-call.ts";
import { rulesPoliciesOf } from "./replay-agents.ts";

/** A call whose decision changed, in all its forms: as made, as recorded, as rewritten by rules. */
export type ChangedCall = {
  readonly forms: readonly ToolCall[];
  readonly facts: readonly Facts[];
  readonly turn: number;
};

/** Fewer equal calls in one turn than the loop guard needs, in any order of events. */
const NO_LOOP = 5;

/**
 * Calls that changed rules decide differently, and what later decisions may depend on in them, by the id of the first
 * changed decision. Entries are never removed: that can only cause an extra "cannot tell".
 */
export class ChangedCalls {
  /** Keys such as `name test`, `rule proof`, `path /w/a`, `call c1` and `turn 3`. */
  readonly #touched = new Map<string, string>();
  #last: string | undefined;
  #affectsAll = false;

  get any(): boolean {
    return this.#last !== undefined;
  }

  add(decision: string, { forms, facts, turn }: ChangedCall, policies: AgentPolicies): void {
    this.#last = decision;
    const touch = (key: string) => this.#touched.set(key, decision);
    touch(`turn ${turn}`);
    for (const call of forms) {
      touch(`call ${call.id}`);
      for (const name of policies.namesShownBy(call)) touch(`name ${name}`);
      for (const rule of policies.rulesOn(call)) if (remembersCalls(rule)) touch(`rule ${rule.id}`);
      for (const path of resolvedPaths(call, facts)) touch(`path ${path}`);
      // The result of a trusted tool could have required anything.
      if (isTrusted(call, policies.agent.trustedTools)) this.affectAll();
    }
  }

  /** From here on any decision may depend on the changed calls. */
  affectAll(): void {
    this.#affectsAll = this.any;
  }

  /** The changed decision that a call may depend on through rules and policies that check specific earlier calls. */
  behind({ forms, facts }: ChangedCall, policies: AgentPolicies): string | undefined {
    if (!this.any) return undefined;
    return this.#firstOf(
      forms.flatMap((call) => [
        `call ${call.id}`,
        ...policies.rulesOn(call).flatMap(keysOf),
        ...policies.dependenciesOf(call).map((name) => `name ${name}`),
        ...(policies.readsBeforeWrites ? resolvedPaths(call, facts).map((path) => `path ${path}`) : []),
      ]),
    );
  }

  /** Like `behind`, but also for policies that may read anything. `repeats`: earlier equal calls of the turn. */
  mayAffect(call: ChangedCall, policies: AgentPolicies, repeats: () => number): string | undefined {
    if (this.#affectsAll || (this.any && call.forms.some((one) => policies.hasCode(one)))) return this.#last;
    const inTurn = this.inTurn(call.turn);
    return inTurn !== undefined && repeats() >= NO_LOOP ? inTurn : this.behind(call, policies);
  }

  inTurn(turn: number): string | undefined {
    return this.#touched.get(`turn ${turn}`);
  }

  #firstOf(keys: readonly string[]): string | undefined {
    for (const key of keys) {
      const found = this.#touched.get(key);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Whether a rule remembers a count, a pause or an approval of earlier calls. */
function remembersCalls({ atMost, effect }: Rule): boolean {
  return atMost !== undefined || effect === "soft-deny" || effect === "ask";
}

function keysOf({ id, require }: Rule): readonly string[] {
  return [`rule ${id}`, ...namesIn(require).map((name) => `name ${name}`)];
}

function resolvedPaths({ paths }: ToolCall, facts: readonly Facts[]): readonly string[] {
  return paths.flatMap(({ path }) => [path, ...facts.flatMap((one) => one.paths[path]?.resolved ?? [])]);
}

/** What a replay needs to know about an agent's policies: their inputs, and what the recording lacks for them. */
export class AgentPolicies {
  readonly agent: Agent;
  /** Names of everything that can object: rules, policies, tools. */
  readonly known: ReadonlySet<string>;
  /** File and line of each rule that was read from a file. */
  readonly places: ReadonlyMap<string, Place>;
  /** Code policies that read the content of results, which is not recorded. */
  readonly resultReaders: ReadonlySet<string>;
  readonly readsBeforeWrites: boolean;
  readonly #compiled: CompiledAgent;
  readonly #rules: readonly RulesPolicy[];
  readonly #sequences: readonly SequentialDependencyPolicy[];
  readonly #hasCode: boolean;
  readonly #asksForFiles: boolean;
  /** Policy and argument of each file that rules on these names ask about. */
  readonly #files = new NamesMemo<readonly (readonly string[])[]>();

  constructor(compiled: CompiledAgent) {
    const { allPolicies, agent } = compiled;
    this.#compiled = compiled;
    this.agent = agent;
    this.#rules = rulesPoliciesOf(allPolicies);
    this.#sequences = allPolicies.filter((policy) => policy instanceof SequentialDependencyPolicy);
    this.readsBeforeWrites = allPolicies.some((policy) => policy instanceof ReadBeforeWritePolicy);
    this.#hasCode = allPolicies.some(isCode);
    const readers = allPolicies.filter((policy) => policy.onResult !== undefined && isCode(policy));
    this.resultReaders = new Set(readers.map(({ name }) => name));
    const written = this.#rules.flatMap(({ rules }) => rules.ruleSet.rules);
    this.known = new Set([
      ...allPolicies.map(({ name }) => name),
      ...written.map(({ id }) => id),
      ...agent.tools.map(({ name }) => name),
    ]);
    this.places = new Map(written.flatMap(({ id, place }) => (place === undefined ? [] : [[id, place] as const])));
    this.#asksForFiles = written.some((rule) => JSON.stringify(rule).includes("fileExists"));
  }

  rulesOn(call: ToolCall): readonly Rule[] {
    return this.#rules.flatMap(({ rules }) => rules.rulesOn(call).map(({ rule }) => rule));
  }

  namesShownBy({ tool, actions, proves }: ToolCall): readonly string[] {
    const names = [tool, ...actions, ...proves];
    return [...names, ...this.#rules.flatMap(({ rules }) => names.flatMap((name) => [...rules.implied(name)]))];
  }

  dependenciesOf({ tool, actions }: ToolCall): readonly string[] {
    return this.#sequences.flatMap(({ dependencies }) =>
      [tool, ...actions].flatMap((name) => dependencies.get(name) ?? []),
    );
  }

  /** Whether a code policy decides on the call: such a policy may read anything in the session. */
  hasCode(call: ToolCall): boolean {
    return this.#hasCode && this.#compiled.policiesFor(call).some(isCode);
  }

  /** Whether the decision depends on the content or existence of the call's files. */
  looksAtFiles(call: ToolCall): boolean {
    if (this.readsBeforeWrites || this.hasCode(call) || call.paths.some(({ maybe }) => maybe === true)) return true;
    return this.rulesOn(call).some((rule) => /fileExists|"fresh":true/.test(JSON.stringify(rule)));
  }

  /** A file that rules on the call ask about but no fact was recorded for. */
  unseenFile({ tool, actions, args }: ToolCall, { paths, policies, faults }: Facts): string | undefined {
    // With missing facts the call is denied regardless of the rules.
    if (!this.#asksForFiles || Object.keys(faults).length > 0) return undefined;
    const files = this.#files.get(tool, actions, () =>
      this.#rules.flatMap(({ name, rules }) => rules.filesFor([tool, ...actions]).map((argument) => [name, argument])),
    );
    for (const [policy = "", argument = ""] of files) {
      const [path, own] = [args[argument], policies[policy]];
      if (typeof path !== "string" || Object.hasOwn(paths, path)) continue;
      if (!isObject(own) || !Object.hasOwn(own, path)) return path;
    }
    return undefined;
  }

  /** Why a call with redacted or truncated arguments cannot be judged. */
  blindness({ call, hidden }: RecordedCall, recorded: ToolCall): string | undefined {
    if (hidden.length === 0) return undefined;
    if (hidden === EVERYTHING) return "its arguments were too large to record";
    const lost = [...recorded.actions, ...recorded.proves].find(
      (name) => Object.hasOwn(this.agent.actions, name) && ![...call.actions, ...call.proves].includes(name),
    );
    if (lost !== undefined) return `it was '${lost}' when it was recorded; that part is now redacted or truncated`;
    for (const rule of this.rulesOn(call)) {
      const argument = hidden.find((one) =>
        [rule.when, rule.unless, rule.except].some((source) => looksInto(source, one)),
      );
      if (argument !== undefined) return `rule '${rule.id}' reads '${argument}', which is redacted or truncated`;
    }
    return undefined;
  }

  /** Whether the call's evidence depends on a redacted or truncated argument. */
  isBlindEvidence({ call, hidden }: RecordedCall): boolean {
    if (hidden.length === 0) return false;
    if (hidden === EVERYTHING) return true;
    return this.#rules.some(({ rules }) =>
      this.namesShownBy(call)
        .flatMap((name) => rules.monitorsOf(name))
        .some(({ id, where }) => where !== undefined && hidden.some((one) => looksInto(id, one))),
    );
  }
}

/** Searches the expression's text: one that uses `args` as a whole may read any argument. */
function looksInto(source: string | undefined, argument: string): boolean {
  if (source === undefined || !source.includes("args")) return false;
  return source.includes(`args.${argument}`) || /\bargs\b(?!\.)/.test(source);
}

/** True for policies other than Conduct's own, whose inputs are known. */
function isCode(policy: AnyPolicy): boolean {
  const own = [RulesPolicy, ReadBeforeWritePolicy, SequentialDependencyPolicy];
  return !policy.name.startsWith("builtin:") && !own.some((kind) => policy.constructor === kind);
}
