import { errorText } from "../../../base/kernel/error-text.ts";
import type { HookAnswer, HookEvent, Stop } from "./native.ts";
import type { Scopes } from "./scopes.ts";
import { fromStop, isPause } from "./translate.ts";

/** A subagent may be continued later, so its session stays open; whether the work is done is its parent's question. */
export async function onSubagentStop(scopes: Scopes, event: HookEvent): Promise<HookAnswer> {
  if (event.agent_id !== undefined) scopes.find(event.agent_id)?.session.notice({ kind: "step-closed" });
  return {};
}

/** So many refusals in a row the runtime lets pass (`CLAUDE_CODE_STOP_HOOK_BLOCK_CAP`); then it ends the turn by itself. */
const STOP_CAP = 8;

/** The moment `stop`. The runtime lets a stop pass when its hook fails; so a failure refuses it once here. */
export async function onStop(scopes: Scopes, event: Stop): Promise<HookAnswer> {
  if (isPause(event)) return {};
  try {
    const output = event.last_assistant_message;
    const request = { reason: "end_turn", bound: STOP_CAP, ...(output === undefined ? {} : { output }) };
    return fromStop(await scopes.main.session.onStop(request));
  } catch (error) {
    scopes.tell("Stop", error);
    if (event.stop_hook_active) return {};
    return {
      decision: "block",
      reason: `It could not be checked whether the work is complete (${errorText(error)}).`,
    };
  }
}
