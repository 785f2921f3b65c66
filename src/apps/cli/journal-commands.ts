import type { Group } from "./command.ts";

/** The record of who changed what. */
export const JOURNAL: Group = {
  description: "The journal of changes: whole, saved, made into what is in use",
  commands: {
    verify: {
      description: "See whether the journal is whole, and get its head to keep elsewhere",
      args: { head: { type: "string", description: "A head that was kept, SEQ:HASH: is all up to it still there?" } },
      load: async () => (await import("./journal-verify.ts")).journalVerify,
    },
    rebuild: {
      description: "Work out anew what is made of the journals, and compare the contract",
      args: {},
      load: async () => (await import("./journal-rebuild.ts")).journalRebuild,
    },
    export: {
      description: "Write the entries as JSON lines",
      args: {
        out: { type: "string", description: "To this file (to stdout unless told)" },
        from: { type: "string", description: "From this entry on" },
        to: { type: "string", description: "Up to this entry" },
      },
      load: async () => (await import("./journal-export.ts")).journalExport,
    },
  },
};
