import type { OpenClawAdapter } from "./adapter.ts";
import type { OpenClawApi } from "./native.ts";
import { asNativeTool } from "./own-tools.ts";

/** OpenClaw gives up on a hook after this long; each is beyond what Conduct itself waits. */
const STOP_MS = 130_000;
const TELL_MS = 30_000;
const ANSWER_MS = 10_000;
/** After every other plugin: what Conduct has seen of a call is what runs. */
const LAST = { priority: -1_000_000 };
/** Before every other plugin: a message may be for Conduct. */
const FIRST = { priority: 1_000_000 };

/** Registers every hook, and the tools that Conduct may give an agent under `toolNames`. */
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
    if (conversation !== undefined && toolCallId !== undefined) await (await conversation.calls()).lost(toolCallId);
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
  registerNotices(api, adapter);
  api.registerTool(({ sessionKey }) => adapter.conversations.find(sessionKey)?.tools().map(asNativeTool) ?? null, {
    names: [...toolNames],
  });
  api.registerTextTransforms({ input: [{ from: adapter.sent, to: "" }] });
}

/** What OpenClaw tells besides the moments. */
function registerNotices(api: OpenClawApi, { conversations }: OpenClawAdapter): void {
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
}
