import { errorText } from "../../base/kernel/error-text.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";
import { writeDirective } from "../../behavior/contract/parse/directive-form.ts";
import { type ParsedDirective, parseDirectives } from "../../behavior/contract/parse/parse-directives.ts";
import { emit, type SessionContext, viewOf } from "../session/session-context.ts";
import type { IncomingMessage } from "./session-options.ts";

/** What an operator's message has changed. `reply`: the message contained nothing else, and this answers it. */
export type CapturedDirectives = { readonly notes: readonly string[]; readonly reply?: string };

/** What became of one directive, in words for its writer. */
type Added = { readonly inForce: boolean; readonly note: string };

/** Captures the directives of an operator's own message. Never rejects: a directive that could not be stored gets a note. */
export async function captureDirectives(
  context: SessionContext,
  text: string,
  { id, sender = context.sender, quotedLines }: Omit<IncomingMessage, "text">,
): Promise<CapturedDirectives> {
  const nothing = { notes: [] };
  if (context.ports.contracts === undefined || sender === undefined || context.parent !== undefined) return nothing;
  const { directives, faults, rest } = parseDirectives(text, quotedLines === undefined ? {} : { quotedLines });
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
  const message = id === undefined ? {} : { message: { id, line } };
  const by = `${viewOf(context).channel}:${sender.id ?? sender.user ?? "operator"}`;
  try {
    const decision = await context.ports.contracts?.change({ kind: "add", type, text, ...message }, by);
    if (decision === undefined) return { inForce: false, note: "" };
    if (decision.kind === "refused") {
      const { code, message: why, fix } = decision;
      emit(context, { type: "directive", outcome: "refused", line, text: written, code, why });
      return { inForce: false, note: `${written}: not taken up (${code}). ${why} ${fix}` };
    }
    const { outcome, contract, directive } = decision;
    const { version, hash } = contract;
    const result = outcome === "repeated" || outcome === "absorbed" ? outcome : "added";
    const named = directive === undefined ? {} : { directive: directive.id };
    emit(context, { type: "directive", outcome: result, line, text: written, version, hash, ...named });
    if (result !== "added" && directive === undefined) {
      const note = `${written}: taken when this message first came, and no longer in force. To have it again, say it in a new message.`;
      return { inForce: false, note };
    }
    if (result !== "added") return { inForce: true, note: `${written}: in force already.` };
    const note = `${written}: in force from now on, contract v${version} ${hash.slice(0, 6)}. Take it back: conduct behavior undo`;
    return { inForce: true, note };
  } catch (error) {
    const why = errorText(error);
    const code = "GATEWAY_BEHAVIOR_FAILED";
    emit(context, { type: "directive", outcome: "refused", line, text: written, code, why });
    return { inForce: false, note: `${written}: not taken up, because it could not be kept: ${why}` };
  }
}

/** The notes say what became of each; this only says whether all of them are in force. */
function replyTo(added: readonly Added[]): string {
  const inForce = added.filter((one) => one.inForce).length;
  if (inForce === added.length) return "Noted.";
  return inForce === 0 ? "Nothing was changed." : `Only ${inForce} of ${added.length} were taken up.`;
}
