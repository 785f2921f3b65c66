import type { Command } from "../../line/command.ts";

/** `conduct acp -- COMMAND`: the words after `--` are the agent's command, whatever they look like. */
export const ACP: Command = {
  description: "Stand between an ACP client (an editor) and the agent that COMMAND starts",
  many: true,
  args: {
    words: { type: "positional", default: "", description: "The agent's command, after --" },
    agent: { type: "string", description: "The agent (the only one, or default, unless told)" },
    user: { type: "string", description: "Whose memory and instructions it is (this account's unless told)" },
    headless: { type: "boolean", description: "No person types at the client: nothing it sends is an operator's" },
    "any-mode": { type: "boolean", description: "Let the client switch on modes in which the agent asks nobody" },
    wait: { type: "string", description: "How long a call waits for a person elsewhere, as 45s (0s unless told)" },
  },
  load: async () => (await import("./acp.ts")).acp,
};
