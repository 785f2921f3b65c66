import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { KitOutcome, KitPlace, KitReply, KitRequest } from "../../../testing/kit/driver.ts";
import { playKitScript } from "../../../testing/kit/driver.ts";
import { type LocalDriver, type LocalRun, localRun } from "../../../testing/kit/local-run.ts";
import {
  type LoopMessage,
  type LoopReply,
  type LoopRequest,
  type LoopTool,
  runScriptedLoop,
} from "../../../testing/loop/scripted-loop.ts";
import { allExcept } from "../capabilities.ts";
import { workspaceTools } from "../shared/workspace-tools.ts";
import { FAILING_MS, type LoopHost, openLoopHost } from "./loop-host.ts";
import { mcpTools } from "./mcp-tools.ts";

/** The scripted loop as a runtime: only the model is fake. `remote`: Conduct is behind a socket, as with the daemon. */
export function loopDriver({ remote = false }: { readonly remote?: boolean } = {}): LocalDriver {
  return {
    name: remote ? "scripted-loop behind a socket" : "scripted-loop",
    capabilities: allExcept(remote ? {} : { "no-daemon": "Conduct runs in the same process" }),
    toolName: (tool) => tool,
    run: async (given) => runLoop(await localRun(given), remote),
    runLocal: (given) => runLoop(given, remote),
  };
}

async function runLoop(given: LocalRun, remote: boolean): Promise<KitOutcome> {
  const root = await mkdtemp(join(tmpdir(), "conduct-loop-"));
  const place = { workspace: join(root, "workspace"), home: join(root, "home") };
  try {
    await mkdir(place.workspace);
    for (const [path, content] of Object.entries(given.files ?? {})) {
      await mkdir(dirname(join(place.workspace, path)), { recursive: true });
      await writeFile(join(place.workspace, path), content);
    }
    await given.before?.(1, place);
    const host = await openLoopHost(given, place, remote);
    const servers = await mcpTools(given.mcpServers);
    try {
      const played = await playTurns(given, place, host, servers.tools);
      const files = await filesIn(place.workspace);
      return { ...played, events: host.events, file: (path) => files.get(path) };
    } finally {
      await servers.close();
      await host.close();
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

type Tools = { readonly [name: string]: LoopTool };

async function playTurns(
  given: LocalRun,
  place: KitPlace,
  host: LoopHost,
  servers: Tools,
): Promise<Pick<KitOutcome, "requests" | "shown" | "unplayed">> {
  const requests: KitRequest[] = [];
  const player = playKitScript(given.script);
  const modelOf =
    (subagent: boolean) =>
    async (request: LoopRequest): Promise<LoopReply> => {
      const seen = seenRequest(request, subagent);
      requests.push(seen);
      if (given.failing !== undefined) await host.fail();
      return loopReply(player.next(seen) ?? { text: "script exhausted" });
    };
  const patience = { wait: { waitMs: 5_000 }, ...(given.failing === undefined ? {} : { limitMs: FAILING_MS }) };
  const toolsOf = (session: SessionMoments): Tools => ({
    ...workspaceTools(place.workspace),
    ...servers,
    ...Object.fromEntries(session.tools().map((tool): [string, LoopTool] => [tool.name, tool.run])),
  });
  const task: LoopTool = async ({ prompt }) => {
    const session = await host.openBelow(`below-${requests.length}`);
    const turn = { session, message: String(prompt), tools: toolsOf(session), model: modelOf(true), ...patience };
    const said = (await runScriptedLoop(turn)).messages.at(-1);
    return { outcome: "ok", parts: [{ kind: "text", text: said?.text ?? "" }] };
  };
  const shown: string[] = [];
  let history: readonly LoopMessage[] | undefined;
  for (const [at, message] of [given.message, ...(given.further ?? [])].entries()) {
    const step = given.steps?.[at + 1];
    if (step === "resume") await host.restart();
    const session = await host.open();
    if (step === "compact") {
      history = [{ role: "user", text: "What was said before was cut." }];
      session.notice({ kind: "compacted" });
    }
    await host.direct(at + 1);
    if (at > 0) await given.before?.(at + 1, place);
    const said = history === undefined ? {} : { history };
    const tools = { ...toolsOf(session), task };
    const turn = await runScriptedLoop({ session, message, tools, model: modelOf(false), ...said, ...patience });
    shown.push(...turn.shown);
    history = turn.messages;
  }
  return { requests, shown, unplayed: player.unplayed() };
}

function loopReply({ text, calls = [], mcpCalls = [], task }: KitReply): LoopReply {
  const ofServers = mcpCalls.map(({ id, server, tool, args }) => ({ id, tool: `${server}/${tool}`, args }));
  const below = task === undefined ? [] : [{ id: task.id, tool: "task", args: { prompt: task.prompt } }];
  return { ...(text === undefined ? {} : { text }), calls: [...calls, ...ofServers, ...below] };
}

/** Every file of the folder, read before it is removed: a run's outcome outlives its workspace. */
async function filesIn(workspace: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(workspace, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(relative(workspace, path), await readFile(path, "utf8"));
  }
  return files;
}

function seenRequest(request: LoopRequest, subagent: boolean): KitRequest {
  const users = request.messages.filter((message) => message.role === "user");
  return {
    raw: JSON.stringify(request),
    system: request.system,
    lastUserText: users.at(-1)?.text ?? "",
    ...(request.thinking === undefined ? {} : { thinking: request.thinking }),
    ...(subagent ? { subagent } : {}),
    results: request.messages.flatMap((message) =>
      message.role === "result" ? [{ callId: message.callId, text: message.text }] : [],
    ),
  };
}
