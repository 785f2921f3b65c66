import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Evidence } from "./steps.ts";

const MAX_CHARS = 1_000;
export const MARK_CHARS = 500;
const CUT = "…";
const FORM = /^([^\s/]+)\/([^\s/]+): (.+)$/s;

/** The session name of evidence from the governance journal: `event` is then the sequence number. */
export const GOVERNANCE = "governance";

/** Formats evidence as `session/event: words`, the form in the contract. Long words are truncated and end in `…`. */
export function writeEvidence({ session, event, quote }: Evidence, max: number = MAX_CHARS): string {
  const head = `${escapeId(session)}/${escapeId(event)}: `;
  const words = redactSecrets(quote.toWellFormed()).trim();
  if (head.length + words.length <= max) return `${head}${words}`;
  return `${head}${cutGraphemes(words, max - head.length - CUT.length).trimEnd()}${CUT}`;
}

/** Escapes characters that would end the id when it is read. */
function escapeId(id: string): string {
  return id.toWellFormed().replace(/[\s/%:]/g, encodeURIComponent);
}

/** Returns `undefined` for text that is not the review's evidence, such as a person's own note. */
export function readEvidence(written: string): Evidence | undefined {
  const [, session, event, quote] = FORM.exec(written) ?? [];
  if (session === undefined || event === undefined || quote === undefined) return undefined;
  try {
    return { session: decodeURIComponent(session), event: decodeURIComponent(event), quote };
  } catch {
    return undefined;
  }
}

/** Whether the text contains the quote, up to its truncation. Secrets may be redacted in either. */
export function isQuoted(quote: string, text: string): boolean {
  const [words, whole] = [unmarked(quote), unmarked(text)];
  if (words === "") return false;
  return whole.includes(words) || (words.endsWith(CUT) && words.length > 1 && whole.includes(words.slice(0, -1)));
}

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
