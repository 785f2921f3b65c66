import {
  checkOptions,
  listOf,
  mapOf,
  name,
  names,
  number,
  object,
  oneOf,
  optional,
  type ShapesOf,
  shape,
  text,
} from "../../../base/kernel/check-options.ts";
import { NamesMemo } from "../../../base/kernel/names-memo.ts";
import type { Filesystem } from "../../../base/ports/filesystem.ts";
import type { Outcome, ToolCall } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { PolicyContext, PolicyDecision, PolicyResultContext, ToolPolicy } from "../../../base/words/policy.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import type { Rule, RuleSet } from "../../../base/words/rule.ts";
import { tupleOf, versionOf, viewsOf } from "./call-views.ts";
import { CompiledRules, type Monitor } from "./compile-rules.ts";
import { findingsOf, type RuleMemo, rewrittenArgs } from "./find-violations.ts";
import { predicateInput } from "./predicate/predicate-input.ts";
import { NO_RULES_STATE, nextPlace, type PendingSighting, type RulesState, settledFor, sight } from "./rules-state.ts";

type Decided = { readonly kind: "allow" | "ask" | "deny"; readonly memo: unknown };

type Watched = readonly { readonly name: string; readonly monitor: Monitor }[];

/** How long a soft denial rests after it has been said once. */
const REST_MS = 120_000;

/**
 * Rules as data, all of an agent's rules in one policy. Cost is the leaves of the rules on the called tool, whatever the
 * history; what they remember is state like any other, so that snapshot, restart and replay keep it.
 */
export class RulesPolicy implements ToolPolicy<RulesState> {
  readonly name: string;
  readonly initial: RulesState = NO_RULES_STATE;
  readonly rules: CompiledRules;
  readonly rewrites: boolean;
  readonly #watching = { succeeded: new NamesMemo<Watched>(), allowed: new NamesMemo<Watched>() };

  constructor(ruleSet: RuleSet, options: { readonly name?: string } = {}) {
    checkOptions("RulesPolicy", ruleSet, RULE_SET);
    checkOptions("RulesPolicy", options, { name: optional(name) });
    this.name = options.name ?? "rules";
    this.rules = new CompiledRules(ruleSet);
    this.rewrites = ruleSet.rules.some((rule) => rule.set !== undefined);
  }

  /** Files that predicates ask about and that the call does not name as its own. */
  async gather(
    call: ToolCall,
    { filesystem }: { readonly filesystem?: Filesystem },
    signal: AbortSignal,
  ): Promise<Json> {
    const exists: Record<string, boolean> = Object.create(null);
    if (filesystem === undefined) return exists;
    for (const argument of this.rules.filesFor([call.tool, ...call.actions])) {
      const path = call.args[argument];
      if (typeof path === "string") exists[path] = (await filesystem.look(path, signal)).exists;
    }
    return exists;
  }

  check(call: ToolCall, context: PolicyContext<RulesState>): PolicyDecision {
    const matching = this.rules.rulesOn(call);
    const records = this.#allowedSightings(call, context);
    if (matching.length === 0 && records.length === 0) return { kind: "allow" };
    const state = settledFor(context.state, call.step, this.rules.monitors);
    const input = rewrittenArgs(matching, call, context, this.name);
    const final = input === undefined ? call : { ...call, args: input };
    const found = findingsOf(matching, final, { ...context, state }, this.rules, this.name);
    const memo: RuleMemo = { ...found.memo, records };
    return { kind: "rules", findings: found.findings, memo, input };
  }

  /** What was reserved and let through counts from here; a soft denial has been said, and rests. */
  onDecided(call: ToolCall, decided: Decided, context: PolicyContext<RulesState>): RulesState {
    const memo = decided.memo as RuleMemo | undefined;
    if (memo === undefined) return context.state;
    let state = settledFor(context.state, call.step, this.rules.monitors);
    for (const key of memo.rests) state = { ...state, rests: state.rests.set(key, context.session.now + REST_MS) };
    if (decided.kind === "deny") return state;
    for (const key of memo.reserves) {
      state = { ...state, counters: state.counters.set(key, (state.counters.get(key) ?? 0) + 1) };
    }
    // Whether a call that is put to a person is let through shows when it has run.
    const sightings = decided.kind === "ask" ? memo.records : [];
    if (memo.reserves.length > 0 || sightings.length > 0) {
      state = { ...state, held: state.held.set(call.id, { counters: memo.reserves, sightings }) };
    }
    return decided.kind === "allow" ? this.#allowed(state, call, memo.records) : state;
  }

  /** A call that never ran gives back what it had reserved; one that failed does not. */
  onSettled(call: ToolCall, outcome: Outcome, { state: before }: PolicyContext<RulesState>): RulesState {
    const held = before.held.get(call.id);
    if (held === undefined) return before;
    const state = { ...before, held: before.held.delete(call.id) };
    if (outcome !== "denied" && outcome !== "cancelled") return this.#allowed(state, call, held.sightings);
    let { counters } = state;
    for (const key of held.counters) {
      const count = (counters.get(key) ?? 0) - 1;
      counters = count > 0 ? counters.set(key, count) : counters.delete(key);
    }
    return { ...state, counters };
  }

  /** What was let through counts when its step is over; at once where there are no steps. */
  #allowed(state: RulesState, call: ToolCall, sightings: readonly PendingSighting[]): RulesState {
    if (sightings.length === 0) return state;
    const pending = { step: call.step ?? null, sightings: [...state.pending.sightings, ...sightings] };
    const next = { ...state, pending };
    return call.step === undefined ? settledFor(next, undefined, this.rules.monitors) : next;
  }

  onResult(call: ToolCall, _result: ToolResult, context: PolicyResultContext<RulesState>): RulesState {
    let state = nextPlace(settledFor(context.state, undefined, this.rules.monitors));
    const at = context.session.now;
    for (const { name, monitor } of this.#watched(call, "succeeded")) {
      // A read counts as of before it ran, a write as of after.
      const facts = name === "write_file" || name === "edit_file" ? context.facts : context.factsAtCall;
      for (const view of viewsOf(call, name)) {
        if (!this.#counts(monitor, call, view, context)) continue;
        // Paths as they were at the call, with those found afterwards for what the call has made.
        const tuple = tupleOf(view, monitor.theirs, context.factsAtCall, context.facts);
        if (tuple === undefined) continue;
        const version = monitor.fresh ? versionOf(view, facts) : undefined;
        state = sight(state, monitor, tuple, { at, version });
      }
    }
    return state;
  }

  #allowedSightings(call: ToolCall, context: PolicyContext<RulesState>): readonly PendingSighting[] {
    const at = context.session.now;
    return this.#watched(call, "allowed").flatMap(({ name, monitor }) =>
      viewsOf(call, name).flatMap((view): readonly PendingSighting[] => {
        if (!this.#counts(monitor, call, view, context)) return [];
        const tuple = tupleOf(view, monitor.theirs, context.facts);
        return tuple === undefined ? [] : [{ of: call.id, monitor: monitor.id, tuple, at }];
      }),
    );
  }

  /**
   * What a call shows to whom. Evidence is strict: only what the call surely is. What stands under a `not` or after a
   * `since` is generous: `sed -i x a.ts && true` proves no edit, and yet the tests before it are out of date.
   */
  #watched(call: ToolCall, counts: Monitor["counts"]): Watched {
    const { tool, actions, proves } = call;
    const others = proves.length === 0 ? actions : [...actions, "proves:", ...proves];
    return this.#watching[counts].get(tool, others, () => {
      const strict = this.#closed([tool, ...proves]);
      const generous = this.#closed([tool, ...actions, ...proves]);
      return [...generous].flatMap((name) =>
        this.rules
          .monitorsOf(name)
          .filter((monitor) => monitor.counts === counts && (monitor.kept || strict.has(name)))
          .map((monitor) => ({ name, monitor })),
      );
    });
  }

  #closed(names: readonly string[]): ReadonlySet<string> {
    return new Set(names.flatMap((name) => [...this.rules.implied(name)]));
  }

  #counts(
    monitor: Monitor,
    call: ToolCall,
    view: JsonObject,
    context: Pick<PolicyContext, "session" | "facts">,
  ): boolean {
    return monitor.where === undefined || monitor.where(predicateInput(call, view, context, this.name)) === true;
  }
}

const RULE: ShapesOf<Rule> = {
  id: name,
  on: names,
  unless: optional(text),
  when: optional(text),
  require: optional(object),
  atMost: optional(shape({ count: number, per: names })),
  set: optional(object),
  effect: oneOf("end-turn", "deny", "soft-deny", "ask", "warn", "remind", "shadow"),
  say: optional(text),
  place: optional(object),
};
/** Rules as `parseRules` gives them; `defineAgent({ rules })` takes those that are written as in YAML. */
const RULE_SET: ShapesOf<RuleSet> = {
  actions: mapOf(shape({ tool: name, command: optional(text), implies: optional(names) })),
  rules: listOf(shape(RULE)),
};
