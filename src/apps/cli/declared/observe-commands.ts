import { type ArgsOf, command, flag, type Group, option, positional } from "../line/command.ts";

const watchArgs = {
  session: option("One session only: its id, or how that begins"),
  agent: option("One agent only"),
  denied: flag("Denied calls only"),
  search: option("Events with these words only, or with words that begin so"),
  once: flag("Show the newest events and end"),
};
export type WatchArgs = ArgsOf<typeof watchArgs>;

export const WATCH = command(
  "Show what agents do, as it happens: every moment, every decision",
  watchArgs,
  async () => (await import("../commands/watch/watch.ts")).watch,
);

const whyArgs = {
  id: positional("A decision, approval or event, or how its id begins; last is the newest denial", "last"),
};
export type WhyArgs = ArgsOf<typeof whyArgs>;

export const WHY = command(
  "Why a call was denied or allowed: the rule, what it needed, what was there, what to do next",
  whyArgs,
  async () => (await import("../commands/why/why.ts")).why,
);

export const STATUS = command(
  "The store, the agents seen, the sessions active, the last day's denials",
  {},
  async () => (await import("../commands/status/status.ts")).status,
);

export const APPROVALS = command(
  "What waits for a person: the call, the rule that asks, until when",
  {},
  async () => (await import("../commands/approvals/approvals.ts")).approvals,
);

const approveArgs = { id: positional("The question, or how its id begins") };
export type ApproveArgs = ArgsOf<typeof approveArgs>;
const denyArgs = { ...approveArgs, reason: option("Why, for the agent to read") };
export type DenyArgs = ArgsOf<typeof denyArgs>;

export const APPROVE = command(
  "Say yes to a question: a call that waits runs, else one identical call passes",
  approveArgs,
  async () => (await import("../commands/approvals/approve.ts")).approve,
);

export const DENY = command(
  "Say no to a question, for the rest of its session",
  denyArgs,
  async () => (await import("../commands/approvals/approve.ts")).deny,
);

const memoryArgs = {
  agent: option("Whose memory: the agent's name"),
  user: option("Of whom it is; the gateway's operator unless told"),
};
export type MemoryArgs = ArgsOf<typeof memoryArgs>;
const memoryListArgs = { ...memoryArgs, search: option("Those with these words, the best first") };
export type MemoryListArgs = ArgsOf<typeof memoryListArgs>;
const memoryForgetArgs = { id: positional("The note's id, as list shows it", ""), ...memoryArgs };
export type MemoryForgetArgs = ArgsOf<typeof memoryForgetArgs>;

export const MEMORY: Group = {
  description: "What agents were told to remember",
  commands: {
    list: command(
      "Show an agent's notes of a user, the newest first",
      memoryListArgs,
      async () => (await import("../commands/memory/memory.ts")).memoryList,
    ),
    forget: command(
      "Take a note out",
      memoryForgetArgs,
      async () => (await import("../commands/memory/memory.ts")).memoryForget,
    ),
  },
};
