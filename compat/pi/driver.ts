import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { Agent, type AgentMessage, type AgentOptions } from "@earendil-works/pi-agent-core";
import { type Api, type Model, streamSimple } from "@earendil-works/pi-ai/compat";
import { piCapabilities } from "../../src/edge/adapters/capabilities.ts";
import { type ConductedPi, conductPi, type PiOptions, type PiTurn } from "../../src/edge/adapters/pi/adapter.ts";
import type { KitOutcome, KitPlace, KitReply, KitRequest } from "../../src/testing/kit/driver.ts";
import { type LocalDriver, type LocalRun, localRun } from "../../src/testing/kit/local-run.ts";
import {
  type ModelRequest,
  type ModelServer,
  type ReplyTo,
  type ScriptedCall,
  type ScriptedMessage,
  startModelServer,
} from "../../src/testing/test/model-server/index.ts";
import { FAILING_MS, type KitSession, openKitSession } from "../kit-session.ts";
import { agentTools } from "./agent-tools.ts";

/** How one run differs from the usual one. */
export type PiRunOptions = PiOptions & {
  readonly api?: Api;
  readonly agentOptions?: Partial<AgentOptions>;
  /** Plays the agent's part; by default a turn for each message of the run. */
  readonly drive?: (conducted: ConductedPi, run: LocalRun, at: PiPlace) => Promise<PiTurn>;
};

/** Where a run takes place, and what the person has been shown there. */
type PiPlace = KitPlace & { readonly shown: string[] };

export type PiOutcome = KitOutcome & { readonly turn: PiTurn };

const NATIVE_NAMES: { readonly [tool: string]: string } = { read_file: "read", write_file: "write", shell: "bash" };

/** pi-agent-core over the real wire, for the conformance kit. */
export function piDriver(options: PiRunOptions = {}): LocalDriver {
  const name = `pi over ${options.api ?? "anthropic-messages"}`;
  return {
    name,
    capabilities: piCapabilities,
    toolName: (tool) => tool,
    run: async (run) => runPi(await localRun(run), options),
    runLocal: (run) => runPi(run, options),
  };
}

/** One run with a home and a workspace of its own. */
export async function runPi(run: LocalRun, options: PiRunOptions = {}): Promise<PiOutcome> {
  const root = mkdtempSync(join(tmpdir(), "conduct-pi-"));
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  for (const [path, text] of Object.entries(run.files ?? {})) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  const server = await startModelServer({ script: run.script.map(scripted) });
  try {
    const played = await play(run, options, { server, workspace, home: join(root, "home") });
    const files = filesIn(workspace);
    return {
      ...played,
      requests: server.requests.map(kitRequest),
      unplayed: server.remaining,
      file: (path) => files.get(path),
    };
  } finally {
    await server.close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function play(
  run: LocalRun,
  options: PiRunOptions,
  at: KitPlace & { readonly server: ModelServer },
): Promise<Pick<PiOutcome, "events" | "turn" | "shown">> {
  const { drive, agentOptions: _agentOptions, api: _api, ...piOptions } = options;
  await run.before?.(1, at);
  // The window is the model's, and Pi tells it.
  const { window: _window, ...session } = run.session ?? {};
  const kit = openKitSession({ ...run, session }, at, () => at.server.requests.length > 0);
  const shown: string[] = [];
  const waiting = run.failing === undefined ? {} : { waitMs: FAILING_MS };
  const start = (messages: readonly AgentMessage[]) =>
    conductPi(agentOf(run, options, at, messages), kit.session, {
      show: (text) => shown.push(text),
      ...waiting,
      ...piOptions,
    });
  try {
    const place = { ...at, shown };
    const turn = drive === undefined ? await playTurns(run, place, kit, start) : await drive(start([]), run, place);
    return { events: kit.events, turn, shown };
  } finally {
    await kit.close();
  }
}

/** With these messages said already. */
function agentOf(
  run: LocalRun,
  { api = "anthropic-messages", agentOptions }: PiRunOptions,
  at: KitPlace & { readonly server: ModelServer },
  messages: readonly AgentMessage[],
): Agent {
  return new Agent({
    streamFn: (model, context, more) => streamSimple(model, context, { ...more, maxRetries: 0 }),
    getApiKey: () => "none",
    ...agentOptions,
    initialState: {
      model: modelAt(
        api === "anthropic-messages" ? at.server.url : at.server.openaiUrl,
        api,
        run.session?.window ?? run.agent.limits.window ?? 200_000,
      ),
      tools: agentTools(at.workspace),
      ...(messages.length === 0 ? {} : { messages: [...messages] }),
      ...agentOptions?.initialState,
    },
  });
}

/** Gives the last turn. */
async function playTurns(
  { message, further = [], steps, before }: LocalRun,
  at: PiPlace,
  kit: KitSession,
  start: (messages: readonly AgentMessage[]) => ConductedPi,
): Promise<PiTurn> {
  let pi = start([]);
  const say = async (text: string): Promise<PiTurn> => {
    const turn = await pi.prompt(text);
    if (turn.status === "answered") at.shown.push(turn.text);
    return turn;
  };
  await kit.direct(1);
  let turn = await say(message);
  for (const [index, next] of further.entries()) {
    const step = steps?.[index + 2];
    if (step === "compact") pi.agent.state.messages = [summary()];
    if (step === "resume") {
      const kept = JSON.stringify(pi.agent.state.messages);
      await kit.restart();
      pi = start(JSON.parse(kept));
    }
    await kit.direct(index + 2);
    await before?.(index + 2, at);
    turn = await say(next);
  }
  return turn;
}

/** Pi's agents leave it to the application to cut the transcript. */
function summary(): AgentMessage {
  return { role: "user", content: "(What was said before: they talked.)", timestamp: Date.now() };
}

export function modelAt(baseUrl: string, api: Api, contextWindow: number): Model<Api> {
  return {
    id: "scripted",
    name: "Scripted",
    api,
    provider: "scripted",
    baseUrl,
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
    contextWindow,
    maxTokens: 32_000,
  };
}

function scripted(reply: KitReply | ((request: KitRequest) => KitReply)): ScriptedMessage | ReplyTo {
  return typeof reply === "function" ? (request) => inPi(reply(kitRequest(request))) : inPi(reply);
}

/** The same calls under Pi's names; paths and commands are called the same there. */
function inPi({ text, calls }: KitReply): ScriptedMessage {
  const native = calls?.map(({ id, tool, args }) => ({
    id,
    name: NATIVE_NAMES[tool] ?? tool,
    input: args as ScriptedCall["input"],
  }));
  return { text, calls: native };
}

function kitRequest({ raw, system, lastUserText, thinking, results }: ModelRequest): KitRequest {
  return {
    raw,
    system,
    lastUserText,
    thinking,
    results: results.map(({ callId, text }) => ({ callId, text })),
  };
}

function filesIn(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path), readFileSync(path, "utf8")];
    }),
  );
}
