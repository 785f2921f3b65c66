/**
 * The Claude Agent SDK, as far as the adapter uses it. The SDK is no dependency of this package: `compat/claude` checks
 * these types against its own.
 */
import type { HookAnswer, HookEvent } from "../shared/claude/native.ts";

export type Hook = (event: HookEvent) => Promise<HookAnswer>;
export type HookMatcher = { hooks: Hook[]; timeout: number; onFailure: "block" };

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
  cwd?: string;
  resume?: string;
  continue?: boolean;
  /** If it is a list, all tools that the model gets. */
  tools?: readonly string[] | object;
  disallowedTools?: readonly string[];
  effort?: Effort;
  thinking?: { type: "adaptive" | "disabled" } | { type: "enabled"; budgetTokens?: number };
  maxThinkingTokens?: number;
};

export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

export type ThinkingControls = {
  /** `null` is the model's default, not the query's initial value. */
  applyFlagSettings(settings: { effortLevel: Effort | null }): Promise<void>;
  /** `null` is the query's initial value. */
  setMaxThinkingTokens(tokens: number | null): Promise<void>;
};

export type UserMessage = {
  readonly message: { readonly content: string | readonly { readonly type: string }[] };
  readonly parent_tool_use_id?: string | null;
  readonly shouldQuery?: boolean;
  readonly isSynthetic?: boolean;
  readonly origin?: { readonly kind: string };
  readonly uuid?: string;
};

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
