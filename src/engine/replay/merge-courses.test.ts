import fc from "fast-check";
import { expect, it } from "vitest";
import type { ConductEvent } from "../../base/words/event.ts";
import type { RuleSet } from "../../base/words/rule.ts";
import { ReplayAgents } from "./replay-agents.ts";
import type { ReplayChange } from "./replay-change.ts";
import { EventReplayer } from "./replay-events.ts";
import { agentsOf, record } from "./test-recording.ts";
import { ruleSetArbitrary, stepArbitrary } from "./test-steps.ts";

/** A change without names that are made up anew each time, and wording. */
const told = (changes: readonly ReplayChange[]) =>
  changes.map((one) => {
    const { call, kind, follows } = one;
    if (one.kind === "cannot-tell") return { call, kind, follows, code: one.code };
    const causes = one.causes.map((cause) => ({ kind: cause.kind, rule: "rule" in cause ? cause.rule : "" }));
    return { call, kind, follows, now: one.now.decision.kind, causes };
  });

/** With more ways than this not every one is followed where they are kept apart, and less is known. */
const FORKS = 3;
const forks = (changes: readonly ReplayChange[]) =>
  changes.filter(({ kind }) => kind !== "newly-denied" && kind !== "otherwise").length;

const replay = (events: readonly ConductEvent[], ruleSet: RuleSet, ways: "merged" | "apart") =>
  new EventReplayer(new ReplayAgents(agentsOf(ruleSet)), ways).replay(events).changes;

it("RP-9 courses that become one tell the same as all of them followed to the end", async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(
      ruleSetArbitrary,
      ruleSetArbitrary,
      fc.array(stepArbitrary, { minLength: 1, maxLength: 40, size: "max" }),
      async (old, now, steps) => {
        for (const events of await record(old, steps, false)) {
          const apart = replay(events, now, "apart");
          if (forks(apart) > FORKS) continue;
          if (forks(apart) > 0) compared += 1;
          expect(told(replay(events, now, "merged"))).toEqual(told(apart));
        }
      },
    ),
    process.env.CONDUCT_FUZZ === undefined ? { numRuns: 100 } : {},
  );
  expect(compared).toBeGreaterThan(5);
}, 600_000);
