import type { Capabilities } from "../../../base/words/hosting/capability.ts";

/** What Conduct enforces in OpenCode 1.18 behind a server: `opencode serve`, and the terminal interface, which has one. */
export const opencodeCapabilities: Capabilities = {
  prompt: true,
  deny: true,
  rewrite: true,
  "end-turn": true,
  outcome: true,
  batch: true,
  truncate: true,
  "read-result": true,
  feedback: true,
  // By a next message: who waits for the one request that began the turn gets the answer that was refused.
  stop: true,
  "stop-bound": true,
  modes: true,
  "rewrite-message": true,
  "think-level": true,
  // As toasts, which the clients of a server show.
  verbose: true,
  "survives-compaction": true,
  "survives-resume": true,
  // A hook cannot put a question to OpenCode's own person: Conduct's approver is asked, and the call waits.
  approval: true,
  subagents: true,
  mcp: true,
  shadow: true,
  "fail-closed": true,
  "no-daemon": true,
};

const ONE_ANSWER =
  "`opencode run` exits with the first answer, before a plugin can refuse it; the record and the error output say so";

/** The same in `opencode run`. */
export const opencodeRunCapabilities: Capabilities = {
  ...opencodeCapabilities,
  stop: { cannot: ONE_ANSWER },
  "stop-bound": { cannot: ONE_ANSWER },
  "survives-compaction": { cannot: "nothing tells `opencode run` to compact; behind a server it is proven" },
};
