/**
 * OpenClaw's plugin API, as far as the adapter uses it. `openclaw` is no dependency of this package:
 * `compat/openclaw/types.ts` checks these types against its real ones.
 */
import type { Block } from "../shared/content.ts";

/** The context of the hooks of an agent run. Every field may be missing. */
export type AgentContext = {
  readonly runId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly workspaceDir?: string | undefined;
  readonly modelProviderId?: string | undefined;
  readonly modelId?: string | undefined;
  /** The channel of the message; `webchat` for OpenClaw's own chat, terminal and HTTP API. */
  readonly channel?: string | undefined;
  readonly senderId?: string | undefined;
  /** `user`, `heartbeat`, `cron`, … */
  readonly trigger?: string | undefined;
};

/** A person's message as typed, before OpenClaw has read it. */
type DispatchEvent = {
  readonly content: string;
  readonly messageId?: string | undefined;
  readonly channel?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly senderId?: string | undefined;
};

export type ToolCallEvent = {
  readonly toolName: string;
  readonly params: Record<string, unknown>;
  /** `code_mode_exec`: the tool `exec` of code mode, whose input is a script and no command. */
  readonly toolKind?: string | undefined;
  readonly toolCallId?: string | undefined;
};

export type ToolContext = {
  readonly runId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
};

/** A tool's result on its way to the model; the model never gets `details`. */
export type ToolResultEvent = {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: Record<string, unknown>;
  readonly isError?: boolean | undefined;
  readonly result: { content: Block[]; details: unknown };
};

type Answer<A> = Promise<A | undefined> | A | undefined;

export type Hooks = {
  before_dispatch(event: DispatchEvent, context: object): Answer<{ handled: boolean; text?: string }>;
  before_agent_reply(
    event: { readonly cleanedBody: string },
    context: AgentContext,
  ): Answer<{ handled: boolean; reply?: { text: string } }>;
  before_prompt_build(event: object, context: AgentContext): Answer<{ appendSystemContext?: string }>;
  before_agent_run(
    event: { readonly systemPrompt?: string | undefined },
    context: AgentContext,
  ): Answer<{ outcome: "block"; reason: string; message?: string }>;
  before_tool_call(
    event: ToolCallEvent,
    context: ToolContext,
  ): Answer<{ params?: Record<string, unknown>; block?: boolean; blockReason?: string }>;
  after_tool_call(event: { readonly toolCallId?: string | undefined }, context: ToolContext): Answer<void>;
  /** Synchronous: a promise is ignored. */
  before_message_write<M extends object>(
    event: { readonly message: M },
    context: { readonly sessionKey?: string | undefined },
  ): { block?: boolean; message?: M } | undefined;
  model_call_started(event: { readonly contextTokenBudget?: number | undefined }, context: AgentContext): Answer<void>;
  before_agent_finalize(
    event: { readonly lastAssistantMessage?: string | undefined },
    context: AgentContext,
  ): Answer<{ action: "revise"; reason: string }>;
  agent_end(
    event: { readonly success: boolean; readonly error?: string | undefined },
    context: AgentContext,
  ): Answer<void>;
  reply_payload_sending(
    event: {
      readonly payload: { readonly text?: string | undefined };
      readonly kind: string;
      readonly sessionKey?: string | undefined;
    },
    context: object,
  ): Answer<{ payload: object }>;
  after_compaction(event: object, context: AgentContext): Answer<void>;
  session_end(
    event: {
      readonly sessionKey?: string | undefined;
      readonly reason?: string | undefined;
    },
    context: object,
  ): Answer<void>;
  subagent_spawned(
    event: { readonly childSessionKey: string },
    context: { readonly requesterSessionKey?: string | undefined },
  ): Answer<void>;
};

type HookOptions = {
  /** Higher runs first. */
  readonly priority?: number;
  readonly timeoutMs?: number;
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
  readonly sessionId?: string | undefined;
  /** Changes with `/new` and `/reset`, which keep the session's id; unchanged after a compaction or a restart. */
  readonly lifecycleRevision?: string | undefined;
  /** The folder of this session, if it differs from the agent's. */
  readonly spawnedCwd?: string | undefined;
  readonly thinkingLevel?: string | null | undefined;
};

type SessionName = { agentId: string; sessionKey: string };

export type OpenClawApi = {
  /** The real path of the loaded file. */
  readonly source: string;
  readonly pluginConfig?: Record<string, unknown> | undefined;
  readonly runtime: {
    readonly config: { current(): object };
    readonly agent: {
      resolveAgentWorkspaceDir(config: object, agentId: string): string;
      readonly session: {
        getSessionEntry(params: SessionName): SessionEntry | undefined;
        patchSessionEntry(params: SessionName & { update(entry: object): object | null }): Promise<unknown>;
      };
    };
    readonly subagent: {
      run(params: { sessionKey: string; message: string; deliver: boolean }): Promise<unknown>;
    };
  };
  on<K extends keyof Hooks>(name: K, handler: Hooks[K], options?: HookOptions): void;
  registerTool(
    factory: (context: { readonly sessionKey?: string | undefined }) => NativeTool[] | null,
    options: { names: string[] },
  ): void;
  registerAgentToolResultMiddleware(
    handler: (event: ToolResultEvent, context: ToolContext) => Answer<{ result: ToolResultEvent["result"] }>,
    options: { runtimes: "openclaw"[] },
  ): void;
  registerTextTransforms(transforms: { input: { from: RegExp; to: string }[] }): void;
};
