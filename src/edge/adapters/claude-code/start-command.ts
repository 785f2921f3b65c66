import { errorText } from "../../../base/kernel/error-text.ts";
import { parseObject } from "../../../base/kernel/json.ts";
import { WAY_OUT } from "./translate.ts";

export type StartWorld = {
  ensure(): Promise<"there" | "started">;
  /** Posts an event to the daemon like one of Claude Code's HTTP hooks; returns the answer. */
  post(event: object, part: number): Promise<unknown>;
  /** Claude Code is in shadow mode: no message is blocked. */
  readonly watched?: boolean;
};

export type StartEnd = { readonly exitCode: 0 | 2; readonly stdout: string; readonly stderr: string };

const DONE: StartEnd = { exitCode: 0, stdout: "", stderr: "" };

/**
 * The body of `conduct hook claude-code [--part N]`, with the event from stdin. At SessionStart it starts the daemon
 * and passes the event on. At a message it only restarts a stopped daemon and asks the person to send the message
 * again, because its HTTP hooks did not reach the daemon.
 */
export async function startClaudeCode(text: string, part: number, world: StartWorld): Promise<StartEnd> {
  const event = parseObject(text) ?? {};
  const isMessage = event.hook_event_name === "UserPromptSubmit";
  try {
    const daemon = await world.ensure();
    if (isMessage) {
      return daemon === "there" || world.watched === true
        ? DONE
        : blocked("Conduct's daemon was not running and has been started. Send the message again.");
    }
    if (event.hook_event_name !== "SessionStart") return DONE;
    return { ...DONE, stdout: JSON.stringify(await world.post(event, part)) };
  } catch (error) {
    // A SessionStart cannot block; the first message will be blocked instead.
    return blocked(`Conduct's daemon cannot be started: ${errorText(error)}. ${WAY_OUT}`);
  }
}

/** Exit code 2 makes Claude Code block a message and show stderr to the person. */
function blocked(stderr: string): StartEnd {
  return { exitCode: 2, stdout: "", stderr };
}
