import { mergeChanges } from "../../behavior/session/snapshot/snapshot-change.ts";
import { StoreError } from "./sql/store-error.ts";

/** A snapshot with what was added to it since. Throws when that does not fit together: half of it is no state to decide by. */
export function wholeSnapshot(id: string, snapshot: string, changes: readonly string[]): string {
  if (changes.length === 0) return snapshot;
  const whole = mergeChanges(snapshot, changes);
  if (typeof whole === "string") return whole;
  throw damagedSession(id, whole.fault.message);
}

export function damagedSession(id: string, why: unknown): StoreError {
  const fix = "Put back a copy of the store, or start a new session.";
  return new StoreError("SESSION_DAMAGED", `What was kept of session ${id} is damaged`, fix, why);
}

/** The store could be read, and what it has of a session could not be decoded. */
export function isDamagedSession(error: unknown): boolean {
  return error instanceof StoreError && error.code === "SESSION_DAMAGED";
}
