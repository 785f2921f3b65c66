import type { Command } from "../../line/command.ts";

export const REPLAY: Command = {
  description: "What recorded sessions would have been like under other rules, or another contract",
  args: {
    rules: { type: "string", description: "A rule file or pack, in place of the agents' own rules" },
    add: { type: "boolean", description: "Add these rules to the agents' own, instead" },
    contract: { type: "string", description: "A version of the contract: which turns would have been told otherwise" },
    since: { type: "string", description: "How far back: 24h, 7d, or a time as 2026-11-15T08:00Z (7d unless told)" },
    for: { type: "string", description: "The rules are for this agent; the others keep theirs" },
    agent: { type: "string", description: "Sessions of one agent only" },
    session: { type: "string", description: "One session only: its id, or how that begins" },
    config: { type: "string", description: "Where the agents are defined (conduct.yaml, where there is one)" },
  },
  load: async () => (await import("./replay.ts")).replay,
};
