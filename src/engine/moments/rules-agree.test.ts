import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "../../base/words/json.ts";
import type { CallLeaf, Condition, Effect, Rule, RuleSet } from "../../base/words/rule.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { testConduct } from "../session/test/test-conduct.ts";

/**
 * The rules once more, in the plainest way: the whole history is kept and scanned for every question. Nothing of the
 * compiled engine is used.
 */
type Happened = {
  readonly seq: number;
  readonly at: number;
  readonly names: readonly string[];
  readonly args: JsonObject;
};
type Truth = boolean | undefined;

class NaiveRules {
  readonly #set: RuleSet;
  #succeeded: Happened[] = [];
  #allowed: Happened[] = [];
  #waiting: { step: string; succeeded: Happened[]; allowed: Happened[] } = { step: "", succeeded: [], allowed: [] };
  readonly #counted: { readonly rule: string; readonly args: JsonObject }[] = [];
  #seq = 0;

  constructor(set: RuleSet) {
    this.#set = set;
  }

  /** Ids of the rules that are not satisfied, with their effects. */
  decide(tool: string, args: JsonObject, step: string, now: number): readonly { id: string; effect: Effect }[] {
    this.#open(step);
    return this.#set.rules.flatMap((rule) => {
      if (!rule.on.includes(tool)) return [];
      if (rule.unless !== undefined && predicate(rule.unless, args) === true) return [];
      if (rule.when !== undefined && predicate(rule.when, args) === false) return [];
      const met = rule.require === undefined ? true : this.#holds(rule.require, args, now);
      const left = rule.atMost === undefined || this.#left(rule, args);
      const demands = rule.require !== undefined || rule.atMost !== undefined;
      return met === true && left && demands ? [] : [{ id: rule.id, effect: rule.effect }];
    });
  }

  admit(tool: string, args: JsonObject, at: number): void {
    this.#waiting.allowed.push({ seq: 0, at, names: this.#establishes(tool), args });
    for (const rule of this.#set.rules) {
      const applies =
        rule.on.includes(tool) &&
        !(rule.unless !== undefined && predicate(rule.unless, args) === true) &&
        !(rule.when !== undefined && predicate(rule.when, args) === false);
      if (applies && rule.atMost !== undefined) this.#counted.push({ rule: rule.id, args });
    }
  }

  succeed(tool: string, args: JsonObject): void {
    this.#waiting.succeeded.push({ seq: 0, at: 0, names: this.#establishes(tool), args });
  }

  #open(step: string): void {
    if (step === this.#waiting.step) return;
    const waiting = this.#waiting;
    this.#waiting = { step, succeeded: [], allowed: [] };
    this.#closing = waiting;
  }

  #closing: { succeeded: Happened[]; allowed: Happened[] } | undefined;

  /** What the step before has shown counts as of the time at which the next one opens. */
  settle(now: number): void {
    const closing = this.#closing;
    if (closing === undefined) return;
    this.#closing = undefined;
    for (const one of closing.allowed) this.#allowed.push({ ...one, seq: ++this.#seq });
    for (const one of closing.succeeded) this.#succeeded.push({ ...one, at: now, seq: ++this.#seq });
  }

  open(step: string, now: number): void {
    this.#open(step);
    this.settle(now);
  }

  #holds(condition: Condition, args: JsonObject, now: number): Truth {
    switch (condition.kind) {
      case "all": {
        const parts = condition.of.map((one) => this.#holds(one, args, now));
        return parts.includes(false) ? false : parts.includes(undefined) ? undefined : true;
      }
      case "any": {
        const parts = condition.of.map((one) => this.#holds(one, args, now));
        return parts.includes(true) ? true : parts.includes(undefined) ? undefined : false;
      }
      case "not": {
        const of = this.#holds(condition.of, args, now);
        return of === undefined ? undefined : !of;
      }
      case "call":
        return this.#seen(condition, args, now);
    }
  }

  #seen(leaf: CallLeaf, args: JsonObject, now: number): Truth {
    if (leaf.same.some(({ mine }) => args[mine] === undefined || args[mine] === null)) return undefined;
    const history = leaf.counts === "allowed" ? this.#allowed : this.#succeeded;
    const matching = history.filter(
      (one) =>
        one.names.includes(leaf.call) &&
        (leaf.where === undefined || predicate(leaf.where, one.args) === true) &&
        leaf.same.every(({ mine, theirs }) => one.args[theirs] === args[mine]),
    );
    const last = matching.at(-1);
    if (last === undefined) return false;
    const { since } = leaf;
    if (since !== undefined && this.#succeeded.some((one) => one.names.includes(since) && one.seq > last.seq))
      return false;
    return leaf.within === undefined || now - last.at <= leaf.within;
  }

  #left(rule: Rule, args: JsonObject): boolean {
    const { count, per } = rule.atMost ?? { count: 0, per: [] };
    if (per.some((name) => args[name] === undefined || args[name] === null)) return false;
    const used = this.#counted.filter(
      (one) => one.rule === rule.id && per.every((name) => one.args[name] === args[name]),
    );
    return used.length < count;
  }

  #establishes(tool: string): readonly string[] {
    const names = new Set([tool]);
    for (const name of names) for (const more of this.#set.actions[name]?.implies ?? []) names.add(more);
    return [...names];
  }
}

/** The few predicates of this test, by hand. */
function predicate(source: string, args: JsonObject): Truth {
  if (source === "args.x == 1") return args.x === undefined || args.x === null ? undefined : args.x === 1;
  if (source === "has(args.y)") return args.y !== undefined && args.y !== null;
  throw new Error(source);
}

const TOOLS = ["a", "b", "c", "d"] as const;
const tool = fc.constantFrom(...TOOLS);
const value = fc.constantFrom(1, 2, null, undefined);
const args = fc.record({ x: value, y: value }).map(
  ({ x, y }): JsonObject => ({
    ...(x === undefined ? {} : { x }),
    ...(y === undefined ? {} : { y }),
  }),
);
const same = fc.array(fc.record({ mine: fc.constantFrom("x", "y"), theirs: fc.constantFrom("x", "y") }), {
  maxLength: 2,
});
const source = fc.constantFrom("args.x == 1", "has(args.y)");
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 3 });

const leaf: fc.Arbitrary<Condition> = fc
  .record({
    call: tool,
    same,
    within: maybe(fc.constantFrom(5, 20)),
    since: maybe(tool),
    where: maybe(source),
    counts: fc.constantFrom("succeeded", "succeeded", "allowed"),
  })
  .map(({ within, since, where, ...rest }) => ({
    kind: "call" as const,
    fresh: false,
    ...rest,
    ...(within === undefined ? {} : { within }),
    // Which came first is told by the order in which things counted; what was merely allowed counts in another order.
    ...(since === undefined || rest.counts === "allowed" ? {} : { since }),
    ...(where === undefined ? {} : { where }),
  }));
const condition: fc.Arbitrary<Condition> = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.record({ kind: fc.constantFrom("all", "any"), of: fc.array(tie("condition"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ kind: fc.constant("not" as const), of: tie("condition") }),
  ),
})).condition;

const rules: fc.Arbitrary<RuleSet> = fc
  .record({
    rules: fc.array(
      fc.record({
        on: fc.uniqueArray(tool, { minLength: 1, maxLength: 2 }),
        when: maybe(source),
        unless: maybe(source),
        require: maybe(condition),
        atMost: maybe(fc.record({ count: fc.constantFrom(1, 2), per: fc.constantFrom([], ["x"], ["x", "y"]) })),
        effect: fc.constantFrom<Effect>("deny", "deny", "warn", "shadow"),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    implies: maybe(fc.tuple(tool, tool)),
  })
  .map(({ rules: drafts, implies }) => ({
    actions: implies === undefined ? {} : { [implies[0]]: { tool: implies[0], implies: [implies[1]] } },
    rules: drafts.map(
      ({ when, unless, require, atMost, ...rest }, i): Rule => ({
        id: `r${i}`,
        ...rest,
        ...(when === undefined ? {} : { when }),
        ...(unless === undefined ? {} : { unless }),
        ...(require === undefined ? {} : { require }),
        ...(atMost === undefined ? {} : { atMost }),
      }),
    ),
  }));

const history = fc.array(fc.record({ tool, args, ok: fc.boolean(), sameStep: fc.boolean(), pass: fc.nat(8) }), {
  minLength: 1,
  maxLength: 12,
});

it("RU-1 the compiled monitors agree with a naive evaluator that scans the whole history", async () => {
  await fc.assert(
    fc.asyncProperty(rules, history, async (set, calls) => {
      const { open, pass } = testConduct({ policies: [new RulesPolicy(set)] });
      const session = open();
      const naive = new NaiveRules(set);
      let step = 0;
      for (const [i, call] of calls.entries()) {
        pass(call.pass);
        if (!call.sameStep) step += 1;
        const { now } = session.view;
        naive.open(`s${step}`, now);
        const expected = naive.decide(call.tool, call.args, `s${step}`, now);
        const made = { id: `c${i}`, tool: call.tool, args: call.args, step: `s${step}` };
        const decision = await session.onCall(made);
        const denied = expected.filter(({ effect }) => effect === "deny").map(({ id }) => id);
        const said = decision.kind === "deny" ? [decision.rule, ...decision.others.map(({ rule }) => rule)].sort() : [];
        expect(said, JSON.stringify({ call, i })).toEqual(denied);
        if (decision.kind !== "allow") continue;
        const warned = expected.filter(({ effect }) => effect === "warn").map(({ id }) => id);
        expect(decision.advice.map(({ rule }) => rule)).toEqual(warned);
        naive.admit(call.tool, call.args, now);
        await session.onResult(made, { outcome: call.ok ? "ok" : "failed", parts: [] });
        if (call.ok) naive.succeed(call.tool, call.args);
      }
    }),
    { numRuns: 10_000 },
  );
}, 300_000);
