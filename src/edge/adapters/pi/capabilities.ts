import type { Capabilities } from "../../../base/words/hosting/capability.ts";

/** What Conduct enforces in pi-agent-core 0.87, each proven by the kit. */
export const piCapabilities: Capabilities = {
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
    cannot: "pi-agent-core starts none; an agent that a tool of yours starts is under Conduct with session.child()",
  },
  mcp: { cannot: "pi-agent-core has no MCP client; the tools of a server are your own, and your toolMap names them" },
  shadow: true,
  "fail-closed": true,
  "no-daemon": { cannot: "Conduct is in the same process" },
};
