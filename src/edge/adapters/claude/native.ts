/**
 * The Claude Agent SDK as far as the adapter touches it. The SDK is no dependency of this package: `compat/claude`
 * checks these types against its real ones.
 */

/** What every hook is told. A subagent's events carry its `agent_id`. */
export type HookEvent = { readonly hook_event_name: string; readonly cwd: string; readonly agent_id?: string };

/** Where an MCP tool comes from; `sdk` is this very process. */
export type McpServer = { readonly name: string; readonly source: string };

export type ToolEvent = HookEvent & {
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_use_id: string;
  readonly mcp_server?: McpServer;
};
export type PreToolUse = ToolEvent & { readonly permission_mode?: string };
export type PostToolUse = ToolEvent & { readonly tool_response: unknown };
export type PostToolUseFailure = ToolEvent & { readonly error: string; readonly is_interrupt?: boolean };
export type PermissionDenied = ToolEvent & { readonly reason: string };
export type PostToolBatch = HookEvent & {
  readonly tool_calls: readonly { readonly tool_use_id: string; readonly tool_response?: unknown }[];
};
export type UserPromptSubmit = HookEvent & { readonly prompt: string; readonly source?: string };
export type Stop = HookEvent & {
  readonly stop_hook_active: boolean;
  readonly last_assistant_message?: string;
  readonly background_tasks?: readonly { readonly type: string }[];
};

/** Further events whose answer can carry a text for the model. */
type ContextEvent = "PostToolUseFailure" | "PostToolBatch" | "SubagentStart" | "SessionStart";

/** What a hook answers. An empty object lets everything go on as if there were no hook. */
export type HookAnswer = {
  continue?: boolean;
  stopReason?: string;
  decision?: "block";
  reason?: string;
  /** For the person; the model never sees it. */
  systemMessage?: string;
  hookSpecificOutput?:
    | {
        hookEventName: "PreToolUse";
        permissionDecision?: "allow" | "deny" | "ask";
        permissionDecisionReason?: string;
        updatedInput?: Record<string, unknown>;
        additionalContext?: string;
      }
    | { hookEventName: "PostToolUse"; additionalContext?: string; updatedToolOutput?: unknown }
    | { hookEventName: "UserPromptSubmit"; additionalContext?: string; suppressOriginalPrompt?: boolean }
    | { hookEventName: ContextEvent; additionalContext?: string };
};

export type Hook = (event: HookEvent) => Promise<HookAnswer>;
export type HookMatcher = { hooks: Hook[]; timeout: number; onFailure: "block" };
export type HookName =
  | "UserPromptSubmit"
  | "PreToolUse"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "PostToolBatch"
  | "PermissionDenied"
  | "PostCompact"
  | "SubagentStart"
  | "SubagentStop"
  | "Stop";
export type Hooks = { [E in HookName]: HookMatcher[] };

export type SystemPrompt =
  | string
  | string[]
  | { type: "custom"; prompt: string | string[]; snapshot?: boolean }
  | { type: "preset"; preset: "claude_code"; append?: string; excludeDynamicSections?: boolean; snapshot?: boolean };

/** The query options that the adapter reads or adds to; all others pass through untouched. */
export type ClaudeOptions = {
  hooks?: object;
  mcpServers?: object;
  systemPrompt?: SystemPrompt;
  canUseTool?: unknown;
  permissionPromptToolName?: string;
  model?: string;
  env?: { [name: string]: string | undefined };
  resume?: string;
  continue?: boolean;
  /** All that the model gets, when it is a list. */
  tools?: readonly string[] | object;
  disallowedTools?: readonly string[];
  effort?: Effort;
  thinking?: { type: "adaptive" | "disabled" } | { type: "enabled"; budgetTokens?: number };
  maxThinkingTokens?: number;
};

export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

/** What a running query lets its host change, as far as thinking goes. */
export type ThinkingControls = {
  /** `null` is the model's default, not what the query was started with. */
  applyFlagSettings(settings: { effortLevel: Effort | null }): Promise<void>;
  /** `null` is what the query was started with. */
  setMaxThinkingTokens(tokens: number | null): Promise<void>;
};

/** A message of a query's streaming input. */
export type UserMessage = {
  readonly message: { readonly content: string | readonly { readonly type: string }[] };
  readonly parent_tool_use_id?: string | null;
  readonly shouldQuery?: boolean;
  readonly isSynthetic?: boolean;
  readonly origin?: { readonly kind: string };
  readonly uuid?: string;
};

/** A content block of the Messages API. */
export type Block = { readonly type: string; readonly [key: string]: unknown };

/** The SDK's module, as far as Conduct's own tools need it. */
export type ClaudeSdk = {
  createSdkMcpServer(options: { name: string; version?: string; alwaysLoad?: boolean; tools?: never[] }): object;
  tool(
    name: string,
    description: string,
    shape: never,
    run: (args: never) => Promise<{ content: { type: "text"; text: string }[]; isError?: boolean }>,
    extras?: { annotations?: { readOnlyHint?: boolean } },
  ): object;
};
