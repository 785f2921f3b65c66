import type { KitCall } from "../driver.ts";
import { check, checkContains, checkLacks, decisionsOn, resultOf, stops } from "../expect.ts";
import { configOf, play, RELEASE_FILES, releaseConfig, type Scenario } from "./scenario.ts";

/** One definition for every runtime: the tool map turns its shell command into a `deploy` everywhere. */
const release = releaseConfig();
const writer = configOf("writer", { policies: [{ readBeforeWrite: {} }] });
const rewriting = configOf("rewriting", {
  rules: [{ id: "quiet", on: "shell", when: 'args.command == "sh loud.sh"', set: { command: "sh quiet.sh" } }],
});

const failing = { ...RELEASE_FILES, "test.sh": "echo one failed; exit 3" };

export const callScenarios: readonly Scenario[] = [
  {
    id: "call-deny",
    title: "a call is denied, does not run, and its reason reaches the model",
    needs: ["deny"],
    async run(driver) {
      const outcome = await play(driver, release, RELEASE_FILES, "sh deploy.sh");
      const text = resultOf(outcome, "call_1");
      checkContains(text, "Tool 'deploy' requires: test", "the result of the denied call");
      checkContains(text, "sequential-dependency", "the result of the denied call");
      checkContains(text, "Next: Run test", "the result of the denied call");
      check(outcome.file("deployed.txt") === undefined, "the denied command ran all the same");
    },
  },
  {
    id: "call-allow",
    title: "what a succeeding command proves opens the next call",
    needs: ["deny", "outcome"],
    async run(driver) {
      const outcome = await play(driver, release, RELEASE_FILES, "sh test.sh", "sh deploy.sh");
      checkContains(resultOf(outcome, "call_2"), "deployed", "the result of the allowed call");
      check(outcome.file("deployed.txt") !== undefined, "the allowed command did not run");
    },
  },
  {
    id: "call-failing-command",
    title: "a failing command proves nothing",
    needs: ["deny", "outcome"],
    async run(driver) {
      const outcome = await play(driver, release, failing, "sh test.sh", "sh deploy.sh");
      checkContains(resultOf(outcome, "call_1"), "one failed", "the result of the failing command");
      checkContains(resultOf(outcome, "call_2"), "requires: test", "the result of the denied call");
      check(outcome.file("deployed.txt") === undefined, "the denied command ran all the same");
    },
  },
  {
    id: "call-compound-command",
    title: "a compound command is gated, and proves nothing",
    needs: ["deny", "outcome"],
    async run(driver) {
      const outcome = await play(driver, release, failing, "sh test.sh || true", "cd . && sh deploy.sh");
      checkContains(resultOf(outcome, "call_2"), "requires: test", "the result of the denied call");
    },
  },
  {
    id: "call-read-before-write",
    title: "an existing file is written only after it was read; a new one freely",
    needs: ["deny"],
    async run(driver) {
      const write = (id: string, path: string): KitCall => ({
        id,
        tool: "write_file",
        args: { path, content: "new\n" },
      });
      const outcome = await driver.run({
        config: writer,
        message: "change the files",
        files: { "a.txt": "old\n" },
        script: [
          { calls: [write("call_1", "a.txt")] },
          { calls: [{ id: "call_2", tool: "read_file", args: { path: "a.txt" } }] },
          { calls: [write("call_3", "a.txt")] },
          { calls: [write("call_4", "b.txt")] },
          { text: "Done." },
        ],
      });
      checkContains(resultOf(outcome, "call_1"), "must be read before overwriting", "the result of the first write");
      checkContains(resultOf(outcome, "call_2"), "old", "what was read");
      check(outcome.file("a.txt") === "new\n", `after reading, the write should pass: ${resultOf(outcome, "call_3")}`);
      check(outcome.file("b.txt") === "new\n", `a new file should be free: ${resultOf(outcome, "call_4")}`);
    },
  },
  {
    id: "call-batch",
    title: "read and write in one parallel batch: the write is denied",
    needs: ["deny", "batch"],
    async run(driver) {
      const outcome = await driver.run({
        config: writer,
        message: "change the file",
        files: { "a.txt": "old\n" },
        script: [
          {
            calls: [
              { id: "call_1", tool: "read_file", args: { path: "a.txt" } },
              { id: "call_2", tool: "write_file", args: { path: "a.txt", content: "new\n" } },
            ],
          },
          { calls: [{ id: "call_3", tool: "write_file", args: { path: "a.txt", content: "newer\n" } }] },
          { text: "Done." },
        ],
      });
      checkContains(
        resultOf(outcome, "call_2"),
        "must be read before overwriting",
        "the result of the write in the batch",
      );
      check(
        outcome.file("a.txt") === "newer\n",
        `in the next step the write should pass: ${resultOf(outcome, "call_3")}`,
      );
    },
  },
  {
    id: "call-workspace",
    title: "files outside the workspace are refused",
    needs: ["deny"],
    async run(driver) {
      const outcome = await driver.run({
        config: configOf("plain"),
        message: "look",
        script: [
          { calls: [{ id: "call_1", tool: "read_file" as const, args: { path: "/etc/hostname" } }] },
          { text: "Done." },
        ],
      });
      const text = resultOf(outcome, "call_1");
      // Gemini CLI refuses such a path itself, before its hooks.
      check(/outside the (?:allowed )?workspace/.test(text), `the read was not refused: ${text}`);
    },
  },
  {
    id: "call-redirect",
    title: "a shell redirection into a file that was not read is a write like any other",
    needs: ["deny"],
    async run(driver) {
      const outcome = await play(driver, writer, { "a.txt": "old\n" }, "echo new > a.txt");
      checkContains(resultOf(outcome, "call_1"), "must be read before overwriting", "the result of the redirection");
      check(outcome.file("a.txt") === "old\n", "the denied command ran all the same");
    },
  },
  {
    id: "call-rewrite",
    title: "a call runs with the arguments that a policy has given it, and not with its own",
    needs: ["rewrite"],
    async run(driver) {
      const outcome = await play(
        driver,
        rewriting,
        { "loud.sh": "echo loud > loud.txt; echo so loud", "quiet.sh": "echo quiet > quiet.txt; echo so quiet" },
        "sh loud.sh",
        "sh quiet.sh",
      );
      check(decisionsOn(outcome, "call_1").at(-1) === "allow", "the call was not allowed");
      check(outcome.file("loud.txt") === undefined, "the command ran as the model wrote it");
      check(
        outcome.file("quiet.txt") !== undefined,
        `the rewritten command did not run: ${resultOf(outcome, "call_1")}`,
      );
      checkContains(resultOf(outcome, "call_1"), "so quiet", "the result of the rewritten call");
      checkContains(resultOf(outcome, "call_2"), "so quiet", "the result of the call that was left alone");
      const outcomes = outcome.events.flatMap((event) => (event.type === "result" ? [event.outcome] : []));
      check(outcomes.join() === "ok,ok", `both calls should have counted as ok, and were ${outcomes.join()}`);
    },
  },
  {
    id: "call-retry",
    title: "a denied call that is tried again and again is withdrawn, and the model is told",
    needs: ["deny"],
    async run(driver) {
      const again = Array.from({ length: 5 }, () => "sh deploy.sh");
      const outcome = await play(driver, release, RELEASE_FILES, ...again);
      checkContains(resultOf(outcome, "call_1"), "2 attempts left", "the first denial");
      checkContains(resultOf(outcome, "call_4"), "withdrawn for the rest of this turn", "the fourth denial");
      checkLacks(resultOf(outcome, "call_4"), "attempts left", "the fourth denial");
      check(decisionsOn(outcome, "call_5").at(-1) === "deny", "the fifth attempt was not denied");
    },
  },
  {
    id: "call-end-turn",
    title: "an agent that will not let go of a denied call has its turn ended, and the operator is told",
    needs: ["deny", "end-turn"],
    async run(driver) {
      const again = Array.from({ length: 12 }, () => "sh deploy.sh");
      const outcome = await play(driver, release, RELEASE_FILES, ...again);
      check(stops(outcome)[0] === "ended-by-policy", `stops were: ${stops(outcome).join()}`);
      check(outcome.unplayed >= 6, `the turn went on: only ${outcome.unplayed} replies were left`);
      check(outcome.file("deployed.txt") === undefined, "the denied command ran all the same");
    },
  },
];
