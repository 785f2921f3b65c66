import { isObject } from "../../base/kernel/json.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { Json } from "../../base/words/json.ts";
import type { Place } from "../../base/words/rule.ts";
import { ReadBeforeWritePolicy } from "../../behavior/policy/builtin/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { type CallFacts, EVERYTHING, type ReadCall } from "./read-call.ts";
import { rulesPoliciesOf } from "./replay-agents.ts";

/** What of an agent's policies a replay has to be careful about; worked out once. */
export class AgentCare {
  readonly rules: readonly RulesPolicy[];
  /** Policies in code that take note of results: what was in results is not kept. */
  readonly readers: ReadonlySet<string>;
  /** Nothing but policies of ours, of which it is known what they decide by. */
  readonly ours: boolean;
  /** Some policy makes other arguments of those that were given. */
  readonly rewrites: boolean;
  /** Names of all that can object: rules, policies. */
  readonly known: ReadonlySet<string>;
  /** Where rules stand that were read from a file. */
  readonly places: ReadonlyMap<string, Place>;
  /** Some rule asks whether a file exists. */
  readonly #asksForFiles: boolean;
  readonly #actions: CompiledAgent["agent"]["actions"];
  readonly #files = new Map<string, readonly { readonly policy: string; readonly argument: string }[]>();

  constructor({ allPolicies, agent }: CompiledAgent) {
    this.#actions = agent.actions;
    this.rules = rulesPoliciesOf(allPolicies);
    this.readers = new Set(allPolicies.filter(readsResults).map(({ name }) => name));
    this.ours = allPolicies.every(isOurs);
    this.rewrites = allPolicies.some(({ rewrites }) => rewrites === true);
    this.known = new Set([
      ...allPolicies.map(({ name }) => name),
      ...this.rules.flatMap(({ rules }) => rules.ruleSet.rules.map(({ id }) => id)),
      ...agent.tools.map(({ name }) => name),
    ]);
    const written = this.rules.flatMap(({ rules }) => rules.ruleSet.rules);
    this.places = new Map(written.flatMap(({ id, place }) => (place === undefined ? [] : [[id, place] as const])));
    this.#asksForFiles = this.rules.some(({ rules }) =>
      rules.ruleSet.rules.some((rule) => JSON.stringify(rule).includes("fileExists")),
    );
  }

  /**
   * The facts that a call is decided by: the recorded ones, and where rules ask for files that nobody looked at, with these
   * there and with them missing. More than one means that the decision may hang on what was not recorded.
   */
  factsFor({ call, facts }: ReadCall, recorded: ToolCall): readonly CallFacts[] {
    if (!this.#asksForFiles) return [facts];
    const made = this.#unseen(call, facts.made);
    const final = facts.final === facts.made ? made : this.#unseen(recorded, facts.final);
    if (made.length + final.length === 0) return [facts];
    return [true, false].map((exists) => ({
      made: withFiles(facts.made, made, exists),
      final: withFiles(facts.final, final, exists),
    }));
  }

  #unseen(call: ToolCall, facts: Facts): readonly Unseen[] {
    return this.#filesOf(call).flatMap(({ policy, argument }) => {
      const path = call.args[argument];
      return typeof path === "string" && !wasSeen(facts, policy, path) ? [{ policy, path }] : [];
    });
  }

  /** Why a call cannot be judged of which something was redacted or cut: what it is, or what a rule looks at, is not known. */
  blindness({ call, hidden }: ReadCall, recorded: ToolCall): string | undefined {
    if (hidden.length === 0) return undefined;
    if (hidden === EVERYTHING) return "its arguments were too large to be kept";
    const lost = [...recorded.actions, ...recorded.proves].find(
      (name) => Object.hasOwn(this.#actions, name) && ![...call.actions, ...call.proves].includes(name),
    );
    if (lost !== undefined) return `it was '${lost}' then, which does not show any more: it was redacted or cut`;
    for (const policy of this.rules) {
      for (const { rule } of policy.rules.rulesOn(call)) {
        const argument = hidden.find((one) => looksInto(rule.when, one) || looksInto(rule.unless, one));
        if (argument !== undefined) return `rule '${rule.id}' looks into '${argument}', which was redacted or cut`;
      }
    }
    return undefined;
  }

  /** Whether this call counts as evidence hangs on an argument that was redacted or cut. */
  blindEvidence({ call, hidden }: ReadCall): boolean {
    if (hidden.length === 0) return false;
    if (hidden === EVERYTHING) return true;
    return this.rules.some(({ rules }) =>
      [call.tool, ...call.actions, ...call.proves]
        .flatMap((name) => [...rules.implied(name)])
        .flatMap((name) => rules.monitorsOf(name))
        .some(({ id, where }) => where !== undefined && hidden.some((one) => looksInto(id, one))),
    );
  }

  #filesOf({ tool, actions }: ToolCall) {
    const key = actions.length === 0 ? tool : `${tool}\0${actions.join("\0")}`;
    const known = this.#files.get(key);
    if (known !== undefined) return known;
    const files = this.rules.flatMap(({ name: policy, rules }) =>
      rules.filesFor([tool, ...actions]).map((argument) => ({ policy, argument })),
    );
    if (this.#files.size < 1_000) this.#files.set(key, files);
    return files;
  }
}

type Unseen = { readonly policy: string; readonly path: string };

function withFiles(facts: Facts, unseen: readonly Unseen[], exists: boolean): Facts {
  const policies: Record<string, Json> = Object.assign(Object.create(null), facts.policies);
  for (const { policy, path } of unseen) {
    const own = policies[policy];
    policies[policy] = { ...(isObject(own) ? own : {}), [path]: exists };
  }
  return { ...facts, policies };
}

function wasSeen({ paths, policies }: Facts, policy: string, path: string): boolean {
  const own = policies[policy];
  return Object.hasOwn(paths, path) || (isObject(own) && Object.hasOwn(own, path));
}

/** By its text: an expression that names all arguments at once may look into any of them. */
function looksInto(source: string | undefined, argument: string): boolean {
  if (source === undefined || !source.includes("args")) return false;
  return source.includes(`args.${argument}`) || /\bargs\b(?!\.)/.test(source);
}

function readsResults(policy: AnyPolicy): boolean {
  return policy.onResult !== undefined && !isOurs(policy);
}

function isOurs(policy: AnyPolicy): boolean {
  const kinds = [RulesPolicy, ReadBeforeWritePolicy, SequentialDependencyPolicy];
  return policy.name.startsWith("builtin:") || kinds.some((kind) => policy.constructor === kind);
}
