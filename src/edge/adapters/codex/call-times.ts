/** How long a call waits for a person: our hook has 15 seconds in all (`hooks-json.ts`). */
export const CALL_WAIT_MS = 10_000;

/** How long the hook waits for the daemon's answer to a call: it has to hear what came of the wait before it is ended itself. */
export const CALL_ANSWER_MS = CALL_WAIT_MS + 3_000;
