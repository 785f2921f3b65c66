import fc from "fast-check";
import type { Outcome } from "../../../base/words/call.ts";
import type { Part } from "../../../base/words/result.ts";
import type { CallLeaf, Condition, Effect, Rule, RuleSet } from "../../../base/words/rule.ts";
import type { Step } from "./steps.ts";

/** Few names, so that calls often depend on each other. */
const TOOLS = ["search", "check", "ship"] as const;
/** Denied only by the old rules, or only by the new ones. */
const MARK = "marked";
/** Maximum of calls that may change; with more, not every branch is followed to its end. */
const MARKS = 3;

const plain = fc.record({
  kind: fc.constant("call" as const),
  call: fc.constantFrom("check", "check", "search", "search", "ship"),
  same: fc.constantFrom([], [{ mine: "user", theirs: "user" }]),
  fresh: fc.constant(false),
  counts: fc.constantFrom("succeeded" as const, "succeeded" as const, "allowed" as const),
});
const leaf: fc.Arbitrary<CallLeaf> = fc.oneof(
  { weight: 4, arbitrary: plain },
  {
    weight: 4,
    arbitrary: fc
      .tuple(plain, fc.constantFrom<Partial<CallLeaf>>({ within: 60_000 }, { since: "check" }, { since: "search" }))
      .map(([one, more]) => ({ ...one, ...more })),
  },
);
const condition: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 3, arbitrary: leaf },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("all" as const, "any" as const),
      of: fc.array(leaf, { minLength: 2, maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: leaf.map((of): Condition => ({ kind: "not", of })) },
);
const effect = fc.constantFrom<Effect>("deny", "deny", "soft-deny", "ask", "warn", "shadow");
const rule = fc.oneof(
  { weight: 4, arbitrary: fc.record({ on: on(), require: condition, effect }) },
  {
    weight: 1,
    arbitrary: fc.record({
      on: on(),
      atMost: fc.constantFrom({ count: 1, per: ["user"] }, { count: 2, per: [] }),
      effect,
    }),
  },
);

function on() {
  return fc.constantFrom("ship", "ship", "ship", "check", "search").map((tool) => [tool]);
}

/** Depends on an earlier `ls` instead of the mark, so equal calls can be decided differently. */
const gate: Condition = { kind: "call", call: "ls", same: [], fresh: false, counts: "allowed" };
const blocks: fc.Arbitrary<readonly Omit<Rule, "id">[]> = fc.constantFrom<readonly Omit<Rule, "id">[]>(
  [{ on: [...TOOLS], when: `has(args.${MARK})`, effect: "deny" }],
  [{ on: ["search"], require: gate, effect: "deny" }],
  [{ on: ["search"], require: gate, effect: "ask" }],
  [{ on: [...TOOLS], when: `has(args.${MARK})`, effect: "ask" }],
);

function ruleSet(rules: readonly Omit<Rule, "id">[]): RuleSet {
  return {
    actions: {},
    rules: rules.map((one, at): Rule => ({ id: `r${at}`, ...one, place: { file: "rules.yaml", line: at + 1 } })),
  };
}

/** The same rules, except that blocking rules are only in the old or only in the new set. */
export const changedRulesArbitrary: fc.Arbitrary<{ readonly old: RuleSet; readonly now: RuleSet }> = fc
  .record({ rules: fc.array(rule, { minLength: 1, maxLength: 3 }), blocks, before: fc.integer({ min: 0, max: 3 }) })
  .map(({ rules, blocks, before }) => {
    const [blocked, free] = [ruleSet([...rules, ...blocks]), ruleSet(rules)];
    return before > 0 ? { old: blocked, now: free } : { old: free, now: blocked };
  });

const args = fc.record({ user: fc.constantFrom("ann", "bob") });
const parts: readonly Part[] = [{ kind: "text", text: "the same" }];
const call = fc.record(
  {
    kind: fc.constant("call" as const),
    tool: fc.constantFrom<string>(...TOOLS, ...TOOLS, "ls"),
    args,
    step: fc.constantFrom("1", "2"),
    outcome: fc.constantFrom<Outcome | "none">("ok", "ok", "ok", "ok", "ok", "failed", "none"),
    parts: fc.constant(parts),
  },
  { requiredKeys: ["kind", "tool", "args", "outcome", "parts"] },
);
const marked = call.map((one): Step => ({ ...one, args: { ...one.args, [MARK]: true } }));

type What = Extract<Step, { kind: "plain" }>["what"];

function stepOf(whats: readonly What[]): fc.Arbitrary<Step> {
  return fc.oneof(
    { weight: 10, arbitrary: call },
    { weight: 2, arbitrary: marked },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("again" as const), times: fc.constantFrom(2, 8, 12) }) },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: "message", text: "go on", role: undefined }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("answer" as const),
        answer: fc.constantFrom("yes" as const, "no" as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(1_000, 70_000) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("plain" as const), what: fc.constantFrom(...whats) }) },
  );
}

/** Keeps only the first few marks. */
function fewMarks(steps: readonly Step[]): readonly Step[] {
  let marks = 0;
  return steps.map((step) => {
    if (step.kind !== "call" || step.args[MARK] === undefined) return step;
    marks += 1;
    const { [MARK]: _, ...args } = step.args;
    return marks <= MARKS ? step : { ...step, args };
  });
}

/** Once or twice, then repeatedly: the first outcome decides when the loop guard triggers. */
const circle: fc.Arbitrary<readonly Step[]> = fc
  .record({ args, first: fc.constantFrom(1, 2) })
  .map(({ args, first }) => {
    const search: Step = { kind: "call", tool: "search", args, outcome: "ok", parts };
    const ls: Step = { kind: "call", tool: "ls", args: {}, outcome: "ok", parts };
    return [...Array.from({ length: first }, () => search), ls, search, { kind: "again", times: 12 }];
  });

/** Few calls that may change, and many that depend on their outcome. */
export function coursesArbitrary(whats: readonly What[]): fc.Arbitrary<readonly Step[]> {
  const some = fc.oneof(
    { weight: 40, arbitrary: stepOf(whats).map((step): readonly Step[] => [step]) },
    { weight: 1, arbitrary: circle },
  );
  return fc.array(some, { minLength: 8, maxLength: 30, size: "max" }).map((chunks) => fewMarks(chunks.flat()));
}
