import { defineSlice } from "../../base/kernel/define-slice.ts";
import type { ClassifyBecause, SessionClassification } from "../../base/words/classification.ts";
import type { SessionLabels } from "../../base/words/hosting/agent.ts";
import { hold } from "./classification-hold.ts";
import { cutMessage } from "./classification-prompt.ts";

/** What is known of the session's subject, and when to look again. */
export type ClassificationState = {
  /** The first message of the user, and the newest after it; each cut. */
  readonly opener: string | null;
  readonly recent: readonly string[];
  /** What the newest look gave. Where it differs from `held` it waits to be said a second time. */
  readonly latest: SessionClassification | null;
  /** What selects sections of the prompt. */
  readonly held: SessionClassification | null;
  /** Turn of the newest classification. */
  readonly turn: number | null;
  /** Turn of the failure that the pause counts from. */
  readonly failed: number | null;
  readonly wish: ClassifyWish | null;
};

/** What asks for a classification besides the turns. */
export type ClassifyWish = Extract<ClassifyBecause, "compaction" | "demand">;

/** Turns between two looks, unless the agent says otherwise. */
const CLASSIFY_EVERY = 10;
const RECENT = 3;

/** LOG: what was classified and paid for has happened. */
export const classificationSlice = defineSlice<ClassificationState>({
  name: "classification",
  kind: "LOG",
  initial: { opener: null, recent: [], latest: null, held: null, turn: null, failed: null, wish: null },
});

/** Keeps a message of the user; one without words changes nothing. */
export function noteMessage(state: ClassificationState, text: string): ClassificationState {
  const kept = cutMessage(text);
  if (kept === "") return state;
  if (state.opener === null) return { ...state, opener: kept };
  return { ...state, recent: [...state.recent, kept].slice(-RECENT) };
}

/** What a classifier is shown: the newest messages; once there are enough, the opener says no longer what it is about. */
export function conversationOf({ opener, recent }: ClassificationState): readonly string[] {
  if (opener === null) return [];
  return recent.length < RECENT ? [opener, ...recent] : recent;
}

/** Why the session should be classified in this turn, if it should. After a failure only a demand ends the pause early. */
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

/** A look at the conversation succeeded. A wish that came up meanwhile for another reason stays. */
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

/** It failed, its retry too: a pause begins, so that it is not paid for on every message. */
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
