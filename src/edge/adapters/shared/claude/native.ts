/**
 * The hook events of Claude Code and of the Claude Agent SDK, as far as the adapters use them. `compat/claude` checks
 * these types against the SDK's own.
 */

/** Fields of every hook event. A subagent's events carry its `agent_id`. */
export type HookEvent = { readonly hook_event_name: string; readonly cwd: string; readonly agent_id?: string };

/** The source of an MCP tool; `sdk` is this very process. */
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

/** A hook's answer. An empty object has no effect. */
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

export type Block = { readonly type: string; readonly [key: string]: unknown };
