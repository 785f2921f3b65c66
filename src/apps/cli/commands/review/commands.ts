import type { Group } from "../../line/command.ts";

/** What was learned from sessions, and what the operator makes of it. */
export const REVIEW: Group = {
  description: "The daily review: what sessions suggest, for you to decide on",
  commands: {
    run: {
      description: "Look at what happened since the last review; it proposes, and changes nothing that is told",
      args: { "dry-run": { type: "boolean", description: "Show what it would propose; write nothing" } },
      load: async () => (await import("./run.ts")).reviewRun,
    },
    list: {
      description: "What waits for a decision, the surest first",
      args: { all: { type: "boolean", description: "Those that were decided on, or ran out of time, too" } },
      load: async () => (await import("./list.ts")).reviewList,
    },
    show: {
      description: "One candidate: its evidence word for word, what it would change, what became of it",
      args: { id: { type: "positional", description: "Its id, as the list has it" } },
      load: async () => (await import("./show.ts")).reviewShow,
    },
    digest: {
      description: "All that waits, as Markdown",
      args: { file: { type: "string", description: "Write it there instead of here" } },
      load: async () => (await import("./digest.ts")).reviewDigest,
    },
  },
};
