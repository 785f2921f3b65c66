import { allExcept } from "../shared/capability-rows.ts";

/**
 * Enforced in Codex 0.166 with models that call tools plainly (gpt-5.5). Limits: at most 10 kB of a shortened result
 * pass the hook, the rest is paged with read_result. Answers to modes and debug lines are shown by clients of the app
 * server, not by `codex exec`. Conduct's approver is asked, because Codex runs a tool when a hook answers `ask`.
 */
export const codexCapabilities = allExcept({
  "end-turn": "no answer of a hook ends a turn; every further call of the turn is denied instead",
  "rewrite-message": "no answer of a hook changes a message; the model is told that its mode words have been handled",
  "think-level": "no answer of a hook sets it; who starts Codex can, with -c model_reasoning_effort or at turn/start",
});

/** Models in code mode (all others in Codex's catalogue) run their calls inside a script. */
export const codexCodeModeCapabilities: typeof codexCapabilities = {
  ...codexCapabilities,
  truncate: { cannot: "a result goes to the model's script, which fails when the hook replaces it" },
  "read-result": { cannot: "nothing is shortened in code mode, so there is nothing to page through" },
};
