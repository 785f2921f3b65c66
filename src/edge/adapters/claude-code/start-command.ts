import { errorText } from "../../../base/kernel/error-text.ts";
import { parseObject } from "../../../base/kernel/json.ts";
import { WAY_OUT } from "./translate.ts";

/** What the start command needs of the world. */
export type StartWorld = {
  /** Makes sure that the daemon answers. */
  ensure(): Promise<"there" | "started">;
  /** Posts an event to the daemon as one of Claude Code's http hooks would, and gives its answer. */
  post(event: object, part: number): Promise<unknown>;
  /** Claude Code is only watched: no message is held back. */
  readonly watched?: boolean;
};

export type StartEnd = { readonly exitCode: 0 | 2; readonly stdout: string; readonly stderr: string };

const DONE: StartEnd = { exitCode: 0, stdout: "", stderr: "" };

/**
 * What `conduct hook claude-code [--part N]` does with the event on its stdin. At SessionStart it starts the daemon and
 * passes the event on; beside a message it only starts a daemon that was ended, and has the message sent again: the
 * http hooks of that message have not reached it.
 */
export async function startClaudeCode(text: string, part: number, world: StartWorld): Promise<StartEnd> {
  const event = parseObject(text) ?? {};
  const isMessage = event.hook_event_name === "UserPromptSubmit";
  try {
    const daemon = await world.ensure();
    if (isMessage) {
      return daemon === "there" || world.watched === true
        ? DONE
        : blocked("Conduct's daemon was not there and has been started. Send it again.");
    }
    if (event.hook_event_name !== "SessionStart") return DONE;
    return { ...DONE, stdout: JSON.stringify(await world.post(event, part)) };
  } catch (error) {
    // Nothing is held up by a SessionStart: the first message is.
    return blocked(`Conduct's daemon cannot be started: ${errorText(error)}. ${WAY_OUT}`);
  }
}

/** Exit code 2 makes Claude Code block a message and show stderr to the person. */
function blocked(stderr: string): StartEnd {
  return { exitCode: 2, stdout: "", stderr };
}
