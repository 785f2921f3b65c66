import type { Ids } from "../../base/ports/ids.ts";
import type { InstructionsStore } from "../../base/ports/stores/instructions.ts";
import type { MemoryStore } from "../../base/ports/stores/memory.ts";
import type { EventBody } from "../../base/words/event.ts";
import type { UserAgent } from "../../base/words/hosting/instructions.ts";
import type { Seen } from "../../behavior/instructions/seen.ts";

/** What the tools of a user work with. Whose they are comes from the session, never from a call. */
export type UserContext = {
  readonly owner: UserAgent | undefined;
  /** A person takes part and can be asked: else instructions are not changed. */
  readonly interactive: boolean;
  readonly session: string;
  readonly instructions?: InstructionsStore | undefined;
  readonly memory?: MemoryStore | undefined;
  readonly ids: Ids;
  now(): number;
  readonly seen: { get(): Seen; set(next: Seen): void };
  emit(event: EventBody): void;
};

/** Whose they are; a user without a name is nobody, or all who have none would share. */
export function ownerOf({ owner }: Pick<UserContext, "owner">): UserAgent | undefined {
  return owner === undefined || owner.user.trim() === "" ? undefined : owner;
}

export const NO_USER = "This session has no user, so there is nobody whose instructions or memory this could be.";
