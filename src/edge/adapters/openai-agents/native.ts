/** The parts of `@openai/agents` 0.20 that Conduct uses, so that its types are not needed. */

export type AgentsSdk = {
  run(agent: object, input: unknown, options?: object): Promise<RunResult>;
  tool(options: object): FunctionTool;
};

export type RunResult = {
  readonly finalOutput?: unknown;
  readonly history: readonly unknown[];
  readonly interruptions?: readonly unknown[];
  readonly rawResponses?: readonly { readonly usage?: Usage }[];
};

export type Usage = { readonly inputTokens?: number; readonly outputTokens?: number };

export type Details = {
  readonly toolCall?: { readonly callId?: string };
  readonly signal?: AbortSignal;
};

export type FunctionTool = {
  readonly type: "function";
  readonly name: string;
  readonly invoke: (context: unknown, input: string, details?: Details) => Promise<unknown>;
};

export type AnyTool = FunctionTool | { readonly type: string; readonly name: string };

export type ToolOutcome = { readonly tool: { readonly name: string }; readonly output?: unknown };
export type Finality = { readonly isFinalOutput: boolean; readonly finalOutput?: string };

export type ToolUseBehavior =
  | "run_llm_again"
  | "stop_on_first_tool"
  | { readonly stopAtToolNames: readonly string[] }
  | ((context: unknown, results: readonly ToolOutcome[]) => Finality | Promise<Finality>);

export type ModelSettings = { readonly reasoning?: object };

export type NativeAgent = {
  readonly name: string;
  model?: unknown;
  modelSettings: ModelSettings;
  toolUseBehavior: ToolUseBehavior;
  handoffs: readonly unknown[];
  clone(changes: object): NativeAgent;
  hasExplicitModelSettings(): boolean;
  getAllTools(...given: readonly unknown[]): Promise<AnyTool[]>;
  getSystemPrompt(...given: readonly unknown[]): Promise<string | undefined>;
};
