import { asString } from "../../base/kernel/json.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";
import type { Modes } from "../../base/words/modes.ts";
import { classificationSlice, noteMessage } from "../../behavior/classification/classification-state.ts";
import { denialsSlice, NO_DENIALS } from "../../behavior/policy/escalation.ts";
import { applyModes } from "../../behavior/session/modes/apply-modes.ts";
import { effectiveModes, modesSlice, safeModes } from "../../behavior/session/modes/modes.ts";
import { type ParsedModes, parseModes } from "../../behavior/session/modes/parse-modes.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import { agentName, emit, observingOf, type SessionContext, viewOf } from "../session/session-context.ts";
import { cancelOpenCalls, endStep } from "../session/steps.ts";
import { type CapturedDirectives, captureDirectives } from "./capture-directives.ts";
import { classifyWhenDue } from "./classify-session.ts";
import { forgetContract } from "./contract-of-turn.ts";
import type { IncomingMessage } from "./session-options.ts";
import { resultsSlice } from "./shorten-result.ts";

/** A message as Conduct has understood it. */
export type Heard = {
  /** For the model: the message without the modes at its start. */
  readonly text: string;
  readonly modes: Modes;
  /** The whole answer: the message was for Conduct, and the model is not asked. */
  readonly reply?: string;
  /** For the person, next to the model's answer. */
  readonly notes: readonly string[];
};

/** The moment `message`: what did the person say? A new turn begins, unless the message was for Conduct alone. */
export async function onMessage(context: SessionContext, message: IncomingMessage): Promise<Heard> {
  const text = asString(message.text);
  const parsed = observingOf(context) === undefined ? parseModes(text) : { ...parseModes(""), text };
  const captured = await captureDirectives(context, parsed.text, withoutLines(message, text, parsed.text));
  return context.clock.atOnce(() => commitMessage(context, message, parsed, captured));
}

function commitMessage(
  context: SessionContext,
  message: IncomingMessage,
  parsed: ParsedModes,
  captured: CapturedDirectives,
): Heard {
  const { id, sender = context.sender } = message;
  const text = asString(message.text);
  const { elevation } = context.compiled.agent;
  // An operator's elevation stays stored while somebody else speaks.
  const stored = effectiveModes(context.slices.get(modesSlice), context.clock.now(), elevation);
  const applied = applyModes(stored, parsed, {
    mayElevate: sender?.role === "operator",
    now: context.clock.now(),
    ...(elevation === undefined ? {} : { elevation }),
  });
  const { modes } = applied;
  const notes = [...context.owedNotes.splice(0), ...applied.notes, ...captured.notes];
  const answer = applied.reply ?? captured.reply;
  const reply = observingOf(context) === undefined ? answer : undefined;
  context.slices = context.slices.with(modesSlice, modes);
  if (reply === undefined) beginTurn(context, parsed.text, sender);
  emit(context, {
    type: "message",
    text,
    modes,
    ...(id === undefined ? {} : { messageId: id }),
    ...(sender === undefined ? {} : { sender }),
    ...(reply === undefined ? {} : { reply }),
    ...(notes.length === 0 ? {} : { notes }),
  });
  if (reply === undefined) classifyWhenDue(context);
  return { text: parsed.text, modes: viewOf(context).modes, notes, ...(reply === undefined ? {} : { reply }) };
}

/** Switches modes one by one; the others stay as they are. */
export function setModes(context: SessionContext, modes: Partial<Modes>): Modes {
  const next = safeModes({ ...viewOf(context).modes, ...modes });
  context.slices = context.slices.with(modesSlice, next);
  emit(context, { type: "session", change: "modes", detail: JSON.stringify(next) });
  return viewOf(context).modes;
}

export function beginTurn(context: SessionContext, text: string, sender: Sender | undefined): void {
  forgetContract(context);
  cancelOpenCalls(context);
  endStep(context, null);
  // The agent's definition may have changed since the last turn.
  context.compiled = context.agentOf(agentName(context));
  const { number, ended } = context.slices.get(turnSlice);
  context.slices = context.slices
    .with(turnSlice, { number: number + 1, refusals: 0, ended, ...(sender === undefined ? {} : { sender }) })
    .with(denialsSlice, NO_DENIALS)
    .with(resultsSlice, resultsSlice.initial)
    .with(classificationSlice, noteMessage(context.slices.get(classificationSlice), text));
}

/** The message with its quoted lines counted in `rest`, which is the text without the modes at its start. */
function withoutLines({ quotedLines, ...message }: IncomingMessage, text: string, rest: string): IncomingMessage {
  if (quotedLines === undefined) return message;
  const gone = text.slice(0, text.length - rest.length).match(/\r\n|\n|\r/g)?.length ?? 0;
  return { ...message, quotedLines: quotedLines.map((line) => line - gone) };
}
