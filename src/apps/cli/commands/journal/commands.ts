import type { Group } from "../../line/command.ts";

/** The record of who changed what. */
export const JOURNAL: Group = {
  description: "The journal of changes: whole, saved, made into what is in use",
  commands: {
    verify: {
      description: "See whether the journal is whole, and get its head to keep elsewhere",
      args: { head: { type: "string", description: "A head that was kept, SEQ:HASH: is all up to it still there?" } },
      load: async () => (await import("./verify.ts")).journalVerify,
    },
    repair: {
      description: "Repair a damaged journal: keep what verifies, set the rest aside as evidence (asks first)",
      args: {
        accept: {
          type: "string",
          description: "Entries to take as they are now although nobody can verify them: 3,5-7 or all",
        },
        "dry-run": { type: "boolean", description: "Show what it would come to; write nothing" },
        yes: { type: "boolean", description: "Do not ask" },
      },
      load: async () => (await import("./repair/journal-repair.ts")).journalRepair,
    },
    rebuild: {
      description: "Work out anew what is made of the journals, and compare the contract",
      args: {},
      load: async () => (await import("./rebuild.ts")).journalRebuild,
    },
    export: {
      description: "Write the entries as JSON lines",
      args: {
        out: { type: "string", description: "To this file (to stdout unless told)" },
        from: { type: "string", description: "From this entry on" },
        to: { type: "string", description: "Up to this entry" },
      },
      load: async () => (await import("./export.ts")).journalExport,
    },
  },
};
