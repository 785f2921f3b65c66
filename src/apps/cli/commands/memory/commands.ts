import type { Group } from "../../line/command.ts";

const OWNER = {
  agent: { type: "string", description: "Whose memory: the agent's name" },
  user: { type: "string", description: "Of whom it is; the gateway's operator unless told" },
} as const;

export const MEMORY: Group = {
  description: "What agents were told to remember",
  commands: {
    list: {
      description: "Show an agent's notes of a user, the newest first",
      args: { ...OWNER, search: { type: "string", description: "Those with these words, the best first" } },
      load: async () => (await import("./memory.ts")).memoryList,
    },
    forget: {
      description: "Take a note out",
      args: { id: { type: "positional", default: "", description: "The note's id, as list shows it" }, ...OWNER },
      load: async () => (await import("./memory.ts")).memoryForget,
    },
  },
};
