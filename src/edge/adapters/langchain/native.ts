/** The parts of `langchain` 1.5 and `@langchain/core` 1.2 that Conduct uses, so that their types are not needed. */

export type LangChain = {
  createMiddleware(options: object): object;
  tool(run: (input: never) => unknown, about: object): object;
  readonly SystemMessage: MessageClass;
  readonly HumanMessage: MessageClass;
  readonly AIMessage: MessageClass;
  readonly ToolMessage: MessageClass;
};

type MessageClass = new (fields: object) => Message;

export type Message = {
  readonly id?: string;
  readonly content: unknown;
  /** Text content, without blocks of other kinds. */
  readonly text?: string;
  readonly status?: string;
  readonly tool_call_id?: string;
  readonly usage_metadata?: { readonly input_tokens?: number; readonly output_tokens?: number };
};

export type ToolCall = { readonly id?: string; readonly name: string; readonly args: unknown };

export type ToolRequest = {
  readonly toolCall: ToolCall;
  readonly state?: { readonly messages?: readonly Message[] };
  readonly runtime?: { readonly signal?: AbortSignal };
};

export type ModelRequest = {
  readonly model?: { readonly model?: unknown };
  readonly systemMessage?: Message;
  readonly tools?: readonly { readonly name?: unknown }[];
  readonly modelSettings?: object;
};

/** A tool as `ToolNode` runs it. */
export type NativeTool = {
  readonly name: string;
  invoke(input: unknown, config?: { readonly signal?: AbortSignal }): Promise<unknown>;
};
