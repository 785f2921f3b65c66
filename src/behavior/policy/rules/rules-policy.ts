import { NamesMemo } from "../../../base/kernel/bounded-map.ts";
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
import { isDocumentation } from "../../../base/kernel/files/documentation.ts";
import { PersistentMap } from "../../../base/kernel/persistent-map.ts";
import type { Filesystem } from "../../../base/ports/filesystem.ts";
import type { Outcome, ToolCall } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type {
  PolicyContext,
  PolicyDecision,
  PolicyResultContext,
  Settled,
  ToolPolicy,
} from "../../../base/words/policy.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import type { Rule, RuleSet } from "../../../base/words/rule.ts";
import { namesOf, predicateInput, REPO, tupleOf, unplainPaths, versionOf, viewsOf } from "./call-views.ts";
import { CompiledRules, isAboutFiles, type Monitor, WORKSPACE_CHANGE } from "./compile-rules.ts";
import { findingsOf, type RuleMemo, rewrittenArgs, shownPaths } from "./evaluate-rules.ts";
import {
  type Attempt,
  NO_RULES_STATE,
  nextPlace,
  type PendingSighting,
  type RulesState,
  settledFor,
  sight,
} from "./rules-state.ts";

type GatherContext = { readonly filesystem?: Filesystem };
type Decided = { readonly kind: "allow" | "ask" | "deny"; readonly memo: unknown };

type Watched = readonly { readonly name: string; readonly monitor: Monitor }[];

/** More paths of one call are not looked up. */
const MAX_PATHS = 200;

/** How long a soft denial is not repeated. */
const REST_MS = 120_000;

/** All of an agent's rules as one policy. A check costs the leaves of the rules for the called tool, whatever the history. */
export class RulesPolicy implements ToolPolicy<RulesState> {
  readonly name: string;
  readonly initial: RulesState = NO_RULES_STATE;
  readonly rules: CompiledRules;
  readonly rewrites: boolean;
  readonly #watching = { succeeded: new NamesMemo<Watched>(), allowed: new NamesMemo<Watched>() };
  readonly #attempted = { ok: new NamesMemo<readonly Monitor[]>(), other: new NamesMemo<readonly Monitor[]>() };

  constructor(ruleSet: RuleSet, options: { readonly name?: string } = {}) {
    checkOptions("RulesPolicy", ruleSet, RULE_SET);
    checkOptions("RulesPolicy", options, { name: optional(name) });
    this.name = options.name ?? "rules";
    this.rules = new CompiledRules(ruleSet);
    this.rewrites = ruleSet.rules.some((rule) => rule.set !== undefined);
  }

  /** Looks up the files that predicates ask about. */
  async gather(call: ToolCall, { filesystem }: GatherContext, signal: AbortSignal): Promise<Json> {
    const found: Record<string, Json> = Object.create(null);
    if (filesystem === undefined) return found;
    const names = [call.tool, ...namesOf(call)];
    const views = names.flatMap((one) => viewsOf(call, one));
    const paths = this.rules.filesFor(names).flatMap((argument) => views.map((view) => view[argument]));
    for (const path of new Set([...paths, ...unplainPaths(call, views)].slice(0, MAX_PATHS))) {
      if (typeof path !== "string") continue;
      const { exists, inside, shown } = await filesystem.look(path, signal);
      found[path] = exists;
      found[`inside:${path}`] = inside;
      if (shown !== undefined) found[`shown:${path}`] = shown;
    }
    const wanted = this.rules.repoFor(names);
    if (wanted.length > 0 && filesystem.repository !== undefined)
      found[REPO] = await filesystem.repository(call, wanted);
    return found;
  }

  needsWorkspace(call: ToolCall, moment: "call" | "result"): boolean {
    if (moment === "call") return this.rules.rulesOn(call).some(({ require }) => isAboutFiles(require));
    return this.#watched(call, "succeeded").some(({ monitor }) => monitor.files === true);
  }

  check(call: ToolCall, context: PolicyContext<RulesState>): PolicyDecision {
    const matching = this.rules.rulesOn(call);
    const records = this.#allowedSightings(call, context);
    if (matching.length === 0 && records.length === 0) return { kind: "allow" };
    const state = settledFor(context.state, call.step, this.rules.monitors);
    const checked = { call, context: { ...context, state }, policy: this.name };
    const input = rewrittenArgs(matching, checked);
    const final = input === undefined ? checked : { ...checked, call: { ...call, args: input } };
    const { findings, memo } = findingsOf(matching, final);
    return { kind: "rules", findings, memo: { ...memo, records } satisfies RuleMemo, input };
  }

  /** Counts what the decision reserved, and starts the rest period of soft denials. */
  onDecided(call: ToolCall, decided: Decided, context: PolicyContext<RulesState>): RulesState {
    const memo = decided.memo as RuleMemo | undefined;
    if (memo === undefined) return context.state;
    let state = settledFor(context.state, call.step, this.rules.monitors);
    for (const key of memo.rests) state = { ...state, rests: state.rests.set(key, context.session.now + REST_MS) };
    if (decided.kind === "deny") return state;
    for (const key of memo.reserves) {
      state = { ...state, counters: state.counters.set(key, (state.counters.get(key) ?? 0) + 1) };
    }
    // A call that a person decides on counts once it has run.
    const sightings = decided.kind === "ask" ? memo.records : [];
    if (memo.reserves.length > 0 || sightings.length > 0) {
      state = { ...state, held: state.held.set(call.id, { counters: memo.reserves, sightings }) };
    }
    return decided.kind === "allow" ? this.#allowed(state, call, memo.records) : state;
  }

  /** Releases the reservations of a call that never ran; a failed call keeps them. */
  onSettled(call: ToolCall, outcome: Outcome, context: PolicyContext<RulesState> & Settled): RulesState {
    const before = this.#withAttempt(call, outcome, context);
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

  /** Remembers a call that ran and did not prove what it is. */
  #withAttempt(call: ToolCall, outcome: Outcome, context: PolicyContext<RulesState> & Settled): RulesState {
    const { state, session, exitCode, began = session.now } = context;
    if (outcome === "denied" || outcome === "cancelled") return state;
    const monitors = this.#unproven(call, outcome === "ok");
    if (monitors.length === 0) return state;
    let { attempts = PersistentMap.empty<Attempt>() } = state;
    for (const { id } of monitors) {
      const before = attempts.get(id);
      // A program of this call failed: that says more than the end of the call.
      if (outcome === "ok" && before?.outcome === "failed" && before.at >= began) continue;
      attempts = attempts.set(id, { at: session.now, outcome, exitCode });
    }
    return { ...state, attempts };
  }

  /** The monitors of what a call is, without those of what it proves by ending well. */
  #unproven(call: ToolCall, ended: boolean): readonly Monitor[] {
    const proves = ended ? provenBy(call) : [];
    return this.#attempted[ended ? "ok" : "other"].get(call.tool, keysOf(namesOf(call), proves), () => {
      const proven = ended ? this.#closed([call.tool, ...proves]) : new Set<string>();
      const names = this.#closed([call.tool, ...namesOf(call)]).difference(proven);
      return [...names].flatMap((one) => this.rules.monitorsOf(one)).filter(({ kept }) => !kept);
    });
  }

  /** Allowed calls count when their step is over; at once if the runtime has no steps. */
  #allowed(state: RulesState, call: ToolCall, sightings: readonly PendingSighting[]): RulesState {
    if (sightings.length === 0) return state;
    const pending = { step: call.step ?? null, sightings: [...state.pending.sightings, ...sightings] };
    const next = { ...state, pending };
    return call.step === undefined ? settledFor(next, undefined, this.rules.monitors) : next;
  }

  onResult(call: ToolCall, _result: ToolResult, context: PolicyResultContext<RulesState>): RulesState {
    let state = nextPlace(settledFor(context.state, undefined, this.rules.monitors));
    const at = context.session.now;
    const { workspace } = context.facts;
    const changed = changedFiles(call);
    for (const { name, monitor } of this.#watched(call, "succeeded")) {
      const isChange = monitor.call === WORKSPACE_CHANGE;
      if (isChange && changed.length > 0 && changed.every(isDocumentation)) continue;
      // A read counts with the version before it ran, a write with the version after it.
      const facts = name === "write_file" || name === "edit_file" ? context.facts : context.factsAtCall;
      for (const view of viewsOf(call, name)) {
        if (!this.#counts(monitor, call, view, context)) continue;
        // Paths as resolved at the call, or afterwards for files that the call created.
        const tuple = tupleOf(view, monitor.theirs, context.factsAtCall, context.facts);
        if (tuple === undefined) continue;
        const version = monitor.fresh ? versionOf(view, facts) : undefined;
        const files = monitor.files === true && workspace ? { at: workspace.at, mark: workspace.mark } : undefined;
        state = sight(state, monitor, tuple, {
          at,
          version,
          files,
          changed: isChange ? shownPaths(changed) : undefined,
        });
      }
    }
    return state;
  }

  #allowedSightings(call: ToolCall, context: PolicyContext<RulesState>): readonly PendingSighting[] {
    const watched = this.#watched(call, "allowed");
    if (watched.length === 0) return [];
    const at = context.session.now;
    return watched.flatMap(({ name, monitor }) =>
      viewsOf(call, name).flatMap((view): readonly PendingSighting[] => {
        if (!this.#counts(monitor, call, view, context)) return [];
        const tuple = tupleOf(view, monitor.theirs, context.facts);
        return tuple === undefined ? [] : [{ of: call.id, monitor: monitor.id, tuple, at }];
      }),
    );
  }

  /**
   * The monitors that a call counts for. Evidence is strict. Monitors under a `not` or in a `since` are generous:
   * `sed -i x a.ts && true` proves no edit, but earlier tests are outdated.
   */
  #watched(call: ToolCall, counts: Monitor["counts"]): Watched {
    const { tool } = call;
    const actions = namesOf(call);
    const proves = provenBy(call);
    return this.#watching[counts].get(tool, keysOf(actions, proves), () => {
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

  #counts({ where }: Monitor, call: ToolCall, view: JsonObject, context: Omit<PolicyContext, "state">): boolean {
    return where === undefined || where(predicateInput(call, view, context, this.name)) === true;
  }
}

/** The names that decide which monitors a call is for. */
function keysOf(actions: readonly string[], proves: readonly string[]): readonly string[] {
  return proves.length === 0 ? actions : [...actions, "proves:", ...proves];
}

/** Everything that an ok outcome of the call establishes. */
function provenBy({ proves, effects = [] }: ToolCall): readonly string[] {
  if (effects.length === 0) return proves;
  return [...proves, ...effects.filter(({ proven }) => proven).map(({ name }) => name)];
}

const CHANGING =
  /^(?:files\.(?:write|delete|move|patch|format|extract)|git\.(?:checkout|discard)|packages\.(?:manifest|remove))$/;

/** The files that a call names as changed; none if it may change others too. */
function changedFiles({ paths, unclear, effects = [] }: ToolCall): readonly string[] {
  const changes = effects.filter(({ name }) => CHANGING.test(name));
  const named = changes.map(({ args }) => (Array.isArray(args.paths) ? args.paths.map(String) : []));
  if (unclear !== undefined || named.some((list) => list.length === 0)) return [];
  const written = paths.filter(({ access, maybe }) => access !== "read" && maybe !== true).map(({ path }) => path);
  return [...new Set([...written, ...named.flat()])];
}

/** The rule sets of an agent: its own, and those that a workspace added. */
export function rulesOfAgent({ policies }: { readonly policies: readonly object[] }): readonly RuleSet[] {
  return policies.flatMap((policy) => (policy instanceof RulesPolicy ? [policy.rules.ruleSet] : []));
}

const RULE: ShapesOf<Rule> = {
  id: name,
  on: names,
  unless: optional(text),
  except: optional(text),
  when: optional(text),
  require: optional(object),
  atMost: optional(shape({ count: number, per: names })),
  set: optional(object),
  effect: oneOf("end-turn", "deny", "soft-deny", "ask", "warn", "remind", "shadow"),
  level: optional(oneOf("gentle", "standard", "strict")),
  why: optional(text),
  patterns: optional(mapOf(names)),
  say: optional(text),
  remember: optional(oneOf("session")),
  tag: optional(names),
  place: optional(object),
};

/** Rules as returned by `parseRules`; `defineAgent({ rules })` takes the YAML form. */
const RULE_SET: ShapesOf<RuleSet> = {
  actions: mapOf(shape({ tool: name, command: optional(text), implies: optional(names) })),
  rules: listOf(shape(RULE)),
  off: optional(listOf(object)),
};
