import { randomUUID } from "node:crypto";
import { asObject, isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import { shownText } from "../../../behavior/results/result-text.ts";
import type { Wait } from "../../../engine/session/approvals.ts";
import { joinTexts } from "../shared/content.ts";
import { cancelCall, refusalOf, refuseRewrite, tellFault } from "../shared/refusals.ts";
import { replaceArgs, rewriteInput } from "../shared/rewrite-input.ts";
import type { LiveSession } from "./live-session.ts";
import { blocked } from "./live-session.ts";
import type { OpencodeInput, ToolUse, TranscriptMessage } from "./native.ts";
import { OWN_TOOLS } from "./own-tools.ts";
import { carriersOf, mapTool } from "./tool-map.ts";
import { failedResult, outputChange, resultOf, TURN_ENDED } from "./translate.ts";

/** The moment `call`. Rejects with the refusal for the model. */
export async function onCall(
  live: LiveSession,
  use: ToolUse,
  output: { args: unknown },
  { client, directory }: OpencodeInput,
  wait: Wait,
): Promise<void> {
  if (live.turn === "ended") throw blocked(TURN_ENDED);
  const mapped = mapTool(use.tool, output.args, {
    cwd: directory,
    servers: use.tool.includes("_") ? await serverNames(client) : [],
    own: OWN_TOOLS,
  });
  // Random, so that another process with this session cannot use the same step.
  live.step ??= randomUUID();
  const call: CallInput = { id: use.callID, step: live.step, ...mapped };
  const decision = await live.session.decide(call, wait);
  if (decision.kind === "ask") await cancelCall(live.session, call);
  if (decision.kind === "deny" && decision.endTurn) {
    live.turn = "ended";
    // Not awaited: OpenCode waits for this hook before it ends the turn.
    void client.session.abort({ path: { id: use.sessionID } }).catch(() => undefined);
  }
  if (decision.kind !== "allow") throw blocked(refusalOf(decision));
  if (decision.input !== undefined) await rewrite(live, use, call, decision.input, output.args);
  live.calls.set(use.callID, { call, advice: decision.advice, decided: JSON.stringify(output.args) });
}

/** Changed in place: OpenCode runs the tool with the object that it passed to the hook. */
async function rewrite(
  { session }: LiveSession,
  use: ToolUse,
  call: CallInput,
  wanted: CallInput["args"],
  args: unknown,
): Promise<void> {
  const rewritten = rewriteInput(asObject(args), call.args, wanted, carriersOf(use.tool, call));
  if ("cannot" in rewritten || !isObject(args)) {
    const cannot = "cannot" in rewritten ? rewritten.cannot : Object.keys(wanted);
    const where = "opencode tool.execute.before";
    throw blocked(await refuseRewrite(session, call, { runtime: "OpenCode", where, cannot }));
  }
  replaceArgs(args, rewritten.input);
}

async function serverNames(client: OpencodeInput["client"]): Promise<readonly string[]> {
  const { data } = await client.mcp.status();
  if (!isObject(data))
    throw blocked("Denied by conduct: OpenCode does not tell its MCP servers, so nobody knows whose tool this is.");
  return Object.keys(data);
}

/** The moment `result`. Does nothing for a call that was settled when its turn was interrupted. */
export async function onResult(
  live: LiveSession,
  use: ToolUse & { readonly args?: unknown },
  output: object,
): Promise<void> {
  const entry = live.calls.get(use.callID);
  if (entry === undefined) return;
  live.calls.delete(use.callID);
  const { call, advice, decided } = entry;
  const result = resultOf(use.tool, output);
  const ranAsDecided = use.args === undefined || JSON.stringify(use.args) === decided;
  if (!ranAsDecided) {
    const message = `another plugin changed the arguments of '${call.tool}' after they were decided on`;
    tellFault(live.session, "opencode tool.execute.after", "changed-call", message);
  }
  const delivered = await live.session.onResult(call, ranAsDecided ? result : { ...result, outcome: "unknown" });
  Object.assign(output, outputChange(output, delivered, advice));
}

/** Closes the step, its failed calls, for which OpenCode has no hook, and its calls without a result. */
export async function closeStep(live: LiveSession): Promise<void> {
  for (const [id, { call, advice, error }] of live.calls) {
    live.calls.delete(id);
    const result = error === undefined ? { outcome: "cancelled" as const, parts: [] } : failedResult(error);
    const delivered = await live.session.onResult(call, result);
    if (error === undefined || (!delivered.changed && delivered.feedback === undefined && advice.length === 0))
      continue;
    const texts = advice.map(({ text }) => text);
    live.replaced.set(id, joinTexts([...texts, shownText(delivered.result.parts), delivered.feedback]));
  }
  if (live.step !== undefined) live.session.notice({ kind: "step-closed", step: live.step });
  live.step = undefined;
}

/** Replaces the errors of failed calls in a request with Conduct's text. OpenCode forgets it after the request. */
export function showReplaced({ replaced }: LiveSession, messages: readonly TranscriptMessage[]): void {
  if (replaced.size === 0) return;
  for (const { callID, state } of messages.flatMap(({ parts }) => parts)) {
    const text = callID === undefined ? undefined : replaced.get(callID);
    if (text !== undefined && state !== undefined && asObject(state).status === "error")
      Object.assign(state, { error: text });
  }
}
