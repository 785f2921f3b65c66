import { allExcept } from "../shared/capability-rows.ts";

const NO_MODEL =
  "a proxy sees tool calls and their results, and neither the person's messages nor the model's requests";

export const mcpProxyCapabilities = allExcept({
  prompt: `${NO_MODEL}; initial_instructions of \`conduct mcp\` gives the prompt when the model calls it`,
  "end-turn": "a server cannot end a client's turn; every further call of the turn is denied instead",
  batch: "calls sent before any result is back are one step; a client that runs a batch one by one cannot be told",
  stop: NO_MODEL,
  "stop-bound": NO_MODEL,
  modes: NO_MODEL,
  "rewrite-message": NO_MODEL,
  "think-level": NO_MODEL,
  verbose: NO_MODEL,
  "survives-compaction": undefined,
  "survives-resume": undefined,
  subagents: undefined,
});
