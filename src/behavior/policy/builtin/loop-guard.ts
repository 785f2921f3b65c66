import { quickHash } from "../../../base/kernel/quick-hash.ts";
import type { NativeCall, Outcome, ToolCall } from "../../../base/words/call.ts";
import type { PolicyContext, PolicyDecision, RuleFinding, Settled, ToolPolicy } from "../../../base/words/policy.ts";
import { allow } from "../policy-decision.ts";

/** A call and how often in a row it has come to the same, without progress in between. */
type Seen = { readonly key: string; readonly result: string; readonly times: number };

/** `seen`: the calls of this turn, the latest last. `last`: the keys of the last two. `swings`: see `repetition`. */
type LoopState = {
  readonly turn: number;
  readonly seen: readonly Seen[];
  readonly last: readonly string[];
  readonly swings: number;
};

export const NO_LOOP: LoopState = { turn: 0, seen: [], last: [], swings: 0 };

/** Different calls that are remembered; whoever needs more of them to go round is not going in circles. */
const MAX_SEEN = 30;

/** How far a call would go on with what brought nothing new: as itself again, or as one side of a back and forth. */
type Repetition = { readonly kind: "same" | "swing"; readonly times: number; readonly key: string };

function repetition(state: LoopState, turn: number, key: string): Repetition {
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
function noteCall(
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

/** How often a call may bring nothing new: from here on it is warned of, denied, and the turn ends. */
type LoopLimits = { readonly warn: number; readonly deny: number; readonly end: number };

export const LOOP_LIMITS: LoopLimits = { warn: 10, deny: 20, end: 30 };

const NAME = "builtin:loop-guard";

/** Tools of the common vocabulary that only look. */
const READERS: ReadonlySet<string> = new Set([
  "read_file",
  "search",
  "ls",
  "fetch",
  "web_search",
  "read_result",
  "verify_context",
  "review_plan",
]);

const NEXT =
  "Use the result that you have, do something else, or end the turn and say what you are waiting for or what blocks you.";

/**
 * Stops an agent that goes in circles within one turn: the same call with the same result over and over, polling without
 * progress, back and forth between two calls. Another result, or something new that may have changed the world, is progress.
 */
export function loopGuard(limits: LoopLimits = LOOP_LIMITS): ToolPolicy<LoopState> {
  return {
    name: NAME,
    initial: NO_LOOP,
    // What compaction took out of the agent's sight it may look up again.
    rearmOnCompaction: true,

    check(call, { state, session }): PolicyDecision {
      const found = repetition(state, session.turn, keyOf(call));
      if (found.times < limits.warn) return allow();
      const effect = found.times >= limits.end ? "end-turn" : found.times >= limits.deny ? "deny" : "warn";
      const finding: RuleFinding = {
        rule: NAME,
        effect,
        reason: reasonOf(found),
        missing: [],
        next: NEXT,
        key: found.key,
      };
      return { kind: "rules", findings: [finding], ...(effect === "warn" ? {} : { memo: "denied" }) };
    },

    /** What this policy itself refuses goes on counting; what another one refuses is an outcome of its own. */
    onDecided(call, { kind, memo }, { state, session }) {
      if (kind !== "deny") return state;
      const key = keyOf(call);
      const result = memo === "denied" ? undefined : "denied";
      return noteCall(state, session.turn, { key, result, changes: false });
    },

    onSettled(call: ToolCall, outcome: Outcome, { state, session, resultHash }: PolicyContext<LoopState> & Settled) {
      const ran = outcome !== "denied" && outcome !== "cancelled";
      const result = resultHash === undefined ? outcome : `${outcome} ${resultHash}`;
      return noteCall(state, session.turn, { key: keyOf(call), result, changes: ran && mayChange(call) });
    },
  };
}

function reasonOf({ kind, times }: { readonly kind: "same" | "swing"; readonly times: number }): string {
  return kind === "same"
    ? `This very call has come to the same ${times} times, and nothing has changed in between.`
    : `You go back and forth between two calls: ${times} calls in a row have brought nothing new.`;
}

/** A call that may have changed something gives other calls a reason to be made again. */
function mayChange({ tool, proves, paths }: ToolCall): boolean {
  if (paths.some(({ access }) => access !== "read")) return true;
  return !READERS.has(tool) && !(tool === "shell" && proves.includes("read_file"));
}

/** By the runtime's own view, which stays the same object when rules rewrite the arguments: one call, one key. */
const keys = new WeakMap<NativeCall, string>();

function keyOf({ tool, args, paths, native }: ToolCall): string {
  const known = keys.get(native);
  if (known !== undefined) return known;
  // The paths tell the same words in two folders apart.
  const key = quickHash(JSON.stringify([tool, args, paths]));
  keys.set(native, key);
  return key;
}
