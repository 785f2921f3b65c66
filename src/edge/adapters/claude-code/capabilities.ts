import type { Capabilities } from "../../../base/words/hosting/capability.ts";

/** What the hooks of Claude Code 2.1.325 let Conduct enforce; README.md names the limits inside each. */
export const claudeCodeCapabilities: Capabilities = {
  prompt: true,
  deny: true,
  rewrite: true,
  "end-turn": true,
  outcome: true,
  batch: true,
  truncate: true,
  "read-result": true,
  feedback: true,
  stop: true,
  "stop-bound": true,
  modes: true,
  "rewrite-message": {
    cannot: "no answer of a hook changes a message; the model is told that its mode words have been handled",
  },
  "think-level": { cannot: "no answer of a hook sets it; a person can, with /effort, or with --effort at the start" },
  verbose: true,
  "survives-compaction": true,
  "survives-resume": true,
  approval: true,
  subagents: true,
  mcp: true,
  shadow: true,
  "fail-closed": true,
  "no-daemon": true,
};
