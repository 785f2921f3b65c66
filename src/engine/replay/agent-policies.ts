import { isObject } from "../../base/kernel/json.ts";
import { NamesMemo } from "../../base/kernel/names-memo.ts";
import type { Agent, AnyPolicy } from "../../base/words/agent.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Facts, PathFact } from "../../base/words/facts.ts";
import type { Json } from "../../base/words/json.ts";
import type { Place, Rule } from "../../base/words/rule.ts";
import { ReadBeforeWritePolicy } from "../../behavior/policy/read-before-write-policy.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { SequentialDependencyPolicy } from "../../behavior/policy/sequential-dependency-policy.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { type CallFacts, EVERYTHING, type RecordedCall } from "./recorded-call.ts";
import { rulesPoliciesOf } from "./replay-agents.ts";

/** What a replay needs to know about an agent's policies: what they decide by, and what the recording lacks for them. */
export class AgentPolicies {
  readonly agent: Agent;
  /** Names of everything that can object: rules, policies, tools. */
  readonly known: ReadonlySet<string>;
  /** The file and line of each rule that was read from a file. */
  readonly places: ReadonlyMap<string, Place>;
  /** Policies in code that look at the content of results, which is not recorded. */
  readonly resultReaders: ReadonlySet<string>;
  readonly readsBeforeWrites: boolean;
  readonly #compiled: CompiledAgent;
  readonly #rules: readonly RulesPolicy[];
  readonly #sequences: readonly SequentialDependencyPolicy[];
  readonly #hasCode: boolean;
  readonly #asksForFiles: boolean;
  readonly #files = new NamesMemo<readonly { readonly policy: string; readonly argument: string }[]>();

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

  /** Every name that the call may be evidence of. */
  namesShownBy({ tool, actions, proves }: ToolCall): readonly string[] {
    const names = [tool, ...actions, ...proves];
    return [...names, ...this.#rules.flatMap(({ rules }) => names.flatMap((name) => [...rules.implied(name)]))];
  }

  /** What must have succeeded before the call. */
  dependenciesOf({ tool, actions }: ToolCall): readonly string[] {
    return this.#sequences.flatMap(({ dependencies }) =>
      [tool, ...actions].flatMap((name) => dependencies.get(name) ?? []),
    );
  }

  /** Whether a policy in code decides on the call: such a policy may look at anything in the session. */
  hasCode(call: ToolCall): boolean {
    return this.#hasCode && this.#compiled.policiesFor(call).some(isCode);
  }

  /**
   * All facts that a call may have been decided by, the recorded ones first. Files that rules ask about and nobody looked at
   * may exist or not. `unsettled` files, by resolved path, may also have other content.
   */
  possibleFacts(
    { call, facts }: RecordedCall,
    recorded: ToolCall,
    unsettled: ReadonlyMap<string, unknown>,
  ): readonly CallFacts[] {
    const seen = this.#asksForFiles ? this.#withUnseenFiles(call, facts, recorded) : [facts];
    const isTouched = ({ paths }: Facts) => Object.values(paths).some(({ resolved }) => unsettled.has(resolved));
    if (unsettled.size === 0 || !(isTouched(facts.made) || isTouched(facts.final))) return seen;
    return seen.flatMap((one) => [
      one,
      ...[true, false].map((exists) => ({
        made: withOtherPaths(one.made, unsettled, exists),
        final: withOtherPaths(one.final, unsettled, exists),
      })),
    ]);
  }

  #withUnseenFiles(call: ToolCall, facts: CallFacts, recorded: ToolCall): readonly CallFacts[] {
    const made = this.unseenFiles(call, facts.made);
    const final = facts.final === facts.made ? made : this.unseenFiles(recorded, facts.final);
    if (made.length + final.length === 0) return [facts];
    return [true, false].map((exists) => ({
      made: withFiles(facts.made, made, exists),
      final: withFiles(facts.final, final, exists),
    }));
  }

  /** Files that rules on the call ask about and that are not among the facts. */
  unseenFiles(call: ToolCall, facts: Facts): readonly UnseenFile[] {
    if (!this.#asksForFiles) return [];
    const { tool, actions, args } = call;
    const files = this.#files.get(tool, actions, () =>
      this.#rules.flatMap(({ name: policy, rules }) =>
        rules.filesFor([tool, ...actions]).map((argument) => ({ policy, argument })),
      ),
    );
    return files.flatMap(({ policy, argument }) => {
      const path = args[argument];
      return typeof path === "string" && !wasSeen(facts, policy, path) ? [{ policy, path }] : [];
    });
  }

  /** Why a call with redacted or cut arguments cannot be judged. */
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

  /** Whether it depends on a redacted or cut argument what the call is evidence of. */
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

type UnseenFile = { readonly policy: string; readonly path: string };

function wasSeen({ paths, policies }: Facts, policy: string, path: string): boolean {
  const own = policies[policy];
  return Object.hasOwn(paths, path) || (isObject(own) && Object.hasOwn(own, path));
}

function withFiles(facts: Facts, unseen: readonly UnseenFile[], exists: boolean): Facts {
  const policies: Record<string, Json> = Object.assign(Object.create(null), facts.policies);
  for (const { policy, path } of unseen) {
    const own = policies[policy];
    policies[policy] = { ...(isObject(own) ? own : {}), [path]: exists };
  }
  return { ...facts, policies };
}

function withOtherPaths(facts: Facts, unsettled: ReadonlyMap<string, unknown>, exists: boolean): Facts {
  const paths: Record<string, PathFact> = Object.create(null);
  for (const [path, fact] of Object.entries(facts.paths)) {
    const { resolved, inside } = fact;
    const other = { resolved, inside, exists, version: exists ? "not recorded" : undefined };
    paths[path] = unsettled.has(resolved) ? other : fact;
  }
  return { ...facts, paths };
}

/** Goes by the text of the expression: one that names `args` as a whole may look into any argument. */
function looksInto(source: string | undefined, argument: string): boolean {
  if (source === undefined || !source.includes("args")) return false;
  return source.includes(`args.${argument}`) || /\bargs\b(?!\.)/.test(source);
}

/** Not one of Conduct's own policies, of which it is known what they decide by. */
function isCode(policy: AnyPolicy): boolean {
  const own = [RulesPolicy, ReadBeforeWritePolicy, SequentialDependencyPolicy];
  return !policy.name.startsWith("builtin:") && !own.some((kind) => policy.constructor === kind);
}
