import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { asList, asObject, asString } from "../../../../base/kernel/json.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { mcp, mcpProxyWords } from "../../../install/client-runtimes.ts";
import {
  type Check,
  checkBound,
  checkEnd,
  checked,
  checkLauncher,
  type DoctorWorld,
  openOf,
  type RuntimeCheckup,
  warns,
} from "./check.ts";
import { type TalkPlace, talkTo } from "./check-acp.ts";
import { inJournal } from "./probe.ts";

const PROTOCOL = "2025-06-18";
const RAN = "it came through";

/** A server with one tool that does nothing but report its call. */
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

/** The outcome at the client: did the call reach the server? */
type McpProbe = { readonly ran: boolean; readonly said: string };

/** Acts as a client: starts `conduct mcp proxy` in front of the stub server, and calls its tool. */
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

const SHOW = "conduct init mcp";
const LOOK_MS = 50;
const LOOKS = 100;

/** Checks what `conduct mcp proxy` would do for a client that started it now. */
export async function checkMcp(world: DoctorWorld, journal: EventJournal | undefined): Promise<RuntimeCheckup> {
  const checks = [
    await checked("launcher", SHOW, () => checkLauncher(world.home, SHOW, "optional")),
    await checked("bound", SHOW, () => checkBound(mcp, world)),
    await checked("self-test", SHOW, () => checkProbe(world, journal)),
  ];
  return { runtime: mcp.name, title: mcp.title, checks, open: openOf(mcp) };
}

/** Probes with a forbidden call to a server that does nothing. */
async function checkProbe(world: DoctorWorld, journal: EventJournal | undefined): Promise<Check> {
  if (journal === undefined) return warns("self-test", "not run: there is no store yet");
  const { env, home, cwd } = world;
  const mark = randomUUID().replaceAll("-", "");
  const { ran } = await probeMcp({ env, home, cwd, args: { path: join(home, "conduct.yaml"), content: mark } });
  const session = await sessionWith(journal, mark);
  const end = { letThrough: ran, as: session === undefined ? undefined : await inJournal(journal, session) };
  return checkEnd(mcp, world, end, { way: "the entry of a client", fix: SHOW });
}

/** The proxy names its session itself, so the session is found by the call in it. */
async function sessionWith(journal: EventJournal, mark: string): Promise<string | undefined> {
  for (let look = 0; look < LOOKS; look++) {
    const { events } = await journal.read({ text: mark, types: ["call"], limit: 1 });
    if (events[0] !== undefined) return events[0].event.session;
    await sleep(LOOK_MS);
  }
  return undefined;
}
