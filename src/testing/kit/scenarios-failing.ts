import type { ToolPolicy } from "../../base/words/policy.ts";
import { defineAgent } from "../../engine/agent/define-agent.ts";
import type { KitFailing, RuntimeDriver } from "./driver.ts";
import { check, checkContains, decisionsOn, resultOf } from "./expect.ts";
import type { Scenario } from "./scenario.ts";

const files = { "run.sh": "echo ran > ran.txt; echo it ran" };
const run = { calls: [{ id: "call_1", tool: "shell" as const, args: { command: "sh run.sh" } }] };

/** The call of an agent that has no rule at all: only the failure can have stopped it. */
async function playFailing(driver: RuntimeDriver, failing: KitFailing): Promise<void> {
  const outcome = await driver.run({
    agent: defineAgent({ name: "plain" }),
    message: "run it",
    files,
    failing,
    script: [run, { text: "It did not run." }],
  });
  check(outcome.file("ran.txt") === undefined, "the call ran, although nobody had decided on it");
  const text = resultOf(outcome, "call_1");
  checkContains(text, "Conduct", "what the model is told of the blocked call");
  check(!text.includes("it ran"), "the model was given the output of a call that must not run");
}

const throwing: ToolPolicy = {
  name: "throwing",
  check() {
    throw new Error("the policy is broken");
  },
};
const hanging: ToolPolicy = {
  name: "hanging",
  gather: () => new Promise(() => {}),
  check: () => ({ kind: "allow" }),
};

/** What cannot be decided does not run. */
export const failingScenarios: readonly Scenario[] = [
  {
    id: "failing-policy",
    title: "a policy that throws, or waits for ever, denies, and the model is told which",
    needs: ["deny"],
    async run(driver) {
      for (const policy of [throwing, hanging]) {
        const agent = defineAgent({ name: "broken", policies: [policy], limits: { gatherMs: 100 } });
        const outcome = await driver.run({ agent, message: "run it", files, script: [run, { text: "No." }] });
        check(decisionsOn(outcome, "call_1").join() === "deny", `${policy.name}: the call was not denied`);
        checkContains(resultOf(outcome, "call_1"), policy.name, "the result of the denied call");
        check(outcome.file("ran.txt") === undefined, `${policy.name}: the denied command ran all the same`);
      }
    },
  },
  {
    id: "failing-crash",
    title: "when Conduct fails at a call, the call does not run and the model is told why",
    needs: ["fail-closed"],
    run: (driver) => playFailing(driver, "crash"),
  },
  {
    id: "failing-hang",
    title: "when Conduct never answers, the call does not run and the model is told why",
    needs: ["fail-closed"],
    run: (driver) => playFailing(driver, "hang"),
  },
  {
    id: "failing-gone",
    title: "when there is nobody to ask, the call does not run and the model is told why",
    needs: ["no-daemon"],
    run: (driver) => playFailing(driver, "gone"),
  },
];
