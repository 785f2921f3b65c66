import type { JsonObject } from "../../../base/words/json.ts";
import { guarded } from "../shared/hooks/guarded-command.ts";

/** How long a call waits for a person's answer. */
export const CALL_WAIT_MS = 30_000;

/** After this many refused stops in a row Cursor ends the turn itself; its own default. */
export const STOP_CAP = 5;

/** Cursor drops a longer `additional_context` as a whole. */
export const CONTEXT_LIMIT = 10_000;

/**
 * `seconds` is the timeout of our own command; Cursor's is longer. `closed`: Cursor blocks if the hook fails. All names
 * are Cursor's: one unknown event makes it reject the whole file.
 */
const EVENTS: { readonly [event: string]: { readonly seconds: number; readonly closed?: true } } = {
  sessionStart: { seconds: 15 },
  beforeSubmitPrompt: { seconds: 15, closed: true },
  preToolUse: { seconds: 40, closed: true },
  postToolUse: { seconds: 15 },
  postToolUseFailure: { seconds: 15 },
  preCompact: { seconds: 15 },
  stop: { seconds: 130 },
  sessionEnd: { seconds: 5 },
};

/** The `hooks` of Cursor's hooks.json. `command` is the shell command for `conduct hook cursor`. */
export function cursorHooks(command: string, passes?: string): JsonObject {
  const hooks = Object.entries(EVENTS).map(([event, { seconds, closed }]) => {
    const print = (text: string) => JSON.stringify(failureOutput(event, text));
    // A hook that fails closed and prints nothing blocks, so the command always prints an object.
    const guard = guarded(command, seconds, { print, silent: "{}" }, passes);
    const fails = closed === true ? { failClosed: true } : {};
    return [event, [{ command: guard, timeout: seconds + 15, ...fails }]];
  });
  return Object.fromEntries(hooks);
}

/** The output if Conduct fails. Cursor cannot withhold a result, and a stop passes. */
export function failureOutput(event: string, text: string): JsonObject {
  switch (event) {
    case "beforeSubmitPrompt":
      return { continue: false, user_message: `${text} The message was not sent.` };
    case "postToolUse":
      return { additional_context: `${text} The call has run, but Conduct has not checked its result.` };
    case "sessionStart":
    case "postToolUseFailure":
    case "preCompact":
    case "stop":
    case "sessionEnd":
      return {};
    default:
      return denied(`${text} The call did not run; tell the operator.`);
  }
}

/** Cursor documents `agent_message` for the model; its version 3.9 was seen to send it `user_message`. */
export function denied(why: string): JsonObject {
  return { permission: "deny", user_message: why, agent_message: why };
}
