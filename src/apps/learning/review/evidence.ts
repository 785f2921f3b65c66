import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Evidence } from "./finding.ts";

/** What the contract keeps of one piece of evidence. */
const MAX_CHARS = 1_000;
/** What a mark on a directive keeps of it. */
export const MARK_CHARS = 500;
const CUT = "…";
const FORM = /^([^\s/]+)\/([^\s/]+): (.+)$/s;

/** The session of evidence that is an operator's word in the governance journal: `event` is then its sequence. */
export const GOVERNANCE = "governance";

/** Of the form `session/event: words`, just as the contract keeps it. Words that are too long are cut, and end in `…`. */
export function writeEvidence({ session, event, quote }: Evidence, max: number = MAX_CHARS): string {
  const head = `${escapeId(session)}/${escapeId(event)}: `;
  const words = redactSecrets(quote.toWellFormed()).trim();
  if (head.length + words.length <= max) return `${head}${words}`;
  return `${head}${cutGraphemes(words, max - head.length - CUT.length).trimEnd()}${CUT}`;
}

/** What would end it where it is read. */
function escapeId(id: string): string {
  return id.toWellFormed().replace(/[\s/%:]/g, encodeURIComponent);
}

/** `undefined` for what was not written as evidence of the review: a person's own note, for one. */
export function readEvidence(written: string): Evidence | undefined {
  const [, session, event, quote] = FORM.exec(written) ?? [];
  if (session === undefined || event === undefined || quote === undefined) return undefined;
  try {
    return { session: decodeURIComponent(session), event: decodeURIComponent(event), quote };
  } catch {
    return undefined;
  }
}

/** Do these words stand in the text, up to where they were cut? Secrets may have been taken out of either. */
export function isQuoted(quote: string, text: string): boolean {
  const [words, whole] = [unmarked(quote), unmarked(text)];
  if (words === "") return false;
  return whole.includes(words) || (words.endsWith(CUT) && words.length > 1 && whole.includes(words.slice(0, -1)));
}

/** Do they stand in the event, in any of its texts? */
export function isQuotedFrom(quote: string, { id: _, run, session, agent, ...event }: ConductEvent): boolean {
  return textsIn(event).some((text) => isQuoted(quote, text));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function unmarked(text: string): string {
  return text.replace(/\[redacted:[0-9a-f]{12}\]/g, "[redacted]");
}
