import type { Command } from "../../line/command.ts";

/** `conduct approvals`, `conduct approve`, `conduct deny`: what waits for a person, and their word on it. */
export const APPROVALS: Command = {
  description: "What waits for a person: the call, the rule that asks, until when",
  args: {},
  load: async () => (await import("./approvals.ts")).approvals,
};

const id = { type: "positional", description: "The question, or how its id begins" } as const;

export const APPROVE: Command = {
  description: "Say yes to a question: a call that waits runs, else one identical call passes",
  args: { id },
  load: async () => (await import("./approve.ts")).approve,
};

export const DENY: Command = {
  description: "Say no to a question, for the rest of its session",
  args: { id, reason: { type: "string", description: "Why, for the agent to read" } },
  load: async () => (await import("./approve.ts")).deny,
};
