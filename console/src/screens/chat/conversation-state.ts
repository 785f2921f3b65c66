import type { Conversation, TurnRecord } from "../../../../src/base/words/hosting/conversation.ts";
import type { GatewayError } from "../../data/client.ts";
import type { LiveUpdate, Question } from "../../data/live.ts";
import { isMoment, type JournalEvent } from "../../moments/line-of.ts";
import type { Step } from "../../moments/story/story-of.ts";

/** A message being sent: shown at once, and removed when the gateway accepts or rejects it. */
export type Sending = { readonly messageId: string; readonly text: string };

/** Text streamed in a turn: one piece for each model response. */
export type Said = {
  readonly pieces: readonly string[];
  /** When each piece began: after the newest event then known, by the gateway's clock. */
  readonly ats: readonly number[];
  readonly fresh: boolean;
};

export type ConversationState = {
  /** Set before the conversation is loaded, so that stream updates are not missed. */
  readonly id: string | undefined;
  readonly conversation: Conversation | undefined;
  /** Oldest first. */
  readonly turns: readonly TurnRecord[];
  /** Cursor for older turns. */
  readonly older: number | undefined;
  readonly events: readonly JournalEvent[];
  /** The model's responses since the oldest turn shown. */
  readonly steps: readonly Step[];
  readonly said: ReadonlyMap<string, Said>;
  readonly notes: ReadonlyMap<string, readonly string[]>;
  readonly questions: readonly Question[];
  readonly sending: readonly Sending[];
  /** Messages steered into each turn from here. The agent may not have read them yet. */
  readonly added: ReadonlyMap<string, readonly Sending[]>;
  readonly error: GatewayError | undefined;
  readonly loading: boolean;
};

export const NO_CONVERSATION: ConversationState = {
  id: undefined,
  conversation: undefined,
  turns: [],
  older: undefined,
  events: [],
  steps: [],
  said: new Map(),
  notes: new Map(),
  questions: [],
  sending: [],
  added: new Map(),
  error: undefined,
  loading: true,
};

export type Change =
  | { readonly kind: "opened" }
  | {
      readonly kind: "loaded";
      readonly conversation: Conversation;
      readonly turns: readonly TurnRecord[];
      readonly older: number | undefined;
      readonly events: readonly JournalEvent[];
      readonly steps: readonly Step[];
      readonly questions: readonly Question[];
    }
  | {
      readonly kind: "older";
      readonly turns: readonly TurnRecord[];
      readonly older: number | undefined;
      readonly events: readonly JournalEvent[];
      readonly steps: readonly Step[];
    }
  | { readonly kind: "steps"; readonly steps: readonly Step[] }
  | { readonly kind: "failed"; readonly error: GatewayError }
  | { readonly kind: "sending"; readonly message: Sending }
  | { readonly kind: "sent"; readonly messageId: string; readonly turn?: TurnRecord }
  | { readonly kind: "answered"; readonly approval: string }
  | { readonly kind: "live"; readonly update: LiveUpdate };

/** Applies a change. Repeated or reordered changes lose nothing. */
export function step(state: ConversationState, change: Change): ConversationState {
  switch (change.kind) {
    case "opened":
      return state;
    case "loaded":
      return {
        ...state,
        conversation: change.conversation,
        turns: merged(state.turns, change.turns),
        older: state.conversation === undefined ? change.older : state.older,
        events: together(state.events, change.events),
        steps: stepsOf(state.steps, change.steps),
        questions: change.questions,
        error: undefined,
        loading: false,
      };
    case "older":
      return {
        ...state,
        turns: merged(state.turns, change.turns),
        older: change.older,
        events: together(change.events, state.events),
        steps: stepsOf(state.steps, change.steps),
      };
    case "steps":
      return { ...state, steps: stepsOf(state.steps, change.steps) };
    case "failed":
      // A deleted conversation is not shown any more.
      return {
        ...(change.error.status === 404 ? { ...NO_CONVERSATION, id: state.id } : state),
        error: change.error,
        loading: false,
      };
    case "sending":
      return { ...state, sending: [...state.sending, change.message] };
    case "sent": {
      const { turn, messageId } = change;
      const message = state.sending.find((one) => one.messageId === messageId);
      const sending = state.sending.filter((one) => one !== message);
      if (turn === undefined) return { ...state, sending };
      // The turn belongs to another message, so this one was steered into it.
      const isSteered = message !== undefined && turn.messageId !== messageId;
      const before = state.added.get(turn.id) ?? [];
      const added = isSteered ? new Map(state.added).set(turn.id, [...before, message]) : state.added;
      return { ...state, sending, added, turns: merged(state.turns, [turn]) };
    }
    case "answered":
      return { ...state, questions: state.questions.filter(({ approval }) => approval !== change.approval) };
    case "live":
      return hear(state, change.update);
  }
}

function hear(state: ConversationState, update: LiveUpdate): ConversationState {
  const { id } = state;
  switch (update.kind) {
    case "turn":
      if (update.turn.conversation !== id) return state;
      return {
        ...state,
        turns: merged(state.turns, [update.turn]),
        sending: state.sending.filter(({ messageId }) => messageId !== update.turn.messageId),
      };
    case "text": {
      if (!state.turns.some((turn) => turn.id === update.turn)) return state;
      const { pieces, ats, fresh } = state.said.get(update.turn) ?? { pieces: [], ats: [], fresh: true };
      const began = fresh ? [...ats, (state.events.at(-1)?.at ?? 0) + 0.5] : ats;
      const next = fresh
        ? [...pieces, update.delta]
        : [...pieces.slice(0, -1), `${pieces.at(-1) ?? ""}${update.delta}`];
      return { ...state, said: new Map(state.said).set(update.turn, { pieces: next, ats: began, fresh: false }) };
    }
    case "note":
      if (!state.turns.some((turn) => turn.id === update.turn)) return state;
      return {
        ...state,
        notes: new Map(state.notes).set(update.turn, [...(state.notes.get(update.turn) ?? []), update.text]),
      };
    case "event": {
      const { event } = update;
      if (event.session !== id && event.parent !== id) return state;
      const questions =
        event.type === "approval"
          ? state.questions.filter(({ approval }) => approval !== event.approval)
          : state.questions;
      return {
        ...state,
        questions,
        events: together(state.events, [event]),
        said: isMoment(event) ? freshen(state.said) : state.said,
      };
    }
    case "approval":
      if (update.approval.session !== id) return state;
      return {
        ...state,
        questions: [
          ...state.questions.filter(({ approval }) => approval !== update.approval.approval),
          update.approval,
        ],
      };
    case "contract":
    case "agent":
    case "resumed":
      return state;
  }
}

/** After each moment, the model starts a new piece. */
function freshen(said: ConversationState["said"]): ConversationState["said"] {
  return new Map([...said].map(([turn, one]) => [turn, { ...one, fresh: true }]));
}

/** Newer answers replace older ones, because the outputs of a running step arrive later. */
function stepsOf(before: readonly Step[], more: readonly Step[]): readonly Step[] {
  const steps = new Map([...before, ...more].map((step) => [step.at, step]));
  return [...steps.values()].sort((a, b) => a.at - b.at);
}

const OPEN = new Set(["queued", "running"]);

/** A turn that has ended stays ended: older updates that arrive late are ignored. */
function merged(before: readonly TurnRecord[], told: readonly TurnRecord[]): readonly TurnRecord[] {
  const turns = new Map(before.map((turn) => [turn.id, turn]));
  for (const turn of told) {
    const known = turns.get(turn.id);
    const isOlder =
      known !== undefined &&
      (known.status === turn.status ||
        !OPEN.has(known.status) ||
        (known.status === "running" && turn.status === "queued"));
    if (!isOlder) turns.set(turn.id, turn);
  }
  return [...turns.values()].sort((a, b) => a.at - b.at);
}

/** Merges events in their original order, without duplicates. */
function together(before: readonly JournalEvent[], more: readonly JournalEvent[]): readonly JournalEvent[] {
  const known = new Set(before.map(({ id, seq }) => `${id} ${seq}`));
  const fresh = more.filter(({ id, seq }) => !known.has(`${id} ${seq}`));
  if (fresh.length === 0) return before;
  const last = before.at(-1);
  const all = [...before, ...fresh];
  const isSorted = fresh.length === 1 && (last === undefined || last.at <= (fresh[0]?.at ?? 0));
  return isSorted ? all : all.sort((a, b) => a.at - b.at || a.seq - b.seq);
}
