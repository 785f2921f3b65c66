import { dirname, join } from "node:path";
import { parseObject } from "../../src/base/kernel/json.ts";
import { geminiCapabilities } from "../../src/edge/adapters/capabilities.ts";
import { toolName } from "../../src/edge/adapters/gemini/tool-map.ts";
import {
  type KitCall,
  type KitOutcome,
  type KitReply,
  type KitRequest,
  type KitRun,
  playKitScript,
  type RuntimeDriver,
} from "../../src/testing/kit/driver.ts";
import {
  type ModelRequest,
  type ScriptedCall,
  type ScriptedMessage,
  startModelServer,
} from "../../src/testing/test/model-server/index.ts";
import { withKitIds } from "../shipped/kit-ids.ts";
import { type Ended, Machine } from "../shipped/machine.ts";

export const GEMINI = join(import.meta.dirname, "node_modules/.bin/gemini");

/** `gemini -p`, set up by `conduct init gemini`, with the shipped daemon. */
export function geminiDriver(): RuntimeDriver {
  return { name: "gemini", capabilities: geminiCapabilities, toolName, run: runShipped };
}

async function runShipped(run: KitRun): Promise<KitOutcome> {
  const machine = new Machine(run, () => ({
    PATH: `${dirname(GEMINI)}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    SHELL: "/bin/bash",
    GEMINI_CLI_TRUST_WORKSPACE: "true",
  }));
  const player = playKitScript(run.script);
  const said: ScriptedCall[] = [];
  const server = await startModelServer({
    ignore: (request) =>
      isTurn(request) ? undefined : { text: "<state_snapshot>What was said before.</state_snapshot>" },
    async script(request) {
      if (run.failing === "hang" && server.requests.length > 1) machine.wake();
      else if (run.failing !== undefined && server.requests.length === 1) await machine.fail(run.failing);
      const message = nativeMessage(player.next(kitRequest(request)) ?? { text: "script exhausted" });
      said.push(...(message.calls ?? []));
      return message;
    },
  });
  try {
    const auth = { selectedType: "gemini-api-key" };
    const mcpServers = Object.fromEntries(
      Object.entries(run.mcpServers ?? {}).map(([name, { command, args }]) => [name, { command, args, trust: true }]),
    );
    // The kit repeats calls on purpose.
    const settings = { security: { auth }, model: { disableLoopDetection: true }, mcpServers };
    machine.write(join(machine.user, ".gemini/settings.json"), JSON.stringify(settings, null, 2));
    await run.before?.(1, machine.place);
    await machine.setUp("gemini");
    machine.answerQuestions();
    const ends = await play(run, machine, server.url);
    const files = machine.files();
    return {
      requests: server.requests.map(kitRequest),
      events: withKitIds(machine.events(), said),
      shown: ends.flatMap(shownIn),
      unplayed: player.unplayed(),
      file: (path) => files.get(path),
    };
  } finally {
    await machine.close();
    await server.close();
  }
}

/** Every message after the first is a process of its own that resumes the conversation. */
async function play(run: KitRun, machine: Machine, url: string): Promise<readonly Ended[]> {
  const ends: Ended[] = [];
  const env = { GEMINI_API_KEY: "scripted", GOOGLE_GEMINI_BASE_URL: url };
  const say = async (text: string) => {
    const resume = ends.length === 0 ? [] : ["--resume", "latest"];
    const args = ["-m", "gemini-2.5-flash", "--yolo", "-o", "stream-json", ...resume, "-p", text];
    ends.push(await machine.spawn(GEMINI, args, { env }));
  };
  for (const [at, message] of [run.message, ...(run.further ?? [])].entries()) {
    await machine.before(at + 1);
    await say(message);
  }
  return ends;
}

/** The compression of a conversation is a request of its own, without tools. */
function isTurn({ tools }: ModelRequest): boolean {
  return tools.length > 0;
}

/** Texts that a hook shows to the person: the reason of a blocked message, and system messages. */
function shownIn({ stdout, stderr }: Ended): readonly string[] {
  const blocked = stdout.split("\n").flatMap((line) => {
    const { type, message } = parseObject(line) ?? {};
    const text = type === "error" ? /^Agent execution blocked: (.*)$/s.exec(String(message))?.[1] : undefined;
    return text === undefined ? [] : [text];
  });
  const shown = stderr
    .split(/^Hook system message: /m)
    .slice(1)
    .map((text) => text.replace(/\nError executing tool .*$/s, ""));
  return [...blocked, ...shown];
}

function nativeMessage({ text, calls = [], mcpCalls = [] }: KitReply): ScriptedMessage {
  const foreign = mcpCalls.map(({ id, server, tool, args }) => ({
    id,
    name: `mcp_${server}_${tool}`,
    input: { ...args },
  }));
  return { text, calls: [...calls.map(nativeCall), ...foreign] };
}

function nativeCall({ id, tool, args }: KitCall): ScriptedCall {
  const { path, ...rest } = args;
  const input = path === undefined ? { ...args } : { ...rest, file_path: path };
  return { id, name: toolName(tool), input };
}

/** The prompt is the start of the first text of the conversation. */
function kitRequest({ raw, history, lastUserText, thinking, results }: ModelRequest): KitRequest {
  const opening = history.find((item) => item.kind === "text")?.text ?? "";
  return {
    raw,
    system: opening.split("<session_context>")[0] ?? "",
    lastUserText,
    thinking,
    results: results.map(({ callId, text }) => ({ callId, text })),
  };
}
