/**
 * What a hook prints. Codex ignores an answer with a key it does not know, and then the tool runs: nothing else may stand
 * in it.
 */
export type CodexAnswer = {
  readonly decision?: "block";
  readonly reason?: string;
  /** Shown to the person, not to the model. */
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: {
    readonly hookEventName: string;
    readonly permissionDecision?: "deny";
    readonly permissionDecisionReason?: string;
    readonly additionalContext?: string;
  };
};

/** Codex cuts a `reason` in the middle at 2,500 tokens, which it counts as 10,000 bytes. */
export const REASON_BYTES = 9_900;
/** Tokens of `additionalContext` that our hooks.json asks Codex to let through; it counts four bytes a token. */
export const CONTEXT_TOKENS = 50_000;

const LEFT_OUT = "\n\n[… left out here: a Codex hook carries 10 kB …]\n\n";

/** A text within what a `reason` carries. When it is longer its last paragraph stays: there stands how to get the rest. */
export function fitReason(text: string, limit = REASON_BYTES): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const at = text.lastIndexOf("\n\n");
  const last = at < 0 ? "" : text.slice(at + 2);
  const tail = Buffer.byteLength(last) <= limit / 4 ? `${LEFT_OUT}${last}` : LEFT_OUT.trimEnd();
  return `${firstBytes(text, limit - Buffer.byteLength(tail))}${tail}`;
}

function firstBytes(text: string, bytes: number): string {
  // A code point that was cut in two decodes to U+FFFD.
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
}
