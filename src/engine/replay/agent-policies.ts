import { NamesMemo } from "../../base/kernel/bounded-map.ts";
import { isObject } from "../../base/kernel/json.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Agent, AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { Place, Rule } from "../../base/words/rule.ts";
import { ReadBeforeWritePolicy } from "../../behavior/policy/builtin/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { EVERYTHING, type RecordedCall } from "./recorded-call.ts";
import { rulesPoliciesOf } from "./replay-agents.ts";

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
    if (hidden === EVERYTHING) return "its arguments were too large to be kept";
    const lost = [...recorded.actions, ...recorded.proves].find(
      (name) => Object.hasOwn(this.agent.actions, name) && ![...call.actions, ...call.proves].includes(name),
    );
    if (lost !== undefined) return `it was '${lost}' then, which does not show any more: it was redacted or cut`;
    for (const rule of this.rulesOn(call)) {
      const argument = hidden.find((one) => looksInto(rule.when, one) || looksInto(rule.unless, one));
      if (argument !== undefined) return `rule '${rule.id}' looks into '${argument}', which was redacted or cut`;
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
