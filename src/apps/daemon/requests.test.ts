import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../base/words/json.ts";
import { GatedWorkspaces } from "../../edge/host/gate/gate-files.ts";
import { gatePlace } from "../../edge/host/gate/gate-place.ts";
import { writeRuntime } from "../../edge/host/opening/runtime-settings.ts";
import { storePlace } from "../../edge/host/workspace/store-place.ts";
import { openCallStores } from "../../edge/stores/call-stores.ts";
import { openRequests, type Requests } from "./requests.ts";

let root = "";
let requests: Requests;
const place = (name: string) => join(root, name);
const configure = (text: string) => writeFileSync(place("home/conduct.yaml"), text);
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-requests-")));
  for (const folder of ["home", "work"]) mkdirSync(place(folder), { mode: 0o700 });
  configure("agents: { clerk: { soul: You are the clerk., limits: { session: { calls: 1 } } } }\n");
  await open();
});
afterEach(async () => {
  await requests.close();
  rmSync(root, { recursive: true, force: true });
});

async function open(): Promise<void> {
  const gated = new GatedWorkspaces(place("home"), { port: 1, token: "0".repeat(64) });
  requests = await openRequests(place("home"), {}, undefined, gated);
}
async function reopen(meanwhile: () => unknown = () => undefined): Promise<void> {
  await requests.close();
  await meanwhile();
  await open();
}

const at = (hook_event_name: string, more: JsonObject) => ({
  ...{ session_id: "s", cwd: place("work"), hook_event_name },
  ...more,
});
const say = async (prompt: string) => JSON.stringify(await requests.claudeCode(at("UserPromptSubmit", { prompt })));
const call = (tool_use_id: string, tool_name = "Bash", tool_input: JsonObject = { command: "ls" }) =>
  at("PreToolUse", { tool_name, tool_input, tool_use_id });
const OWN = "mcp__conduct__verify_context";

describe("requests of runtimes", () => {
  it("DMN-63 a session whose state is damaged counts on from its events", async () => {
    expect(JSON.stringify(await requests.claudeCode(call("c1")))).not.toContain('"deny"');
    await reopen(() => {
      const file = new DatabaseSync(place("home/conduct.db"));
      file.exec("update conduct_kept_sessions set snapshot = 'damaged'");
      file.close();
    });
    expect(JSON.stringify(await requests.claudeCode(call("c2")))).toContain('"deny"');
  });

  it("DMN-64 one of Conduct's tools runs for an allowed call, and a broken configuration is an error of the tool", async () => {
    configure("agents: { clerk: {} }\n");
    const codex = () => requests.handle({ conduct_tool: "verify_context", arguments: {}, thread_id: "codex" });
    const gemini = () => requests.handle({ conduct_hook: "gemini", conduct_tool: "verify_context", arguments: {} });
    const claude = () => requests.callTool("verify_context", {}, "c1");
    for (const ask of [codex, gemini, claude]) expect(await ask()).toMatchObject({ isError: true });
    await requests.claudeCode({ ...call("c1", OWN, {}), mcp_server: { name: "conduct", source: "user" } });
    await requests.handle({ ...call("c2", OWN, {}), session_id: "codex" });
    const own = {
      tool_name: "mcp_conduct_verify_context",
      mcp_context: { server_name: "conduct", tool_name: "verify_context" },
    };
    await requests.handle({
      ...at("BeforeTool", { ...own, tool_input: {} }),
      session_id: "gemini",
      conduct_hook: "gemini",
    });
    for (const ask of [claude, codex, gemini]) expect(await ask()).toMatchObject({ isError: false });
    configure("agents: [");
    // Gemini's session is found by its open call, which is gone once the workspace is closed.
    for (const ask of [gemini, claude, codex])
      expect(await ask()).toMatchObject({ isError: true, text: expect.stringContaining("conduct.yaml:1") });
  });

  it("DMN-65 what Claude Code was told is known after a restart", async () => {
    expect(await say("begin")).toContain("You are the clerk.");
    await requests.claudeCode(call("c1"));
    expect(await say("more")).not.toContain("You are the clerk.");
    await reopen();
    expect(await say("and more")).not.toContain("You are the clerk.");
  });

  it("DMN-66 a fault without a session is recorded in the next one", async () => {
    requests.report({ where: "here", code: "hooks-removed", message: "they are gone" });
    await requests.claudeCode(call("c1"));
    await requests.close();
    const stores = await openCallStores(storePlace({}, place("home")));
    const { events } = await stores.events.read({ types: ["fault"], limit: 10 });
    await stores.close();
    expect(JSON.stringify(events)).toContain("they are gone");
    await open();
  });

  it.each(["codex", "gemini", "claude-code"])(
    "DMN-67 the exec gate knows the sessions of %s, and their mode",
    async (runtime) => {
      const id = `of-${runtime}`;
      const hook = async () => {
        if (runtime === "claude-code") await requests.claudeCode({ ...call("c1"), session_id: id });
        else if (runtime === "codex") await requests.handle({ ...call("c1"), session_id: id });
        else await requests.handle({ ...at("BeforeAgent", { prompt: "hi" }), session_id: id, conduct_hook: runtime });
      };
      for (const [enforcement, mode] of [
        ["shadow", "s"],
        ["enforce", "e"],
      ] as const) {
        await writeRuntime(place("home"), runtime, { enforcement, operator: false, since: "" });
        await hook();
        expect(readFileSync(gatePlace(place("home")).sessions, "utf8")).toContain(`${mode}\t${id}\t${place("work")}`);
      }
    },
  );

  const GATED = `
agents:
  coder:
    rules:
      - { id: no-force, on: git.push, when: "has(args.force) && args.force" }
      - { id: tests-first, on: git.commit, require: tests.run }
      - { id: asked, on: git.tag, effect: ask }
`;
  /** A shim's request about a program, without a hint of its session. */
  const exec = (about: { readonly [key: string]: string }, ...argv: readonly string[]) =>
    requests.exec([...Object.entries(about).map(([key, value]) => `${key}=${value}`), "", ...argv, ""].join("\0"));

  it("DMN-68 a program anywhere in the repository belongs to the session whose command runs, and can be approved", async () => {
    configure(GATED);
    for (const folder of ["work/.git", "work/below"]) mkdirSync(place(folder));
    await requests.claudeCode({ ...call("c1", "Bash", { command: "sh x" }), cwd: place("work/below") });
    const inRepository = { cwd: place("work") };
    expect(await exec(inRepository, "git", "push", "-f")).toMatchObject({
      status: 403,
      text: expect.stringContaining("Denied by no-force"),
    });
    expect(await exec(inRepository, "git", "tag", "v1")).toMatchObject({
      status: 403,
      text: expect.stringContaining("with: conduct approve a_"),
    });
    expect(await exec({ cwd: root }, "git", "push", "-f")).toEqual({ status: 204 });
  });

  it("DMN-69 a test runner proves the tests only where it was on the person's own PATH", async () => {
    configure(GATED);
    const { folders } = gatePlace(place("home"));
    mkdirSync(dirname(folders), { recursive: true });
    writeFileSync(folders, `${place("tools")}\n`);
    const verdictAfter = async (folder: string) => {
      await requests.claudeCode(call(folder, "Bash", { command: "sh x" }));
      const about = { kind: "end", code: "0", cwd: place("work"), file: join(place(folder), "jest") };
      await exec(about, "jest");
      await requests.claudeCode(
        at("PostToolUse", {
          tool_name: "Bash",
          tool_input: { command: "sh x" },
          tool_use_id: folder,
          tool_response: {},
        }),
      );
      return JSON.stringify(await requests.claudeCode(call(`after ${folder}`, "Bash", { command: "git commit -m x" })));
    };
    expect(await verdictAfter("strange")).toContain('"deny"');
    expect(await verdictAfter("tools")).not.toContain('"deny"');
  });

  it("DMN-72 nobody else decides for a session while this process has it", async () => {
    await requests.claudeCode(call("c1"));
    const other = await openRequests(place("home"));
    const said = await other.claudeCode(call("c2")).then((answer) => JSON.stringify(answer), String);
    await other.close();
    expect(said).toContain("has the lease of session s");
  });

  it.skipIf(process.platform !== "linux")(
    "DMN-70 a closed workspace leaves no file open, and neither does a store without its key",
    async () => {
      const openFiles = () =>
        readdirSync("/proc/self/fd").filter((name) => {
          try {
            return readlinkSync(`/proc/self/fd/${name}`).startsWith(root);
          } catch {
            return false;
          }
        });
      await say("begin");
      expect(openFiles()).not.toEqual([]);
      await requests.close();
      expect(openFiles()).toEqual([]);
      // Nor does a store whose key is missing.
      vi.stubEnv("CONDUCT_KEYS", place("empty"));
      onTestFinished(() => void vi.unstubAllEnvs());
      await expect(openRequests(place("home"))).rejects.toThrow("key");
      expect(openFiles()).toEqual([]);
      vi.unstubAllEnvs();
      await open();
    },
  );
});
