import type { JsonObject } from "../../../base/words/json.ts";
import { guarded, type HookShell } from "../shared/hooks/guarded-command.ts";

/** How long a call waits for a person's answer. */
export const CALL_WAIT_MS = 30_000;

/** The timeout of our own command, in seconds. Copilot CLI runs the tool when a hook times out, so it waits longer. */
const EVENTS: { readonly [event: string]: number } = {
  sessionStart: 15,
  userPromptSubmitted: 15,
  preToolUse: 40,
  postToolUse: 15,
  postToolUseFailure: 15,
  preCompact: 15,
  agentStop: 130,
  sessionEnd: 5,
};

/** Conduct's file in Copilot CLI's folder `hooks`. `command` is the shell command for `conduct hook copilot`. */
export function copilotHooksFile(command: string, passes?: string, shell?: HookShell): string {
  const hooks = Object.entries(EVENTS).map(([event, seconds]) => {
    const print = (text: string) => JSON.stringify(failureOutput(event, text));
    const guard = guarded(`${command} ${event}`, seconds, { print }, passes, shell);
    return [event, [{ type: "command", [shell === "powershell" ? shell : "bash"]: guard, timeoutSec: seconds + 15 }]];
  });
  return `${JSON.stringify({ version: 1, hooks: Object.fromEntries(hooks) }, null, 2)}\n`;
}

/** The output that blocks. The model does not read what a failing hook has printed to stderr. */
export function failureOutput(event: string, text: string): JsonObject {
  switch (event) {
    case "userPromptSubmitted":
      return { decision: "block", reason: `${text} The message was not sent.` };
    case "postToolUse":
      return {
        modifiedResult: {
          resultType: "failure",
          textResultForLlm: `${text} The call has run; its result is withheld. Tell the operator.`,
        },
      };
    case "sessionStart":
    case "postToolUseFailure":
    case "preCompact":
    case "agentStop":
    case "sessionEnd":
      return {};
    default:
      return {
        permissionDecision: "deny",
        permissionDecisionReason: `${text} The call did not run; tell the operator.`,
      };
  }
}
