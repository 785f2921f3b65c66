import type * as sdk from "@anthropic-ai/claude-agent-sdk";
import type { conductHooks } from "../../src/edge/adapters/claude/hooks.ts";
import type * as ours from "../../src/edge/adapters/claude/native.ts";
import type { StreamMessage } from "../../src/edge/adapters/claude/observe.ts";
import type * as hooks from "../../src/edge/adapters/shared/claude/native.ts";

type Fits<Given extends Wanted, Wanted> = Given;

/** The adapter's own types against the SDK's real ones: this file compiles, or the adapter no longer fits. */
export type ClaudeTypesFit = [
  // What the SDK gives fits what we take.
  Fits<sdk.HookInput, hooks.HookEvent>,
  Fits<sdk.PreToolUseHookInput, hooks.PreToolUse>,
  Fits<sdk.PostToolUseHookInput, hooks.PostToolUse>,
  Fits<sdk.PostToolUseFailureHookInput, hooks.PostToolUseFailure>,
  Fits<sdk.PostToolBatchHookInput, hooks.PostToolBatch>,
  Fits<sdk.PermissionDeniedHookInput, hooks.PermissionDenied>,
  Fits<sdk.UserPromptSubmitHookInput, hooks.UserPromptSubmit>,
  Fits<sdk.StopHookInput, hooks.Stop>,
  Fits<sdk.SDKMessage, StreamMessage>,
  Fits<sdk.SDKUserMessage, ours.UserMessage>,
  Fits<sdk.Query, ours.ThinkingControls>,
  Fits<sdk.Options, ours.ClaudeOptions>,
  Fits<typeof sdk, ours.ClaudeSdk>,
  // What we give fits what the SDK takes.
  Fits<hooks.HookAnswer, sdk.HookJSONOutput>,
  Fits<ReturnType<typeof conductHooks>, NonNullable<sdk.Options["hooks"]>>,
  Fits<ours.SystemPrompt, NonNullable<sdk.Options["systemPrompt"]>>,
];
