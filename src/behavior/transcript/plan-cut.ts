import type { TranscriptMessage } from "./message.ts";

/** Which messages before `cut` stand as they were: `kept` before the note that replaces the others, `current` after it. */
export type Cut = {
  readonly cut: number;
  /** System messages and the first thing that the person said: the task. */
  readonly kept: readonly number[];
  /** What the person said last, where nothing that comes after the cut is theirs, and system messages after it. */
  readonly current: readonly number[];
};

export const NO_CUT: Cut = { cut: 0, kept: [], current: [] };

/**
 * The earliest safe cut after `last` with which all that stands as it was takes at most `room` tokens; where there is none, the
 * one that leaves the last step alone. `undefined` when no more can go.
 */
export function planCut(
  messages: readonly TranscriptMessage[],
  sizes: readonly number[],
  { last, room }: { readonly last: Cut; readonly room: number },
): Cut | undefined {
  const first = messages.findIndex(({ kind }) => kind === "user");
  const newest = messages.findLastIndex(({ kind }) => kind === "user");
  const safe = new Set(safeCuts(messages));
  const gone = goneCount(last);
  let after = sizes.reduce((sum, size) => sum + size, 0);
  let pinned = 0;
  let pins = 0;
  let best: number | undefined;
  for (let cut = 1; cut < messages.length; cut++) {
    const size = sizes[cut - 1] ?? 0;
    after -= size;
    if (messages[cut - 1]?.kind === "system" || cut - 1 === first) {
      pinned += size;
      pins += 1;
    }
    if (cut <= last.cut || !safe.has(cut)) continue;
    const current = newest < cut && newest > first;
    if (cut - pins - (current ? 1 : 0) <= gone) continue;
    best = cut;
    if (pinned + after + (current ? (sizes[newest] ?? 0) : 0) <= room) break;
  }
  return best === undefined ? undefined : cutAt(messages, best);
}

/** What stands as it was with a cut at this place. */
export function cutAt(messages: readonly TranscriptMessage[], cut: number): Cut {
  const first = messages.findIndex(({ kind }) => kind === "user");
  const newest = messages.findLastIndex(({ kind }) => kind === "user");
  const pins = messages.slice(0, cut).flatMap(({ kind }, at) => (kind === "system" || at === first ? [at] : []));
  if (newest >= cut || newest <= first) return { cut, kept: pins, current: [] };
  return {
    cut,
    kept: pins.filter((at) => at < newest),
    current: [newest, ...pins.filter((at) => at > newest)],
  };
}

/** Tokens of what stands as it was. */
export function standing({ cut, kept, current }: Cut, sizes: readonly number[]): number {
  const pinned = [...kept, ...current].reduce((sum, at) => sum + (sizes[at] ?? 0), 0);
  return sizes.slice(cut).reduce((sum, size) => sum + size, pinned);
}

function goneCount({ cut, kept, current }: Cut): number {
  return cut - kept.length - current.length;
}

/**
 * The places where a transcript can be cut in two, from 0 (before everything) to its length: a call and its result are always
 * on the same side, because providers refuse one without the other. A call that never had a result binds nothing.
 */
export function safeCuts(messages: readonly TranscriptMessage[]): readonly number[] {
  const calledAt = new Map<string, number>();
  /** The latest place that is bound to what stands before it, for each place. */
  const boundUntil = messages.map((_, at) => at);
  for (const [at, message] of messages.entries()) {
    if (message.kind === "assistant") for (const { id } of message.calls) calledAt.set(id, at);
    if (message.kind !== "result") continue;
    const from = calledAt.get(message.call);
    if (from !== undefined) boundUntil[from] = at;
  }
  const cuts: number[] = [0];
  let until = -1;
  for (let at = 0; at < messages.length; at++) {
    until = Math.max(until, boundUntil[at] ?? at);
    if (until === at) cuts.push(at + 1);
  }
  return cuts;
}
