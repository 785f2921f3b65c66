/** The parts of `@mastra/core` 1.71 that Conduct uses, so that its types are not needed. */

/** The module `@mastra/core/tools`. */
export type MastraTools = { createTool(options: object): object };

export type Settings = {
  readonly tools?: unknown;
  readonly inputProcessors?: unknown;
  readonly outputProcessors?: unknown;
  readonly maxProcessorRetries?: number;
  readonly hooks?: ToolHooks;
};

export type ToolHooks = {
  readonly beforeToolCall?: (about: HookContext) => unknown;
  readonly afterToolCall?: (about: AfterHookContext) => unknown;
};

export type HookContext = {
  readonly toolName: string;
  readonly input: unknown;
  readonly context?: CallContext;
};

export type AfterHookContext = HookContext & { readonly output?: unknown; readonly error?: unknown };

export type CallContext = {
  readonly toolCallId?: string;
  readonly abortSignal?: AbortSignal;
  /** Pauses the run until a person has answered; the tool returns, and runs again after the answer. */
  suspend?: (...given: unknown[]) => unknown;
};

type Abort = (reason: string, options?: { readonly retry?: boolean }) => never;

export type SystemMessage = { readonly role: "system"; readonly content: unknown };

export type InputStep = {
  readonly model?: unknown;
  readonly tools?: Readonly<Record<string, unknown>>;
  readonly systemMessages?: readonly SystemMessage[];
  readonly modelSettings?: object;
  readonly abort: Abort;
};

export type OutputStep = {
  readonly finishReason?: string;
  readonly toolCalls?: readonly unknown[];
  readonly text?: string;
  readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number };
  readonly messages: unknown;
  readonly abort: Abort;
};

export type ToolResultStep = {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly args: unknown;
  readonly messageList: { updateToolInvocation(part: object): unknown };
};
