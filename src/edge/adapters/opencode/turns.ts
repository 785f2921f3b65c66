import { randomUUID } from "node:crypto";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject, asString } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import { closeStep } from "./calls.ts";
import type { LiveSession } from "./live-session.ts";
import type { OpencodeClient, PromptBody } from "./native.ts";
import type { Show } from "./person.ts";
import { stopReason, usageNotice, withTaskAnswer } from "./translate.ts";

/** What the end of a turn needs of its surroundings. `headless`: the process ends with the first answer (`opencode run`). */
export type Around = { readonly client: OpencodeClient; readonly show: Show; readonly headless: boolean };

/** What OpenCode tells of a message or of one of its parts. */
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
  // An old result that OpenCode has emptied to make room.
  if (asObject(state.time).compacted !== undefined) forget(live);
}

/** The model no longer has all that it has seen; told once before the next request, however much is gone. */
export function forget(live: LiveSession): void {
  if (live.forgot) return;
  live.forgot = true;
  live.session.notice({ kind: "compacted" });
}

/** OpenCode has nothing more to do in this session. It may say so twice. */
export function onIdle(id: string, live: LiveSession, around: Around): void {
  const stopping = live.turn === "open";
  if (live.turn !== "stopping") live.turn = stopping ? "stopping" : "none";
  live.ending = live.ending
    .then(async () => {
      await closeStep(live);
      // Whether a subagent is done is asked where its answer is still waited for.
      if (stopping && !live.isChild) await stop(id, live, around);
      around.show(live.session.takeDebug());
    })
    .catch((error: unknown) => tellFault(live, around, errorText(error)));
}

async function stop(id: string, live: LiveSession, around: Around): Promise<void> {
  const asked = await askStop(live);
  // A process that ends with the first answer lets no refusal pass; what it ends as is told too.
  const decision = !asked.done && around.headless ? await askStop(live, { bound: 0 }) : asked;
  if (decision.done) return finish(live, decision, around.show);
  const body = refusalBody(live, decision.feedback);
  if (body !== undefined) await around.client.session.promptAsync({ path: { id }, body });
}

function askStop(live: LiveSession, bound: { readonly bound?: number } = {}): Promise<StopDecision> {
  return live.session.onStop({ reason: stopReason(live.finish), output: live.text, ...bound });
}

/** Why a turn did not end complete is for the person; of a session that is only watched there is nothing to tell. */
function finish(live: LiveSession, decision: Extract<StopDecision, { done: true }>, show: Show): void {
  live.turn = "none";
  live.prompt = undefined;
  live.session.notice({ kind: "reply", text: live.text });
  if (decision.status === "complete" || decision.why === undefined) return;
  show(["Conduct: the turn ended", `${decision.status}.`, decision.why, decision.feedback ?? ""].join(" ").trim());
}

/** The refusal as the next message, to the same agent and model; its mark tells it from what a person says. */
function refusalBody(live: LiveSession, text: string): PromptBody | undefined {
  if (live.message === undefined) return undefined;
  const { agent, model } = live.message;
  live.refusal = randomUUID();
  return { agent, model, parts: [{ type: "text", text, metadata: { conduct: live.refusal } }] };
}

/** A subagent has answered, and the agent that called it waits: while it is not done it goes on, and its last answer counts. */
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

function tellFault(live: LiveSession, { show }: Around, message: string): void {
  live.session.notice({ kind: "fault", fault: { where: "opencode session.idle", code: "stop", message } });
  show(`Conduct: ${message}`);
}
