import { answerOrFail, type KitOutcome, playKitScript } from "../../src/testing/kit/driver.ts";
import type { LocalRun } from "../../src/testing/kit/local-run.ts";
import { type ModelRequest, type Script, startModelServer } from "../../src/testing/test/model-server/index.ts";
import { ALLOWED, type CliEnd, resultOfRun, runClaude, type SetUp, setUp, shownIn } from "./cli.ts";
import { type Daemon, type DaemonOptions, startDaemon } from "./daemon.ts";
import { newPlace, type Place } from "./place.ts";
import { kitRequest, nativeMessage } from "./script.ts";

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

/** For tests of the adapter alone, which watch it in this process. The kit drives the shipped program: driver.ts. */
export async function runKit(run: LocalRun, more: ClaudeCodeRunOptions = {}): Promise<ClaudeCodeOutcome> {
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

async function play(run: LocalRun, more: ClaudeCodeRunOptions, place: Place, url: string): Promise<readonly CliEnd[]> {
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

function mcpServersOf({ mcpServers = {} }: LocalRun): Pick<SetUp, "mcpServers"> {
  const entries = Object.entries(mcpServers).map(([name, { command, args }]) => [
    name,
    { type: "stdio", command, args, alwaysLoad: true },
  ]);
  return { mcpServers: Object.fromEntries(entries) };
}

/** Nobody waits for the usual limits where nothing will come. */
function secondsOf({ failing }: LocalRun): Pick<SetUp, "seconds"> {
  return failing === undefined ? {} : { seconds: { PreToolUse: 3, PostToolBatch: 1, Stop: 1, SessionEnd: 1 } };
}
