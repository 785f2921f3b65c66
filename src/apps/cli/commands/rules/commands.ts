import type { ArgsDef, Group } from "../../line/command.ts";

const id: ArgsDef = { id: { type: "positional", description: "The rule's id, as the list has it" } };
const dryRun: ArgsDef = { "dry-run": { type: "boolean", description: "Show what it would come to; write nothing" } };

/** Directives made hard. */
export const RULES: Group = {
  description: "Standing rules: directives made hard, in shadow until you enforce them",
  commands: {
    list: {
      description: "Show the rules, and what each has blocked or would have",
      args: {},
      load: async () => (await import("./list.ts")).rulesList,
    },
    add: {
      description: "Make a candidate or directive that names an order of tools a rule; the rule is shown first",
      args: {
        id: { type: "positional", description: "The candidate or directive, as the lists have it" },
        first: { type: "string", description: "What must come first, where the words do not say it: a tool or action" },
        before: { type: "string", description: "What may only come after it" },
        file: { type: "string", description: "A file with one rule, instead of making one" },
        shadow: { type: "string", description: "How long to watch before you decide (7d unless told)" },
        scope: { type: "string", description: "global, agent:NAME, channel:NAME or user:NAME" },
        yes: { type: "boolean", description: "Do not ask" },
        ...dryRun,
      },
      load: async () => (await import("./add.ts")).rulesAdd,
    },
    enforce: {
      description: "Let a rule bind, from the next turn of every session",
      args: { ...id, ...dryRun },
      load: async () => (await import("./change.ts")).rulesChange("enforce-rule"),
    },
    shadow: {
      description: "Let a rule only record what it would block",
      args: { ...id, for: { type: "string", description: "How long to watch: 7d" }, ...dryRun },
      load: async () => (await import("./change.ts")).rulesChange("shadow-rule"),
    },
    remove: {
      description: "Take a rule away",
      args: { ...id, reason: { type: "string", description: "Why, for the history" }, ...dryRun },
      load: async () => (await import("./change.ts")).rulesChange("remove-rule"),
    },
  },
};
