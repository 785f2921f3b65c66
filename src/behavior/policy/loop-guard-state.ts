/** A call and how often in a row it has come to the same, without progress in between. */
type Seen = { readonly key: string; readonly result: string; readonly times: number };

/** `seen`: the calls of this turn, the latest last. `last`: the keys of the last two. `swings`: see `repetition`. */
export type LoopState = {
  readonly turn: number;
  readonly seen: readonly Seen[];
  readonly last: readonly string[];
  readonly swings: number;
};

export const NO_LOOP: LoopState = { turn: 0, seen: [], last: [], swings: 0 };

/** Different calls that are remembered; whoever needs more of them to go round is not going in circles. */
const MAX_SEEN = 30;

/** How far a call would go on with what brought nothing new: as itself again, or as one side of a back and forth. */
export type Repetition = { readonly kind: "same" | "swing"; readonly times: number; readonly key: string };

export function repetition(state: LoopState, turn: number, key: string): Repetition {
  if (state.turn !== turn) return { kind: "same", times: 0, key };
  const times = state.seen.find((one) => one.key === key)?.times ?? 0;
  const [before, latest] = state.last;
  if (before !== key || latest === key || state.swings <= times) return { kind: "same", times, key };
  return { kind: "swing", times: state.swings, key: [before, latest].sort().join(" ") };
}

/**
 * A call has come to something. `result` left out: to the same as before. `changes`: if this is new, it is progress, and
 * every other call begins to count anew; what it came to is remembered, so that two calls cannot pass for news in turns.
 */
export function noteCall(
  state: LoopState,
  turn: number,
  { key, result, changes }: { readonly key: string; readonly result: string | undefined; readonly changes: boolean },
): LoopState {
  const { seen, last, swings } = state.turn === turn ? state : NO_LOOP;
  const before = seen.find((one) => one.key === key);
  const now = result ?? before?.result ?? "denied";
  const again = before?.result === now;
  const others = seen.filter((one) => one !== before).slice(1 - MAX_SEEN);
  const kept = !again && changes ? others.map((one) => (one.times === 0 ? one : { ...one, times: 0 })) : others;
  const [first, latest] = last.length < 2 ? [undefined, last[0]] : last;
  return {
    turn,
    seen: [...kept, { key, result: now, times: again ? before.times + 1 : 1 }],
    last: latest === undefined ? [key] : [latest, key],
    swings: !again || key === latest ? 0 : key === first ? swings + 1 : 1,
  };
}
