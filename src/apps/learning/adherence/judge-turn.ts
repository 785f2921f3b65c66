import type { Outcome } from "../../../base/words/call.ts";
import type { ContractView, DirectiveCheck } from "../../../base/words/contract.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import { graphemesOf } from "../../../behavior/contract/parse/normalise-directive.ts";
import { compileReplyCheck, type SeenReply as ReplyFigures } from "../../../engine/governance/check-request.ts";

/** A check's verdict on a turn, and the event that shows it. */
export type TurnJudged =
  | { readonly kind: "followed" | "violated"; readonly event: string }
  | { readonly kind: "cannot-tell" };

const UNKNOWN: TurnJudged = { kind: "cannot-tell" };
/** The replacement for secrets: their length and content are lost. */
const REDACTED = /\[redacted(?::[0-9a-f]{12})?\]/;

/** Prepares a check; an expression is compiled once. */
export function judgeBy(check: DirectiveCheck): (turn: TurnSeen) => TurnJudged {
  switch (check.kind) {
    case "length":
      return onReplies((text) => within(COUNTS[check.unit](text), check));
    case "reply": {
      const holds = compileReplyCheck(check.holds);
      if ("fault" in holds) return () => UNKNOWN;
      return onReplies((text) => holds(figures(text)));
    }
    case "cadence":
      return (turn) => judgeCadence(turn, check);
    case "order":
      return (turn) => judgeOrder(turn, check);
  }
}

/** Every reply must meet the check. An undecidable reply makes the turn unknown, unless another reply violates it. */
function onReplies(test: (text: string) => boolean | undefined): (turn: TurnSeen) => TurnJudged {
  return ({ replies, over }) => {
    let dark = !over;
    for (const { event, text } of replies) {
      const met = REDACTED.test(text) ? undefined : test(text);
      if (met === false) return { kind: "violated", event };
      dark ||= met === undefined;
    }
    const last = replies.at(-1);
    return dark || last === undefined ? UNKNOWN : { kind: "followed", event: last.event };
  };
}

function judgeCadence({ replies, over }: TurnSeen, check: Extract<DirectiveCheck, { kind: "cadence" }>): TurnJudged {
  const { atMost, atLeast, withinMs } = check;
  const last = replies.at(-1);
  if (atMost !== undefined) {
    const broken = replies.find((reply, at) => fullest(replies.slice(0, at + 1), reply.at, withinMs) > atMost);
    if (broken !== undefined) return { kind: "violated", event: broken.event };
    return over && last !== undefined ? { kind: "followed", event: last.event } : UNKNOWN;
  }
  if (!over || last === undefined) return UNKNOWN;
  const enough = withinMs === undefined ? replies.length : fullest(replies, last.at, withinMs);
  return { kind: enough >= (atLeast ?? 0) ? "followed" : "violated", event: last.event };
}

/** The number of replies in the time span that ends at `end`. */
function fullest(replies: readonly SeenReply[], end: number, withinMs: number | undefined): number {
  return withinMs === undefined ? replies.length : replies.filter(({ at }) => at > end - withinMs).length;
}

/** Unknown if `later` was never allowed: there was no order to check. */
function judgeOrder({ calls }: TurnSeen, { first, later }: Extract<DirectiveCheck, { kind: "order" }>): TurnJudged {
  let kept: TurnJudged = UNKNOWN;
  for (const [at, call] of calls.entries()) {
    if (call.denied || !isNamed(call, later)) continue;
    const before = calls.slice(0, at).filter((one) => !one.denied && isNamed(one, first));
    if (before.some(({ outcome }) => outcome === "ok")) kept = { kind: "followed", event: call.event };
    // A call without a known outcome may have succeeded.
    else if (before.some(({ outcome }) => outcome === undefined || outcome === "unknown")) return UNKNOWN;
    else return { kind: "violated", event: call.event };
  }
  return kept;
}

function isNamed({ tool, actions }: SeenCall, name: string): boolean {
  return tool === name || actions.includes(name);
}

function within(value: number, { atMost, atLeast }: { readonly atMost?: number; readonly atLeast?: number }): boolean {
  return value <= (atMost ?? Number.POSITIVE_INFINITY) && value >= (atLeast ?? 0);
}

const COUNTS = { words: countWords, lines: countLines, characters: countCharacters };

function figures(text: string): ReplyFigures {
  return { text, words: countWords(text), lines: countLines(text), characters: countCharacters(text) };
}

function countCharacters(text: string): number {
  // Printable ASCII: one grapheme per character.
  return /^[\n -~]*$/.test(text) ? text.length : graphemesOf(text, Number.POSITIVE_INFINITY);
}

let segmenter: Intl.Segmenter | undefined;

/** Counts words as a reader does, also in scripts without spaces. */
function countWords(text: string): number {
  // Common scripts need no segmenter, which is a hundred times slower.
  if (/^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}\p{P}\p{S}\p{Z}\s]*$/u.test(text)) {
    return text.match(/[\p{L}\p{N}]+(?:['’._-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
  }
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  let words = 0;
  for (const { isWordLike } of segmenter.segment(text)) if (isWordLike === true) words += 1;
  return words;
}

function countLines(text: string): number {
  const trimmed = text.replace(/\n+$/, "");
  return trimmed === "" ? 0 : trimmed.split("\n").length;
}

type SeenReply = { readonly event: string; readonly at: number; readonly text: string };

/** An allowed or denied call. `outcome` is absent while the call runs or if it was never reported. */
type SeenCall = {
  readonly event: string;
  readonly call: string;
  readonly at: number;
  readonly tool: string;
  readonly actions: readonly string[];
  readonly denied: boolean;
  /** Rules in force that objected in any way; shadow rules are left out, because the agent never sees them. */
  readonly objected: readonly string[];
  outcome?: Outcome;
};

/** The prompt and activity of a turn, from its events. */
export type TurnSeen = {
  readonly session: string;
  readonly turn: number;
  readonly at: number;
  readonly view: ContractView;
  /** Observe mode: no decision reached the agent. */
  readonly watched: boolean;
  /** The contract of the first prompt; absent if it had none or may differ from the stored one. */
  readonly contract?: { readonly version: number; readonly hash: string };
  readonly replies: SeenReply[];
  readonly calls: SeenCall[];
  /** True if no more events can follow. */
  over: boolean;
};

export function beginTurn(event: Extract<ConductEvent, { type: "prompt" }>, view: ContractView): TurnSeen {
  const { session, turn, at, contract, observing } = event;
  const told = contract === undefined || contract.degraded === true ? undefined : contract;
  return {
    ...{ session, turn, at, view, watched: observing !== undefined, replies: [], calls: [], over: false },
    contract: told && { version: told.version, hash: told.hash },
  };
}

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
