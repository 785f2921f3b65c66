import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { DirectiveType } from "../../../base/words/contract.ts";
import { addWritten } from "../decide/change-request.ts";
import { ownPlaces } from "../own-words/foreign-lines.ts";
import { displayText } from "./comparison-key.ts";
import {
  type DirectiveFaultCode,
  type DirectiveForm,
  type Keywords,
  readForm,
  writeDirective,
} from "./directive-form.ts";
import type { LinePlace } from "./message-places.ts";
import { type NormalDirective, normaliseDirective } from "./normalise-directive.ts";

/** Lines count from 1. */
export type ParsedDirective = NormalDirective & { readonly type: DirectiveType; readonly line: number };

/** A near miss or a refused directive. `hint` is for its writer. */
export type DirectiveFault = { readonly line: number; readonly code: DirectiveFaultCode; readonly hint: string };

export type ParsedMessage = {
  readonly directives: readonly ParsedDirective[];
  readonly faults: readonly DirectiveFault[];
  /** The message without the directive lines, byte for byte. */
  readonly rest: string;
};

/** `quotedLines`: lines that the transport marks as a quotation or code. */
type ParseOptions = { readonly quotedLines?: readonly number[]; readonly keywords?: Keywords };

/** Directive lines that are read in one message. */
const MAX_LINES = 50;

/**
 * The directives of a message: lines of an upper-case keyword, a colon, one space and a text. Only for messages that the
 * transport attributes to the operator. A line that may not be the operator's own gives a hint instead. Linear time.
 */
export function parseDirectives(message: string, { quotedLines = [], keywords }: ParseOptions = {}): ParsedMessage {
  const lines = message.split(/\r\n|\n|\r/);
  const formed = lines.flatMap((line, at) => {
    const form = readForm(line, keywords);
    return form === undefined ? [] : [{ at, form }];
  });
  if (formed.length === 0) return { directives: [], faults: [], rest: message };
  const places = ownPlaces(lines, new Set(formed.map(({ at }) => at)), quotedLines);
  const candidates = formed.filter(({ at }) => places[at]?.kind !== "apart");
  // A lower-case word with a colon is prose, unless the message has a directive too.
  const forms = candidates.some(({ form }) => form.fault !== "lower-case") ? candidates : [];
  const directives = new Map<string, ParsedDirective>();
  const taken = new Set<number>();
  const faults: DirectiveFault[] = [];
  for (const { at, form } of forms.slice(0, MAX_LINES)) {
    const judged = judgeLine(form, places[at]);
    if ("code" in judged) faults.push({ line: at + 1, ...judged });
    else {
      const same = `${form.type} ${judged.key}`;
      if (!directives.has(same)) directives.set(same, { type: form.type, ...judged, line: at + 1 });
      taken.add(at);
    }
  }
  const beyond = forms[MAX_LINES];
  if (beyond !== undefined) {
    const hint = `Only the first ${MAX_LINES} lines were read as directives. Send the others in another message.`;
    faults.push({ line: beyond.at + 1, code: "too-many", hint });
  }
  return { directives: [...directives.values()], faults, rest: withoutLines(message, taken) };
}

function judgeLine(form: DirectiveForm, place: LinePlace | undefined): NormalDirective | Omit<DirectiveFault, "line"> {
  if (form.fault !== undefined) return { code: form.fault, hint: HINTS[form.fault](shown(form)) };
  if (place?.kind === "unsure") {
    return { code: "not-own-words", hint: `${shown(form)} was not added: ${place.why}. ${confirmation(form)}` };
  }
  const normal = normaliseDirective(form.text);
  if (!("refused" in normal)) return normal;
  return {
    code: "refused-text",
    hint: `${shown(form)} was not added: ${normal.refused.message} ${normal.refused.fix}`,
  };
}

/** How the writer confirms the line. A text that cannot be shown whole is not put in a command. */
function confirmation(form: DirectiveForm): string {
  const command = shown(form) === `'${writeDirective(form)}'` ? `, or run: ${addWritten(form)}` : ".";
  return `If you wrote it, send that line alone${command}`;
}

/** What the writer probably meant, safe to show and store. */
function shown(form: DirectiveForm): string {
  const text = displayText(form.text.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ""));
  return `'${cutGraphemes(redactSecrets(writeDirective({ type: form.type, text })), 100)}'`;
}

const HINTS: Readonly<Record<NonNullable<DirectiveForm["fault"]>, (meant: string) => string>> = {
  "lower-case": (meant) => `Keywords are in upper case. Did you mean ${meant}?`,
  "unknown-keyword": (meant) => `Unknown keyword. Did you mean ${meant}?`,
  "full-width-colon": (meant) => `Put a plain colon and one space after the keyword. Did you mean ${meant}?`,
  "space-before-colon": (meant) => `Remove the space before the colon. Did you mean ${meant}?`,
  "missing-space": (meant) => `Put one space after the colon. Did you mean ${meant}?`,
  "extra-space": (meant) => `Put exactly one space after the colon. Did you mean ${meant}?`,
  "open-bold": (meant) => `The bold is not closed. Did you mean ${meant}?`,
  "empty-text": () => "The keyword has no text. Write it on the same line, such as 'STOP: long summaries'.",
  question: (meant) => `${meant} is a question, so it was not added. Remove the question mark to make it a directive.`,
};

/** Keeps the other lines with their line ends. */
function withoutLines(message: string, taken: ReadonlySet<number>): string {
  if (taken.size === 0) return message;
  const whole = message.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
  return whole.filter((_, at) => !taken.has(at)).join("");
}
