import type { BehaviorDirective } from "../../../base/words/contract.ts";
import { allDirectives, capturedFrom } from "../../../behavior/contract/contract-state.ts";
import type { ChangeRequest } from "../../../behavior/contract/decide/change-request.ts";
import { writeDirective } from "../../../behavior/contract/parse/directive-form.ts";
import { type ParsedDirective, parseDirectives } from "../../../behavior/contract/parse/parse-directives.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import type { Button } from "./messenger.ts";

/** An operator's message after an edit. */
export type EditedMessage = {
  readonly text: string;
  readonly messageId: string;
  readonly quotedLines: readonly number[];
};

/** A question about a directive whose message was edited. `text` alone needs no answer. */
export type EditQuestion = { readonly text: string; readonly directive?: string; readonly how?: "replace" | "remove" };

/** The label before the new directive in a question. The button's handler reads it back. */
const NEW = "New: ";

/**
 * What to ask an operator about an edited message: the contract never changes by an edit alone. Directives of the
 * message that are still in force are compared with those that it contains now.
 */
export async function questionsOnEdit(
  contracts: Pick<ContractService, "state" | "keywords">,
  { text, messageId, quotedLines }: EditedMessage,
  by: string,
): Promise<readonly EditQuestion[]> {
  const state = await contracts.state();
  const captured = capturedFrom(state, by, messageId);
  const { directives: written, faults } = parseDirectives(text, { quotedLines, keywords: contracts.keywords });
  const isSame = (a: (typeof captured)[number], b: ParsedDirective) => a.type === b.type && a.key === b.key;
  const inForce = new Map(allDirectives(state).map((one) => [one.id, one]));
  const gone = captured
    .filter((one) => !written.some((line) => isSame(one, line)))
    .flatMap(({ directive }) => inForce.get(directive) ?? []);
  const fresh = written.filter((line) => !captured.some((one) => isSame(one, line)));
  const pairs = gone.map((old, at) => ask(old, fresh[at]));
  const rest = fresh.slice(gone.length).map((line) => `- ${writeDirective(line)}`);
  const hints = captured.length === 0 ? [] : faults.map(({ line, hint }) => ({ text: `Line ${line}: ${hint}` }));
  const added = `An edit adds no directive. To add this, send it as a new message:\n${rest.join("\n")}`;
  return [...pairs, ...hints, ...(rest.length === 0 ? [] : [{ text: added }])];
}

function ask(old: BehaviorDirective, by: ParsedDirective | undefined): EditQuestion {
  const { id: directive } = old;
  const was = `You edited a message with a directive that is in force.\n\nIn force: ${writeDirective(old)}`;
  if (by === undefined) return { directive, how: "remove", text: `${was}\nThe message no longer has it. Remove it?` };
  return { directive, how: "replace", text: `${was}\n${NEW}${writeDirective(by)}\n\nReplace it?` };
}

/** The buttons below a question about an edit; none if it only informs. */
export function editButtons({ directive, how }: EditQuestion): readonly Button[] {
  if (directive === undefined || how === undefined) return [];
  return [
    [how === "replace" ? "Replace" : "Remove", `e:${directive}:${how}`],
    ["Keep", `e:${directive}:keep`],
  ];
}

/** The change that a pressed button asks for; `question` is the text above the button, which we sent. */
export function changeOfAnswer(id: string, how: string, question: string): ChangeRequest | undefined {
  if (how === "remove") return { kind: "remove", id, reason: "its message was edited" };
  const line = question.split("\n").find((one) => one.startsWith(NEW));
  const [directive] = parseDirectives(line?.slice(NEW.length) ?? "").directives;
  return directive && { kind: "replace", id, type: directive.type, text: directive.text };
}
