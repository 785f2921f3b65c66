import type { HookAnswer } from "../shared/claude/native.ts";
import { denied } from "../shared/claude/translate.ts";

/** What a person can do when Conduct itself is what blocks. */
export const WAY_OUT = "A person can run `conduct doctor` to see what is wrong.";

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
      // No answer can undo what the model saw or missed, so the turn ends.
      return { continue: false, stopReason: `${text} ${WAY_OUT}` };
    default:
      return { systemMessage: text };
  }
}
