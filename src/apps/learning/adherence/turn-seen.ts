import type { Outcome } from "../../../base/words/call.ts";
import type { ContractView } from "../../../base/words/contract.ts";
import type { ConductEvent } from "../../../base/words/event.ts";

export type SeenReply = { readonly event: string; readonly at: number; readonly text: string };

/** A call that was let through, or not. `outcome` is absent while it runs, and where nobody told. */
export type SeenCall = {
  readonly event: string;
  readonly call: string;
  readonly at: number;
  readonly tool: string;
  readonly actions: readonly string[];
  readonly denied: boolean;
  /** Rules in force that spoke against it, in whatever way; one in shadow says nothing to the agent. */
  readonly objected: readonly string[];
  outcome?: Outcome;
};

/** What a turn was told and did, as its events have it. */
export type TurnSeen = {
  readonly session: string;
  readonly turn: number;
  readonly at: number;
  readonly view: ContractView;
  /** It was only watched: the agent noticed nothing of what was decided. */
  readonly watched: boolean;
  /** What the first prompt told; absent where it told none, or not surely what is kept. */
  readonly contract?: { readonly version: number; readonly hash: string };
  readonly replies: SeenReply[];
  readonly calls: SeenCall[];
  /** Nothing of it is to come. */
  over: boolean;
};

/** A turn begins with its first prompt. */
export function beginTurn(event: Extract<ConductEvent, { type: "prompt" }>, view: ContractView): TurnSeen {
  const { session, turn, at, contract, observing } = event;
  const told = contract === undefined || contract.degraded === true ? undefined : contract;
  return {
    ...{ session, turn, at, view, watched: observing !== undefined, replies: [], calls: [], over: false },
    ...(told === undefined ? {} : { contract: { version: told.version, hash: told.hash } }),
  };
}

/** Takes in one more event of its session. */
export function takeEvent(seen: TurnSeen, event: ConductEvent): void {
  if (event.turn > seen.turn || (event.type === "notice" && event.notice.kind === "ended")) seen.over = true;
  if (event.turn !== seen.turn) return;
  if (event.type === "notice" && event.notice.kind === "reply") {
    seen.replies.push({ event: event.id, at: event.at, text: event.notice.text });
  } else if (event.type === "call") {
    const { call, decision } = event;
    const spoke =
      decision.kind === "deny"
        ? [decision.rule, ...decision.others.map(({ rule }) => rule)]
        : decision.kind === "ask"
          ? decision.rule.split(" + ")
          : decision.advice.filter(({ level }) => level === "warn").map(({ rule }) => rule);
    seen.calls.push({
      ...{ event: event.id, call: call.id, at: event.at, tool: call.tool, actions: call.actions },
      denied: decision.kind === "deny",
      objected: [...new Set(spoke)],
    });
  } else if (event.type === "result") {
    const call = seen.calls.findLast((one) => one.call === event.call && !one.denied);
    if (call !== undefined) call.outcome = event.outcome;
  } else if (event.type === "stop" && event.status !== "refused") seen.over = true;
}
