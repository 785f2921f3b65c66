import { type ArgsOf, command, flag, type Group, option, positional } from "../line/command.ts";

const watch = () => import("../commands/watch/watch.ts");
const why = () => import("../commands/why/why.ts");
const status = () => import("../commands/status/status.ts");
const approvals = () => import("../commands/approvals/approvals.ts");
const approve = () => import("../commands/approvals/approve.ts");
const memory = () => import("../commands/memory/memory.ts");

const watchArgs = {
  session: option("Only this session: its id or a prefix"),
  agent: option("Only this agent"),
  denied: flag("Only denied calls"),
  search: option("Only events with these words; prefixes match too"),
  once: flag("Print the newest events and exit"),
};
export type WatchArgs = ArgsOf<typeof watchArgs>;

export const WATCH = command("Watch what agents do, live: every moment, every decision", watchArgs, watch, "watch");

const whyArgs = {
  id: positional("A decision, approval or event: its id or a prefix; last is the newest denial", "last"),
};
export type WhyArgs = ArgsOf<typeof whyArgs>;

export const WHY = command(
  "Explain why a call was denied or allowed: the rule, what it needed, what to do next",
  whyArgs,
  why,
  "why",
);

export const STATUS = command("Show the store, agents, active sessions and recent denials", {}, status, "status");

export const APPROVALS = command("List the calls that wait for a person's approval", {}, approvals, "approvals");

const approveArgs = { id: positional("The approval's id or a prefix") };
const denyArgs = { ...approveArgs, reason: option("The reason, shown to the agent") };
export type DenyArgs = ArgsOf<typeof denyArgs>;

export const APPROVE = command("Approve a call once: a waiting call runs now", approveArgs, approve, "approve");

export const DENY = command("Deny a call for the rest of its session", denyArgs, approve, "deny");

const memoryArgs = {
  agent: option("The agent whose notes they are"),
  user: option("The user they are about (default: the gateway's operator)"),
};
export type MemoryArgs = ArgsOf<typeof memoryArgs>;
const listArgs = { ...memoryArgs, search: option("Only notes with these words, best match first") };
export type MemoryListArgs = ArgsOf<typeof listArgs>;
const forgetArgs = { id: positional("The note's id, from the list", ""), ...memoryArgs };
export type MemoryForgetArgs = ArgsOf<typeof forgetArgs>;

export const MEMORY: Group = {
  description: "The notes that agents keep about users",
  commands: {
    list: command("List an agent's notes about a user, newest first", listArgs, memory, "memoryList"),
    forget: command("Delete a note", forgetArgs, memory, "memoryForget"),
  },
};
