import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { asList, asObject } from "../../../../base/kernel/json.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { acp, acpWords } from "../../../install/acp.ts";
import { checkBound, checkEnd } from "./bound.ts";
import { type Check, type DoctorWorld, openOf, type RuntimeCheckup, warns } from "./check.ts";
import { checkLauncher } from "./launcher.ts";
import { checked } from "./machine.ts";
import { inJournal } from "./probe.ts";
import { type TalkPlace, talkTo } from "./talk.ts";

const SHOW = "conduct init acp";

/** What `conduct acp` would do for an editor that started it now. */
export async function checkAcp(world: DoctorWorld, journal: EventJournal | undefined): Promise<RuntimeCheckup> {
  const checks = [
    await checked("launcher", SHOW, () => checkLauncher(world.home, SHOW, "optional")),
    await checked("bound", SHOW, () => checkBound(acp, world)),
    await checked("self-test", SHOW, () => checkProbe(world, journal)),
  ];
  return { runtime: acp.name, title: acp.title, checks, open: openOf(acp) };
}

/** A command that must not pass, asked for by an agent that runs nothing. */
async function checkProbe(world: DoctorWorld, journal: EventJournal | undefined): Promise<Check> {
  if (journal === undefined) return warns("self-test", "not run: there is no store yet");
  const { env, home, cwd } = world;
  const id = `doctor-${randomUUID()}`;
  const command = `echo > '${join(home, "conduct.yaml")}'`;
  const { asked } = await probeAcp({ env, home, cwd, session: id, command });
  const end = { letThrough: asked, as: await inJournal(journal, `acp-${id}`) };
  return checkEnd(acp, world, end, { way: "the entry of an editor", fix: SHOW });
}

/** An agent that only tries: at its first message it asks for permission to run one command, and runs nothing whatever it is told. */
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

/** What came of it at the client's end: was the person asked, or was the call refused before anybody saw it? */
type AcpProbe = { readonly asked: boolean; readonly said: string };

/** Plays an editor: starts `conduct acp` as one would, with an agent that tries a command, and looks what comes back. */
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

/** Whatever is asked, the answer is no. */
function refusing({ options }: JsonObject): string {
  const no = asList(options).find((option) => String(asObject(option).kind).startsWith("reject"));
  return String(asObject(no).optionId);
}
