import type { ArgsDef, Command, Group } from "../../line/command.ts";
import type { ChangeName } from "./request.ts";

const view: ArgsDef = {
  agent: { type: "string", description: "As this agent is told" },
  channel: { type: "string", description: "As it is told on this channel" },
  user: { type: "string", description: "As it is told with this user" },
};
const dryRun: ArgsDef = {
  "dry-run": { type: "boolean", description: "Show the block and the difference; write nothing" },
};
const directive: ArgsDef = {
  directive: {
    type: "positional",

    description: '"STOP: long status reports"; from stdin where there is none',
  },
  text: { type: "string", description: "The same as --text=…; with --type the text alone" },
  type: { type: "string", description: "keep, more, less, stop or start" },
};
const scope: ArgsDef = {
  scope: { type: "string", description: "global, agent:NAME, channel:NAME or user:NAME" },
  expires: { type: "string", description: "When it ends: 7d, 12h or 2026-12-31T18:00Z" },
};
const check: ArgsDef = {
  check: {
    type: "string",
    description: 'How to tell whether it is followed: "length: at most 120 words", "order: test before deploy"',
  },
};
const id: ArgsDef = { id: { type: "positional", description: "Its id, as the list has it" } };
const reason: ArgsDef = { reason: { type: "string", description: "Why, for the history" } };

function change(name: ChangeName, description: string, args: ArgsDef): Command {
  return {
    description,
    args: { ...args, ...dryRun },
    load: async () => (await import("./change.ts")).changeCommand(name),
  };
}

/** What an operator wants of agents, said and looked at. */
export const BEHAVIOR: Group = {
  description: "The contract: what you want of your agents, told at every turn",
  commands: {
    add: change("add", "Say what you want from the next turn on", { ...directive, ...scope, ...check }),
    list: {
      description: "Show what is in force, with the block as it is told",
      args: view,
      load: async () => (await import("./views/list.ts")).behaviorList,
    },
    show: {
      description: "Show one directive or candidate, or the contract as it was",
      args: {
        ...id,
        at: { type: "string", description: "The contract at this time, as 2026-11-15T08:00Z" },
        version: { type: "string", description: "The contract of this version" },
        hash: { type: "string", description: "The contract with this hash, as a run's record has it" },
        ...view,
      },
      load: async () => (await import("./views/show.ts")).behaviorShow,
    },
    promote: change("promote", "Put what was proposed into force, as it is or in other words", { ...id, ...directive }),
    reject: change("reject", "Decide against what was proposed", { ...id, ...reason }),
    edit: change("edit", "Say what was proposed in other words; it stays proposed", { ...id, ...directive }),
    snooze: change("snooze", "Put off what was proposed", {
      ...id,
      until: { type: "positional", description: "For how long, or until when: 3d, 2026-12-31T18:00Z" },
    }),
    helpful: change("helpful", "Say that a directive has helped", {
      ...id,
      note: { type: "string", description: "How, for the history" },
    }),
    harmful: change("harmful", "Say that a directive does harm; where that outweighs, the review proposes to drop it", {
      ...id,
      note: { type: "string", description: "How, for the history" },
    }),
    check: change("check", "Declare how to tell whether a directive is followed; it is measured from then on", {
      ...id,
      check: {
        type: "positional",

        description: '"length: at most 120 words", "cadence: …", "order: test before deploy", "reply: EXPRESSION"',
      },
      none: { type: "boolean", description: "It cannot be told any more" },
    }),
    remove: change("remove", "Take a directive out of the contract", { ...id, ...reason }),
    replace: change("replace", "Put a directive in the place of another", { ...id, ...directive, ...scope, ...check }),
    apply: change("apply", "Check the stored contract again: expiry, repeats, conflicts, cap", {}),
    undo: change("undo", "Take the newest change back", {
      scope: { type: "string", description: "The newest change in this scope" },
    }),
    diff: {
      description: "What is told more and no longer between two versions",
      args: {
        from: { type: "positional", description: "The older version" },
        to: { type: "positional", description: "The newer one; as it is now unless told" },
        ...view,
      },
      load: async () => (await import("./views/diff.ts")).behaviorDiff,
    },
    history: {
      description: "What was changed, when and by whom, the newest first",
      args: {
        search: { type: "string", description: "Only what has this text in it" },
        before: { type: "string", description: "Only what came before this version" },
        limit: { type: "string", description: "How many (20 unless told)" },
      },
      load: async () => (await import("./views/history.ts")).behaviorHistory,
    },
    stats: {
      description: "The contract in figures, and how far it is followed",
      args: { since: { type: "string", description: "How far back it is looked: 30d unless told" } },
      load: async () => (await import("./views/stats.ts")).behaviorStats,
    },
  },
};
