import { formatDuration } from "../../base/kernel/duration.ts";
import { asString } from "../../base/kernel/json.ts";
import type { Exhausted } from "../../base/words/budget.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";
import type { Modes } from "../../base/words/modes.ts";
import { classificationSlice, noteMessage } from "../../behavior/classification/classification-state.ts";
import { usedUp } from "../../behavior/completion/decide-stop.ts";
import { denialsSlice, NO_DENIALS } from "../../behavior/policy/policy-state.ts";
import { spendingSlice } from "../../behavior/session/budget.ts";
import { applyModes, effectiveModes, modesSlice, safeModes } from "../../behavior/session/modes/modes.ts";
import { type ParsedModes, parseModes } from "../../behavior/session/modes/parse-modes.ts";
import { turnSlice } from "../../behavior/session/session-identity.ts";
import { agentName, emit, observingOf, overLimit, type SessionContext, viewOf } from "../session/session-context.ts";
import type { IncomingMessage } from "../session/session-options.ts";
import { cancelOpenCalls, endStep } from "../session/steps.ts";
import { classifyWhenDue } from "./classify.ts";
import { answerContractMessage, type ContractAnswer, NOTED } from "./contract-messages.ts";
import { resultsSlice } from "./shorten-result.ts";
import { readDay } from "./user/day-limits.ts";
import { answerZoneMessage } from "./user/user-zone.ts";

/** The outcome of a person's message. */
export type MessageResult = {
  /** The message for the model, without leading mode switches. */
  readonly text: string;
  readonly modes: Modes;
  /** The complete reply: the message was for Conduct, and the model is not called. */
  readonly reply?: string;
  /** Shown to the person with the model's answer. */
  readonly notes: readonly string[];
};

/** The `message` moment: handles a person's message. Starts a new turn unless the message was only for Conduct. */
export async function onMessage(context: SessionContext, message: IncomingMessage): Promise<MessageResult> {
  const text = asString(message.text);
  const parsed = observingOf(context) === undefined ? parseModes(text) : { ...parseModes(""), text };
  const isObserved = observingOf(context) !== undefined;
  const zone = isObserved ? undefined : await answerZoneMessage(context, parsed.text, message.sender ?? context.sender);
  const captured: ContractAnswer =
    zone === undefined
      ? await answerContractMessage(context, parsed.text, withoutLines(message, text, parsed.text))
      : { notes: [], reply: zone };
  await readDay(context);
  return context.clock.atOnce(() => commitMessage(context, message, parsed, captured));
}

function commitMessage(
  context: SessionContext,
  message: IncomingMessage,
  parsed: ParsedModes,
  captured: ContractAnswer,
): MessageResult {
  const { id, sender = context.sender } = message;
  const text = asString(message.text);
  const { elevation } = context.compiled.agent;
  // An operator's elevation stays stored while another person writes.
  const stored = effectiveModes(context.slices.get(modesSlice), context.clock.now(), elevation);
  const applied = applyModes(stored, parsed, {
    mayElevate: sender?.role === "operator",
    now: context.clock.now(),
    elevation,
    reasons: context.reasons,
  });
  const { modes } = applied;
  const notes = [...context.pendingNotes.splice(0), ...applied.notes, ...captured.notes];
  const isEnforced = observingOf(context) === undefined;
  const limit = isEnforced && context.parent === undefined ? overLimit(context, { calls: 1 }) : undefined;
  // The limits of the turn start afresh with this message.
  const isOver = limit !== undefined && limit.scope !== "turn";
  const unpaid = isOver && MODEL_COSTS.has(limit.what) ? limitText(limit, viewOf(context).channel) : undefined;
  const answer = applied.reply ?? captured.reply ?? unpaid;
  const reply = isEnforced ? answer : undefined;
  notes.push(...whileObserving(context, captured));
  if (isOver && reply === undefined) notes.push(limitText(limit, viewOf(context).channel));
  context.slices = context.slices.with(modesSlice, modes);
  if (reply === undefined) beginTurn(context, parsed.text, sender);
  emit(context, {
    type: "message",
    text,
    modes,
    messageId: id,
    sender,
    reply,
    notes: notes.length === 0 ? undefined : notes,
  });
  if (reply === undefined) classifyWhenDue(context);
  return { text: parsed.text, modes: viewOf(context).modes, notes, reply };
}

/** Shadow mode holds no message back, so the person reads what Conduct answers as notes. */
function whileObserving(context: SessionContext, { notes, reply = NOTED }: ContractAnswer): readonly string[] {
  const observing = observingOf(context);
  const said = reply === NOTED ? [] : [reply];
  if (observing === undefined || notes.length + said.length === 0) return [];
  const why = observing === "paused" ? "Conduct is paused" : "This session is in shadow mode";
  return [...said, `${why}, so its agent does not see the contract.`];
}

/** Sets the given modes; all others stay unchanged. */
export function setModes(context: SessionContext, modes: Partial<Modes>): Modes {
  const next = safeModes({ ...viewOf(context).modes, ...modes });
  context.slices = context.slices.with(modesSlice, next);
  emit(context, { type: "session", change: "modes", detail: JSON.stringify(next) });
  return viewOf(context).modes;
}

/** Elevates the session for a time, whoever writes in it. Returns false if the agent cannot be elevated. */
export function elevate(context: SessionContext, forMs: number, by: string): boolean {
  if (context.compiled.agent.elevation === "never") return false;
  setModes(context, { elevated: true, elevatedUntil: context.clock.now() + forMs, elevatedBy: by });
  context.pendingNotes.push(`An operator elevated this conversation for ${formatDuration(forMs)}.`);
  return true;
}

export function beginTurn(context: SessionContext, text: string, sender: Sender | undefined): void {
  context.contract = undefined;
  cancelOpenCalls(context);
  endStep(context, null);
  // The agent's definition may have changed since the last turn.
  context.compiled = context.agentOf(agentName(context));
  const { number, ended } = context.slices.get(turnSlice);
  const { usage: spent } = context.slices.get(spendingSlice);
  context.slices = context.slices
    .with(turnSlice, { number: number + 1, refusals: 0, ended, sender, startedAt: context.clock.now(), spent })
    .with(denialsSlice, NO_DENIALS)
    .with(resultsSlice, resultsSlice.initial)
    .with(classificationSlice, noteMessage(context.slices.get(classificationSlice), text));
}

/** Once these are used up, the model is not called for a new message. */
const MODEL_COSTS: ReadonlySet<string> = new Set(["tokens", "inputTokens", "outputTokens", "cost"]);

/** For the person, because the agent may not say so. */
function limitText(limit: Exhausted, channel: string): string {
  const session = channel === "cli" ? "Start a new session to continue." : "Send /new to start a new session.";
  const next = limit.scope === "day" ? "It starts afresh at midnight in your time zone." : session;
  const what = MODEL_COSTS.has(limit.what) ? "the agent was not asked" : "the agent can make no more calls";
  return `The ${usedUp(limit)}, so ${what}. ${next}`;
}

/** Adjusts the quoted line numbers to `rest`, the text without leading mode switches. */
function withoutLines({ quotedLines, ...message }: IncomingMessage, text: string, rest: string): IncomingMessage {
  if (quotedLines === undefined) return message;
  const gone = text.slice(0, text.length - rest.length).match(/\r\n|\n|\r/g)?.length ?? 0;
  return { ...message, quotedLines: quotedLines.map((line) => line - gone) };
}
