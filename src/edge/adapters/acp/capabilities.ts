import { allExcept } from "../shared/capability-rows.ts";

const NO_RESULTS = "the agent runs its tools itself, and tells the client of results only when the model has them";

/**
 * Enforced between a client and an agent: only calls for which the agent asks permission, plus files and terminals of
 * the client. A rejection carries no reason, so the model reads it in a prompt right after. If an agent reports no
 * exit code, the outcome of a command is unknown. Debug lines appear as text of the agent.
 */
export const acpCapabilities = allExcept({
  rewrite: "the answer to a permission request cannot change the call: it is refused instead",
  batch: "ACP does not tell which calls belong to one model response",
  truncate: NO_RESULTS,
  "read-result": "nothing is shortened, so there is nothing to page through",
  feedback: `${NO_RESULTS}; feedback goes along with the next prompt`,
  "think-level": "ACP 1 has no word for it; agents offer it as options of their own, each by its own name",
  subagents:
    "`opencode acp` passes on nothing that a subagent asks permission for, and waits for ever, with or without Conduct",
  shadow:
    "`opencode acp` takes a message that begins with / for a command of its own, and in shadow modes stay in the message; the rest is proven by ACP-20",
});
