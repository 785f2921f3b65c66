import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { ConductEvent } from "../../../base/words/event.ts";
import type {
  Capabilities,
  KitOutcome,
  KitReply,
  KitRequest,
  KitRun,
  RuntimeDriver,
} from "../../../testing/kit/driver.ts";
import {
  type LoopMessage,
  type LoopReply,
  type LoopRequest,
  type LoopTool,
  runScriptedLoop,
} from "../../../testing/loop/scripted-loop.ts";
import { openConduct } from "../../host/open-conduct.ts";
import { workspaceTools } from "./workspace-tools.ts";

const capabilities: Capabilities = {
  prompt: true,
  deny: true,
  rewrite: true,
  "end-turn": true,
  outcome: true,
  batch: true,
  truncate: true,
  "read-result": true,
  feedback: true,
  stop: true,
  "stop-bound": true,
  modes: true,
  "rewrite-message": true,
  "think-level": true,
  verbose: true,
};

/** The scripted loop as a runtime: everything in this process, nothing faked but the model. */
export function loopDriver(): RuntimeDriver {
  return { name: "scripted-loop", capabilities, toolName: (tool) => tool, run };
}

async function run(given: KitRun): Promise<KitOutcome> {
  const root = await mkdtemp(join(tmpdir(), "conduct-loop-"));
  const place = { workspace: join(root, "workspace"), home: join(root, "home") };
  const { workspace, home } = place;
  try {
    await mkdir(workspace);
    for (const [path, content] of Object.entries(given.files ?? {})) {
      await mkdir(dirname(join(workspace, path)), { recursive: true });
      await writeFile(join(workspace, path), content);
    }
    await given.before?.(1, place);
    const { agent, ports = {} } = given;
    const conduct = openConduct({ agents: [agent], workspace, home, ports });
    const events: ConductEvent[] = [];
    conduct.subscribe((event) => events.push(event));
    const session = conduct.session({ agent: agent.name, ...given.session });
    const own = session.tools().map(({ name, run: runTool }): [string, LoopTool] => [name, runTool]);
    const requests: KitRequest[] = [];
    const script = [...given.script];
    const model = (request: LoopRequest): LoopReply => {
      const seen = seenRequest(request);
      requests.push(seen);
      const next = script.shift();
      if (next === undefined) return { text: "script exhausted" };
      const reply: KitReply = typeof next === "function" ? next(seen) : next;
      return reply;
    };
    const tools = { ...workspaceTools(workspace), ...Object.fromEntries(own) };
    const shown: string[] = [];
    let history: readonly LoopMessage[] | undefined;
    for (const [at, message] of [given.message, ...(given.further ?? [])].entries()) {
      if (at > 0) await given.before?.(at + 1, place);
      const said = history === undefined ? {} : { history };
      const turn = await runScriptedLoop({ session, message, tools, model, ...said });
      shown.push(...turn.shown);
      history = turn.messages;
    }
    const files = await filesIn(workspace);
    return { requests, events, shown, unplayed: script.length, file: (path) => files.get(path) };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Every file of the folder, read before it goes: a run's outcome outlives its workspace. */
async function filesIn(workspace: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(workspace, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(relative(workspace, path), await readFile(path, "utf8"));
  }
  return files;
}

function seenRequest(request: LoopRequest): KitRequest {
  const users = request.messages.filter((message) => message.role === "user");
  return {
    raw: JSON.stringify(request),
    system: request.system,
    lastUserText: users.at(-1)?.text ?? "",
    ...(request.thinking === undefined ? {} : { thinking: request.thinking }),
    results: request.messages.flatMap((message) =>
      message.role === "result" ? [{ callId: message.callId, text: message.text }] : [],
    ),
  };
}
