/**
 * OpenCode 1.18's plugin interface, as far as this adapter uses it. Hooks change their argument in place;
 * `compat/opencode/types.ts` checks these types against the real ones.
 */
export type OpencodeHooks = {
  /** Called when OpenCode ends. */
  dispose(): Promise<void>;
  /** Called for every event of OpenCode. */
  event(input: { readonly event: { readonly type: string; readonly properties?: unknown } }): Promise<void>;
  readonly tool: { [name: string]: OpencodeTool };
  /** Called before a shell command starts, to set its variables. */
  "shell.env"?(
    input: { readonly cwd: string; readonly sessionID?: string },
    output: { env: Record<string, string> },
  ): Promise<void>;
  /** Called before a person's message is stored. */
  "chat.message"(
    input: { readonly sessionID: string },
    output: { readonly message: UserMessage; parts: MessagePart[] },
  ): Promise<void>;
  /** Called before a model request, to change its parameters. */
  "chat.params"(input: ParamsInput, output: { options: Record<string, unknown> }): Promise<void>;
  /** Called before a tool runs. Throwing denies the call. */
  "tool.execute.before"(input: ToolUse, output: { args: unknown }): Promise<void>;
  /** Called with a tool's result. */
  "tool.execute.after"(input: ToolUse, output: object): Promise<void>;
  /** Called for each tool before the model sees it. */
  "tool.definition"(input: { readonly toolID: string }, output: { description: string }): Promise<void>;
  /** Called with the messages of a model request. */
  "experimental.chat.messages.transform"(
    input: object,
    output: { readonly messages: readonly TranscriptMessage[] },
  ): Promise<void>;
  /** Called with the system prompt of a model request. */
  "experimental.chat.system.transform"(
    input: { readonly sessionID?: string; readonly model: OpencodeModel },
    output: { readonly system: string[] },
  ): Promise<void>;
  /** Called before a conversation is compacted. */
  "experimental.session.compacting"(input: { readonly sessionID: string }, output: object): Promise<void>;
  /** Called with a finished text of the model. */
  "experimental.text.complete"(input: { readonly sessionID: string }, output: { readonly text: string }): Promise<void>;
};

/** The input of a plugin, which OpenCode loads once per folder. */
export type OpencodeInput = { readonly client: OpencodeClient; readonly directory: string };

/** A plugin as OpenCode loads it. */
export type OpencodePlugin = (input: OpencodeInput) => Promise<OpencodeHooks>;

export type ToolUse = { readonly tool: string; readonly sessionID: string; readonly callID: string };

export type UserMessage = {
  readonly agent: string;
  readonly model: { readonly providerID: string; readonly modelID: string };
  /** False removes a tool from the requests that answer this message. */
  tools?: { [name: string]: boolean };
};

export type MessagePart = {
  readonly type: string;
  text?: string;
  readonly synthetic?: boolean;
  readonly ignored?: boolean;
  readonly metadata?: { readonly [key: string]: unknown };
};

export type TranscriptMessage = {
  readonly info: { readonly sessionID: string };
  readonly parts: readonly { readonly type: string; readonly callID?: string; readonly state?: object }[];
};

export type OpencodeModel = {
  readonly id: string;
  readonly providerID: string;
  readonly limit: { readonly context: number };
  readonly variants?: { readonly [name: string]: unknown };
};

type ParamsInput = {
  readonly sessionID: string;
  readonly agent: string;
  readonly model: object;
  readonly message: object;
};

/** Arguments that are JSON Schemas, not zod, are declared unchanged; `tool.definition` can set the whole schema. */
export type OpencodeTool = {
  description: string;
  // biome-ignore lint/suspicious/noExplicitAny: OpenCode's own type asks for zod here, and its registry takes either.
  args: any;
  execute(args: unknown, context: { readonly sessionID: string }): Promise<string>;
};

type Answer = Promise<{ readonly data?: unknown }>;

/** The part of OpenCode's API that the plugin uses; calls stay in the same process. */
export type OpencodeClient = {
  readonly session: {
    get(request: { path: { id: string } }): Answer;
    abort(request: { path: { id: string } }): Answer;
    prompt(request: { path: { id: string }; body: PromptBody }): Answer;
    promptAsync(request: { path: { id: string }; body: PromptBody }): Answer;
  };
  readonly app: { agents(): Answer };
  readonly mcp: { status(): Answer };
  readonly tui: {
    showToast(request: {
      body: { title?: string; message: string; variant: "info" | "warning"; duration?: number };
    }): Answer;
  };
};

export type PromptBody = {
  agent: string;
  model: { providerID: string; modelID: string };
  parts: { type: "text"; text: string; metadata: { [key: string]: unknown } }[];
};
