import type { Capabilities } from "../../../base/words/hosting/capability.ts";

const NO_RESULTS = "the agent runs its tools itself, and tells the client of results only when the model has them";

/**
 * What Conduct enforces between a client and an agent that asks permission for its calls: a proxy sees only what the agent asks
 * permission for. Of what an agent has the client do (files, terminals) more is possible; `acp.test.ts` proves that.
 */
export const acpCapabilities: Capabilities = {
  prompt: true,
  // A rejection has no place for a reason: the model reads it in a prompt of the same turn, right after.
  deny: true,
  rewrite: { cannot: "the answer to a permission request cannot change the call: it is refused instead" },
  "end-turn": true,
  // A command's exit code is in what OpenCode tells of it; where an agent does not tell it, the outcome is unknown.
  outcome: true,
  batch: { cannot: "ACP does not tell which calls belong to one model response" },
  truncate: { cannot: NO_RESULTS },
  "read-result": { cannot: "nothing is shortened, so there is nothing to page through" },
  feedback: { cannot: `${NO_RESULTS}; feedback goes along with the next prompt` },
  stop: true,
  "stop-bound": true,
  modes: true,
  "rewrite-message": true,
  "think-level": { cannot: "ACP 1 has no word for it; agents offer it as options of their own, each by its own name" },
  // As words of the agent, which every client shows.
  verbose: true,
  "survives-compaction": true,
  "survives-resume": true,
  approval: true,
  subagents: {
    cannot:
      "`opencode acp` passes on nothing that a subagent asks permission for, and waits for ever, with or without Conduct",
  },
  mcp: true,
  shadow: {
    cannot:
      "`opencode acp` takes a message that begins with / for a command of its own, and in shadow modes stay in the message; the rest is proven by ACP-20",
  },
  "fail-closed": true,
  "no-daemon": true,
};
