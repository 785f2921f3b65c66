import { AsyncLocalStorage } from "node:async_hooks";
import { asString } from "../../../base/kernel/json.ts";
import { daemonHost } from "../../host/daemon/daemon-host.ts";
import { OpenClawAdapter } from "./adapter.ts";
import type { OpenClawApi } from "./native.ts";
import { asNativeTool } from "./translate.ts";

type Abort = (sessionId: string) => Promise<void>;
type Loaded = { readonly adapter: OpenClawAdapter; runtime: OpenClawApi["runtime"] };

/** By settings: OpenClaw registers a plugin several times in one process, with the same conversations. */
const loaded = new Map<string, Loaded>();

/** Sessions are in the daemon of `home` (default: this account's), or behind the socket in the settings. */
export function registerConduct(api: OpenClawApi, toolNames: readonly string[], abort: Abort, home?: string): void {
  const { waitMs } = readSettings(api.pluginConfig);
  registerHooks(api, adapterFor(api, abort, home), { toolNames, waitMs });
}

function adapterFor({ pluginConfig, runtime }: OpenClawApi, abort: Abort, home: string | undefined): OpenClawAdapter {
  const { socket, operators, waitMs } = readSettings(pluginConfig);
  const key = JSON.stringify([socket, operators, waitMs, home]);
  const known = loaded.get(key);
  if (known !== undefined) {
    known.runtime = runtime;
    return known.adapter;
  }
  const env = { ...process.env };
  if (home !== undefined) env.CONDUCT_HOME = home;
  if (socket !== undefined) env.CONDUCT_SOCKET = socket;
  const host = daemonHost(env);
  // Everything started inside a run gets the run's rights; this snapshot is outside of every run.
  const outside = AsyncLocalStorage.snapshot();
  const made: Loaded = {
    adapter: new OpenClawAdapter({ host, operators, waitMs, abort, outside }, () => made.runtime),
    runtime,
  };
  loaded.set(key, made);
  return made.adapter;
}

/** `plugins.entries.conduct.config`, which OpenClaw has checked against the manifest. */
type OpenClawSettings = {
  readonly socket?: string;
  readonly operators: readonly string[];
  readonly waitMs: number;
};

const WAIT_SECONDS = 300;

export function readSettings(config: Readonly<Record<string, unknown>> = {}): OpenClawSettings {
  const { socket, operators, waitSeconds } = config;
  return {
    socket: asString(socket) || undefined,
    operators: Array.isArray(operators) ? operators.filter((one) => typeof one === "string") : [],
    waitMs: (typeof waitSeconds === "number" ? waitSeconds : WAIT_SECONDS) * 1_000,
  };
}

/** Timeouts of OpenClaw's hooks; each is longer than Conduct's own. */
const STOP_MS = 130_000;
const TELL_MS = 30_000;
const ANSWER_MS = 10_000;
/** Runs after every other plugin, so that Conduct sees the final call. */
const LAST = { priority: -1_000_000 };
/** Runs before every other plugin, because a message may be for Conduct. */
const FIRST = { priority: 1_000_000 };

/** Registers every hook, and Conduct's own tools under `toolNames`. */
export function registerHooks(
  api: OpenClawApi,
  adapter: OpenClawAdapter,
  { toolNames, waitMs }: { readonly toolNames: readonly string[]; readonly waitMs: number },
): void {
  api.on("before_dispatch", (event) => adapter.arrived(event), FIRST);
  api.on("before_agent_reply", ({ cleanedBody }, context) => adapter.begins(cleanedBody, context), FIRST);
  api.on("before_prompt_build", (_event, context) => adapter.prompt(context), { ...LAST, timeoutMs: TELL_MS });
  api.on("before_agent_run", ({ systemPrompt = "" }, context) => adapter.admit(systemPrompt, context), {
    ...LAST,
    timeoutMs: TELL_MS,
  });
  api.on("before_tool_call", (event, context) => adapter.decide(event, context), {
    ...LAST,
    timeoutMs: waitMs + ANSWER_MS * 2,
  });
  api.registerAgentToolResultMiddleware((event, context) => adapter.result(event, context), {
    runtimes: ["openclaw"],
  });
  api.on("after_tool_call", async ({ toolCallId }, { sessionKey }) => {
    const conversation = adapter.conversations.find(sessionKey);
    if (toolCallId !== undefined) await conversation?.lost(toolCallId);
  });
  api.on("before_message_write", ({ message }, { sessionKey }) => adapter.written(message, sessionKey), LAST);
  api.on(
    "before_agent_finalize",
    ({ lastAssistantMessage = "" }, { sessionKey }) => adapter.stop(lastAssistantMessage, sessionKey),
    { ...LAST, timeoutMs: STOP_MS },
  );
  api.on("agent_end", ({ success }, context) => adapter.ended(success, context), { timeoutMs: STOP_MS });
  api.on(
    "reply_payload_sending",
    ({ payload, kind, sessionKey }) => (kind === "final" ? adapter.shown(payload, sessionKey) : undefined),
    LAST,
  );
  const { conversations } = adapter;
  api.on("model_call_started", ({ contextTokenBudget }, { sessionKey, modelProviderId, modelId }) => {
    conversations.find(sessionKey)?.tellModel(`${modelProviderId}/${modelId}`, contextTokenBudget);
  });
  api.on("after_compaction", (_event, { sessionKey }) => {
    conversations.find(sessionKey)?.notice({ kind: "compacted" });
  });
  api.on("session_end", ({ sessionKey, reason }) => conversations.ended(sessionKey, reason));
  api.on("subagent_spawned", ({ childSessionKey }, { requesterSessionKey }) => {
    conversations.spawned(childSessionKey, requesterSessionKey);
  });
  api.registerTool(({ sessionKey }) => adapter.conversations.find(sessionKey)?.tools().map(asNativeTool) ?? null, {
    names: [...toolNames],
  });
  api.registerTextTransforms({ input: [{ from: adapter.sent, to: "" }] });
}
