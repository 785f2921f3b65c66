import type { Capabilities } from "../../../testing/kit/driver.ts";

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
};
