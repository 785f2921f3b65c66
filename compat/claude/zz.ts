import type * as ours from "../../src/edge/adapters/claude/native.ts";
import type {StopHookInput} from "@anthropic-ai/claude-agent-sdk";
export const x: ours.PreToolUse = {} as StopHookInput;
