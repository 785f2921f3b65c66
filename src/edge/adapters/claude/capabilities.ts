import type { Capabilities } from "../../../base/words/hosting/capability.ts";

/** What the Claude Agent SDK 0.3.325 lets Conduct enforce; README.md names the limits inside each. */
export const claudeCapabilities: Capabilities = {
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
  "rewrite-message": true,
  "think-level": true,
  verbose: true,
  "survives-compaction": true,
  "survives-resume": true,
  approval: true,
  subagents: true,
  mcp: true,
  shadow: true,
  "fail-closed": true,
  "no-daemon": { cannot: "Conduct is in the same process" },
};
