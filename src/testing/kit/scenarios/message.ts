import type { Capability } from "../../../base/words/hosting/capability.ts";
import type { Modes } from "../../../base/words/modes.ts";
import type { KitOutcome, KitRun, RuntimeDriver } from "../driver.ts";
import { check, checkContains, checkLacks, checkStops, decisionsOn, resultOf, toldIn } from "../expect.ts";
import { commands, configOf, numberedLines, play, type Scenario, shell } from "./scenario.ts";

const config = configOf("listener", { limits: { window: 8_000 } });
const window = 8_000;
const risky = configOf("careful", { tools: [{ name: "shell", risk: "high" }] });

const files = { "large_file.txt": numberedLines(900) };

function can(driver: RuntimeDriver, capability: Capability): boolean {
  return driver.capabilities[capability] === true;
}

function modesOf(outcome: KitOutcome): Modes | undefined {
  return outcome.events.findLast((event) => event.type === "message")?.modes;
}

/** Debug lines are for the person only: shown if the runtime can show them, and never sent to the model. */
function checkVerbose(driver: RuntimeDriver, outcome: KitOutcome, part: string): void {
  const told = outcome.events.flatMap((event) => (event.type === "verbose" ? [event.text] : [])).join("\n");
  checkContains(told, part, "what verbose mode tells");
  if (can(driver, "verbose")) checkContains(outcome.shown.join("\n"), part, "what the person was shown");
  for (const { raw } of outcome.requests) checkLacks(raw, "[DEBUG]", "a model request");
}

function checkTruncated(outcome: KitOutcome): void {
  const text = resultOf(outcome, "call_1");
  checkContains(text, "⚠️ [Output truncated: ", "the shortened result");
  checkLacks(text, "line 700:", "the shortened result");
}

export const messageScenarios: readonly Scenario[] = [
  {
    id: "message-modes-only",
    title: "a message of modes only is answered without a model request, and what it switched lasts",
    needs: ["modes"],
    async run(driver) {
      const outcome = await driver.run({
        config,
        window,
        message: "/verbose on",
        further: ["/think off /modes", "go"],
        script: [{ text: "Done." }],
      });
      const replies = outcome.events.flatMap((event) => (event.type === "message" ? [event.reply ?? ""] : []));
      checkContains(replies[0] ?? "", "verbose: on", "the reply to the first message");
      checkContains(replies[1] ?? "", "think: off", "the reply to the second message");
      check(outcome.requests.length === 1, `one model request expected, ${outcome.requests.length} seen`);
      for (const text of ["/verbose", "/modes", "verbose: on"])
        checkLacks(outcome.requests[0]?.raw ?? "", text, "the model request");
      check(modesOf(outcome)?.verbose === true, "verbose mode did not last");
      checkStops(outcome, "complete");
      if (!can(driver, "verbose")) return;
      for (const reply of replies.slice(0, 2)) {
        check(
          outcome.shown.some((text) => text.includes(reply)),
          `the person was not shown ${JSON.stringify(reply)}`,
        );
      }
    },
  },
  {
    id: "message-rewritten",
    title: "the words of modes do not reach the model; the rest does, byte for byte",
    needs: ["rewrite-message"],
    async run(driver) {
      const rest = "  look at `/think x`:\n\n\tkeep  this, – and \\n";
      const outcome = await driver.run({ config, window, message: `/think /v ${rest}`, script: [{ text: "Done." }] });
      checkContains(outcome.requests[0]?.lastUserText ?? "", rest, "what the model was sent");
      checkLacks(outcome.requests[0]?.raw ?? "", "/think /v", "the model request");
      check(modesOf(outcome)?.think === true, "think mode is not on");
    },
  },
  {
    id: "message-think-level",
    title: "the level of /think is in the model request, and goes with /think off",
    needs: ["think-level"],
    async run(driver) {
      const outcome = await driver.run({
        config,
        window,
        message: "one",
        further: ["/think:low two", "/think:high three", "/think off four"],
        script: Array.from({ length: 4 }, () => ({ text: "Done." })),
      });
      const [before, low, high, after] = outcome.requests.map(({ thinking }) => thinking);
      const levels = `thinking was ${[before, low, high, after].join(", ")}`;
      check(low === "low" || Number(low) > 0, `/think:low did not arrive: ${levels}`);
      check(high === "high" || Number(high) > Number(low), `/think:high did not arrive: ${levels}`);
      check(before === after && before !== low, `/think off did not bring the runtime's own back: ${levels}`);
      const reasons = outcome.requests.map((request) => toldIn(request).includes("Think step-by-step"));
      check(reasons.join() === "false,true,true,false", `the reasoning section was there: ${reasons.join()}`);
    },
  },
  {
    id: "test_full_flow_with_directives",
    title: "a message with modes changes how the agent works: it is told to reason, the person sees debug lines",
    needs: ["prompt"],
    async run(driver) {
      const outcome = await driver.run({
        config,
        window,
        message: "/think /verbose read small_file.txt",
        files: { "small_file.txt": "small\n" },
        script: commands("cat small_file.txt"),
      });
      const { think, verbose, elevated } = modesOf(outcome) ?? {};
      check(think === true && verbose === true && elevated === false, "think and verbose alone should be on");
      for (const { raw } of outcome.requests) checkContains(raw, "Think step-by-step", "a model request");
      checkContains(outcome.requests[0]?.raw ?? "", "read small_file.txt", "the first model request");
      if (can(driver, "rewrite-message")) checkLacks(outcome.requests[0]?.raw ?? "", "/verbose", "a model request");
      checkContains(resultOf(outcome, "call_1"), "small", "the result");
      checkVerbose(driver, outcome, "[DEBUG] Tool: shell");
      const elevations = outcome.events.filter((event) => event.type === "call" && "lifted" in event.decision);
      check(elevations.length === 0, "the call had more permissions than the message gave");
    },
  },
  {
    id: "test_full_flow_with_truncation",
    title: "a large result is cut on its way to the model, and the turn goes on to its end",
    needs: ["truncate"],
    async run(driver) {
      const outcome = await play(driver, config, files, "cat large_file.txt");
      checkTruncated(outcome);
      checkStops(outcome, "complete");
      check(outcome.unplayed === 0, "the model was not asked again after the large result");
    },
  },
  {
    id: "test_truncation_with_directives",
    title: "with verbose mode a large result is cut all the same, and so are the debug lines",
    needs: ["truncate"],
    async run(driver) {
      const outcome = await driver.run({
        config,
        window,
        message: "/verbose show large_file.txt",
        files,
        script: commands("cat large_file.txt"),
      });
      checkTruncated(outcome);
      checkVerbose(driver, outcome, "[DEBUG] Tool: shell");
      const longest = Math.max(...outcome.shown.map((text) => text.length), 0);
      check(longest < 5_000, `a debug text of ${longest} characters was shown`);
    },
  },
  {
    id: "message-verbose",
    title: "with /verbose the person is shown what was called, and no longer once it is off",
    needs: ["verbose"],
    async run(driver) {
      const outcome = await driver.run({
        config,
        window,
        message: "/verbose run it",
        further: ["/verbose off run it again"],
        script: [
          { calls: [shell("call_1", "echo first-one")] },
          { text: "Done." },
          { calls: [shell("call_2", "echo second-one")] },
          { text: "Done again." },
        ],
      });
      checkVerbose(driver, outcome, "[DEBUG] Tool: shell");
      checkContains(resultOf(outcome, "call_2"), "second-one", "the result of the second call");
      const shown = outcome.shown.filter((text) => text.includes("[DEBUG]")).join("\n");
      checkContains(shown, "first-one", "what the person was shown");
      checkLacks(shown, "second-one", "what the person was shown");
    },
  },
  {
    id: "message-elevated",
    title: "/elevated from a user changes nothing and says so",
    needs: ["deny"],
    async run(driver) {
      const user = await driver.run(elevating());
      check(decisionsOn(user, "call_1").join() === "deny", "a user has elevated the session");
      check(user.file("ran.txt") === undefined, "the denied command ran all the same");
      const notes = user.events.flatMap((event) => (event.type === "message" ? (event.notes ?? []) : []));
      check(notes.length === 1, `one note expected, ${notes.length} given`);
      if (can(driver, "verbose")) checkContains(user.shown.join("\n"), notes[0] ?? "", "what the person was shown");
      for (const { raw } of user.requests) checkLacks(raw, notes[0] ?? "", "a model request");
    },
  },
  {
    id: "operator-elevated",
    title: "/elevated from an operator lets a high-risk call run, and a read outside the workspace",
    needs: ["deny", "operator"],
    async run(driver) {
      const outcome = await driver.run({ ...elevating(), operator: true });
      check(outcome.file("ran.txt") !== undefined, `an operator's elevation: ${resultOf(outcome, "call_1")}`);
      checkLacks(resultOf(outcome, "call_2"), "outside the workspace", "the result of the elevated read");
      check(decisionsOn(outcome, "call_2").at(-1) === "allow", "the elevated read was not allowed");
    },
  },
];

function elevating(): KitRun {
  return {
    config: risky,
    message: "/elevated 10m run it",
    script: [
      { calls: [shell("call_1", "echo ran > ran.txt")] },
      { calls: [{ id: "call_2", tool: "read_file", args: { path: "/etc/hostname" } }] },
      { text: "Done." },
    ],
  };
}
