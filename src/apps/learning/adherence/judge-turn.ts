import type { Outcome } from "../../../base/words/call.ts";
import type { ContractView, DirectiveCheck } from "../../../base/words/contract.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import { graphemesOf } from "../../../behavior/contract/parse/normalise-directive.ts";
import { compileReplyCheck, type SeenReply as ReplyFigures } from "../../../engine/governance/reply-check.ts";

/** What a check tells of a turn, and the event that shows it. */
export type TurnJudged =
  | { readonly kind: "followed" | "violated"; readonly event: string }
  | { readonly kind: "cannot-tell" };

const UNKNOWN: TurnJudged = { kind: "cannot-tell" };
/** What secrets were replaced by: how long they were, and what they said, nobody knows any more. */
const REDACTED = /\[redacted(?::[0-9a-f]{12})?\]/;

/** A check made ready; an expression is compiled once. */
export function judgeBy(check: DirectiveCheck): (turn: TurnSeen) => TurnJudged {
  switch (check.kind) {
    case "length":
      return onReplies((text) => within(measure(text, check.unit), check));
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

/** Every reply has to meet it; one that cannot be told leaves the turn so, unless another breaks it. */
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

/** How many came in the span that ends then. */
function fullest(replies: readonly SeenReply[], end: number, withinMs: number | undefined): number {
  return withinMs === undefined ? replies.length : replies.filter(({ at }) => at > end - withinMs).length;
}

/** Where `later` was never let through, there was no order to keep. */
function judgeOrder({ calls }: TurnSeen, { first, later }: Extract<DirectiveCheck, { kind: "order" }>): TurnJudged {
  let kept: TurnJudged = UNKNOWN;
  for (const [at, call] of calls.entries()) {
    if (call.denied || !isNamed(call, later)) continue;
    const before = calls.slice(0, at).filter((one) => !one.denied && isNamed(one, first));
    if (before.some(({ outcome }) => outcome === "ok")) kept = { kind: "followed", event: call.event };
    // A test whose end nobody knows may have passed.
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

function measure(text: string, unit: "words" | "characters" | "lines"): number {
  switch (unit) {
    case "words":
      return countWords(text);
    case "characters":
      return countCharacters(text);
    case "lines":
      return countLines(text);
  }
}

function figures(text: string): ReplyFigures {
  return { text, words: countWords(text), lines: countLines(text), characters: countCharacters(text) };
}

function countCharacters(text: string): number {
  // Printable ASCII is one each.
  return /^[\n -~]*$/.test(text) ? text.length : graphemesOf(text, Number.POSITIVE_INFINITY);
}

let segmenter: Intl.Segmenter | undefined;

/** As a reader counts them, in scripts without spaces too. */
function countWords(text: string): number {
  // Letters of the common scripts need no segmenter, which is a hundred times slower.
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

/** A call that was let through, or not. `outcome` is absent while it runs, and where nobody told. */
type SeenCall = {
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
