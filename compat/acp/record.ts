import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { asObject, asString } from "../../src/base/kernel/json.ts";
import type { JsonObject } from "../../src/base/words/json.ts";
import { OPENCODE, opencodeEnv, PLUGIN_FILE } from "../opencode/place.ts";
import { openPlace } from "../opencode/server.ts";

/** `node compat/acp/record.ts`: what the real `opencode acp` and a client say to each other, for the adapter's tests. */
const FILE = join(import.meta.dirname, "../../src/edge/adapters/acp/recorded/opencode-1.18.33.txt");

const call = (id: string, name: string, input: JsonObject) => ({ calls: [{ id, name, input }] });
const { place, models } = await openPlace(
  { config: { permission: { "*": "ask" } }, files: { [PLUGIN_FILE]: undefined } },
  [
    call("call_1", "read", { filePath: "a.txt" }),
    call("call_2", "bash", { command: "echo hi; exit 3" }),
    call("call_3", "write", { filePath: "a.txt", content: "new\n" }),
    call("call_4", "edit", { filePath: "a.txt", oldString: "new", newString: "newer" }),
    call("call_5", "bash", { command: "echo rejected" }),
  ],
);
const workspace = join(place.root, "w");
await mkdir(workspace);
await writeFile(join(workspace, "a.txt"), "old\n");
const agent = spawn(OPENCODE, ["acp"], { cwd: workspace, env: opencodeEnv(place), stdio: ["pipe", "pipe", "inherit"] });
const lines: string[] = [];
const waiting = new Map<unknown, (message: JsonObject) => void>();

function say(message: object): void {
  const line = JSON.stringify({ jsonrpc: "2.0", ...message });
  lines.push(`> ${line}`);
  agent.stdin.write(`${line}\n`);
}

function ask(id: number, method: string, params: object): Promise<JsonObject> {
  say({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** The person allows everything but the last command. */
function answer({ id, method, params }: JsonObject): void {
  if (method === "fs/write_text_file") say({ id, result: {} });
  if (method !== "session/request_permission") return;
  const optionId = JSON.stringify(params).includes("echo rejected") ? "reject" : "once";
  say({ id, result: { outcome: { outcome: "selected", optionId } } });
}

createInterface({ input: agent.stdout }).on("line", (line) => {
  lines.push(`< ${line}`);
  const message = asObject(JSON.parse(line));
  if (message.method === undefined) waiting.get(message.id)?.(message);
  else answer(message);
});
const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
await ask(0, "initialize", { protocolVersion: 1, clientCapabilities });
const opened = await ask(1, "session/new", { cwd: workspace, mcpServers: [] });
const sessionId = asString(asObject(opened.result).sessionId);
await ask(2, "session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
agent.stdin.end();
const text = lines
  .join("\n")
  .replaceAll(workspace, "/w")
  .replaceAll(workspace.slice(1), "w")
  .replaceAll(sessionId, "ses_1");
writeFileSync(FILE, `${text}\n`);
await models.close();
place.remove();
process.exit(0);
