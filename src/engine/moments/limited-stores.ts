import type { InstructionsStore } from "../../base/ports/stores/instructions.ts";
import type { MemoryStore } from "../../base/ports/stores/memory.ts";
import { withinLimit } from "./within-limit.ts";

/** The store for a tool: one that hangs, or answers with something else, rejects. So no call of a tool waits for ever. */
export function limitedInstructions(store: InstructionsStore, limitMs: number): InstructionsStore {
  return {
    read: async (owner) => {
      const read = await inTime(limitMs, () => store.read(owner));
      if (!Array.isArray(read?.items)) throw new TypeError("the store gave no instructions");
      return read;
    },
    write: (owner, after, next) => inTime(limitMs, () => store.write(owner, after, next)),
    version: (owner, version) => inTime(limitMs, () => store.version(owner, version)),
  };
}

/** As above. */
export function limitedMemory(store: MemoryStore, limitMs: number): MemoryStore {
  return {
    save: (owner, note) => inTime(limitMs, () => store.save(owner, note)),
    search: async (owner, query) => {
      const found = await inTime(limitMs, () => store.search(owner, query));
      if (!Array.isArray(found?.notes)) throw new TypeError("the store gave no notes");
      return found;
    },
  };
}

async function inTime<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  const done = await withinLimit(limitMs, work);
  if ("fault" in done) throw new Error(done.fault.message);
  return done.value;
}
