/** The parts of the AI SDK (`ai` 7) that Conduct uses, so that its types are not needed. */

export type AiSdk = {
  /** Makes the object that adds messages to a running generation. */
  experimental_createSteering(): Steering;
  /** Makes a tool's input schema of a JSON schema. */
  jsonSchema(schema: object): unknown;
};

export type Steering = {
  steer(message: string): Promise<{ readonly type: string; readonly reason?: string }>;
};

export type AiTool = {
  readonly execute?: (input: unknown, options: ExecuteOptions) => unknown;
  readonly needsApproval?: boolean | ((input: unknown, options: object) => boolean | PromiseLike<boolean>);
  readonly toModelOutput?: (given: ModelOutputInput) => unknown;
};

export type AiTools = Readonly<Record<string, AiTool>>;

export type ExecuteOptions = { readonly toolCallId: string; readonly abortSignal?: AbortSignal };

export type ModelOutputInput = { readonly toolCallId: string; readonly input: unknown; readonly output: unknown };

export type ToolCall = { readonly toolCallId: string; readonly toolName: string; readonly input: unknown };

export type ApprovalStatus = string | { readonly type: string; readonly reason?: string } | undefined;

export type ApprovalRequest = {
  readonly toolCall: ToolCall;
  readonly messages: unknown;
  readonly runtimeContext?: unknown;
  readonly toolsContext?: Readonly<Record<string, unknown>>;
};

type SingleApproval = (input: unknown, options: object) => ApprovalStatus | PromiseLike<ApprovalStatus>;

export type Approval =
  | ((asked: ApprovalRequest) => ApprovalStatus | PromiseLike<ApprovalStatus>)
  | Readonly<Record<string, ApprovalStatus | SingleApproval>>;

type SystemMessage = { readonly role: "system"; readonly content: string };
export type Instructions = string | SystemMessage | readonly SystemMessage[];

export type Step = {
  readonly stepNumber: number;
  readonly model: unknown;
  readonly initialInstructions?: Instructions;
};

export type StepSettings = { readonly instructions?: Instructions; readonly reasoning?: string };

export type EndedStep = {
  readonly text: string;
  readonly finishReason: string;
  readonly toolCalls: readonly unknown[];
  readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number };
};

type StopCondition = (state: { readonly steps: readonly unknown[] }) => boolean | PromiseLike<boolean>;
type OnStep = (step: EndedStep) => unknown;

/** Settings of `generateText`, `streamText` and `ToolLoopAgent`. */
export type Settings = {
  readonly tools?: AiTools;
  readonly stopWhen?: StopCondition | readonly StopCondition[];
  readonly toolApproval?: Approval;
  readonly prepareStep?: (step: Step) => StepSettings | undefined | PromiseLike<StepSettings | undefined>;
  readonly onStepEnd?: OnStep;
  readonly onStepFinish?: OnStep;
  readonly experimental_steering?: Steering;
};
