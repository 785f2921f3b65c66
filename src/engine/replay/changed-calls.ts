import type { ToolCall } from "../../base/words/call.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Rule } from "../../base/words/rule.ts";
import { isTrusted } from "../../behavior/policy/builtin/requirements.ts";
import { namesIn } from "../agent/rules/describe-rule.ts";
import type { AgentPolicies } from "./agent-policies.ts";

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
