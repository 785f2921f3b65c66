import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { copilotCapabilities } from "../../src/edge/adapters/capabilities.ts";
import { toolName } from "../../src/edge/adapters/copilot/tool-map.ts";
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
import { Machine } from "../shipped/machine.ts";

const COPILOT = join(import.meta.dirname, "node_modules/.bin/copilot");

/** `copilot -p`, set up by `conduct init copilot`, with the shipped daemon. */
export function copilotDriver(): RuntimeDriver {
  return { name: "copilot", capabilities: copilotCapabilities, toolName, run: runShipped };
}

async function runShipped(run: KitRun): Promise<KitOutcome> {
  const machine = new Machine(run, () => ({
    PATH: `${dirname(COPILOT)}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    SHELL: "/bin/bash",
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
  }));
  const player = playKitScript(run.script);
  const said: ScriptedCall[] = [];
  const server = await startModelServer({
    ignore: (request) => (isCompaction(request) ? { text: "What was said before." } : undefined),
    async script(request) {
      if (run.failing === "hang" && server.requests.length > 1) machine.wake();
      else if (run.failing !== undefined && server.requests.length === 1) await machine.fail(run.failing);
      const reply = player.next(kitRequest(request)) ?? { text: "script exhausted" };
      const message = nativeMessage(reply, machine.workspace);
      said.push(...(message.calls ?? []));
      return message;
    },
  });
  try {
    const mcpServers = Object.fromEntries(
      Object.entries(run.mcpServers ?? {}).map(([name, { command, args }]) => [
        name,
        { type: "local", command, args, tools: ["*"] },
      ]),
    );
    machine.write(join(machine.user, ".copilot/mcp-config.json"), JSON.stringify({ mcpServers }));
    await run.before?.(1, machine.place);
    await machine.setUp("copilot");
    machine.answerQuestions();
    await play(run, machine, server.openaiUrl);
    const files = machine.files();
    return {
      requests: server.requests.map(kitRequest),
      events: withKitIds(machine.events(), said),
      shown: [],
      unplayed: player.unplayed(),
      file: (path) => files.get(path),
    };
  } finally {
    await machine.close();
    await server.close();
  }
}

/** Every message after the first is a process of its own that resumes the conversation. */
async function play(run: KitRun, machine: Machine, url: string): Promise<void> {
  const env = { COPILOT_PROVIDER_BASE_URL: url, COPILOT_PROVIDER_API_KEY: "sk-scripted", COPILOT_MODEL: "scripted" };
  const id = randomUUID();
  let isStarted = false;
  const say = async (text: string) => {
    const session = isStarted ? `--resume=${id}` : `--session-id=${id}`;
    isStarted = true;
    await machine.spawn(COPILOT, ["--allow-all-tools", session, "-p", text], { env });
  };
  for (const [at, message] of [run.message, ...(run.further ?? [])].entries()) {
    if (run.steps?.[at + 1] === "compact") await say("/compact");
    await machine.before(at + 1);
    await say(message);
  }
}

function isCompaction({ lastUserText }: ModelRequest): boolean {
  return lastUserText.startsWith("Please create a detailed summary of the conversation so far.");
}

function nativeMessage({ text, calls = [], mcpCalls = [], task }: KitReply, workspace: string): ScriptedMessage {
  const foreign = mcpCalls.map(({ id, server, tool, args }) => ({ id, name: `${server}-${tool}`, input: { ...args } }));
  const below = task === undefined ? [] : [nativeTask(task.id, task.prompt)];
  return { text, calls: [...calls.map((call) => nativeCall(call, workspace)), ...foreign, ...below] };
}

function nativeTask(id: string, prompt: string): ScriptedCall {
  const input = { description: "work", prompt, agent_type: "general-purpose", name: "worker", mode: "sync" };
  return { id, name: "task", input };
}

/** The call as Copilot's model would make it: files by their absolute path. */
function nativeCall({ id, tool, args }: KitCall, workspace: string): ScriptedCall {
  const given = String(args.path ?? "");
  const path = given.startsWith("/") ? given : `${workspace}/${given}`;
  const name = toolName(tool);
  switch (tool) {
    case "read_file":
      return { id, name, input: { path } };
    case "write_file":
      // `create` is for new files only.
      if (existsSync(path)) {
        const input = { path, old_str: readFileSync(path, "utf8"), new_str: String(args.content ?? "") };
        return { id, name: toolName("edit_file"), input };
      }
      return { id, name, input: { path, file_text: String(args.content ?? "") } };
    case "shell":
      return { id, name, input: { command: String(args.command ?? ""), description: "Runs it" } };
    default:
      return { id, name, input: { ...args } };
  }
}

/** The prompt stands in reminders next to messages: the newest one, and what changed of it since. */
function kitRequest({ raw, system, history, lastUserText, thinking, results }: ModelRequest): KitRequest {
  const told = history.flatMap((item) => {
    if (item.kind !== "text" || item.role !== "user") return [];
    return [...item.text.matchAll(/<system_reminder>\n(.*?)\n<\/system_reminder>/gs)].map(([, text = ""]) => text);
  });
  return {
    raw,
    system: told.join("\n\n"),
    lastUserText,
    thinking,
    ...(system.startsWith("As a sub-agent") ? { subagent: true } : {}),
    results: results.map(({ callId, text }) => ({ callId, text })),
  };
}
