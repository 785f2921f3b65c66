import { allExcept } from "../shared/capability-rows.ts";

/**
 * Enforced in OpenCode 1.18 behind a server: `opencode serve`, and the terminal interface, which has one. A stop is
 * refused by a next message; a client that waits only for the first request gets the refused answer. Debug lines are
 * toasts. A hook cannot ask OpenCode's own person: Conduct's approver is asked, and the call waits.
 */
export const opencodeCapabilities = allExcept({});

const ONE_ANSWER =
  "`opencode run` exits with the first answer, before a plugin can refuse it; the record and the error output say so";

/** The same in `opencode run`. */
export const opencodeRunCapabilities = allExcept({
  stop: ONE_ANSWER,
  "stop-bound": ONE_ANSWER,
  "survives-compaction": "nothing tells `opencode run` to compact; behind a server it is proven",
});
