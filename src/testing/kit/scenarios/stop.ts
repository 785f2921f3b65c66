import type { JsonObject } from "../../../base/words/json.ts";
import type { KitReply } from "../driver.ts";
import { check, checkContains, checkStops, stops } from "../expect.ts";
import { commands, configOf, type Scenario } from "./scenario.ts";

function finisher(completion: JsonObject | undefined, limits: JsonObject = {}): string {
  return configOf("finisher", {
    actions: { test: { tool: "shell", command: "sh test.sh" } },
    ...(completion === undefined ? {} : { completion }),
    limits,
  });
}

const output = { files: ["output.txt"] };
const writeOutput: KitReply = {
  calls: [{ id: "call_w", tool: "write_file", args: { path: "output.txt", content: "result\n" } }],
};

/** Seed 001's ACK scenarios for task completion, plus a limit that the seed did not have. */
export const stopScenarios: readonly Scenario[] = [
  {
    id: "test_task_completion_blocks_early_stop",
    title: "a stop is refused while a required file is missing, then allowed",
    needs: ["stop"],
    async run(driver) {
      const outcome = await driver.run({
        config: finisher(output),
        message: "write the output",
        script: [{ text: "Done!" }, writeOutput, { text: "Now it is done." }],
      });
      checkStops(outcome, "refused,complete");
      checkContains(outcome.requests[1]?.raw ?? "", "output.txt", "the request after the refused stop");
      check(outcome.unplayed === 0, `the agent stopped early: ${outcome.unplayed} replies were never asked for`);
    },
  },
  {
    id: "test_task_completion_allows_stop_when_complete",
    title: "a stop is allowed when the required file is there",
    needs: ["stop"],
    async run(driver) {
      const outcome = await driver.run({
        config: finisher(output),
        message: "write the output",
        files: { "output.txt": "there\n" },
        script: [{ text: "Done." }],
      });
      checkStops(outcome, "complete");
      check(outcome.requests.length === 1, `one model request expected, ${outcome.requests.length} seen`);
    },
  },
  {
    id: "test_task_completion_skipped_on_deadline_exhaustion",
    title: "past the deadline the agent may stop, and the status says bypassed",
    needs: ["stop"],
    async run(driver) {
      const outcome = await driver.run({
        config: finisher(output, { deadline: "1ms" }),
        message: "go",
        script: [{ text: "Out of time." }],
      });
      checkStops(outcome, "bypassed");
    },
  },
  {
    id: "test_task_completion_skipped_on_budget_exhaustion",
    title: "without budget the agent may stop, and the status says bypassed",
    needs: ["stop", "deny"],
    async run(driver) {
      const outcome = await driver.run({
        config: finisher(output, { calls: 1 }),
        message: "go",
        script: commands("echo hi"),
      });
      checkStops(outcome, "bypassed");
    },
  },
  {
    id: "test_composite_checker_all_must_pass",
    title: "of two checkers the failing one speaks",
    needs: ["stop"],
    async run(driver) {
      const outcome = await driver.run({
        config: finisher({ files: ["there.txt", "output.txt"], command: "test -f there.txt" }),
        message: "go",
        files: { "there.txt": "x\n" },
        script: [{ text: "Done!" }, writeOutput, { text: "Done." }],
      });
      checkStops(outcome, "refused,complete");
      checkContains(outcome.requests[1]?.raw ?? "", "output.txt", "the request after the refused stop");
    },
  },
  {
    id: "test_no_checker_allows_free_stop",
    title: "without a checker a stop is free",
    needs: [],
    async run(driver) {
      const outcome = await driver.run({ config: finisher(undefined), message: "hello", script: [{ text: "Hello." }] });
      checkStops(outcome, "complete");
      check(outcome.requests.length === 1, `one model request expected, ${outcome.requests.length} seen`);
    },
  },
  {
    id: "stop-claim-is-checked",
    title: "a claim of done is checked against the record: a failing test does not count",
    needs: ["stop", "outcome"],
    async run(driver) {
      const test = (id: string): KitReply => ({ calls: [{ id, tool: "shell", args: { command: "sh test.sh" } }] });
      const outcome = await driver.run({
        config: finisher({ evidence: ["test"] }),
        message: "make the tests pass",
        files: { "test.sh": "test -f fixed.txt" },
        script: [
          test("call_1"),
          { text: "All tests pass!" },
          { calls: [{ id: "call_2", tool: "write_file", args: { path: "fixed.txt", content: "x\n" } }] },
          test("call_3"),
          { text: "Now they pass." },
        ],
      });
      checkStops(outcome, "refused,complete");
    },
  },
  {
    id: "stop-bound",
    title: "refusals end at the bound, and the status says incomplete",
    needs: ["stop", "stop-bound"],
    async run(driver) {
      const outcome = await driver.run({
        config: finisher(output, { stops: 2 }),
        message: "go",
        script: [{ text: "Done." }, { text: "Really done." }, { text: "I said done." }],
      });
      checkStops(outcome, "refused,refused,incomplete");
      check(outcome.requests.length === 3, `three model requests expected, ${outcome.requests.length} seen`);
      checkContains(outcome.requests[2]?.raw ?? "", "output.txt", "the last request");
    },
  },
  {
    id: "stop-cap",
    title: "where the runtime itself lets only so many refusals pass, the last stop is still told as what it is",
    needs: ["stop", "stop-bound"],
    async run(driver) {
      const outcome = await driver.run({
        config: finisher(output, { stops: 12 }),
        message: "go",
        script: Array.from({ length: 15 }, () => ({ text: "Done." })),
      });
      const [last, ...before] = stops(outcome).toReversed();
      check(last === "incomplete", `the turn ended on a stop that was ${last}, after ${before.length} others`);
      check(
        before.length > 0 && before.every((status) => status === "refused"),
        `stops were: ${stops(outcome).join()}`,
      );
      check(
        outcome.requests.length === before.length + 1,
        `${outcome.requests.length} requests, ${before.length} refusals`,
      );
    },
  },
];
