import fc from "fast-check";
import { expect, it } from "vitest";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { defineAgent } from "../agent/define-agent.ts";
import { parseRules } from "../agent/rules/parse-rules.ts";
import { testConduct } from "../session/test/test-conduct.ts";
import { EventReplayer } from "./event-replayer.ts";
import { ReplayAgents } from "./replay-agents.ts";
import { record } from "./test/recording.ts";
import { agentsOf, settingArbitrary } from "./test/setting.ts";
import { ruleSetArbitrary, stepArbitrary } from "./test/steps.ts";

it("RP-1 a replay of any recorded session under unchanged rules reports no difference", async () => {
  await fc.assert(
    fc.asyncProperty(
      ruleSetArbitrary,
      fc.array(stepArbitrary, { minLength: 1, maxLength: 60, size: "max" }),
      settingArbitrary,
      fc.constantFrom(undefined, "replace" as const, "add" as const),
      async (ruleSet, steps, setting, how) => {
        const { sessions, standing } = await record(ruleSet, steps, setting);
        const change = how === undefined ? undefined : { how, ruleSet };
        const replayer = new EventReplayer(new ReplayAgents(agentsOf(ruleSet, setting), change, standing));
        for (const events of sessions) {
          const { changes, calls } = replayer.replay(events);
          expect(calls).toBe(events.filter(({ type }) => type === "call").length);
          // Where a rule looks into a secret, or a policy into results, nobody can tell; never anything else.
          const open = setting.code.includes("forgetful") ? ["redacted", "results"] : ["redacted"];
          expect(changes.filter((one) => one.kind !== "cannot-tell" || !open.includes(one.code))).toEqual([]);
        }
      },
    ),
    process.env.CONDUCT_FUZZ === undefined ? { numRuns: 200 } : {},
  );
}, 600_000);

it("RP-8 in a replay a prompt that waits closes the step when it begins, and evidence is as old as that", async () => {
  const parsed = parseRules(
    "rules:\n  - { id: recent, on: deploy, require: { call: check, within: 10m } }\n",
    "r.yaml",
  );
  if ("faults" in parsed) throw new Error("faults");
  const policies = [new RulesPolicy(parsed.ruleSet)];
  const { open, pass, events } = testConduct({ policies });
  const session = open({ id: "s" });
  const play = async (tool: string, step: string) => {
    const call = { id: `${tool} ${step}`, tool, args: {}, step };
    const { kind } = await session.onCall(call);
    if (kind === "allow") await session.onResult(call, { outcome: "ok", parts: [] });
    return kind;
  };
  await play("check", "1");
  pass(2 * 60_000);
  const prompt = session.onPrompt();
  pass(5 * 60_000);
  await prompt;
  pass(4 * 60_000);
  expect(await play("deploy", "2")).toBe("allow");
  pass(2 * 60_000);
  expect(await play("deploy", "3")).toBe("deny");
  const replayer = new EventReplayer(new ReplayAgents([defineAgent({ name: "agent", policies })]));
  expect(replayer.replay(events)).toMatchObject({ calls: 3, changes: [] });
});
