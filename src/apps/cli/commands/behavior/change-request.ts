import { parseDuration } from "../../../../base/kernel/duration.ts";
import { nearest } from "../../../../base/kernel/nearest.ts";
import type { DirectiveType } from "../../../../base/words/contract.ts";
import type { ChangeRequest } from "../../../../behavior/contract/decide/change-request.ts";
import { isoTime } from "../../../../behavior/contract/iso-time.ts";
import { DIRECTIVE_TYPES, readForm, writeDirective } from "../../../../behavior/contract/parse/directive-form.ts";
import { clip, oneLine } from "../../../shared/printable.ts";
import type { ChangeArgs } from "../../declared/contract-commands.ts";
import { badArgument, type Failure } from "../../line/outcome.ts";

export type ChangeName =
  | ("add" | "replace" | "remove" | "promote" | "reject" | "edit")
  | ("snooze" | "helpful" | "harmful" | "check" | "apply" | "undo");

type Piped = () => Promise<string | undefined>;
type Stated = { readonly type: DirectiveType; readonly text: string };

const EXAMPLE = 'conduct behavior add "STOP: long status reports"';
const TYPES = DIRECTIVE_TYPES.map((type) => type.toUpperCase()).join(", ");
const FROM_LIST = "give its id, from: conduct behavior list";
/** A hundred years; later times cannot be represented. */
const MOST_MS = 100 * 366 * 86_400_000;

/** Builds the request of a command, or returns what is wrong with its arguments. */
export async function changeRequest(
  name: ChangeName,
  args: ChangeArgs,
  now: number,
  piped: Piped,
): Promise<ChangeRequest | Failure> {
  const { id = "", scope, reason, check } = args;
  switch (name) {
    case "add":
    case "replace": {
      // Without this check, a missing id would make the command wait for input.
      if (name === "replace" && id === "") {
        return badArgument("no directive given", FROM_LIST, "MISSING_DIRECTIVE_ID");
      }
      const stated = (await readDirective(args, piped)) ?? noText(name, id);
      if ("ok" in stated) return stated;
      const draft = { ...stated, scope, expiresAt: readExpiry(args.expires, now), check };
      return name === "add" ? { kind: "add", ...draft } : { kind: "replace", id, ...draft };
    }
    case "remove":
    case "reject":
      return { kind: name, id, reason };
    case "promote": {
      const as = await readDirective(args, async () => undefined);
      return as !== undefined && "ok" in as ? as : { kind: "promote", id, as };
    }
    case "edit": {
      if (id === "") return badArgument("no candidate given", FROM_LIST, "MISSING_CANDIDATE_ID");
      const stated = (await readDirective(args, piped)) ?? noText(name, id);
      return "ok" in stated ? stated : { kind: "edit", id, ...stated };
    }
    case "snooze": {
      const until = readExpiry(args.until, now);
      if (until !== undefined) return { kind: "snooze", id, until };
      return badArgument("no time given", `conduct behavior snooze ${id || "ID"} 3d`, "INVALID_TIME");
    }
    case "helpful":
    case "harmful":
      return { kind: "mark", id, mark: name, note: args.note };
    case "check": {
      if (args.none) return { kind: "check", id };
      if (check !== undefined) return { kind: "check", id, check };
      const fix = `conduct behavior check ${id || "ID"} "length: at most 120 words"; or --none`;
      return badArgument("no check given", fix, "INVALID_CHECK");
    }
    case "apply":
      return { kind: "apply" };
    case "undo":
      return { kind: "undo", scope };
  }
}

/** Reads when a directive expires: a time with its zone, or a duration from now. */
export function readExpiry(text: string | undefined, now: number): string | undefined {
  const duration = parseDuration(text ?? "");
  return duration === undefined || duration > MOST_MS ? text : isoTime(now + duration);
}

/** The directive in the options; `undefined` if they contain none. The service validates its text. */
async function readDirective(args: ChangeArgs, piped: Piped): Promise<Stated | Failure | undefined> {
  const type = readType(args.type);
  if (typeof type === "object") return type;
  if (args.directive !== undefined && args.text !== undefined) {
    return badArgument("the text is given twice: as an argument and as --text", "give it once");
  }
  const written = (args.directive ?? args.text ?? (await piped()))?.replace(/\r?\n$/, "");
  if (written === undefined || written.trim() === "") {
    return type === undefined
      ? undefined
      : invalid("The text is missing.", `add it after the options, for example: ${EXAMPLE}`);
  }
  return type === undefined ? readWritten(written) : { type, text: written };
}

/** Same format as in a message: the keyword, a colon, one space, the text. */
function readWritten(written: string): Stated | Failure {
  const lines = /[\r\n]/.test(written);
  const form = lines ? undefined : readForm(written);
  if (form === undefined) {
    const what = lines
      ? "a directive has only one line"
      : `'${shown(written)}' does not start with a keyword: ${TYPES}`;
    return invalid(what, `write one directive, for example: ${EXAMPLE}; or give --type and the text`);
  }
  const { type, text, fault } = form;
  if (fault === undefined) return { type, text };
  if (fault === "empty-text")
    return invalid("The text after the keyword is missing.", `add the text, for example: ${EXAMPLE}`);
  if (fault === "question") return invalid(`'${shown(written)}' is a question.`, "write it without its question mark");
  return invalid(
    `'${shown(written)}' does not have the form of a directive`,
    `write it as: ${writeDirective({ type, text })}`,
  );
}

function readType(given: string | undefined): DirectiveType | Failure | undefined {
  const text = given?.toLowerCase();
  const type = DIRECTIVE_TYPES.find((one) => one === text);
  if (text === undefined || type !== undefined) return type;
  const meant = nearest(text, DIRECTIVE_TYPES);
  const hint = meant === undefined ? "" : `: did you mean '${meant}'?`;
  const message = `--type: '${shown(text)}' is not one of ${DIRECTIVE_TYPES.join(", ")}${hint}`;
  return badArgument(message, `--type=${meant ?? "keep"}`);
}

function noText(name: "add" | "replace" | "edit", id: string): Failure {
  const which = name === "add" ? "" : ` ${id}`;
  return invalid("no directive given", `give the text: conduct behavior ${name}${which} "STOP: long status reports"`);
}

function invalid(message: string, fix: string): Failure {
  return badArgument(message, fix, "INVALID_DIRECTIVE_TEXT");
}

function shown(text: string): string {
  return clip(oneLine(text), 80);
}
