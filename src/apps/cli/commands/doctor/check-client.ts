import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { asList, asObject, asString, parseObject } from "../../../../base/kernel/json.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";
import {
  acp,
  acpWords,
  type ClientCommand,
  clientCommand,
  mcp,
  mcpProxyWords,
  type StartedRuntime,
} from "../../../install/client-runtimes.ts";
import { readLauncher } from "../../../install/launcher/launcher-files.ts";
import { checkBound, checkEnd, checked, checkLauncher, type DoctorWorld, openOf } from "./check.ts";
import { inJournal } from "./probe.ts";
import { type RuntimeCheckup, warns } from "./render.ts";

const LIMIT_MS = 30_000;

/** The environment in which a client would start the proxy. */
export type TalkPlace = { readonly env: NodeJS.ProcessEnv; readonly home: string; readonly cwd: string };

/** A client's connection to the proxy: JSON-RPC, one message per line. */
type Talk = { say(message: object): void; end(): void };

/** The command that `conduct init` shows; without an installation, this very program. */
async function startedBy(home: string, words: readonly string[]): Promise<ClientCommand> {
  if ((await readLauncher(home)).kind !== "missing") return clientCommand({ home }, words);
  return { command: process.execPath, args: [conductProgram(), ...words], env: { CONDUCT_HOME: home } };
}

/** Starts Conduct as a client would and passes on every message until it exits. Returns its stderr. */
async function talkTo(
  { env, home, cwd }: TalkPlace,
  words: readonly string[],
  first: object,
  hear: (message: JsonObject, talk: Talk) => void,
): Promise<string> {
  const { command, args, env: own } = await startedBy(home, words);
  const child = spawn(command, args, {
    cwd,
    env: { ...env, ...own },
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  const closed = once(child, "close");
  let logs = "";
  child.stderr.on("data", (text: Buffer) => {
    logs += text;
  });
  child.stdin.on("error", () => undefined);
  const talk: Talk = {
    say: (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    end: () => void child.stdin.end(),
  };
  talk.say(first);
  for await (const line of createInterface({ input: child.stdout })) hear(parseObject(line) ?? {}, talk);
  await closed;
  return logs.trim();
}

/** Checks what `conduct acp` or `conduct mcp proxy` would do for a client that started it now. */
export async function checkClient(
  { name }: StartedRuntime,
  world: DoctorWorld,
  journal: EventJournal | undefined,
): Promise<RuntimeCheckup> {
  const { runtime, way, probe } = PROBES[name];
  const fix = `conduct init ${name}`;
  const checks = [
    await checked("launcher", fix, () => checkLauncher(world.home, fix, "optional")),
    await checked("agent", fix, () => checkBound(runtime, world)),
    await checked("self-test", fix, async () => {
      if (journal === undefined) return warns("self-test", "skipped: there is no store yet");
      return checkEnd(runtime, world, await probe(world, journal), { way, fix });
    }),
  ];
  return { runtime: name, title: runtime.title, checks, open: openOf(runtime) };
}

/** Each probe tries a forbidden call on an agent or server that does nothing. */
const PROBES = {
  acp: {
    runtime: acp,
    way: "the ACP proxy",
    async probe({ env, home, cwd }: DoctorWorld, journal: EventJournal) {
      const session = `doctor-${randomUUID()}`;
      const command = `echo > '${join(home, "conduct.yaml")}'`;
      const { asked } = await probeAcp({ env, home, cwd, session, command });
      return { letThrough: asked, as: await inJournal(journal, `acp-${session}`) };
    },
  },
  mcp: {
    runtime: mcp,
    way: "the MCP proxy",
    async probe({ env, home, cwd }: DoctorWorld, journal: EventJournal) {
      const mark = randomUUID().replaceAll("-", "");
      const { ran } = await probeMcp({ env, home, cwd, args: { path: join(home, "conduct.yaml"), content: mark } });
      const session = await sessionWith(journal, mark);
      return { letThrough: ran, as: session === undefined ? undefined : await inJournal(journal, session) };
    },
  },
} as const;

/** An agent that asks for permission to run one command at its first message, and never runs it. */
function stubAgent(sessionId: string, command: string): string {
  const toolCall = { toolCallId: "doctor", title: command, kind: "execute", rawInput: { command } };
  const options = [
    { optionId: "yes", name: "Allow", kind: "allow_once" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ];
  const asking = { id: "ask", method: "session/request_permission", params: { sessionId, toolCall, options } };
  return `
const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
let first;
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "initialize") say({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  else if (method === "session/new") say({ id, result: { sessionId: ${JSON.stringify(sessionId)} } });
  else if (method === "session/prompt" && first === undefined) {
    first = id;
    say(${JSON.stringify(asking)});
  } else if (method === "session/prompt") say({ id, result: { stopReason: "end_turn" } });
  else if (id === "ask") say({ id: first, result: { stopReason: "end_turn" } });
});`;
}

/** The outcome at the client: was the person asked, or was the call denied before? */
type AcpProbe = { readonly asked: boolean; readonly said: string };

/** Acts as an editor: starts `conduct acp` with an agent that tries a command, and reads the result. */
export async function probeAcp(
  place: TalkPlace & { readonly session: string; readonly command: string },
): Promise<AcpProbe> {
  const { cwd, session } = place;
  const words = acpWords([process.execPath, "-e", stubAgent(session, place.command)]);
  const first = { id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } };
  const texts: string[] = [];
  let [asked, over] = [false, false];
  const logs = await talkTo(place, words, first, ({ id, method, params, error }, { say, end }) => {
    if (method === "session/request_permission") {
      asked = true;
      say({ id, result: { outcome: { outcome: "selected", optionId: refusing(asObject(params)) } } });
    } else if (method === "session/update") texts.push(JSON.stringify(params));
    else if (error !== undefined) throw new Error(String(asObject(error).message));
    else if (id === 1) say({ id: 2, method: "session/new", params: { cwd, mcpServers: [] } });
    else if (id === 2) say(prompt(session));
    else if (id === 3) {
      over = true;
      end();
    }
  });
  if (!over) throw new Error(logs || "conduct acp ended before the turn did");
  return { asked, said: texts.join("\n") };
}

function prompt(sessionId: string): object {
  return { id: 3, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text: "Try it." }] } };
}

function refusing({ options }: JsonObject): string {
  const no = asList(options).find((option) => String(asObject(option).kind).startsWith("reject"));
  return String(asObject(no).optionId);
}

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

const LOOK_MS = 50;
const LOOKS = 100;

/** The proxy names its session itself, so the session is found by the call in it. */
async function sessionWith(journal: EventJournal, mark: string): Promise<string | undefined> {
  for (let look = 0; look < LOOKS; look++) {
    const { events } = await journal.read({ text: mark, types: ["call"], limit: 1 });
    if (events[0] !== undefined) return events[0].event.session;
    await sleep(LOOK_MS);
  }
  return undefined;
}
