import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Codex, type CodexOptions, type Thread, type ThreadOptions } from "@openai/codex-sdk";
import { afterEach, describe, expect, it } from "vitest";
import { FileOutputChecker } from "../../src/behavior/completion/completion-checkers.ts";
import { ReadBeforeWritePolicy } from "../../src/behavior/policy/builtin/read-before-write-policy.ts";
import { codexHooksJson } from "../../src/edge/adapters/codex/hooks-json.ts";
import { CodexUnguardedError, conductCodexOptions } from "../../src/edge/adapters/codex/sdk-options.ts";
import { trustCodexHooks } from "../../src/edge/adapters/codex/trust.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import { type ModelServer, type Script, startModelServer } from "../../src/testing/test/model-server/index.ts";
import { CODEX, codexEnv, hookCommand, writeFiles, writeHome } from "./codex-run.ts";
import { patch, shell, update, useCodex } from "./play.ts";

const codex = useCodex();
const writer = defineAgent({ name: "writer", policies: [new ReadBeforeWritePolicy()] });
const done = { text: "ok" };
const NO_HOOKS = '{"hooks":{}}';
const write = patch("call_1", update("a.txt", "old", "new"));

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

type SetUp = { readonly hooks?: string; readonly config?: string };

/** Codex' home with a scripted model, and the options of an application that knows nothing of Conduct. */
async function setUp(script: Script, { hooks = NO_HOOKS, config = "" }: SetUp = {}): Promise<CodexOptions> {
  const { place } = codex;
  server = await startModelServer({ script });
  await writeHome(place, server.openaiUrl, { hooks, config });
  await writeFiles(place.workspace, { "a.txt": "old\n" });
  const env = Object.entries(codexEnv(place)).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return { codexPathOverride: CODEX, env: Object.fromEntries(env) };
}

function threadOptions(): ThreadOptions {
  const { workspace } = codex.place;
  return { workingDirectory: workspace, skipGitRepoCheck: true, sandboxMode: "danger-full-access" };
}

async function startThread(options: CodexOptions): Promise<Thread> {
  const guarded = await conductCodexOptions(options, { socket: codex.place.socket });
  return new Codex(guarded).startThread(threadOptions());
}

/** What the model was given for a call. */
function given(id: string): string {
  const results = server?.requests.flatMap((request) => request.results) ?? [];
  return results.find(({ callId }) => callId === id)?.text ?? `(no result of ${id})`;
}

/** A program in Codex' place that runs it with settings of its own. */
function launcher(settings: string): string {
  const path = join(codex.place.home, "launcher");
  writeFileSync(path, `#!/bin/sh\nexec '${CODEX}' "$@" ${settings}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe("threads of the SDK", () => {
  it("CX-SDK1 a denial reaches the model, and the thread's id is the session's id", async () => {
    await codex.start(writer);
    const thread = await startThread(await setUp([{ calls: [write] }, done]));
    const { finalResponse } = await thread.run("change it");
    expect(finalResponse).toBe("ok");
    expect(given("call_1")).toContain("File 'a.txt' must be read before overwriting");
    expect(codex.events("call").map(({ session, decision }) => [session, decision.kind])).toEqual([
      [thread.id, "deny"],
    ]);
  });

  it("CX-SDK2 a stop is refused until the work is done", async () => {
    const completion = new FileOutputChecker({ files: ["out.txt"] });
    await codex.start(defineAgent({ name: "worker", completion }));
    const thread = await startThread(
      await setUp([{ text: "Done." }, { calls: [shell("call_1", "touch out.txt")] }, { text: "Really done." }]),
    );
    const { finalResponse } = await thread.run("write out.txt");
    expect(finalResponse).toBe("Really done.");
    expect(server?.requests[1]?.raw).toContain("out.txt");
    expect(codex.events("stop").map(({ status }) => status)).toEqual(["refused", "complete"]);
  });

  it("CX-SDK3 a resumed thread is the same session: files that were read still count as read", async () => {
    await codex.start(writer);
    const options = await setUp([{ calls: [shell("call_0", "cat a.txt")] }, done, { calls: [write] }, done]);
    const first = await startThread(options);
    await first.run("read it");
    const guarded = await conductCodexOptions(options, { socket: codex.place.socket });
    await new Codex(guarded).resumeThread(first.id ?? "", threadOptions()).run("now change it");
    expect(codex.events("call").map(({ decision }) => decision.kind)).toEqual(["allow", "allow"]);
    expect(codex.events("session").map(({ change }) => change)).toEqual(["opened", "resumed"]);
  });

  it("CX-SDK4 hooks work where user and project settings disable them, and each call is decided once next to installed hooks", async () => {
    await codex.start(writer);
    const { home, workspace, socket } = codex.place;
    const options = await setUp([{ calls: [write] }, done], { hooks: codexHooksJson(hookCommand(socket)) });
    expect(await trustCodexHooks(home, workspace, CODEX)).toMatchObject({ bound: true });
    await writeFiles(workspace, { ".codex/config.toml": "[features]\nhooks = false\nunified_exec_tty = true\n" });
    await (await startThread({ ...options, config: { features: { hooks: false } } })).run("change it");
    expect(codex.events("message")).toHaveLength(1);
    expect(codex.events("call").map(({ decision }) => decision.kind)).toEqual(["deny"]);
  });
});

describe("what is refused before the first turn", () => {
  it.each([
    [
      "CX-SDK5 hooks that are not trusted",
      "-c 'hooks.state={}'",
      "the hook is not trusted, so Codex skips it silently",
    ],
    ["CX-SDK5 hooks that are switched off", "-c features.hooks=false", "no hook of Conduct is registered"],
  ])("%s", async (_what, settings, fault) => {
    const options = await setUp([done]);
    const starting = startThread({ ...options, codexPathOverride: launcher(settings) });
    await expect(starting).rejects.toThrow(CodexUnguardedError);
    await expect(starting).rejects.toThrow(fault);
    expect(server?.requests).toEqual([]);
  });

  it("CX-SDK6 a message is refused when the daemon's socket does not answer", async () => {
    const thread = await startThread(await setUp([done]));
    await thread.run("go");
    expect(server?.requests).toEqual([]);
  });
});
