import { FileOutputChecker } from "../../behavior/completion/file-output-checker.ts";
import { StaticFeedbackProvider } from "../../behavior/feedback/static-feedback-provider.ts";
import { SequentialDependencyPolicy } from "../../behavior/policy/sequential-dependency-policy.ts";
import { defineAgent } from "../../engine/agent/define-agent.ts";
import { check, checkContains, checkLacks, resultOf, stops } from "./expect.ts";
import type { Scenario } from "./scenario.ts";

/** Everything it could tell, deny, cut or refuse has a mark of its own. */
const strict = defineAgent({
  name: "strict",
  soul: "SHADOW-SOUL",
  sections: [{ heading: "Task", content: "SHADOW-SECTION" }],
  actions: { test: { tool: "shell", command: "sh test.sh" }, deploy: { tool: "shell", command: "sh deploy.sh" } },
  policies: [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
  feedback: [{ provider: new StaticFeedbackProvider({ feedback: "SHADOW-FEEDBACK" }), trigger: { everyNCalls: 1 } }],
  completion: new FileOutputChecker({ files: ["shadow-report.md"] }),
  limits: { window: 2_000 },
});

/** More than the results of a turn may take of that window, and less than what the runtimes cut by themselves. */
const bigFile = Array.from({ length: 300 }, (_, i) => `line ${i + 1}: the quick brown fox ${i * 7919}`).join("\n");

const NEVER = ["SHADOW-", "GATEWAY_BEHAVIOR_CONTRACT", "requires: test", "Output truncated", "shadow-report.md"];

export const shadowScenarios: readonly Scenario[] = [
  {
    id: "shadow-notices-nothing",
    title:
      "a session in shadow: the model is sent what it would be without Conduct, and all that would have been is on record",
    needs: ["shadow"],
    async run(driver) {
      const message = "/think:high /verbose deploy it, and keep  this";
      const outcome = await driver.run({
        agent: strict,
        message,
        files: { "deploy.sh": "echo deployed > deployed.txt; cat big.txt", "big.txt": bigFile },
        session: { enforcement: "shadow" },
        script: [
          { calls: [{ id: "call_1", tool: "shell", args: { command: "sh deploy.sh" } }] },
          { text: "Deployed." },
        ],
      });
      check(outcome.requests.length === 2, `two model requests expected, ${outcome.requests.length} seen`);
      for (const { raw } of outcome.requests) for (const mark of NEVER) checkLacks(raw, mark, "a model request");
      checkContains(outcome.requests[0]?.lastUserText ?? "", message, "what the model was sent");
      checkLacks(outcome.requests[0]?.raw ?? "", "Think step-by-step", "a model request");
      check(outcome.file("deployed.txt") !== undefined, `in shadow the call runs: ${resultOf(outcome, "call_1")}`);
      for (const line of ["line 1: ", "line 150: ", "line 300: "])
        checkContains(resultOf(outcome, "call_1").replace(/\\n/g, "\n"), line, "the result");
      check(outcome.shown.join("") === "", `the person was shown: ${outcome.shown.join(" / ")}`);
      const calls = outcome.events.flatMap((event) => (event.type === "call" ? [event] : []));
      check(
        calls.length === 1 && calls[0]?.shadows?.[0]?.code === "missing-prerequisite",
        `what would have been denied is not on record: ${JSON.stringify(calls.map(({ shadows }) => shadows))}`,
      );
      check(
        stops(outcome).join() === "refused",
        `the stop that would have been refused is recorded as ${stops(outcome)}`,
      );
      const enforced = outcome.events.filter(({ observing }) => observing !== "shadow");
      check(enforced.length === 0, `events that say nothing of shadow: ${enforced.map(({ type }) => type).join()}`);
    },
  },
];
