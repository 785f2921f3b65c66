import { randomUUID } from "node:crypto";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject, asString } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import { tellFault } from "../shared/refusals.ts";
import { closeStep } from "./calls.ts";
import type { LiveSession, Show } from "./live-session.ts";
import type { OpencodeClient, PromptBody } from "./native.ts";
import { stopReason, usageNotice, withTaskAnswer } from "./translate.ts";

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
