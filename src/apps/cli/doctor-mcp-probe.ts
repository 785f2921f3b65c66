import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { asList, asObject, asString, parseObject } from "../../base/kernel/json.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { conductProgram } from "../../edge/host/daemon-place.ts";
import { clientCommand } from "../install/client-command.ts";
import { mcpProxyWords } from "../install/mcp.ts";

const LIMIT_MS = 30_000;
const PROTOCOL = "2025-06-18";
const RAN = "it came through";

/** A server that only listens: it has one tool, and does nothing when that is called but say so. */
const STUB_SERVER = `
const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const tool = { name: "write_file", description: "Writes nothing", inputSchema: { type: "object" } };
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "initialize") {
    const serverInfo = { name: "doctor", version: "1" };
    say({ id, result: { protocolVersion: ${JSON.stringify(PROTOCOL)}, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") say({ id, result: { tools: [tool] } });
  else if (method === "tools/call") say({ id, result: { content: [{ type: "text", text: ${JSON.stringify(RAN)} }] } });
});`;

/** What came of it at the client's end: did the call reach the server? */
export type McpProbe = { readonly ran: boolean; readonly said: string };

/** Plays a client: starts `conduct mcp proxy` as one would, before a server that only listens, and calls its tool. */
export async function probeMcp(place: {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly cwd: string;
  readonly args: JsonObject;
}): Promise<McpProbe> {
  const { env, home, cwd } = place;
  const server = [process.execPath, "-e", STUB_SERVER];
  const words = mcpProxyWords("doctor", server);
  const { command, args } = clientCommand({ env, home }, process.execPath, conductProgram(), words);
  const child = spawn(command, args, {
    cwd,
    env: { ...env, CONDUCT_HOME: home },
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  const closed = once(child, "close");
  let logs = "";
  child.stderr.on("data", (text: Buffer) => {
    logs += text;
  });
  child.stdin.on("error", () => undefined);
  const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let result: JsonObject | undefined;
  const clientInfo = { name: "conduct doctor", version: "1" };
  say({ id: 1, method: "initialize", params: { protocolVersion: PROTOCOL, capabilities: {}, clientInfo } });
  for await (const line of createInterface({ input: child.stdout })) {
    const answer = parseObject(line) ?? {};
    if (answer.error !== undefined) throw new Error(asString(asObject(answer.error).message));
    if (answer.id === 1) {
      say({ method: "notifications/initialized" });
      say({ id: 2, method: "tools/call", params: { name: "write_file", arguments: place.args } });
    } else if (answer.id === 2) {
      result = asObject(answer.result);
      child.stdin.end();
    }
  }
  await closed;
  if (result === undefined) throw new Error(logs.trim() || "conduct mcp proxy ended before the call was answered");
  const said = asList(result.content)
    .map((part) => asString(asObject(part).text))
    .join("\n");
  return { ran: said.includes(RAN), said };
}
