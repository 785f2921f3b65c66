import type { Capabilities } from "../../../base/words/hosting/capability.ts";

/** Codex 0.166 with models that call tools plainly (gpt-5.5). */
export const codexCapabilities: Capabilities = {
  prompt: true,
  deny: true,
  rewrite: true,
  "end-turn": { cannot: "no answer of a hook ends a turn; every further call of the turn is denied instead" },
  outcome: true,
  batch: true,
  // At most 10 kB of a shortened result pass the hook; the rest is paged with read_result.
  truncate: true,
  "read-result": true,
  feedback: true,
  stop: true,
  "stop-bound": true,
  // The answer is the reason of a blocked message: clients of the app server show it, `codex exec` shows nothing.
  modes: true,
  "rewrite-message": {
    cannot: "no answer of a hook changes a message; the model is told that its mode words have been handled",
  },
  "think-level": {
    cannot: "no answer of a hook sets it; who starts Codex can, with -c model_reasoning_effort or at turn/start",
  },
  // As `systemMessage`, which clients of the app server show and `codex exec` does not.
  verbose: true,
  "survives-compaction": true,
  "survives-resume": true,
  // An approver of Conduct's is asked; Codex runs a tool when a hook answers `ask`.
  approval: true,
  subagents: true,
  mcp: true,
  shadow: true,
  "fail-closed": true,
  "no-daemon": true,
};

/** Models in code mode (all others in Codex' catalogue) run their calls inside a script. */
export const codexCodeModeCapabilities: Capabilities = {
  ...codexCapabilities,
  truncate: { cannot: "a result goes to the model's script, which fails when the hook replaces it" },
  "read-result": { cannot: "nothing is shortened in code mode, so there is nothing to page through" },
};
