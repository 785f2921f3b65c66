import { defineSlice } from "../../base/kernel/define-slice.ts";
import type { ClassifyBecause, SessionClassification } from "../../base/words/classification.ts";
import type { SessionLabels } from "../../base/words/hosting/agent.ts";
import { cutMessage, DOMAIN_MAX } from "./classification.ts";

/** How the session is classified, and when to classify it again. */
export type ClassificationState = {
  /** The first message of the user, and the newest after it; each cut. */
  readonly opener: string | null;
  readonly recent: readonly string[];
  /** The newest classification. Where it differs from `held`, it takes effect when it is given a second time. */
  readonly latest: SessionClassification | null;
  /** The classification that selects sections of the prompt. */
  readonly held: SessionClassification | null;
  /** Turn of the newest classification. */
  readonly turn: number | null;
  /** Turn of the failure that the pause counts from. */
  readonly failed: number | null;
  readonly wish: ClassifyWish | null;
};

/** A request for a classification before its turn. */
export type ClassifyWish = Extract<ClassifyBecause, "compaction" | "demand">;

/** Turns between two classifications, unless the agent sets `every`. */
const CLASSIFY_EVERY = 10;
const RECENT = 3;
/** Flags pile up over a session; none is given up for a newer one. */
const HELD_FLAGS_MAX = 64;

/** LOG: a classification that was paid for is not undone. */
export const classificationSlice = defineSlice<ClassificationState>({
  name: "classification",
  kind: "LOG",
  initial: { opener: null, recent: [], latest: null, held: null, turn: null, failed: null, wish: null },
});

/** Adds a message of the user; an empty one changes nothing. */
export function noteMessage(state: ClassificationState, text: string): ClassificationState {
  const kept = cutMessage(text);
  if (kept === "") return state;
  if (state.opener === null) return { ...state, opener: kept };
  return { ...state, recent: [...state.recent, kept].slice(-RECENT) };
}

/** The messages that a classifier reads: the first one of the session, then the newest ones. */
export function conversationOf({ opener, recent }: ClassificationState): readonly string[] {
  return opener === null ? [] : [opener, ...recent];
}

/** Why the session is due for classification, if it is. After a failure only a demand ends the pause early. */
export function dueBecause(
  state: ClassificationState,
  turn: number,
  labels: SessionLabels | undefined,
): ClassifyBecause | undefined {
  if (labels?.enabled !== true || state.opener === null) return undefined;
  if (state.wish === "demand") return "demand";
  const every = turnsBetween(labels);
  if (state.failed !== null && turn - state.failed < every) return undefined;
  if (state.wish !== null) return state.wish;
  if (state.turn === null) return "opener";
  return turn - state.turn >= every ? "turns" : undefined;
}

/** The classification succeeded. A wish with another reason that came up meanwhile stays. */
export function classified(
  state: ClassificationState,
  classification: SessionClassification,
  turn: number,
  because: ClassifyBecause,
): ClassificationState {
  return {
    ...state,
    latest: classification,
    held: hold(state, classification, because),
    turn,
    failed: null,
    wish: state.wish === because ? null : state.wish,
  };
}

/** The classification and its retry failed: a pause begins, so that not every message pays for another try. */
export function failed(state: ClassificationState, turn: number, because: ClassifyBecause): ClassificationState {
  return { ...state, failed: turn, wish: state.wish === because ? null : state.wish };
}

/** Asks for a classification with the next message. A person's demand is not replaced. */
export function wish(state: ClassificationState, because: ClassifyWish): ClassificationState {
  return state.wish === "demand" ? state : { ...state, wish: because };
}

function turnsBetween({ every }: SessionLabels): number {
  return every !== undefined && every >= 1 ? every : CLASSIFY_EVERY;
}

/**
 * The classification in force after a new one. A change must come twice in a row, because it costs the prompt cache; it takes
 * effect at once if there is no cache to lose or a person asked. Flags restrict: they apply at once and stay until compaction.
 */
function hold(
  { latest, held }: ClassificationState,
  now: SessionClassification,
  because: ClassifyBecause,
): SessionClassification {
  if (held === null || latest === null || because === "compaction") return now;
  const flags = [...new Set([...held.flags, ...now.flags])].slice(0, Math.max(HELD_FLAGS_MAX, held.flags.length));
  if (because === "demand") return { ...now, flags };
  return {
    label: now.label,
    topic: now.topic === latest.topic ? now.topic : held.topic,
    complexity: now.complexity === latest.complexity ? now.complexity : held.complexity,
    domain: holdDomain(held.domain, latest.domain, now.domain),
    flags,
  };
}

/** Drops tags that both classifications lack, adds those that both have, and keeps the order stable. */
function holdDomain(held: readonly string[], before: readonly string[], now: readonly string[]): readonly string[] {
  const kept = held.filter((tag) => now.includes(tag) || before.includes(tag));
  const added = now.filter((tag) => before.includes(tag) && !kept.includes(tag));
  return [...kept, ...added].slice(0, DOMAIN_MAX);
}
