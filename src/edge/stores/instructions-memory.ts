import { wellFormed } from "../../base/kernel/text.ts";
import type { InstructionsStore } from "../../base/ports/stores/instructions.ts";
import type { Instructions, UserAgent } from "../../base/words/hosting/instructions.ts";

const NEVER_WRITTEN: Instructions = { version: 0, items: [], at: 0, by: "", change: "none" };

/** Keeps instructions, every version of them, in this process. */
export function memoryInstructions(): InstructionsStore {
  const kept = new Map<string, readonly Instructions[]>();
  const versions = (owner: UserAgent) => kept.get(ownerKey(owner)) ?? [];

  return {
    async read(owner) {
      return versions(owner).at(-1) ?? NEVER_WRITTEN;
    },
    async write(owner, after, { items, at, by, change }) {
      const older = versions(owner);
      if (older.length !== after) return false;
      const own = items.map(({ id, text }) => Object.freeze({ id, text: wellFormed(text) }));
      const next = { version: after + 1, items: Object.freeze(own), at, by, change };
      kept.set(ownerKey(owner), [...older, Object.freeze(next)]);
      return true;
    },
    async version(owner, version) {
      return versions(owner)[version - 1];
    },
  };
}

/** JSON, because a name may hold whatever character would be used between the two. */
function ownerKey({ user, agent }: UserAgent): string {
  return JSON.stringify([user, agent]);
}
