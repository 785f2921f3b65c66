import { type Snapshot, serialiseSnapshot } from "../../behavior/session/snapshot/snapshot.ts";
import { serialiseChange } from "../../behavior/session/snapshot/snapshot-delta.ts";

/** Smaller states are always written as a full snapshot: a delta would cost as much. */
const SMALL = 1_024;
/**
 * Maximum size of one delta, and of all deltas since the last snapshot, as a share of the snapshot. Every call writes
 * twice, while a session is opened rarely, so opening may read several times the snapshot.
 */
const MOST_CHANGE = 1 / 2;
const MOST_CHANGES = 4;

/** Stores full snapshots, or deltas against the last write. Resolves when the data is stored. */
export type StateSink = {
  save(snapshot: string): Promise<void>;
  append(change: string): Promise<void>;
};

/** The last write: `text` is the stored snapshot or delta; `since` is the total length of the deltas. */
type Written = { readonly snapshot: Snapshot; readonly text: string; readonly whole: number; readonly since: number };

/**
 * Writes one session's states in order. Large states are written as deltas, so that calls of long sessions stay cheap.
 */
export class StateWriter {
  #last: Written | undefined;

  isWritten({ slices }: Snapshot): boolean {
    return slices === this.#last?.snapshot.slices;
  }

  async write(snapshot: Snapshot, sink: StateSink): Promise<void> {
    const last = this.#last;
    // The stored state is unknown until the write succeeds; after a failure the full snapshot is written.
    this.#last = undefined;
    const change = last === undefined || last.whole < SMALL ? undefined : changeOn(last, snapshot);
    if (last !== undefined && change !== undefined) {
      await sink.append(change);
      this.#last = { snapshot, text: change, whole: last.whole, since: last.since + change.length };
      return;
    }
    const text = serialiseSnapshot(snapshot);
    await sink.save(text);
    this.#last = { snapshot, text, whole: text.length, since: 0 };
  }
}

/** Returns `undefined` if a full snapshot is better. */
function changeOn({ snapshot: before, text, whole, since }: Written, snapshot: Snapshot): string | undefined {
  const change = serialiseChange(before, snapshot, text);
  const isWorthIt = change.length <= whole * MOST_CHANGE && since + change.length <= whole * MOST_CHANGES;
  return isWorthIt ? change : undefined;
}
