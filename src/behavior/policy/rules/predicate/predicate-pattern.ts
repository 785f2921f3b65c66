import { RE2JS } from "re2js";
import { errorText } from "../../../../base/kernel/error-text.ts";
import type { PredicateFault } from "./predicate-part.ts";

/** A pattern that matches in linear time. */
export type Pattern = {
  /** Fuel for one UTF-16 unit of text. */
  readonly cost: number;
  matches(text: string): boolean;
};

/** The part of re2js' automaton that is used here. */
type Automaton = {
  readonly numClasses: number;
  readonly classBounds: ArrayLike<number>;
  start(input: { context(at: number): number }, at: number): State | null;
  step(state: State, characterClass: number, rune: number, anchor: number): State | null;
};

type State = { readonly isMatch: boolean; readonly nfaStates: { readonly length: number } };

const KEPT_PATTERNS = 500;

/** A longer literal could make the engine's own search quadratic. */
const MAX_PATTERN = 300;
const MAX_PROGRAM = 1_500;

/** Table entries of one automaton: about 0.4 MB. */
const MAX_ENTRIES = 50_000;

/** Work to build it: about 0.1 s when a rule file is loaded. */
const MAX_WORK = 1_000_000;
const START_OF_TEXT = 5;
const END_OF_TEXT = -1;
const UNANCHORED = 0;

const patterns = new Map<string, Pattern | Omit<PredicateFault, "column">>();

/** Compiles a pattern that is proven to match in linear time; recent patterns are cached. */
export function compilePattern(source: string): Pattern | Omit<PredicateFault, "column"> {
  const known = patterns.get(source) ?? newPattern(source);
  patterns.delete(source);
  patterns.set(source, known);
  for (const oldest of patterns.keys()) {
    if (patterns.size <= KEPT_PATTERNS) break;
    patterns.delete(oldest);
  }
  return known;
}

function newPattern(source: string): Pattern | Omit<PredicateFault, "column"> {
  if (source.length > MAX_PATTERN) return { message: `the pattern is longer than ${MAX_PATTERN} characters` };
  try {
    const pattern = RE2JS.compile(source);
    const engine = pattern.re2();
    if (pattern.programSize() <= MAX_PROGRAM && isTame(engine.dfa)) {
      // The one-pass engine takes 8 ms where the automaton, complete by now, takes 0.5.
      Object.assign(engine, { onepass: null });
      // With many classes, as in \p{L}, the class of each character is searched for.
      return { cost: engine.dfa.numClasses > 50 ? 3 : 1, matches: (text) => pattern.test(text) };
    }
    return {
      message: "the pattern is too complex to match in bounded time",
      hint: "use .* instead of .{0,50}, anchor it with ^, or split it in two",
    };
  } catch (error) {
    return { message: `not a pattern: ${errorText(error)}`, hint: "RE2 syntax: no lookaround, no backreference" };
  }
}

/**
 * Builds every reachable state, or returns false if there are too many. After that a match costs one table lookup per
 * character; otherwise a pattern such as `a[ab]{30}c` takes 0.15 s on 64 KB.
 */
function isTame(automaton: Automaton): boolean {
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
      const first = each === 0 ? 0 : (automaton.classBounds[each - 1] ?? 0);
      const rune = each === automaton.numClasses ? END_OF_TEXT : first;
      const next = automaton.step(state, each, rune, UNANCHORED);
      if (next === null) return false;
      if (!next.isMatch && rune !== END_OF_TEXT) seen.add(next);
    }
  }
  return true;
}
