import { randomUUID } from "node:crypto";
import { asObject, isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import { shownText } from "../../../behavior/results/shown-text.ts";
import type { Wait } from "../../../engine/session/approvals.ts";
import { rewriteInput, rewriteRefusal } from "../rewrite-input.ts";
import type { LiveSession } from "./live-session.ts";
import type { OpencodeInput, ToolUse, TranscriptMessage } from "./native.ts";
import { failedResult, resultOf } from "./outcome-map.ts";
import { OWN_TOOLS } from "./own-tools.ts";
import { blocked } from "./person.ts";
import { carriersOf, mapTool } from "./tool-map.ts";
import { outputChange, refusalOf, resultText, TURN_ENDED } from "./translate.ts";

/** May it do this? Rejects with what the model is to read when it may not. */
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
  // Another process that goes on with the session must not make the same.
  live.step ??= randomUUID();
  const call: CallInput = { id: use.callID, step: live.step, ...mapped };
  const decision = await live.session.decide(call, wait);
  const refusal = refusalOf(decision);
  if (decision.kind === "ask") await live.session.onResult(call, { outcome: "cancelled", parts: [] });
  if (decision.kind === "deny" && decision.endTurn) {
    live.turn = "ended";
    // Not waited for: OpenCode waits for this hook before it ends the turn.
    void client.session.abort({ path: { id: use.sessionID } }).catch(() => undefined);
  }
  if (refusal !== undefined || decision.kind !== "allow") throw blocked(refusal ?? "Denied by conduct.");
  if (decision.input !== undefined) await rewrite(live, use, call, decision.input, output.args);
  live.calls.set(use.callID, { call, advice: decision.advice, decided: JSON.stringify(output.args) });
}

/** In place: OpenCode runs the tool with the very object that it has shown. */
async function rewrite(
  live: LiveSession,
  use: ToolUse,
  call: CallInput,
  wanted: CallInput["args"],
  args: unknown,
): Promise<void> {
  const rewritten = rewriteInput(asObject(args), call.args, wanted, carriersOf(use.tool, call));
  if ("cannot" in rewritten || !isObject(args)) {
    await live.session.onResult(call, { outcome: "cancelled", parts: [] });
    const cannot = "cannot" in rewritten ? rewritten.cannot : Object.keys(wanted);
    const message = rewriteRefusal(call.tool, "OpenCode", cannot);
    live.session.notice({ kind: "fault", fault: { where: "opencode tool.execute.before", code: "rewrite", message } });
    throw blocked(message);
  }
  for (const name of Object.keys(args)) {
    if (!Object.hasOwn(rewritten.input, name)) Reflect.deleteProperty(args, name);
  }
  Object.assign(args, rewritten.input);
}

async function serverNames(client: OpencodeInput["client"]): Promise<readonly string[]> {
  const { data } = await client.mcp.status();
  if (!isObject(data))
    throw blocked("Denied by conduct: OpenCode does not tell its MCP servers, so nobody knows whose tool this is.");
  return Object.keys(data);
}

/** What does it get back? A call that was settled already, because its turn was broken off, gives nobody anything. */
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
  if (!ranAsDecided) tellChanged(live, call.tool);
  const delivered = await live.session.onResult(call, ranAsDecided ? result : { ...result, outcome: "unknown" });
  Object.assign(output, outputChange(output, delivered, advice));
}

function tellChanged({ session }: LiveSession, tool: string): void {
  const message = `another plugin changed the arguments of '${tool}' after they were decided on`;
  session.notice({ kind: "fault", fault: { where: "opencode tool.execute.after", code: "changed-call", message } });
}

/** The step is over: calls that failed, for which OpenCode has no hook, and those that never came to an end. */
export async function closeStep(live: LiveSession): Promise<void> {
  for (const [id, { call, advice, error }] of live.calls) {
    live.calls.delete(id);
    const result = error === undefined ? { outcome: "cancelled" as const, parts: [] } : failedResult(error);
    const delivered = await live.session.onResult(call, result);
    if (error === undefined || (!delivered.changed && delivered.feedback === undefined && advice.length === 0))
      continue;
    live.replaced.set(id, resultText(shownText(delivered.result.parts), advice, delivered.feedback));
  }
  if (live.step !== undefined) live.session.notice({ kind: "step-closed", step: live.step });
  live.step = undefined;
}

/** Puts what Conduct has to say of failed calls where the model reads their errors. OpenCode forgets it with the request. */
export function showReplaced({ replaced }: LiveSession, messages: readonly TranscriptMessage[]): void {
  if (replaced.size === 0) return;
  for (const { callID, state } of messages.flatMap(({ parts }) => parts)) {
    const text = callID === undefined ? undefined : replaced.get(callID);
    if (text !== undefined && state !== undefined && asObject(state).status === "error")
      Object.assign(state, { error: text });
  }
}
