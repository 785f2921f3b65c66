/** Codex cuts a `reason` in the middle at 2,500 tokens, which it counts as 10,000 bytes. */
export const REASON_BYTES = 9_900;

/** Tokens of `additionalContext` that our hooks.json asks Codex to accept; it counts four bytes per token. */
export const CONTEXT_TOKENS = 50_000;

/** How long a call waits for a person: our hook has 15 seconds in all. */
export const CALL_WAIT_MS = 10_000;

/** The hook's timeout for the daemon: longer than the wait for a person, shorter than the hook's own timeout. */
export const CALL_ANSWER_MS = CALL_WAIT_MS + 3_000;
