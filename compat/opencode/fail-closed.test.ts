import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { FileOutputChecker } from "../../src/behavior/completion/completion-checkers.ts";
import { opencodePluginText } from "../../src/edge/adapters/opencode/install.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import { stops } from "../../src/testing/kit/expect.ts";
import type { LocalRun } from "../../src/testing/kit/local-run.ts";
import { localOpencodeRun } from "./in-process.ts";
import { type HomeOptions, modelName, PLUGIN_FILE } from "./place.ts";
import { runOpencode } from "./run.ts";
import { openPlace } from "./server.ts";

const opened: { close?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close?.();
});

function driver(options: HomeOptions = {}): ReturnType<typeof localOpencodeRun> {
  const made = localOpencodeRun(options);
  opened.push(made);
  return made;
}

const strict = defineAgent({
  name: "strict",
  policies: [{ name: "never", check: () => ({ kind: "deny", reason: "not here", next: "Do without." }) }],
});
const ship: LocalRun = {
  agent: strict,
  message: "run it",
  files: { "run.sh": "echo ran > ran.txt" },
  script: [{ calls: [{ id: "call_1", tool: "shell", args: { command: "sh run.sh" } }] }, { text: "Done." }],
};

it("OCF-1 if the socket does not answer, the message is not sent, and the person sees why and what to do", async () => {
  const { place, models } = await openPlace({}, [{ text: "Hello." }]);
  try {
    const run = { place, workspace: place.home, message: "hello", model: modelName(200_000) };
    const { exitCode, stderr } = await runOpencode(run);
    expect(models.requests).toEqual([]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/Conduct could not take this message: .*no socket at .*The message was not sent\./s);
  } finally {
    await models.close();
    place.remove();
  }
});

it("OCF-2 if Conduct is missing, OpenCode would continue without it, but our plugin file blocks every message", async () => {
  const text = opencodePluginText({ plugin: "/nowhere/plugin.ts" });
  const outcome = await driver({ files: { [PLUGIN_FILE]: text } }).run(ship);
  expect(outcome.requests).toEqual([]);
  expect(outcome.file("ran.txt")).toBeUndefined();
});

it("OCF-2 if Conduct is missing, a watched OpenCode continues with one warning", async () => {
  const home = mkdtempSync(join(tmpdir(), "conduct-opencode-watched-"));
  writeFileSync(join(home, "runtimes.json"), '{"opencode": {"enforcement": "shadow"}}');
  const text = opencodePluginText({ home, plugin: "/nowhere/plugin.ts" });
  const outcome = await driver({ files: { [PLUGIN_FILE]: text } }).run(ship);
  expect(outcome.file("ran.txt")).toBe("ran\n");
  expect(existsSync(join(home, "bin/.warned-opencode"))).toBe(true);
  rmSync(home, { recursive: true });
});

it("OCF-3 `opencode run` ends with its first answer; an incomplete turn is reported and recorded", async () => {
  const outcome = await driver().run({
    agent: defineAgent({ name: "finisher", completion: new FileOutputChecker({ files: ["report.md"] }) }),
    message: "write it",
    script: [{ text: "Done!" }, { text: "Never asked for." }],
  });
  expect(outcome.requests).toHaveLength(1);
  expect(stops(outcome)).toEqual(["refused", "incomplete"]);
  expect(outcome.shown.join("\n")).toMatch(/the turn ended incomplete.*report\.md/s);
});

it("OCF-4 `--pure` makes OpenCode skip all plugins (declared as not enforced)", async () => {
  const outcome = await driver({ env: { OPENCODE_PURE: "1" } }).run(ship);
  expect(outcome.events).toEqual([]);
  expect(outcome.file("ran.txt")).toBe("ran\n");
});
