/**
 * OpenClaw's plugin API, as far as the adapter uses it. `openclaw` is no dependency of this package:
 * `compat/openclaw/types.ts` checks these types against its real ones.
 */
import type { Block } from "../shared/content.ts";

/** The context of a tool call. Every field may be missing, here and in all events. */
export type ToolContext = { readonly runId?: string; readonly sessionKey?: string; readonly sessionId?: string };

/** The context of the hooks of an agent run. */
export type AgentContext = ToolContext & {
  readonly modelProviderId?: string;
  readonly modelId?: string;
  /** The channel of the message; `webchat` for OpenClaw's own chat, terminal and HTTP API. */
  readonly channel?: string;
  readonly senderId?: string;
  /** `user`, `heartbeat`, `cron`, … */
  readonly trigger?: string;
};

type Keyed = { readonly sessionKey?: string };

/** A person's message as typed, before OpenClaw has read it. */
type DispatchEvent = Keyed & {
  readonly content: string;
  readonly messageId?: string;
  readonly channel?: string;
  readonly senderId?: string;
};

export type ToolCallEvent = {
  readonly toolName: string;
  readonly params: Record<string, unknown>;
  /** `code_mode_exec`: the tool `exec` of code mode, whose input is a script and no command. */
  readonly toolKind?: string;
  readonly toolCallId?: string;
};

/** A tool's result on its way to the model; the model never gets `details`. */
export type ToolResultEvent = {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: Record<string, unknown>;
  readonly isError?: boolean;
  readonly result: { content: Block[]; details: unknown };
};

type Answer<A> = Promise<A | undefined> | A | undefined;
/** As a method, so that OpenClaw's larger events and contexts fit. */
type Hook<C, E, A> = { hook(event: E, context: C): Answer<A> }["hook"];
type RunHook<E, A = void> = Hook<AgentContext, E, A>;
type ToolHook<E, A = void> = Hook<ToolContext, E, A>;
type OtherHook<E, A = void> = Hook<object, E, A>;

export type Hooks = {
  before_dispatch: OtherHook<DispatchEvent, { handled: boolean; text?: string }>;
  before_agent_reply: RunHook<{ readonly cleanedBody: string }, { handled: boolean; reply?: { text: string } }>;
  before_prompt_build: RunHook<object, { appendSystemContext?: string }>;
  before_agent_run: RunHook<{ readonly systemPrompt?: string }, { outcome: "block"; reason: string; message?: string }>;
  before_tool_call: ToolHook<
    ToolCallEvent,
    { params?: Record<string, unknown>; block?: boolean; blockReason?: string }
  >;
  after_tool_call: ToolHook<{ readonly toolCallId?: string }>;
  /** Synchronous: a promise is ignored. */
  before_message_write<M extends object>(
    event: { readonly message: M },
    context: Keyed,
  ): { block?: boolean; message?: M } | undefined;
  model_call_started: RunHook<{ readonly contextTokenBudget?: number }>;
  before_agent_finalize: RunHook<{ readonly lastAssistantMessage?: string }, { action: "revise"; reason: string }>;
  agent_end: RunHook<{ readonly success: boolean }>;
  reply_payload_sending: OtherHook<
    Keyed & { readonly payload: { readonly text?: string }; readonly kind: string },
    { payload: object }
  >;
  after_compaction: RunHook<object>;
  session_end: OtherHook<Keyed & { readonly reason?: string }>;
  subagent_spawned(
    event: { readonly childSessionKey: string },
    context: { readonly requesterSessionKey?: string },
  ): Answer<void>;
};

export type NativeTool = {
  name: string;
  label: string;
  description: string;
  parameters: object;
  /** Visible to the model, even if OpenClaw hides most tools behind a search. */
  catalogMode: "direct-only";
  execute(id: string, params: unknown): Promise<{ content: Block[]; details: unknown }>;
};

/** OpenClaw's record of a conversation; `undefined` before its first run. */
export type SessionEntry = {
  readonly sessionId?: string;
  /** Changes with `/new` and `/reset`, which keep the session's id; unchanged after a compaction or a restart. */
  readonly lifecycleRevision?: string;
  /** The folder of this session, if it differs from the agent's. */
  readonly spawnedCwd?: string;
  readonly thinkingLevel?: string | null;
};

type SessionName = { agentId: string; sessionKey: string };

export type OpenClawApi = {
  /** The real path of the loaded file. */
  readonly source: string;
  readonly pluginConfig?: Record<string, unknown>;
  readonly runtime: {
    readonly config: { current(): object };
    readonly agent: {
      resolveAgentWorkspaceDir(config: object, agentId: string): string;
      readonly session: {
        getSessionEntry(params: SessionName): SessionEntry | undefined;
        patchSessionEntry(params: SessionName & { update(entry: object): object | null }): Promise<unknown>;
      };
    };
    readonly subagent: { run(params: { sessionKey: string; message: string; deliver: boolean }): Promise<unknown> };
  };
  on<K extends keyof Hooks>(name: K, handler: Hooks[K], options?: { priority?: number; timeoutMs?: number }): void;
  registerTool(factory: (context: Keyed) => NativeTool[] | null, options: { names: string[] }): void;
  registerAgentToolResultMiddleware(
    handler: (event: ToolResultEvent, context: ToolContext) => Answer<{ result: ToolResultEvent["result"] }>,
    options: { runtimes: "openclaw"[] },
  ): void;
  registerTextTransforms(transforms: { input: { from: RegExp; to: string }[] }): void;
};
