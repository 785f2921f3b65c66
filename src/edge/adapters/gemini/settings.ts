import type { JsonObject } from "../../../base/words/json.ts";
import { guarded, type HookShell, type OnFailure } from "../shared/hooks/guarded-command.ts";

/** How long a call waits for a person's answer. */
export const CALL_WAIT_MS = 30_000;

/** `seconds` is the timeout of our own command. Gemini CLI runs the tool when a hook times out, so it waits longer. */
const EVENTS: { readonly [event: string]: { readonly seconds: number; readonly failure: OnFailure } } = {
  SessionStart: { seconds: 15, failure: "tell" },
  BeforeAgent: { seconds: 15, failure: "block" },
  BeforeModel: { seconds: 15, failure: "tell" },
  BeforeTool: { seconds: 40, failure: "block" },
  AfterTool: { seconds: 15, failure: "block" },
  AfterAgent: { seconds: 130, failure: "tell" },
  SessionEnd: { seconds: 5, failure: "tell" },
};

/** The name of our hooks in `/hooks`, and in `hooksConfig.disabled`. */
export const HOOK_NAME = "conduct";

/** The `hooks` of Gemini CLI's settings. `command` is the shell command for `conduct hook gemini`. */
export function geminiHooks(command: string, passes?: string, shell?: HookShell): JsonObject {
  const hooks = Object.entries(EVENTS).map(([event, { seconds, failure }]) => {
    const timeout = (seconds + 15) * 1_000;
    const guard = guarded(command, seconds, failure, passes, shell);
    const hook = { name: HOOK_NAME, type: "command", command: guard, timeout };
    return [event, [{ matcher: "*", hooks: [hook] }]];
  });
  return Object.fromEntries(hooks);
}
