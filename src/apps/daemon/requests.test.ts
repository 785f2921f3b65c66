import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
});
