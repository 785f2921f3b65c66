import { errorText } from "../../../base/kernel/error-text.ts";
import type { HookAnswer, HookEvent, PreToolUse, Stop } from "./native.ts";
import type { Scope, Scopes } from "./scopes.ts";
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
  const { final } = scopes;
  scopes.final = "none";
  if (final === "checked") return {};
  try {
    const output = event.last_assistant_message;
    const request = { reason: "end_turn", bound: STOP_CAP, ...(output === undefined ? {} : { output }) };
    return fromStop(await scopes.main.session.onStop(request));
  } catch (error) {
    scopes.tell("Stop", error);
    if (event.stop_hook_active) return {};
    return { decision: "block", reason: uncheckedText(error) };
  }
}

function uncheckedText(error: unknown): string {
  return `It could not be checked whether the work is complete (${errorText(error)}).`;
}

/** A structured output of the main thread: the runtime takes it for the end of the turn. */
export function isFinal({ name }: Scope, { tool_name }: PreToolUse): boolean {
  return tool_name === "StructuredOutput" && name === "main";
}

/** The runtime ends the query with an error when a structured output has failed five times (`MAX_STRUCTURED_OUTPUT_RETRIES`). */
const FINAL_CAP = 4;

/** Why it is refused beside other calls: what those prove does not count before their results are there. */
export const ALONE = "Give the structured output by itself, when you have the results of your other calls.";

/**
 * The moment `stop` for a call that ends the turn: the runtime does not listen to a refusal at the stop after it. Gives the
 * reason to refuse the call; every other call is counted.
 */
export async function refuseFinal(scopes: Scopes, scope: Scope, event: PreToolUse): Promise<string | undefined> {
  if (!isFinal(scope, event)) {
    scope.calls += 1;
    if (scope === scopes.main) scopes.final = "none";
    return undefined;
  }
  if (scope.calls > 0) return undefined;
  const before = scopes.final;
  scopes.final = "checked";
  try {
    const output = JSON.stringify(event.tool_input);
    const { done, feedback } = await scope.session.onStop({ reason: "structured_output", bound: FINAL_CAP, output });
    return done ? undefined : feedback;
  } catch (error) {
    scopes.tell("StructuredOutput", error);
    if (before === "unchecked") return undefined;
    scopes.final = "unchecked";
    return uncheckedText(error);
  }
}
