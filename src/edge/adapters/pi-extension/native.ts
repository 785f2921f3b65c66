/**
 * Pi's extension API, as far as the adapter uses it. `pi-coding-agent` is no dependency of this package:
 * `compat/pi-extension/types.ts` checks these types against its real ones.
 */
import type { AgentMessage, AgentTool, ThinkingLevel } from "@earendil-works/pi-agent-core";
import type { Api, ImageContent, Model, TextContent, Usage } from "@earendil-works/pi-ai";

/** The second argument of every handler. Its members throw once another session has replaced this one. */
export type PiContext = {
  readonly ui: {
    notify(message: string, type?: "info" | "warning" | "error"): void;
    setEditorText(text: string): void;
    /** `undefined` if the person dismissed it or it timed out. */
    select(
      title: string,
      options: string[],
      more?: { signal?: AbortSignal; timeout?: number },
    ): Promise<string | undefined>;
  };
  readonly mode: "tui" | "rpc" | "json" | "print";
  /** True if a person can see messages and answer questions. */
  readonly hasUI: boolean;
  readonly cwd: string;
  readonly sessionManager: {
    getSessionId(): string;
    /** `undefined` for a session without a file. */
    getSessionFile(): string | undefined;
  };
  readonly model: Model<Api> | undefined;
  readonly signal: AbortSignal | undefined;
  abort(): void;
};

export type PiInput = {
  readonly text: string;
  readonly images?: readonly ImageContent[];
  readonly source: "interactive" | "rpc" | "extension";
};
export type PiInputAnswer =
  | { action: "continue" }
  | { action: "transform"; text: string }
  /** Makes Pi drop the message. */
  | { action: "handled" };

/** `forceSystemPrompt` is the run's whole system prompt, replacing Pi's sections, if an extension has set it. */
export type PiAgentStart = { readonly systemPromptOptions: { readonly forceSystemPrompt?: string } };

export type PiToolCall = { readonly toolCallId: string; readonly toolName: string; readonly input: object };
export type PiToolCallAnswer = { block: true; reason: string; terminate?: boolean };

export type PiToolResult = {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: object;
  readonly content: (TextContent | ImageContent)[];
  readonly details: unknown;
  readonly isError: boolean;
  readonly usage?: Usage;
};
export type PiToolResultAnswer = { content?: (TextContent | ImageContent)[]; isError?: boolean };

/** An entry that Pi appends to the session before it continues. */
export type PiEntry = { type: "custom_message"; customType: string; content: string; display: boolean };
export type PiBeforeSettle = {
  readonly outcome: "completed" | "aborted" | "error";
  /** Requests of other extensions so far. */
  readonly entries: readonly object[];
  readonly continue: boolean;
};
export type PiBeforeSettleAnswer<E> = { continue: true; entries: (E | PiEntry)[] };

type Handler<E, A = void> = (event: E, context: PiContext) => Promise<A | undefined> | undefined;

export type PiApi = {
  on(event: "session_start", handler: Handler<object>): unknown;
  on(event: "session_compact", handler: Handler<object>): unknown;
  on(event: "session_shutdown", handler: Handler<{ readonly reason: string }>): unknown;
  on(event: "input", handler: Handler<PiInput, PiInputAnswer>): unknown;
  on(event: "before_agent_start", handler: Handler<PiAgentStart, { systemPrompt: string }>): unknown;
  on(
    event: "context_with_system",
    handler: Handler<{ readonly messages: AgentMessage[] }, { messages: AgentMessage[] }>,
  ): unknown;
  on(event: "before_provider_request", handler: Handler<{ readonly payload: unknown }>): unknown;
  on(event: "message_end", handler: Handler<{ readonly message: AgentMessage }>): unknown;
  on(event: "tool_call", handler: Handler<PiToolCall, PiToolCallAnswer>): unknown;
  on(event: "tool_result", handler: Handler<PiToolResult, PiToolResultAnswer>): unknown;
  on(event: "turn_end", handler: Handler<object>): unknown;
  on(event: "model_select", handler: Handler<{ readonly model: Model<Api> }>): unknown;
  on(
    event: "agent_before_settle",
    handler: <E extends object>(
      event: PiBeforeSettle & { readonly entries: readonly E[] },
      context: PiContext,
    ) => Promise<PiBeforeSettleAnswer<E> | undefined>,
  ): unknown;
  on(event: "agent_settled", handler: Handler<object>): unknown;
  registerTool(tool: AgentTool): void;
  getActiveTools(): readonly string[];
  getThinkingLevel(): ThinkingLevel;
  setThinkingLevel(level: ThinkingLevel): void;
};
