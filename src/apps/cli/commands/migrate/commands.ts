import type { Group } from "../../line/command.ts";

/** Data of other systems. */
export const MIGRATE: Group = {
  description: "Carry over what other systems have kept",
  commands: {
    spec010: {
      description: "Agents, instructions and notes of a SPEC-010 database (PostgreSQL); it is only read",
      args: {
        from: {
          type: "string",
          description: "postgres://user:password@host:5432/database (CONDUCT_MIGRATE_FROM unless told)",
        },
        "dry-run": { type: "boolean", description: "Show what it would do; write nothing" },
      },
      load: async () => (await import("./migrate.ts")).migrate,
    },
  },
};
