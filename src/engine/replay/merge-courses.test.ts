import fc from "fast-check";
import { expect, it } from "vitest";
import type { ConductEvent } from "../../base/words/event.ts";
import type { Rule, RuleSet } from "../../base/words/rule.ts";
import { CompiledAgent } from "../agent/compiled-agent.ts";
import { ReplayAgents } from "./replay-agents.ts";
import type { ReplayChange } from "./replay-change.ts";
import { EventReplayer } from "./replay-events.ts";
import { changedRulesArbitrary, coursesArbitrary } from "./test-courses.ts";
import { record } from "./test-recording.ts";
import { agentsOf } from "./test-setting.ts";
import type { Step } from "./test-steps.ts";
import { AgentCare } from "./unsure-calls.ts";

/** A change without names that are made up anew each time, and wording. */
const told = (changes: readonly ReplayChange[]) =>
  changes.map((one) => {
    const { call, kind, follows } = one;
    if (one.kind === "cannot-tell") return { call, kind, follows, code: one.code };
    const causes = one.causes.map((cause) => ({ kind: cause.kind, rule: "rule" in cause ? cause.rule : "" }));
    return { call, kind, follows, now: one.now.decision.kind, causes };
  });

/** Every way is followed; with more than so many it would take too long. */
const WAYS = 128;
const isLost = (one: ReplayChange) => one.kind === "cannot-tell" && one.why.includes("than are followed");

const ANY: RuleSet = { actions: {}, rules: [] };

const replay = (events: readonly ConductEvent[], ruleSet: RuleSet, ways: "merged" | "apart") =>
  new EventReplayer(new ReplayAgents(agentsOf(ruleSet)), ways, WAYS).replay(events).changes;

it("RP-9 courses that become one tell the same as all of them followed to the end", async () => {
  let hanging = 0;
  const whats = ["step-closed", "prompt", "agent", "compacted", "stop"] as const;
  const steps = fc.oneof(
    { weight: 3, arbitrary: coursesArbitrary(whats) },
    { weight: 1, arbitrary: coursesArbitrary([...whats, "resume"]) },
    { weight: 1, arbitrary: coursesArbitrary([...whats, "snapshot", "restore"]) },
  );
  await fc.assert(
    fc.asyncProperty(changedRulesArbitrary, steps, async ({ old, now }, steps) => {
      for (const events of (await record(old, steps)).sessions) {
        const apart = replay(events, now, "apart");
        if (apart.some(isLost)) continue;
        if (apart.some((one) => one.kind === "cannot-tell" && one.code === "outcome")) hanging += 1;
        expect(told(replay(events, now, "merged"))).toEqual(told(apart));
      }
    }),
    process.env.CONDUCT_FUZZ === undefined ? { numRuns: 300 } : {},
  );
  // Else there was nothing to tell apart, or nothing that could become one.
  expect(hanging).toBeGreaterThan(10);
  expect(agentsOf(ANY).every((agent) => new AgentCare(new CompiledAgent(agent, [])).ours)).toBe(true);
}, 600_000);

const call = (tool: string, more: Partial<Extract<Step, { kind: "call" }>> = {}): Step => ({
  kind: "call",
  tool,
  args: {},
  outcome: "ok",
  parts: [{ kind: "text", text: "the same" }],
  ...more,
});
const leaf = { kind: "call", same: [], fresh: false, counts: "succeeded" } as const;

/** What a random session seldom comes to: each row hangs on something that two courses must not be taken for one without. */
it.each<{ what: string; old: readonly Rule[]; now: readonly Rule[]; steps: readonly Step[]; told: readonly string[] }>([
  {
    what: "how often a call has brought nothing new in this turn",
    old: [],
    now: [{ id: "gate", on: ["search"], unless: "session.elevated", effect: "ask" }],
    steps: [call("search"), { kind: "modes", modes: { elevated: true } }, { kind: "again", times: 12 }],
    told: ["c1 newly-asked", "c11 cannot-tell"],
  },
  {
    what: "what has been since something else",
    old: [{ id: "no-check", on: ["check"], effect: "deny" }],
    now: [{ id: "fresh", on: ["ship"], require: { ...leaf, call: "search", since: "check" }, effect: "deny" }],
    steps: [call("search"), call("check"), call("wait"), call("ship")],
    told: ["c2 no-longer-denied", "c4 cannot-tell"],
  },
])("RP-9b courses are kept apart by $what", async ({ old, now, steps, told }) => {
  const written = (rules: readonly Rule[]): RuleSet => {
    return { actions: {}, rules: rules.map((rule) => ({ ...rule, place: { file: "rules.yaml", line: 1 } })) };
  };
  const { sessions } = await record(written(old), steps);
  const found = (ways: "merged" | "apart") =>
    replay(sessions[0] ?? [], written(now), ways).map((one) => `${one.call} ${one.kind}`);
  expect(found("apart")).toEqual(told);
  expect(found("merged")).toEqual(told);
});
