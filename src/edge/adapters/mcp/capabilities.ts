import type { Capabilities } from "../../../base/words/hosting/capability.ts";

const NO_MODEL =
  "a proxy sees tool calls and their results, and neither the person's messages nor the model's requests";

/** What `conduct mcp proxy` enforces between any client and any server; each `true` is proven by the tests beside it. */
export const mcpProxyCapabilities: Capabilities = {
  prompt: { cannot: `${NO_MODEL}; initial_instructions of \`conduct mcp\` gives the prompt when the model calls it` },
  deny: true,
  rewrite: true,
  "end-turn": { cannot: "a server cannot end a client's turn; every further call of the turn is denied instead" },
  outcome: true,
  batch: {
    cannot: "calls sent before any result is back are one step; a client that runs a batch one by one cannot be told",
  },
  truncate: true,
  "read-result": true,
  feedback: true,
  stop: { cannot: NO_MODEL },
  "stop-bound": { cannot: NO_MODEL },
  modes: { cannot: NO_MODEL },
  "rewrite-message": { cannot: NO_MODEL },
  "think-level": { cannot: NO_MODEL },
  verbose: { cannot: NO_MODEL },
  approval: true,
  mcp: true,
  shadow: true,
  "fail-closed": true,
  "no-daemon": true,
};
