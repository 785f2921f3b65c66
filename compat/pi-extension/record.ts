import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asString } from "../../src/base/kernel/json.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { newPlace, writeFiles, writePiHome } from "./place.ts";
import { startPi } from "./rpc.ts";

/** Writes what Pi's events really are into the adapter's `recorded/`: `node compat/pi-extension/record.ts`. */
const folder = join(import.meta.dirname, "../../src/edge/adapters/pi-extension/recorded");
const EVENTS = [
  "input",
  "before_agent_start",
  "context_with_system",
  "before_provider_request",
  "message_end",
  "tool_call",
  "tool_result",
  "agent_before_settle",
  "session_shutdown",
];

const calls = [
  { id: "call_read", name: "read", input: { path: "a.txt" } },
  { id: "call_write", name: "write", input: { path: "@b.txt", content: "new\n" } },
  { id: "call_ok", name: "bash", input: { command: "echo fine" } },
  { id: "call_failed", name: "bash", input: { command: "echo broken; exit 3" } },
];

for (const api of ["anthropic-messages", "openai-responses"] as const) {
  const place = newPlace();
  const server = await startModelServer({ script: [{ text: "Working.", calls }, { text: "Done." }] });
  const file = join(place.home, "events.jsonl");
  const recorder = `import { appendFileSync } from "node:fs";
export default (pi) => {
  for (const name of ${JSON.stringify(EVENTS)}) {
    pi.on(name, (event) => { appendFileSync(${JSON.stringify(file)}, JSON.stringify(event) + "\\n"); });
  }
};
`;
  const modelUrl = api === "anthropic-messages" ? server.url : server.openaiUrl;
  const others = { "record.ts": recorder };
  writePiHome(place, { modelUrl, api, window: 200_000, extension: null, others });
  writeFiles(place.workspace, { "a.txt": "old\n" });
  const pi = startPi(place, ["--system-prompt", "You are Pi."]);
  await pi.prompt("go");
  await pi.close();
  const events = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line, steady(place.workspace)));
  writeFileSync(join(folder, `${api}.json`), `${JSON.stringify(events, null, 2)}\n`);
  await server.close();
  place.remove();
}

/** Without what differs from run to run. */
function steady(workspace: string): (key: string, value: unknown) => unknown {
  return (key, value) => {
    if (key === "timestamp") return 0;
    // The whole transcript once more, at the end of a run.
    if (key === "context") return undefined;
    if (key === "parameters" || key === "input_schema") return {};
    return typeof value === "string" ? asString(value).replaceAll(workspace, "/workspace") : value;
  };
}
