import { formatDuration } from "../../base/kernel/duration.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import { asString } from "../../base/kernel/json.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";
import type { Modes } from "../../base/words/modes.ts";
import { classificationSlice, noteMessage } from "../../behavior/classification/classification-state.ts";
import { writeDirective } from "../../behavior/contract/parse/directive-form.ts";
import { type ParsedDirective, parseDirectives } from "../../behavior/contract/parse/parse-directives.ts";
import { denialsSlice, NO_DENIALS } from "../../behavior/policy/policy-state.ts";
import { applyModes, effectiveModes, modesSlice, safeModes } from "../../behavior/session/modes/modes.ts";
import { type ParsedModes, parseModes } from "../../behavior/session/modes/parse-modes.ts";
import { turnSlice } from "../../behavior/session/session-identity.ts";
import { agentName, emit, observingOf, type SessionContext, viewOf } from "../session/session-context.ts";
import type { IncomingMessage } from "../session/session-options.ts";
import { cancelOpenCalls, endStep } from "../session/steps.ts";
import { classifyWhenDue } from "./classify.ts";
import { resultsSlice } from "./shorten-result.ts";

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
  const captured = await captureDirectives(context, parsed.text, withoutLines(message, text, parsed.text));
  return context.clock.atOnce(() => commitMessage(context, message, parsed, captured));
}

function commitMessage(
  context: SessionContext,
  message: IncomingMessage,
  parsed: ParsedModes,
  captured: CapturedDirectives,
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
  const answer = applied.reply ?? captured.reply;
  const reply = observingOf(context) === undefined ? answer : undefined;
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
  context.slices = context.slices
    .with(turnSlice, { number: number + 1, refusals: 0, ended, sender })
    .with(denialsSlice, NO_DENIALS)
    .with(resultsSlice, resultsSlice.initial)
    .with(classificationSlice, noteMessage(context.slices.get(classificationSlice), text));
}

/** Adjusts the quoted line numbers to `rest`, the text without leading mode switches. */
function withoutLines({ quotedLines, ...message }: IncomingMessage, text: string, rest: string): IncomingMessage {
  if (quotedLines === undefined) return message;
  const gone = text.slice(0, text.length - rest.length).match(/\r\n|\n|\r/g)?.length ?? 0;
  return { ...message, quotedLines: quotedLines.map((line) => line - gone) };
}

/** The result of an operator's directives. `reply` is set if the message contained nothing else. */
type CapturedDirectives = { readonly notes: readonly string[]; readonly reply?: string };

type Added = { readonly inForce: boolean; readonly note: string };

/** Captures the directives of an operator's own message. Never rejects: a note reports each directive not stored. */
async function captureDirectives(
  context: SessionContext,
  text: string,
  { id, sender = context.sender, quotedLines }: Omit<IncomingMessage, "text">,
): Promise<CapturedDirectives> {
  const nothing = { notes: [] };
  if (context.ports.contracts === undefined || sender === undefined || context.parent !== undefined) return nothing;
  const { directives, faults, rest } = parseDirectives(text, { quotedLines });
  if (sender.role !== "operator") {
    for (const { line, ...directive } of directives) {
      const why = `sent by a ${sender.role}`;
      emit(context, { type: "directive", outcome: "not-operator", line, text: writeDirective(directive), why });
    }
    return nothing;
  }
  const added: Added[] = [];
  for (const directive of directives) added.push(await addDirective(context, directive, id, sender));
  const notes = added.map(({ note }) => note);
  for (const { line, code, hint } of faults) {
    notes.push(`Line ${line}: ${hint}`);
    emit(context, { type: "directive", outcome: "near-miss", line, text: "", code, why: hint });
  }
  return directives.length > 0 && rest.trim() === "" ? { notes, reply: replyTo(added) } : { notes };
}

async function addDirective(
  context: SessionContext,
  { type, text, line }: ParsedDirective,
  id: string | undefined,
  sender: Sender,
): Promise<Added> {
  const written = writeDirective({ type, text });
  const message = id === undefined ? undefined : { id, line };
  const by = `${viewOf(context).channel}:${sender.id ?? sender.user ?? "operator"}`;
  try {
    const decision = await context.ports.contracts?.change({ kind: "add", type, text, message }, by);
    if (decision === undefined) return { inForce: false, note: "" };
    if (decision.kind === "refused") {
      const { code, message: why, fix } = decision;
      emit(context, { type: "directive", outcome: "refused", line, text: written, code, why });
      return { inForce: false, note: `${written}: not added (${code}). ${why} ${fix}` };
    }
    const { outcome, contract, directive } = decision;
    const { version, hash } = contract;
    const result = outcome === "repeated" || outcome === "absorbed" ? outcome : "added";
    emit(context, { type: "directive", outcome: result, line, text: written, version, hash, directive: directive?.id });
    if (result !== "added" && directive === undefined) {
      const note = `${written}: this message added it before, and it is no longer in force. To add it again, send a new message.`;
      return { inForce: false, note };
    }
    if (result !== "added") return { inForce: true, note: `${written}: already in force.` };
    const note = `${written}: in force from now on, contract v${version} ${hash.slice(0, 6)}. Undo: conduct behavior undo`;
    return { inForce: true, note };
  } catch (error) {
    const why = errorText(error);
    const code = "GATEWAY_BEHAVIOR_FAILED";
    emit(context, { type: "directive", outcome: "refused", line, text: written, code, why });
    return { inForce: false, note: `${written}: not added, because it could not be stored: ${why}` };
  }
}

/** Only says whether all directives are in force; the notes give each outcome. */
function replyTo(added: readonly Added[]): string {
  const inForce = added.filter((one) => one.inForce).length;
  if (inForce === added.length) return "Noted.";
  return inForce === 0 ? "Nothing was changed." : `Only ${inForce} of ${added.length} were added.`;
}
