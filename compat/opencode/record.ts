import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../src/base/kernel/json.ts";
import type { Json, JsonObject } from "../../src/base/words/json.ts";
import type { ScriptedCall } from "../../src/testing/test/model-server/index.ts";
import { installed, PLUGIN_FILE, writeFiles } from "./place.ts";
import { startServer } from "./server.ts";

/**
 * Writes what the hooks of the installed OpenCode are given to the adapter's `recorded/events.json`:
 * `node_modules/.bin/node compat/opencode/record.ts`
 */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SERVER = `
process.stdin.setEncoding("utf8");
let rest = "";
process.stdin.on("data", (text) => {
  const lines = (rest + text).split("\\n");
  rest = lines.pop();
  for (const line of lines) answer(JSON.parse(line));
});
const text = (text) => ({ content: [{ type: "text", text }] });
const results = {
  text: text("one"),
  data: { ...text("x"), structuredContent: { k: 1, __directives: { requireBeforeNext: ["verify_context"] } } },
  image: { content: [{ type: "image", data: "${PIXEL}", mimeType: "image/png" }] },
  fail: { ...text("nope"), isError: true },
};
function answer({ id, method, params }) {
  if (id === undefined) return;
  const tools = Object.keys(results).map((name) => ({ name, description: "d", inputSchema: { type: "object" } }));
  const init = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "n", version: "1" } };
  const result = method === "initialize" ? init : method === "tools/list" ? { tools } : method === "tools/call" ? results[params.name] : {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
}
`;
const HOOKS = ["chat.message", "chat.params", "tool.execute.before", "tool.execute.after"];
const KINDS = ["message.updated", "message.part.updated", "session.idle", "session.deleted", "session.compacted"];

const server = await startServer({ files: { [PLUGIN_FILE]: undefined } });
const log = join(server.place.root, "recorded.jsonl");
const workspace = join(server.place.root, "ws");
const recorder = `
import { appendFileSync } from "node:fs";
const note = (hook, input, output) => appendFileSync(${JSON.stringify(log)}, JSON.stringify({ hook, input, output }) + "\\n");
export const Recorder = async () => ({
  event: async ({ event }) => ${JSON.stringify(KINDS)}.includes(event.type) && note("event", event),
  ...Object.fromEntries(${JSON.stringify(HOOKS)}.map((hook) => [hook, async (input, output) => note(hook, input, output)])),
});
`;
mkdirSync(workspace, { recursive: true });
appendFileSync(log, "");
const PATCH = "*** Begin Patch\n*** Add File: new.txt\n+fresh\n*** Update File: a.txt\n@@\n-one\n+uno\n*** End Patch";
await writeFiles(workspace, {
  "a.txt": "one\ntwo\n",
  ".opencode/plugin/recorder.js": recorder,
  ...installed(".opencode"),
  "server.mjs": SERVER,
  "opencode.json": JSON.stringify({
    mcp: { "my.notes": { type: "local", command: [process.execPath, join(workspace, "server.mjs")] } },
    permission: { webfetch: "deny" },
    provider: { scripted: { models: { "gpt-9": { reasoning: true, limit: { context: 100_000, output: 1_000 } } } } },
  }),
});
writeFileSync(join(workspace, "pixel.png"), Buffer.from(PIXEL, "base64"));

const call = (id: string, name: string, input: JsonObject): ScriptedCall => ({ id, name, input });
const steps: readonly (readonly ScriptedCall[])[] = [
  [
    call("bash", "bash", { command: "echo out; echo err >&2", workdir: "." }),
    call("bash-fails", "bash", { command: "echo hi; exit 3" }),
    call("bash-killed", "bash", { command: "sleep 5", timeout: 50 }),
  ],
  [
    call("read", "read", { filePath: "a.txt", offset: 1, limit: 1 }),
    call("read-folder", "read", { filePath: workspace }),
    call("read-missing", "read", { filePath: "missing.txt" }),
    call("read-image", "read", { filePath: "pixel.png" }),
    call("glob", "glob", { pattern: "*.txt" }),
    call("grep", "grep", { pattern: "two", path: "." }),
  ],
  [
    call("write", "write", { filePath: "b.txt", content: "b\n" }),
    call("edit", "edit", { filePath: "a.txt", oldString: "two", newString: "zwei", replaceAll: true }),
    call("edit-fails", "edit", { filePath: "a.txt", oldString: "not there", newString: "x" }),
    call("webfetch-denied", "webfetch", { url: "http://127.0.0.1:1/" }),
    call("todowrite", "todowrite", { todos: [] }),
    call("invalid", "bash", { comand: "typo" }),
  ],
  [
    call("mcp-text", "my_notes_text", {}),
    call("mcp-data", "my_notes_data", {}),
    call("mcp-image", "my_notes_image", {}),
    call("mcp-fail", "my_notes_fail", {}),
  ],
  [call("task", "task", { description: "d", prompt: "do it", subagent_type: "general" })],
];
const say = (text: string) => ({ text });
try {
  server.models.setScript([...steps.map((calls) => ({ calls })), say("Below."), say("Done.")]);
  const { body } = await server.ask(workspace, "POST", "/session", {});
  const id = isObject(body) ? String(body.id) : "";
  const talk = async (text: string, modelID = "scripted-200000") => {
    const model = { providerID: "scripted", modelID };
    const file = { type: "file", mime: "text/plain", filename: "a.txt", url: `file://${workspace}/a.txt` };
    await server.ask(workspace, "POST", `/session/${id}/message`, { model, parts: [{ type: "text", text }, file] });
  };
  await talk("/think go");
  server.models.setScript([{ calls: [call("apply_patch", "apply_patch", { patchText: PATCH })] }, say("Patched.")]);
  await talk("patch", "gpt-9");
  await server.ask(workspace, "POST", `/session/${id}/summarize`, { providerID: "scripted", modelID: "gpt-9" });
  await server.ask(workspace, "DELETE", `/session/${id}`);
  const rows = readFileSync(log, "utf8")
    .trim()
    .split("\n")
    .map((line) => tidy(JSON.parse(line)));
  const target = join(import.meta.dirname, "../../src/edge/adapters/opencode/recorded/events.json");
  writeFileSync(target, `${JSON.stringify(rows.filter(isKept), null, 2)}\n`);
  console.log(`${rows.length} recorded, to ${target}`);
} finally {
  await server.close();
}

/** Only what a test looks at: of parts the ends of calls and steps, of messages their errors. */
function isKept({ hook, input }: JsonObject, index: number, rows: readonly JsonObject[]): boolean {
  if (hook === "chat.params")
    return rows.findIndex((row) => row.hook === hook && agentOf(row) === agentOf({ input: input ?? null })) === index;
  if (hook !== "event" || !isObject(input) || !isObject(input.properties)) return true;
  const { part, info } = input.properties;
  if (isObject(part)) {
    const state = isObject(part.state) ? part.state.status : undefined;
    return part.type === "step-finish" || (part.type === "tool" && state === "error");
  }
  return !isObject(info) || info.error !== undefined || input.type === "session.deleted";
}

function agentOf({ input }: JsonObject): Json | undefined {
  return isObject(input) ? input.agent : undefined;
}

/** Folders of this run go, and so do texts that are OpenCode's own. */
function tidy(row: JsonObject): JsonObject {
  const shorten = (value: Json | undefined): Json | undefined => {
    if (typeof value === "string") {
      const text = value.replaceAll(workspace, "/ws").replaceAll(server.place.root, "/place");
      return text.length > 400 ? `${text.slice(0, 400)}…` : text;
    }
    if (Array.isArray(value)) return value.map((one) => shorten(one as Json) as Json);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shorten(one) as Json]));
  };
  const { hook, input, output } = row;
  const { provider: _, ...told } = isObject(input) ? input : {};
  return shorten({ hook: hook ?? "", input: told, output }) as JsonObject;
}
