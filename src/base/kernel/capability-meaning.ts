import type { Capability } from "../words/hosting/capability.ts";

/** The rows of the coverage map in display order, each with its meaning. */
export const CAPABILITY_MEANING: { readonly [row in Capability | "same-decisions"]: string } = {
  prompt: "what the agent is told, contract included, is in every model request",
  deny: "a call is blocked, and the model reads why",
  rewrite: "a call runs with the arguments that rules have given it",
  "end-turn": "a turn that will not let go of a denied call is ended",
  outcome: "a failing command is told from a succeeding one",
  batch: "calls of one model response are known to belong together",
  truncate: "a result is shortened before the model sees it",
  "read-result": "the agent can page through what was shortened",
  feedback: "advice reaches the model in the same turn",
  stop: "a stop is refused, and the agent goes on",
  "stop-bound": "refusals end, also at the runtime's own cap, and the status says so",
  modes: "a message of modes only is answered without the model",
  "rewrite-message": "mode words do not reach the model, the rest does byte for byte",
  "think-level": "the level of /think is in the model request",
  verbose: "the person is shown debug lines",
  "survives-compaction": "after a compaction all of it is in every request again",
  "survives-resume": "after an end and a new start, too, and evidence holds",
  approval: "a person is asked, and the call waits: yes, no, no answer",
  subagents: "what holds for the agent holds for its subagents",
  mcp: "tools of MCP servers are calls like any other",
  shadow: "a session that is only watched changes nothing, and all is on record",
  "fail-closed": "a call that Conduct fails to decide does not run",
  "no-daemon": "with nobody there to ask no call runs",
  "same-decisions": "one definition and one rule file give the same decisions as everywhere",
};
