import { randomUUID } from "node:crypto";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import { shownText } from "../../../behavior/results/result-text.ts";
import type { Wait } from "../../../engine/session/approvals.ts";
import { joinTexts } from "../shared/content.ts";
import { decideCall, tellFault } from "../shared/refusals.ts";
import { replaceArgs } from "../shared/tool-args.ts";
import { blocked, type LiveSession, OWN_TOOLS, type Show } from "./live-session.ts";
import type { OpencodeClient, OpencodeInput, PromptBody, ToolUse, TranscriptMessage } from "./native.ts";
import { carriersOf, mapTool } from "./tool-map.ts";
import {
  failedResult,
  outputChange,
  resultOf,
  stopReason,
  TURN_ENDED,
  usageNotice,
  withTaskAnswer,
} from "./translate.ts";

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
  const decided = await decideCall(live.session, call, wait, {
    runtime: "OpenCode",
    where: "opencode tool.execute.before",
    native: asObject(output.args),
    carriers: carriersOf(use.tool, call),
  });
  if (decided.kind === "refused") {
    if (decided.decision?.kind === "deny" && decided.decision.endTurn) {
      live.turn = "ended";
      // Not awaited: OpenCode waits for this hook before it ends the turn.
      void client.session.abort({ path: { id: use.sessionID } }).catch(() => undefined);
    }
    throw blocked(decided.why);
  }
  // Changed in place: OpenCode runs the tool with the object that it passed to the hook.
  if (decided.input !== undefined) replaceArgs(output.args as object, decided.input);
  live.calls.set(use.callID, { call, advice: decided.decision.advice, decided: JSON.stringify(output.args) });
}

async function serverNames(client: OpencodeInput["client"]): Promise<readonly string[]> {
  const { data } = await client.mcp.status();
  if (!isObject(data))
    throw blocked("Denied by conduct: OpenCode does not list its MCP servers, so the owner of this tool is unknown.");
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

/** `headless`: the process ends with the first answer (`opencode run`). */
type Around = { readonly client: OpencodeClient; readonly show: Show; readonly headless: boolean };

export function onProgress(live: LiveSession, type: string, properties: JsonObject): void {
  const info = asObject(properties.info);
  if (type === "message.updated" && info.role === "assistant" && info.error !== undefined && live.turn === "open") {
    live.turn = "failed";
  }
  // A person has undone part of the conversation.
  if (type === "message.removed") forget(live);
  if (type !== "message.part.updated") return;
  const part = asObject(properties.part);
  const state = asObject(part.state);
  if (part.type === "step-finish") {
    live.finish = asString(part.reason);
    live.session.notice(usageNotice(part));
  }
  if (part.type !== "tool") return;
  const entry = live.calls.get(asString(part.callID));
  if (entry !== undefined && state.status === "error") entry.error = state;
  // OpenCode has emptied an old result to save context.
  if (asObject(state.time).compacted !== undefined) forget(live);
}

/** The model has lost some of its context; reported once per request. */
export function forget(live: LiveSession): void {
  if (live.forgot) return;
  live.forgot = true;
  live.session.notice({ kind: "compacted" });
}

/** OpenCode is idle in this session. The event may come twice. */
export function onIdle(id: string, live: LiveSession, around: Around): void {
  const stopping = live.turn === "open";
  if (live.turn !== "stopping") live.turn = stopping ? "stopping" : "none";
  live.ending = live.ending
    .then(async () => {
      await closeStep(live);
      // A subagent's stop is checked in `finishSubagent`, while its caller still waits.
      if (stopping && !live.isChild) await stop(id, live, around);
      around.show(live.session.takeDebug());
    })
    .catch((error: unknown) => {
      tellFault(live.session, "opencode session.idle", "stop", errorText(error));
      around.show(`Conduct: ${errorText(error)}`);
    });
}

async function stop(id: string, live: LiveSession, around: Around): Promise<void> {
  const asked = await askStop(live);
  // A headless process cannot continue after a refusal, so its end is recorded.
  const decision = !asked.done && around.headless ? await askStop(live, 0) : asked;
  if (decision.done) return finish(live, decision, around.show);
  const body = refusalBody(live, decision.feedback);
  if (body !== undefined) await around.client.session.promptAsync({ path: { id }, body });
}

function askStop(live: LiveSession, bound?: number): Promise<StopDecision> {
  return live.session.onStop({ reason: stopReason(live.finish), output: live.text, bound });
}

/** Shows the person why a turn ended incomplete; in shadow mode there is no reason to show. */
function finish(live: LiveSession, decision: Extract<StopDecision, { done: true }>, show: Show): void {
  live.turn = "none";
  live.prompt = undefined;
  live.session.notice({ kind: "reply", text: live.text });
  if (decision.status === "complete" || decision.why === undefined) return;
  show(["Conduct: the turn ended", `${decision.status}.`, decision.why, decision.feedback ?? ""].join(" ").trim());
}

/** The refusal as the next message, to the same agent and model; a mark distinguishes it from a person's message. */
function refusalBody(live: LiveSession, text: string): PromptBody | undefined {
  if (live.message === undefined) return undefined;
  const { agent, model } = live.message;
  live.refusal = randomUUID();
  return { agent, model, parts: [{ type: "text", text, metadata: { conduct: live.refusal } }] };
}

/** Completion check of a subagent while its caller waits: it continues until done, and its last answer counts. */
export async function finishSubagent(id: string, child: LiveSession, output: object, around: Around): Promise<void> {
  await child.ending;
  while (child.turn === "stopping") {
    const decision = await askStop(child);
    if (decision.done) return finish(child, decision, around.show);
    const body = refusalBody(child, decision.feedback);
    if (body === undefined) return;
    await around.client.session.prompt({ path: { id }, body });
    await child.ending;
    Object.assign(output, { output: withTaskAnswer(asString(asObject(output).output), child.text) });
  }
}
