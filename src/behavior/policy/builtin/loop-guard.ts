import { quickHash } from "../../../base/kernel/canonical-json.ts";
import type { NativeCall, Outcome, ToolCall } from "../../../base/words/call.ts";
import type { PolicyContext, PolicyDecision, RuleFinding, Settled, ToolPolicy } from "../../../base/words/policy.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";
import { allow } from "../policy-decision.ts";

/** Characters hashed at each end of a long text. */
const SAMPLE = 16_384;

/** Identifies a result. Hash it before it is cut, because every cut gets a new handle. */
export function hashResult({ exitCode, parts }: Pick<ToolResult, "exitCode" | "parts">): string {
  return quickHash(JSON.stringify([exitCode ?? null, parts.map(sampleOf)]));
}

function sampleOf(part: Part): unknown {
  switch (part.kind) {
    case "text":
      return endsOf(part.text);
    case "json":
      return endsOf(JSON.stringify(part.value));
    case "image":
      return [part.mime, endsOf(part.data)];
    case "bytes":
      return [part.bytes.length, [...part.bytes.subarray(0, 512)], [...part.bytes.subarray(-512)]];
  }
}

function endsOf(text: string): unknown {
  return text.length <= 2 * SAMPLE ? text : [text.length, text.slice(0, SAMPLE), text.slice(-SAMPLE)];
}

/** A call, and how often in a row it had the same result without progress in between. */
type Seen = { readonly key: string; readonly result: string; readonly times: number };

/** `seen`: the calls of this turn, latest last. `last`: the keys of the last two. `swings`: calls of a back and forth. */
type LoopState = {
  readonly turn: number;
  readonly seen: readonly Seen[];
  readonly last: readonly string[];
  readonly swings: number;
};

export const NO_LOOP: LoopState = { turn: 0, seen: [], last: [], swings: 0 };

/** Different calls that are remembered: a circle of more calls is not recognised. */
const MAX_SEEN = 30;

/** How often the call has brought nothing new, by itself or as one side of a back and forth. */
function repetition(state: LoopState, turn: number, key: string) {
  if (state.turn !== turn) return { kind: "same", times: 0, key } as const;
  const times = state.seen.find((one) => one.key === key)?.times ?? 0;
  const before = state.last[0];
  const latest = state.last[1];
  if (before !== key || latest === key || state.swings <= times) return { kind: "same", times, key } as const;
  return { kind: "swing", times: state.swings, key: [before, latest].sort().join(" ") } as const;
}

type FinishedCall = { readonly key: string; readonly result: string | undefined; readonly changes: boolean };

/**
 * Counts a finished call. Without `result` it had the same one as before. A new result of a call that `changes` something is
 * progress, so the other calls count from zero; their results stay, so that two calls cannot reset each other forever.
 */
function noteCall(state: LoopState, turn: number, { key, result, changes }: FinishedCall): LoopState {
  const { seen, last, swings } = state.turn === turn ? state : NO_LOOP;
  const before = seen.find((one) => one.key === key);
  const now = result ?? before?.result ?? "denied";
  const again = before?.result === now;
  const startsOver = !again && changes;
  const latest = last.at(-1);
  const first = last.length < 2 ? undefined : last[0];
  return {
    turn,
    seen: noted(seen, before, { key, result: now, times: again ? before.times + 1 : 1 }, startsOver),
    last: latest === undefined ? [key] : [latest, key],
    swings: !again || key === latest ? 0 : key === first ? swings + 1 : 1,
  };
}

/** The list with the newest call last, in place of `before`. The oldest of too many is dropped. */
function noted(seen: readonly Seen[], before: Seen | undefined, newest: Seen, startsOver: boolean): readonly Seen[] {
  const others = before === undefined ? seen.length : seen.length - 1;
  let dropped = Math.max(0, others - MAX_SEEN + 1);
  const list = new Array<Seen>(others - dropped + 1);
  let place = 0;
  for (let at = 0; at < seen.length; at++) {
    const one = seen[at] as Seen;
    if (one === before) continue;
    if (dropped > 0) dropped -= 1;
    else list[place++] = startsOver && one.times > 0 ? { key: one.key, result: one.result, times: 0 } : one;
  }
  list[place] = newest;
  return list;
}

/** After how many useless repetitions a call is warned about, is denied, and ends the turn. */
type LoopLimits = { readonly warn: number; readonly deny: number; readonly end: number };

export const LOOP_LIMITS: LoopLimits = { warn: 10, deny: 20, end: 30 };

const NAME = "builtin:loop-guard";

/** Read-only tools of the common vocabulary. */
const READERS: ReadonlySet<string> = new Set(
  "read_file search ls fetch web_search read_result verify_context review_plan".split(" "),
);

const NEXT = "Use the result you have, do something else, or end the turn and say what you are waiting for.";

/**
 * Stops an agent that repeats a call, polls, or alternates between two calls without progress within one turn. A different
 * result, or a new call that may have changed something, is progress.
 */
export function loopGuard(limits: LoopLimits = LOOP_LIMITS): ToolPolicy<LoopState> {
  return {
    name: NAME,
    initial: NO_LOOP,
    // The agent may look up again what compaction removed.
    rearmOnCompaction: true,

    check(call, { state, session }): PolicyDecision {
      const found = repetition(state, session.turn, keyOf(call));
      if (found.times < limits.warn) return allow();
      const effect = found.times >= limits.end ? "end-turn" : found.times >= limits.deny ? "deny" : "warn";
      const reason =
        found.kind === "same"
          ? `This call had the same result ${found.times} times and nothing changed in between.`
          : `You alternate between two calls. The last ${found.times} calls brought nothing new.`;
      const finding: RuleFinding = { rule: NAME, effect, reason, missing: [], next: NEXT, key: found.key };
      return { kind: "rules", findings: [finding], memo: effect === "warn" ? undefined : "denied" };
    },

    /** A denial by this policy repeats the last result; a denial by another policy is a result of its own. */
    onDecided(call, { kind, memo }, { state, session }) {
      if (kind !== "deny") return state;
      const result = memo === "denied" ? undefined : "denied";
      return noteCall(state, session.turn, { key: keyOf(call), result, changes: false });
    },

    onSettled(call: ToolCall, outcome: Outcome, { state, session, resultHash }: PolicyContext<LoopState> & Settled) {
      const ran = outcome !== "denied" && outcome !== "cancelled";
      const result = resultHash === undefined ? outcome : `${outcome} ${resultHash}`;
      return noteCall(state, session.turn, { key: keyOf(call), result, changes: ran && mayChange(call) });
    },
  };
}

/** After a change, other calls may be worth repeating. */
function mayChange({ tool, proves, paths }: ToolCall): boolean {
  if (paths.some(({ access }) => access !== "read")) return true;
  return !READERS.has(tool) && !(tool === "shell" && proves.includes("read_file"));
}

/** Keyed by the native call, which stays the same object when rules rewrite the arguments. */
const keys = new WeakMap<NativeCall, string>();

function keyOf({ tool, args, paths, native }: ToolCall): string {
  const known = keys.get(native);
  if (known !== undefined) return known;
  // The paths distinguish the same arguments in two folders.
  const key = quickHash(JSON.stringify([tool, args, paths]));
  keys.set(native, key);
  return key;
}
