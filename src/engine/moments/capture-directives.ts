import { errorText } from "../../base/kernel/error-text.ts";
import type { Sender } from "../../base/words/channel.ts";
import { writeDirective } from "../../behavior/contract/directive-form.ts";
import { type ParsedDirective, parseDirectives } from "../../behavior/contract/parse-directives.ts";
import { emit, type SessionContext, viewOf } from "../session/session-context.ts";

/** What an operator's message has changed. `only`: the message contained nothing else. */
export type CapturedDirectives = { readonly notes: readonly string[]; readonly only: boolean };

/** Captures the directives of an operator's own message. Never rejects: a directive that could not be stored gets a note. */
export async function captureDirectives(
  context: SessionContext,
  text: string,
  id: string | undefined,
  sender: Sender | undefined,
): Promise<CapturedDirectives> {
  const nothing = { notes: [], only: false };
  if (context.ports.contracts === undefined || sender === undefined || context.parent !== undefined) return nothing;
  const { directives, faults, rest } = parseDirectives(text);
  if (sender.role !== "operator") {
    for (const { line, ...directive } of directives) {
      const why = `sent by a ${sender.role}`;
      emit(context, { type: "directive", outcome: "not-operator", line, text: writeDirective(directive), why });
    }
    return nothing;
  }
  const notes: string[] = [];
  for (const directive of directives) notes.push(await addDirective(context, directive, id, sender));
  for (const { line, code, hint } of faults) {
    notes.push(`Line ${line}: ${hint}`);
    emit(context, { type: "directive", outcome: "near-miss", line, text: "", code, why: hint });
  }
  return { notes, only: directives.length > 0 && rest.trim() === "" };
}

async function addDirective(
  context: SessionContext,
  { type, text, line }: ParsedDirective,
  id: string | undefined,
  sender: Sender,
): Promise<string> {
  const written = writeDirective({ type, text });
  const message = id === undefined ? {} : { message: { id, line } };
  const by = `${viewOf(context).channel}:${sender.id ?? sender.user ?? "operator"}`;
  try {
    const decision = await context.ports.contracts?.change({ kind: "add", type, text, ...message }, by);
    if (decision === undefined) return "";
    if (decision.kind === "refused") {
      const { code, message: why, fix } = decision;
      emit(context, { type: "directive", outcome: "refused", line, text: written, code, why });
      return `${written}: not taken up (${code}). ${why} ${fix}`;
    }
    const { outcome, contract, directive } = decision;
    const { version, hash } = contract;
    const result = outcome === "repeated" || outcome === "absorbed" ? outcome : "added";
    const named = directive === undefined ? {} : { directive: directive.id };
    emit(context, { type: "directive", outcome: result, line, text: written, version, hash, ...named });
    if (result !== "added" && directive === undefined) {
      return `${written}: taken when this message first came, and no longer in force. To have it again, say it in a new message.`;
    }
    if (result !== "added") return `${written}: in force already.`;
    return `${written}: in force from now on, contract v${version} ${hash.slice(0, 6)}. Take it back: conduct behavior undo`;
  } catch (error) {
    const why = errorText(error);
    const code = "GATEWAY_BEHAVIOR_FAILED";
    emit(context, { type: "directive", outcome: "refused", line, text: written, code, why });
    return `${written}: not taken up, because it could not be kept: ${why}`;
  }
}
