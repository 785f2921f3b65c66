import type * as sdk from "@anthropic-ai/claude-agent-sdk";
import type * as ours from "../../src/edge/adapters/claude/native.ts";
import type { StreamMessage } from "../../src/edge/adapters/claude/observe.ts";

type Fits<Given extends Wanted, Wanted> = Given;

/** The adapter's own types against the SDK's real ones: this file compiles, or the adapter no longer fits. */
export type ClaudeTypesFit = [
  // What the SDK gives fits what we take.
  Fits<sdk.HookInput, ours.HookEvent>,
  Fits<sdk.PreToolUseHookInput, ours.PreToolUse>,
  Fits<sdk.PostToolUseHookInput, ours.PostToolUse>,
  Fits<sdk.PostToolUseFailureHookInput, ours.PostToolUseFailure>,
  Fits<sdk.PostToolBatchHookInput, ours.PostToolBatch>,
  Fits<sdk.PermissionDeniedHookInput, ours.PermissionDenied>,
  Fits<sdk.UserPromptSubmitHookInput, ours.UserPromptSubmit>,
  Fits<sdk.StopHookInput, ours.Stop>,
  Fits<sdk.SDKMessage, StreamMessage>,
  Fits<sdk.SDKUserMessage, ours.UserMessage>,
  Fits<sdk.Query, ours.ThinkingControls>,
  Fits<sdk.Options, ours.ClaudeOptions>,
  Fits<typeof sdk, ours.ClaudeSdk>,
  // What we give fits what the SDK takes.
  Fits<ours.HookAnswer, sdk.HookJSONOutput>,
  Fits<ours.Hooks, NonNullable<sdk.Options["hooks"]>>,
  Fits<ours.SystemPrompt, NonNullable<sdk.Options["systemPrompt"]>>,
];
