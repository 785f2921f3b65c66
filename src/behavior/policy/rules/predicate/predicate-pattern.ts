/** A pattern that is matched in linear time. */
export type Pattern = {
  /** Fuel for one UTF-16 unit of text. */
  readonly cost: number;
  matches(text: string): boolean;
};

/** The part of re2js' automaton that is walked here; its lazily built states are what makes a match fast or slow. */
export type Automaton = {
  readonly numClasses: number;
  readonly classBounds: ArrayLike<number>;
  start(input: { context(at: number): number }, at: number): State | null;
  step(state: State, characterClass: number, rune: number, anchor: number): State | null;
};

type State = { readonly isMatch: boolean; readonly nfaStates: { readonly length: number } };

/** Table entries of one automaton: about 0.4 MB. */
const MAX_ENTRIES = 50_000;
/** Work to build it: some 0.1 s when a rule file is loaded. */
const MAX_WORK = 1_000_000;
const START_OF_TEXT = 5;
const END_OF_TEXT = -1;
const UNANCHORED = 0;

/**
 * Builds every state a match can reach, or says no when they are too many. A tame pattern then costs one table lookup a character;
 * without this one such as `a[ab]{30}c` takes 0.15 s on 64 KB, and whether it is slow depends on what was matched before.
 */
export function isTame(automaton: Automaton): boolean {
  const first = automaton.start({ context: () => START_OF_TEXT }, 0);
  if (first === null) return false;
  const seen = new Set<State>([first]);
  let entries = 0;
  let work = 0;
  for (const state of seen) {
    entries += automaton.numClasses + 1;
    work += (automaton.numClasses + 1) * (state.nfaStates.length + 1);
    if (entries > MAX_ENTRIES || work > MAX_WORK) return false;
    for (let each = 0; each <= automaton.numClasses; each++) {
      const rune = each === automaton.numClasses ? END_OF_TEXT : runeOf(automaton, each);
      const next = automaton.step(state, each, rune, UNANCHORED);
      if (next === null) return false;
      if (!next.isMatch && rune !== END_OF_TEXT) seen.add(next);
    }
  }
  return true;
}

/** A character that stands for its class. */
function runeOf({ classBounds }: Automaton, each: number): number {
  return each === 0 ? 0 : (classBounds[each - 1] ?? 0);
}

/** With many classes, such as those of \p{L}, each character's is searched for. */
export function costOf({ numClasses }: Automaton): number {
  return numClasses > 50 ? 3 : 1;
}
