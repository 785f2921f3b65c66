import type { CountedTurn } from "../../../base/ports/stores/adherence.ts";
import type { ContractEvent, ContractView, StandingRule } from "../../../base/words/contract.ts";
import { writeCheck } from "../../../behavior/contract/directive-check.ts";
import { CompiledRules } from "../../../behavior/policy/rules/compile-rules.ts";
import { readStandingRule } from "../../../engine/governance/standing-rules.ts";
import { judgeBy, type TurnJudged, type TurnSeen } from "./judge-turn.ts";
import { PastContracts } from "./past-contracts.ts";

/** Judges turns by the directives and rules that were in force then. */
export class TurnCounter {
  readonly #past: PastContracts;
  readonly #judges = new Map<string, (turn: TurnSeen) => TurnJudged>();
  readonly #watches = new Map<StandingRule, WatchedRule | undefined>();

  /** `history`: all contract changes, oldest first. */
  constructor(history: readonly ContractEvent[]) {
    this.#past = new PastContracts(history);
  }

  count(turn: TurnSeen): readonly CountedTurn[] {
    if (turn.watched) return [];
    const day = new Date(turn.at).toISOString().slice(0, 10);
    const told = turn.contract === undefined ? [] : this.#past.directivesOf(turn.contract, turn.view, turn.at);
    const directives = (told ?? []).map(({ id, scope, check }): CountedTurn => {
      if (check === undefined) return { day, of: "directive", id, scope, ...DARK };
      const judged = remembered(this.#judges, JSON.stringify(check), () => judgeBy(check))(turn);
      return { day, of: "directive", id, scope, by: writeCheck(check), ...judged };
    });
    const rules = this.#past
      .rulesAt(turn.at)
      .flatMap((rule) => remembered(this.#watches, rule, () => watchRule(rule)) ?? []);
    return [...directives, ...countRules(turn, day, rules)];
  }
}

const DARK: TurnJudged = { kind: "cannot-tell" };

function remembered<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const value = known.has(key) ? (known.get(key) as V) : make();
  known.set(key, value);
  return value;
}

type WatchedRule = StandingRule & { readonly compiled: CompiledRules; readonly plain: boolean };

/** Returns `undefined` if the rule's text can no longer be read. */
function watchRule(rule: StandingRule): WatchedRule | undefined {
  const read = readStandingRule(rule.text);
  if ("faults" in read) return undefined;
  const { when, unless } = read.rule;
  return { ...rule, compiled: new CompiledRules(read.ruleSet), plain: when === undefined && unless === undefined };
}

/**
 * An objection means the rule was violated. "Followed" is only known for standing rules, whose start time is known,
 * and not if an expression selects the calls. Shadow rules are not in force and are counted elsewhere.
 */
function countRules(turn: TurnSeen, day: string, rules: readonly WatchedRule[]): readonly CountedTurn[] {
  const against = new Map<string, string>();
  for (const { objected, event } of turn.calls) for (const rule of objected) against.set(rule, event);
  const by = "its decisions";
  const violated = [...against].map(([id, event]): CountedTurn => {
    const scope = rules.find((rule) => rule.id === id)?.scope;
    return { day, of: "rule", id, by, ...(scope && { scope }), kind: "violated", event };
  });
  const others = rules.flatMap((rule): readonly CountedTurn[] => {
    if (rule.status === "shadow" || against.has(rule.id) || !isFor(rule, turn.view)) return [];
    const on = turn.calls.findLast((call) => rule.compiled.rulesOn(call).length > 0);
    if (on === undefined) return [];
    const judged: TurnJudged = rule.plain ? { kind: "followed", event: on.event } : DARK;
    return [{ day, of: "rule", id: rule.id, scope: rule.scope, by, ...judged }];
  });
  return [...violated, ...others];
}

function isFor({ scope }: StandingRule, view: ContractView): boolean {
  const [kind = "", ...name] = scope.split(":");
  return kind === "global" || { agent: view.agent, channel: view.channel, user: view.user }[kind] === name.join(":");
}
