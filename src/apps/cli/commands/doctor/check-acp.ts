import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { asList, asObject, parseObject } from "../../../../base/kernel/json.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { conductProgram } from "../../../../edge/host/daemon/daemon-place.ts";
import { acp, acpWords, type ClientCommand, clientCommand } from "../../../install/client-runtimes.ts";
import { readLauncher } from "../../../install/launcher/launcher-files.ts";
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
import { inJournal } from "./probe.ts";

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
export async function talkTo(
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

const SHOW = "conduct init acp";

/** Checks what `conduct acp` would do for an editor that started it now. */
export async function checkAcp(world: DoctorWorld, journal: EventJournal | undefined): Promise<RuntimeCheckup> {
  const checks = [
    await checked("launcher", SHOW, () => checkLauncher(world.home, SHOW, "optional")),
    await checked("bound", SHOW, () => checkBound(acp, world)),
    await checked("self-test", SHOW, () => checkProbe(world, journal)),
  ];
  return { runtime: acp.name, title: acp.title, checks, open: openOf(acp) };
}

/** Probes with a forbidden command from an agent that runs nothing. */
async function checkProbe(world: DoctorWorld, journal: EventJournal | undefined): Promise<Check> {
  if (journal === undefined) return warns("self-test", "not run: there is no store yet");
  const { env, home, cwd } = world;
  const id = `doctor-${randomUUID()}`;
  const command = `echo > '${join(home, "conduct.yaml")}'`;
  const { asked } = await probeAcp({ env, home, cwd, session: id, command });
  const end = { letThrough: asked, as: await inJournal(journal, `acp-${id}`) };
  return checkEnd(acp, world, end, { way: "the entry of an editor", fix: SHOW });
}

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
