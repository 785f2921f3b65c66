import { allExcept } from "../shared/capability-rows.ts";

/** Enforced with the hooks of Claude Code 2.1.325; README.md lists the limits. */
export const claudeCodeCapabilities = allExcept({
  "rewrite-message": "no answer of a hook changes a message; the model is told that its mode words have been handled",
  "think-level": "no answer of a hook sets it; a person can, with /effort, or with --effort at the start",
});
