import type { HookAnswer } from "../shared/claude/native.ts";
import { denied } from "../shared/claude/translate.ts";

/** What a person can do when Conduct itself is what blocks. */
export const WAY_OUT = "A person can see what is wrong with `conduct doctor`.";

/** The safe answer when Conduct itself failed: nothing runs, and nothing passes unseen; a stop is not held up. */
export function answerFailure(event: string, cause: string): HookAnswer {
  const text = `Conduct could not handle ${event}: ${cause}.`;
  switch (event) {
    case "PreToolUse":
      return denied(`${text} The call did not run.\nNext: Stop and tell the person you work for. ${WAY_OUT}`);
    case "UserPromptSubmit":
      return { decision: "block", reason: `${text} The message was not sent. ${WAY_OUT}` };
    case "PostToolUse":
    case "SubagentStart":
      // No answer takes back what was seen or not said; that nothing more comes of it is what is left.
      return { continue: false, stopReason: `${text} ${WAY_OUT}` };
    default:
      return { systemMessage: text };
  }
}
