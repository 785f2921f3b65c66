import { type ArgsOf, command, flag, type Group, option, positional, valued, web } from "../line/command.ts";

const watch = () => import("../commands/watch/watch.ts");
const why = () => import("../commands/why/why.ts");
const feedback = () => import("../commands/why/feedback.ts");
const status = () => import("../commands/status/status.ts");
const approvals = () => import("../commands/approvals/approvals.ts");
const approve = () => import("../commands/approvals/approve.ts");
const elevate = () => import("../commands/approvals/elevate.ts");
const tag = () => import("../commands/approvals/tag.ts");
const opened = () => import("../commands/open/open.ts");
const webhooks = () => import("../commands/webhooks/webhooks.ts");
const memory = () => import("../commands/memory/memory.ts");

const watchArgs = {
  session: valued("session", option("Only this session: its id or a prefix")),
  agent: valued("agent", option("Only this agent")),
  denied: flag("Only denied calls"),
  search: option("Only events with these words; prefixes match too"),
  once: flag("Print the newest events and exit"),
  ...web,
};
export type WatchArgs = ArgsOf<typeof watchArgs>;

export const WATCH = command(
  "Watch what agents do, live: every moment, every decision",
  watchArgs,
  watch,
  "watch",
  "watch --agent coding --denied",
);

const whyArgs = {
  id: valued(
    "decision",
    positional("A decision, approval or event: its id or a prefix; last is the newest denial", "last"),
  ),
  ...web,
};
export type WhyArgs = ArgsOf<typeof whyArgs>;

export const WHY = command(
  "Explain why a call was denied or allowed: the rule, what it needed, what to do next",
  whyArgs,
  why,
  "why",
  "why d_8kq2ab",
);

const feedbackArgs = {
  session: valued("session", positional("The session's id or a prefix", "")),
  provider: option("Only the feedback of this provider"),
  limit: option("How many at most (default 50)"),
};
export type FeedbackArgs = ArgsOf<typeof feedbackArgs>;

export const FEEDBACK = command(
  "Show the feedback that an agent got in a session, newest first",
  feedbackArgs,
  feedback,
  "feedback",
  "feedback s_8kq2ab --provider deadline",
);

export const STATUS = command(
  "Show the store, agents, active sessions and recent denials",
  {},
  status,
  "status",
  "status",
);

export const APPROVALS = command(
  "List the calls that wait for a person's approval",
  { ...web },
  approvals,
  "approvals",
  "approvals",
);

const openArgs = {
  id: positional("A session, decision, approval, directive, candidate, rule or agent; without one, the start page"),
  print: flag("Only print the address, open no browser"),
};
export type OpenArgs = ArgsOf<typeof openArgs>;

export const OPEN = command(
  "Open the console in a browser, signed in, at the page of an id",
  { ...openArgs, id: valued("decision", openArgs.id) },
  opened,
  "open",
  "open d_8kq2ab",
);

const approvalId = { id: valued("approval", positional("The approval's id or a prefix")) };
const approveArgs = {
  ...approvalId,
  always: flag("Also allow the same effect on the same files for the rest of this session"),
};
export type ApproveArgs = ArgsOf<typeof approveArgs>;
const denyArgs = { ...approvalId, reason: option("The reason, shown to the agent") };
export type DenyArgs = ArgsOf<typeof denyArgs>;

export const APPROVE = command(
  "Approve a call once: a waiting call runs now",
  approveArgs,
  approve,
  "approve",
  "approve a_77 --always",
);

export const DENY = command(
  "Deny a call for the rest of its session, or end what is always allowed",
  denyArgs,
  approve,
  "deny",
  'deny a_77 --reason "wait for the release"',
);

const elevateArgs = {
  session: valued("session", positional("The session's id or a prefix", "")),
  for: option("How long: 90s, 10m (default), 2h; at most 24h"),
  off: flag("End the elevation now"),
};
export type ElevateArgs = ArgsOf<typeof elevateArgs>;

export const ELEVATE = command(
  "Elevate a session for a time: questions are answered yes, workspace and risk limits are lifted",
  elevateArgs,
  elevate,
  "elevate",
  "elevate s_8kq2ab --for 10m",
);

const tagArgs = {
  session: valued("session", positional("The session's id or a prefix", "")),
  tags: positional("The session's custom tags: release,night", ""),
  none: flag("Remove all custom tags"),
};
export type TagArgs = ArgsOf<typeof tagArgs>;

export const TAG = command(
  "Set the custom tags of a session, which select prompt sections and which rules can read",
  tagArgs,
  tag,
  "tag",
  "tag s_8kq2ab release,night",
);

const memoryArgs = {
  agent: valued("agent", option("The agent whose notes they are")),
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
    list: command(
      "List an agent's notes about a user, newest first",
      listArgs,
      memory,
      "memoryList",
      "memory list --agent assistant",
    ),
    forget: command("Delete a note", forgetArgs, memory, "memoryForget", "memory forget m_12 --agent assistant"),
  },
};

const webhookLogArgs = {
  webhook: option("Only this webhook or e-mail receiver"),
  state: valued(["waiting", "delivered", "failed"], option("Only waiting, delivered or failed ones")),
  limit: option("How many, at most 200 (default: 20)"),
};
export type WebhookLogArgs = ArgsOf<typeof webhookLogArgs>;
const webhookRetryArgs = { id: positional("The delivery's id, from the log", "") };
export type WebhookRetryArgs = ArgsOf<typeof webhookRetryArgs>;

export const WEBHOOKS: Group = {
  description: "The deliveries of the outgoing webhooks",
  commands: {
    log: command(
      "List what was sent to webhooks, and what waits to be sent",
      webhookLogArgs,
      webhooks,
      "webhooksLog",
      "webhooks log --state failed",
    ),
    retry: command(
      "Send a delivery again; the running gateway does it",
      webhookRetryArgs,
      webhooks,
      "webhooksRetry",
      "webhooks retry msg_1f2e",
    ),
  },
};
