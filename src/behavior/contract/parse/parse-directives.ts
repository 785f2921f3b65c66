import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { DirectiveType } from "../../../base/words/contract.ts";
import { addWritten } from "../decide/next-commands.ts";
import { ownPlaces } from "../own-words/own-places.ts";
import { displayText } from "./comparison-key.ts";
import { type DirectiveFaultCode, type DirectiveForm, readForm, writeDirective } from "./directive-form.ts";
import { KEYWORDS, type Keywords } from "./keywords.ts";
import type { LinePlace } from "./message-places.ts";
import { type NormalDirective, normaliseDirective } from "./normalise-directive.ts";

/** A directive as a message has it. Lines count from 1. */
export type ParsedDirective = NormalDirective & { readonly type: DirectiveType; readonly line: number };

/** A line that was nearly a directive, or one that cannot stand. `hint` is one sentence or two for its writer. */
export type DirectiveFault = { readonly line: number; readonly code: DirectiveFaultCode; readonly hint: string };

export type ParsedMessage = {
  readonly directives: readonly ParsedDirective[];
  readonly faults: readonly DirectiveFault[];
  /** The message without the lines that were taken, byte for byte; blank when it has nothing else to say. */
  readonly rest: string;
};

type Looked = { readonly at: number; readonly form: DirectiveForm };

export type ParseOptions = {
  readonly keywords?: Keywords;
  /** Lines, counted from 1, that the transport marks as a quotation or as code. */
  readonly quotedLines?: readonly number[];
};

/** Lines looked at as directives in one message; what comes after them is text. */
const MAX_LINES = 50;

/**
 * The directives that a message states: an upper-case keyword at the start of a line, a colon, one space, a text. Only for
 * messages that the transport says are the operator's own. The agent reads the whole message, directives included; `rest`
 * tells whether it has a task besides. Where it is unsure whose words a line is, it takes nothing and its hint asks. Takes
 * linear time on any text.
 */
export function parseDirectives(
  message: string,
  { keywords = KEYWORDS, quotedLines = [] }: ParseOptions = {},
): ParsedMessage {
  const lines = message.split(/\r\n|\n|\r/);
  const formed = formsIn(lines, keywords);
  if (formed.length === 0) return { directives: [], faults: [], rest: message };
  const places = ownPlaces(lines, new Set(formed.map(({ at }) => at)), quotedLines);
  const looked = formed.filter(({ at }) => places[at]?.kind !== "apart");
  // Alone, a word in lower case with a colon is prose; beside a directive it is a slip.
  const stated = looked.some(({ form }) => form.fault !== "lower-case");
  const forms = stated ? looked : [];
  const directives = new Map<string, ParsedDirective>();
  const taken = new Set<number>();
  const faults: DirectiveFault[] = [];
  for (const { at, form } of forms.slice(0, MAX_LINES)) {
    const judged = judgeLine(form, places[at], keywords);
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

function formsIn(lines: readonly string[], keywords: Keywords): readonly Looked[] {
  return lines.flatMap((line, at) => {
    const form = readForm(line, keywords);
    return form === undefined ? [] : [{ at, form }];
  });
}

function judgeLine(
  form: DirectiveForm,
  place: LinePlace | undefined,
  keywords: Keywords,
): NormalDirective | Omit<DirectiveFault, "line"> {
  if (form.fault !== undefined) return { code: form.fault, hint: HINTS[form.fault](shown(form)) };
  if (place?.kind === "unsure") {
    return { code: "not-own-words", hint: `${shown(form)} was not taken up: ${place.why}. ${confirmation(form)}` };
  }
  const normal = normaliseDirective(form.text, keywords);
  if (!("refused" in normal)) return normal;
  return { code: "refused-text", hint: `${normal.refused.message} ${normal.refused.fix}` };
}

/** How its writer says that the line is theirs. A text that is not safe to be shown whole is not in a command either. */
function confirmation(form: DirectiveForm): string {
  const written = writeDirective(form);
  const command = shown(form) === `'${written}'` ? ` or run: ${addWritten(form)}` : "";
  return `If it is yours, send that line alone${command === "" ? "." : `,${command}`}`;
}

/** What the writer most likely meant, safe to be shown and kept. */
function shown(form: DirectiveForm): string {
  const text = displayText(form.text.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ""));
  return `'${cutGraphemes(redactSecrets(writeDirective({ type: form.type, text })), 100)}'`;
}

const HINTS: Readonly<Record<NonNullable<DirectiveForm["fault"]>, (meant: string) => string>> = {
  "lower-case": (meant) => `Keywords are in upper case. Did you mean ${meant}?`,
  "unknown-keyword": (meant) => `There is no such keyword. Did you mean ${meant}?`,
  "full-width-colon": (meant) => `After a keyword stands a plain colon and one space. Did you mean ${meant}?`,
  "space-before-colon": (meant) => `No space stands before the colon. Did you mean ${meant}?`,
  "missing-space": (meant) => `One space stands after the colon. Did you mean ${meant}?`,
  "extra-space": (meant) => `One space, and only one, stands after the colon. Did you mean ${meant}?`,
  "open-bold": (meant) => `The bold is not closed. Did you mean ${meant}?`,
  "empty-text": () => "A keyword alone sets nothing: its text stands in the same line, such as 'STOP: long summaries'.",
  question: (meant) => `${meant} is a question and was not taken. Without its question mark it is a directive.`,
};

/** The lines and their ends as they are, without those that were taken. */
function withoutLines(message: string, taken: ReadonlySet<number>): string {
  if (taken.size === 0) return message;
  const whole = message.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
  return whole.filter((_, at) => !taken.has(at)).join("");
}
