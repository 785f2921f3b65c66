import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import { cutGraphemes, wellFormed } from "../../../base/kernel/text.ts";
import type { Outcome } from "../../../base/words/call.ts";

const MARK = "[DEBUG]";
const MAX_LINES = 40;
const MAX_CHARACTERS = 2_000;
/** Of the tool's name, and of the decision. */
const MAX_FIELD = 200;

/** What /verbose shows a person of one call; never for the model. Bounded, without secrets, and nothing in it steers a terminal. */
export function verboseText(what: {
  readonly tool: string;
  readonly tokens: number;
  readonly outcome: Outcome;
  readonly decision: string;
  readonly text: string;
}): string {
  const result = printable(what.text).replace(/\n$/, "");
  const lines = result === "" ? [] : cutGraphemes(result, MAX_CHARACTERS).split("\n").slice(0, MAX_LINES);
  const left = result.length - lines.join("\n").length;
  return [
    `Tool: ${field(what.tool)}`,
    `Tokens: ${what.tokens}`,
    `Outcome: ${what.outcome}`,
    `Decision: ${field(what.decision)}`,
    "Result:",
    // Indented, so that no line of a result passes for one of ours.
    ...lines.map((line) => `  ${line}`),
    ...(left > 0 ? [`(${left.toLocaleString("en-US")} more characters left out)`] : []),
  ]
    .map((line) => `${MARK} ${line}`)
    .join("\n");
}

function field(text: string): string {
  return cutGraphemes(printable(text).replaceAll("\n", " "), MAX_FIELD);
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: these are the characters to take out.
/** A sequence of a terminal, with its text (titles, links) where it is closed; else its introducer alone. */
const ESCAPES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]?/g;
const LINE_BREAKS = /\r\n?|[\v\f\x85\u2028\u2029]/g;
/** Control characters but for tab and line feed, and those that turn the direction of a line. */
const UNSAFE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above.

/** Cleaned first: a key with an escape in its middle is still a key. */
function printable(text: string): string {
  return redactSecrets(wellFormed(text).replace(ESCAPES, "").replace(LINE_BREAKS, "\n").replace(UNSAFE, ""));
}
