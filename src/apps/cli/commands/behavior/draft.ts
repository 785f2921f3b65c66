import { parseDuration } from "../../../../base/kernel/duration.ts";
import { nearest } from "../../../../base/kernel/nearest.ts";
import type { DirectiveType } from "../../../../base/words/contract.ts";
import type { DirectiveDraft } from "../../../../behavior/contract/decide/change-request.ts";
import { isoTime } from "../../../../behavior/contract/iso-time.ts";
import { readForm, writeDirective } from "../../../../behavior/contract/parse/directive-form.ts";
import { DIRECTIVE_TYPES, KEYWORDS } from "../../../../behavior/contract/parse/keywords.ts";
import type { Arguments } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import { clip, oneLine } from "../../line/printable.ts";
import { badArgument } from "./answers.ts";
import { textOf } from "./world.ts";

type Wrong = Extract<Outcome, { readonly ok: false }>;
type Stated = { readonly type: DirectiveType; readonly text: string };

const EXAMPLE = 'conduct behavior add "STOP: long status reports"';
const TYPES = DIRECTIVE_TYPES.map((type) => type.toUpperCase()).join(", ");

/** The directive that the options describe; `undefined` when they describe none. Its text is judged later, where all are. */
export async function readDirective(
  args: Arguments,
  piped: () => Promise<string | undefined>,
): Promise<Stated | Wrong | undefined> {
  const type = readType(args.type);
  if (typeof type === "object") return type;
  const given = [args.directive, args.text].filter((text): text is string => typeof text === "string" && text !== "");
  if (given.length > 1) {
    return badArgument("the text is given twice: as an argument and with --text", "give it once");
  }
  const written = (given[0] ?? (await piped()))?.replace(/\r?\n$/, "");
  if (written === undefined || written.trim() === "") {
    return type === undefined ? undefined : invalid("There is no text.", `give it after the options, as: ${EXAMPLE}`);
  }
  return type === undefined ? readWritten(written) : { type, text: written };
}

/** When a directive ends: a time with its zone, or a duration from now. */
export function readExpiry(given: unknown, now: number): Pick<DirectiveDraft, "expiresAt"> {
  const text = textOf(given);
  if (text === undefined) return {};
  const duration = parseDuration(text);
  return { expiresAt: duration === undefined || duration > MOST_MS ? text : isoTime(now + duration) };
}

/** As an operator writes it in a message: the keyword, a colon, one space, the text. */
function readWritten(written: string): Stated | Wrong {
  const form = /[\r\n]/.test(written) ? undefined : readForm(written, KEYWORDS);
  if (form === undefined) {
    const what = /[\r\n]/.test(written)
      ? "there is more than one line"
      : `'${shown(written)}' does not say what it is: ${TYPES}`;
    return invalid(what, `give one directive, as: ${EXAMPLE}; or its --type and its text`);
  }
  const { type, text, fault } = form;
  if (fault === undefined) return { type, text };
  if (fault === "empty-text") return invalid("A keyword alone sets nothing.", `write what is meant: ${EXAMPLE}`);
  if (fault === "question") return invalid(`'${shown(written)}' is a question.`, "write it without its question mark");
  return invalid(`'${shown(written)}' is not written as a directive`, `write it as: ${writeDirective({ type, text })}`);
}

function readType(given: unknown): DirectiveType | Wrong | undefined {
  const text = textOf(given)?.toLowerCase();
  const type = DIRECTIVE_TYPES.find((one) => one === text);
  if (text === undefined || type !== undefined) return type;
  const meant = nearest(text, DIRECTIVE_TYPES);
  const hint = meant === undefined ? "" : `: did you mean '${meant}'?`;
  return badArgument(
    `--type: '${shown(text)}' is none of ${DIRECTIVE_TYPES.join(", ")}${hint}`,
    `--type=${meant ?? "keep"}`,
  );
}

function invalid(message: string, fix: string): Wrong {
  return badArgument(message, fix, "INVALID_DIRECTIVE_TEXT");
}

function shown(text: string): string {
  return clip(oneLine(text), 80);
}

/** A hundred years: beyond it a time cannot be written. */
const MOST_MS = 100 * 366 * 86_400_000;
