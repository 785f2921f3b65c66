import type { JsonObject } from "../../../base/words/json.ts";

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
    readonly permissionDecision?: "allow" | "deny";
    readonly permissionDecisionReason?: string;
    /** Codex takes it with `allow` only; that grants nothing, its own approvals and sandbox still hold. */
    readonly updatedInput?: JsonObject;
    readonly additionalContext?: string;
  };
};

/** Codex cuts a `reason` in the middle at 2,500 tokens, which it counts as 10,000 bytes. */
export const REASON_BYTES = 9_900;
/** Tokens of `additionalContext` that our hooks.json asks Codex to let through; it counts four bytes a token. */
export const CONTEXT_TOKENS = 50_000;

/** What stands where something was left out; told how many characters stand before it. */
type Mark = (shown: number) => string;

/** A text within what a `reason` carries. When it is longer its last paragraph stays: there stands how to go on. */
export function fitReason(text: string, mark: Mark = () => "[… left out: a Codex hook carries 10 kB …]"): string {
  if (Buffer.byteLength(text) <= REASON_BYTES) return text;
  const at = text.lastIndexOf("\n\n");
  const last = at < 0 || Buffer.byteLength(text.slice(at)) > REASON_BYTES / 4 ? "" : text.slice(at);
  const around = Buffer.byteLength(`\n\n${mark(text.length)}${last}`);
  const head = firstBytes(text, REASON_BYTES - around);
  return `${head}\n\n${mark(head.length)}${last}`;
}

function firstBytes(text: string, bytes: number): string {
  // A code point that was cut in two decodes to U+FFFD.
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
}
