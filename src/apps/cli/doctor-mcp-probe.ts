import { asList, asObject, asString } from "../../base/kernel/json.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { mcpProxyWords } from "../install/mcp.ts";
import { type TalkPlace, talkTo } from "./doctor-talk.ts";

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
export async function probeMcp(place: TalkPlace & { readonly args: JsonObject }): Promise<McpProbe> {
  const words = mcpProxyWords("doctor", [process.execPath, "-e", STUB_SERVER]);
  const clientInfo = { name: "conduct doctor", version: "1" };
  const first = { id: 1, method: "initialize", params: { protocolVersion: PROTOCOL, capabilities: {}, clientInfo } };
  let result: JsonObject | undefined;
  const logs = await talkTo(place, words, first, (answer, { say, end }) => {
    if (answer.error !== undefined) throw new Error(asString(asObject(answer.error).message));
    if (answer.id === 1) {
      say({ method: "notifications/initialized" });
      say({ id: 2, method: "tools/call", params: { name: "write_file", arguments: place.args } });
    } else if (answer.id === 2) {
      result = asObject(answer.result);
      end();
    }
  });
  if (result === undefined) throw new Error(logs || "conduct mcp proxy ended before the call was answered");
  const said = asList(result.content)
    .map((part) => asString(asObject(part).text))
    .join("\n");
  return { ran: said.includes(RAN), said };
}
