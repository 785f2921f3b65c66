import { claudeCodeCapabilities } from "../../src/edge/adapters/capabilities.ts";
import { toolName } from "../../src/edge/adapters/shared/claude/tool-map.ts";
import {
  answerOrFail,
  type KitCall,
  type KitMcpCall,
  type KitOutcome,
  type KitReply,
  type KitRequest,
  type KitRun,
  playKitScript,
  type RuntimeDriver,
} from "../../src/testing/kit/driver.ts";
import {
  type ModelRequest,
  type Script,
  type ScriptedCall,
  type ScriptedMessage,
  startModelServer,
} from "../../src/testing/test/model-server/index.ts";
import { ALLOWED, type CliEnd, resultOfRun, runClaude, type SetUp, setUp, shownIn } from "./cli.ts";
import { type Daemon, type DaemonOptions, startDaemon } from "./daemon.ts";
import { newPlace, type Place } from "./place.ts";

/** For tests of this runtime alone: the processes and what they said. */
export type ClaudeCodeOutcome = KitOutcome & {
  readonly ends: readonly CliEnd[];
  readonly modelRequests: readonly ModelRequest[];
  readonly seen: readonly string[];
};

/** How one run differs from the usual one. */
export type ClaudeCodeRunOptions = {
  /** Instead of the kit's script, for native calls. */
  readonly script?: (workspace: string) => Script;
  readonly setUp?: SetUp;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly daemon?: Partial<DaemonOptions>;
  /** Gets everything before the first message. */
  readonly prepare?: (daemon: Daemon, place: Place) => void | Promise<void>;
};

/** Claude Code itself, as `claude -p`, with http hooks to a Conduct in this process. */
export function claudeCodeDriver(): RuntimeDriver {
  return { name: "claude-code", capabilities: claudeCodeCapabilities, toolName, run: (run) => runKit(run) };
}

/** One run in folders of its own, on loopback only. */
export async function runKit(run: KitRun, more: ClaudeCodeRunOptions = {}): Promise<ClaudeCodeOutcome> {
  const place = newPlace();
  for (const [path, text] of Object.entries(run.files ?? {})) place.put(path, text);
  const player = playKitScript(run.script);
  let daemon: Daemon | undefined;
  const server = await startModelServer({
    script:
      more.script?.(place.workspace) ??
      (async (request) => {
        if (run.failing === "gone") await daemon?.close();
        if (request.kind === "compaction") return { text: "<summary>What was said before.</summary>" };
        return nativeMessage(player.next(kitRequest(request)) ?? { text: "script exhausted" }, place.workspace);
      }),
  });
  try {
    await run.before?.(1, { workspace: place.workspace, home: place.conduct });
    const begun = () => server.requests.length > 0;
    const around = <T>(answer: () => Promise<T>) => answerOrFail(run.failing, begun, answer);
    const { agent, session = {}, ports = {} } = run;
    daemon = await startDaemon(place, { agent, session, ports, around, ...more.daemon });
    setUp(place, daemon, { ...mcpServersOf(run), ...secondsOf(run), ...more.setUp });
    await more.prepare?.(daemon, place);
    const ends = await play(run, more, place, server.url);
    const files = place.files();
    const turns = server.requests.filter(({ kind }) => kind === "turn" || kind === "subagent");
    return {
      requests: turns.map(kitRequest),
      modelRequests: server.requests,
      events: daemon.events,
      seen: daemon.seen,
      ends,
      shown: ends.flatMap(shownIn),
      unplayed: more.script === undefined ? player.unplayed() : server.remaining,
      file: (path) => files.get(path),
    };
  } finally {
    await daemon?.close();
    await daemon?.conduct.close();
    await server.close();
    place.remove();
  }
}

async function play(run: KitRun, more: ClaudeCodeRunOptions, place: Place, url: string): Promise<readonly CliEnd[]> {
  const ends: CliEnd[] = [];
  const say = async (text: string) => {
    const id = ends.length === 0 ? undefined : resultOfRun(ends[0] ?? { exitCode: null, messages: [], stderr: "" });
    const resume = id === undefined ? [] : ["-r", String(id.session_id)];
    const servers = Object.keys(run.mcpServers ?? {}).map((name) => `mcp__${name}`);
    const allowed = ["--allowedTools", [ALLOWED, ...servers].join(",")];
    ends.push(await runClaude(place, url, ["-p", text, ...resume, ...allowed, ...(more.args ?? [])], more.env));
  };
  for (const [at, message] of [run.message, ...(run.further ?? [])].entries()) {
    if (run.steps?.[at + 1] === "compact") await say("/compact");
    if (at > 0) await run.before?.(at + 1, { workspace: place.workspace, home: place.conduct });
    // Every message after the first is a process of its own that resumes the conversation.
    await say(message);
  }
  return ends;
}

function mcpServersOf({ mcpServers = {} }: KitRun): Pick<SetUp, "mcpServers"> {
  const entries = Object.entries(mcpServers).map(([name, { command, args }]) => [
    name,
    { type: "stdio", command, args, alwaysLoad: true },
  ]);
  return { mcpServers: Object.fromEntries(entries) };
}

/** Nobody waits for the usual limits where nothing will come. */
function secondsOf({ failing }: KitRun): Pick<SetUp, "seconds"> {
  return failing === undefined ? {} : { seconds: { PreToolUse: 3, PostToolBatch: 1, Stop: 1, SessionEnd: 1 } };
}

function nativeMessage({ text, calls = [], mcpCalls = [], task }: KitReply, workspace: string): ScriptedMessage {
  const below = task === undefined ? [] : [nativeTask(task.id, task.prompt)];
  const all = [...calls.map((call) => nativeCall(call, workspace)), ...mcpCalls.map(nativeMcpCall), ...below];
  return { text, ...(all.length === 0 ? {} : { calls: all }) };
}

/** The call as Claude's model would make it: files by their absolute path. */
function nativeCall({ id, tool, args }: KitCall, workspace: string): ScriptedCall {
  const path = String(args.path ?? "");
  const file_path = path.startsWith("/") ? path : `${workspace}/${path}`;
  switch (tool) {
    case "read_file":
      return { id, name: "Read", input: { file_path } };
    case "write_file":
      return { id, name: "Write", input: { file_path, content: String(args.content ?? "") } };
    case "shell":
      return { id, name: "Bash", input: { command: String(args.command ?? "") } };
    default:
      return { id, name: toolName(tool), input: { ...args } };
  }
}

function nativeMcpCall({ id, server, tool, args }: KitMcpCall): ScriptedCall {
  return { id, name: `mcp__${server}__${tool}`, input: { ...args } };
}

function nativeTask(id: string, prompt: string): ScriptedCall {
  const input = { description: "work", prompt, subagent_type: "general-purpose", run_in_background: false };
  return { id, name: "Agent", input };
}

/** What stands beside messages is the conversation's: the newest prompt, and what changed of it since. */
function kitRequest({ raw, history, lastUserText, thinking, results, kind }: ModelRequest): KitRequest {
  const told = history.flatMap((item) => (item.kind === "text" && item.role === "system" ? [item.text] : []));
  return {
    raw,
    system: told.join("\n\n"),
    lastUserText,
    thinking,
    ...(kind === "subagent" ? { subagent: true } : {}),
    results: results.map(({ callId, text }) => ({ callId, text })),
  };
}
