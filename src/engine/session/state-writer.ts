import { type Snapshot, serialiseSnapshot } from "../../behavior/session/snapshot/snapshot.ts";
import { serialiseChange } from "../../behavior/session/snapshot/snapshot-delta.ts";

/** Below this a state is written whole: a row more would cost as much. */
const SMALL = 16_384;
/** So much of a whole state a change may be, and all changes together since it was written: whoever opens it reads both. */
const MOST_CHANGE = 1 / 4;
const MOST_CHANGES = 1;

/** Where a state is written to: whole, or as what has changed since what was written last. In the store when it resolves. */
export type StateSink = {
  save(snapshot: string): Promise<void>;
  append(change: string): Promise<void>;
};

/** `snapshot` is what is in the store, by `text`, which is the whole or a change; `since` is how long the changes are together. */
type Written = { readonly snapshot: Snapshot; readonly text: string; readonly whole: number; readonly since: number };

/**
 * Writes the states of one session, one after the other. A large one is written as what has changed, so that a call of a long session
 * costs no more than one of a short.
 */
export class StateWriter {
  #last: Written | undefined;

  /** Is this what was written last? */
  isWritten({ slices }: Snapshot): boolean {
    return slices === this.#last?.snapshot.slices;
  }

  async write(snapshot: Snapshot, sink: StateSink): Promise<void> {
    const last = this.#last;
    // Until it is written it is not known what is in the store: after a failure the whole is written.
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

/** `undefined` where the whole is the better thing to write. */
function changeOn({ snapshot: before, text, whole, since }: Written, snapshot: Snapshot): string | undefined {
  const change = serialiseChange(before, snapshot, text);
  const isWorthIt = change.length <= whole * MOST_CHANGE && since + change.length <= whole * MOST_CHANGES;
  return isWorthIt ? change : undefined;
}
