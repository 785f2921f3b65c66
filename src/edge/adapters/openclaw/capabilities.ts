import type { Capabilities } from "../../../base/words/hosting/capability.ts";

/** What Conduct enforces in OpenClaw 2026.9, each proven by the kit with the real gateway. */
export const openclawCapabilities: Capabilities = {
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
  verbose: {
    cannot:
      "OpenClaw's own chat shows an answer as the model streams it; what a plugin adds (reply_payload_sending) reaches channels only",
  },
  "survives-compaction": true,
  "survives-resume": true,
  approval: true,
  subagents: true,
  mcp: true,
  shadow: true,
  "fail-closed": true,
  "no-daemon": true,
};
