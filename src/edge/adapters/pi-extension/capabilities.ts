import type { Capabilities } from "../../../base/words/hosting/capability.ts";

/** What Conduct enforces in pi-coding-agent 0.87, each proven by the kit with the real `pi`. */
export const piExtensionCapabilities: Capabilities = {
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
  subagents: {
    cannot: "Pi has none of its own; a `pi` that a tool starts loads the extension and is a session of its own",
  },
  mcp: { cannot: "Pi has no MCP client; what another extension brings is a tool like any other" },
  shadow: true,
  "fail-closed": true,
  "no-daemon": true,
};
