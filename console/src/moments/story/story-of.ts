import type { Answer } from "../../data/client.ts";
import { isChatter, type JournalEvent } from "../line-of.ts";

export type Step = Answer<"GET /api/sessions/{id}/steps">["steps"][number];
type EventOf<T extends JournalEvent["type"]> = Extract<JournalEvent, { type: T }>;

/** Tokens, cost and duration of one model response. */
export type Spent = {
  readonly tokens: number | undefined;
  readonly cost: number | undefined;
  readonly ms: number | undefined;
};

/** A part of a turn, in the order in which things happened. */
export type StoryItem =
  | {
      readonly kind: "text";
      readonly key: string;
      readonly at: number;
      readonly text: string;
      readonly spent: Spent;
      /** The text is the answer, which is shown elsewhere. */
      readonly isAnswer?: true;
    }
  | {
      readonly kind: "call";
      readonly key: string;
      readonly at: number;
      readonly event: EventOf<"call">;
      readonly result: EventOf<"result"> | undefined;
      readonly output: string | undefined;
      readonly cut: boolean;
      /** Sessions of subagents that the call started. */
      readonly children: readonly Child[];
    }
  | { readonly kind: "event"; readonly key: string; readonly at: number; readonly event: JournalEvent };

export type Child = Pick<
  Answer<"GET /api/journal/sessions">["sessions"][number],
  "session" | "agent" | "label" | "startedAt" | "calls" | "denials" | "tokens"
>;

/** Tolerance between the clock readings of one machine. */
const SLACK_MS = 50;

/**
 * Tells a turn: what the model said, its calls with input and output, and everything that went wrong. `steps` are the
 * model's responses if the runtime's transcript is known; without them, usage and answer come from the events. Without
 * a child list, subagents are left out.
 */
export function storyOf(
  events: readonly JournalEvent[],
  steps: readonly Step[],
  children: readonly Child[] = [],
): readonly StoryItem[] {
  const own = events.filter((event) => event.type !== "prompt" && event.type !== "classification");
  const results = new Map(own.flatMap((event) => (event.type === "result" ? [[event.call, event] as const] : [])));
  const outputs = new Map(steps.flatMap(({ calls }) => calls.map((call) => [call.id, call] as const)));
  const left = new Set(children);
  const items: StoryItem[] = steps.length > 0 ? steps.flatMap((step) => textOf(step, events)) : saidOf(events);
  for (const event of own) {
    const { id: key, at } = event;
    if (event.type === "call") {
      const result = results.get(event.call.id);
      const started = [...left].filter(
        ({ startedAt }) =>
          startedAt >= at - SLACK_MS && startedAt <= (result?.at ?? Number.POSITIVE_INFINITY) + SLACK_MS,
      );
      // Only calls that start agents wait for them; the nearest call before a child is the one that started it.
      const isNearest = (child: Child) =>
        !own.some((one) => one.type === "call" && one !== event && one.at > at && one.at <= child.startedAt);
      const mine = started.filter(isNearest);
      for (const child of mine) left.delete(child);
      const known = outputs.get(event.call.id);
      items.push({
        kind: "call",
        key,
        at,
        event,
        result,
        output: known?.output,
        cut: known?.cut === true,
        children: mine,
      });
    } else if (event.type === "message" && event.reply !== undefined)
      items.push({ kind: "text", key, at, text: event.reply, spent: NOTHING });
    else if (isTold(event)) items.push({ kind: "event", key, at, event });
  }
  return items.sort((a, b) => a.at - b.at);
}

/** Results are part of their call. A turn's first message and its complete stop are shown around the story. */
function isTold(event: JournalEvent): boolean {
  if (event.type === "result" || event.type === "message" || isChatter(event)) return false;
  return !(event.type === "stop" && event.status === "complete");
}

function textOf(step: Step, events: readonly JournalEvent[]): readonly StoryItem[] {
  const used = events.find((event) => isUsage(event) && event.at >= step.at);
  const tokens = (step.inputTokens ?? 0) + (step.outputTokens ?? 0);
  const spent = {
    tokens: tokens === 0 ? undefined : tokens,
    cost: step.cost,
    ms: used === undefined ? undefined : used.at - step.at,
  };
  return [{ kind: "text", key: `step ${step.at}`, at: step.at, text: step.text, spent }];
}

function isUsage(event: JournalEvent): boolean {
  return event.type === "notice" && event.notice.kind === "usage";
}

/** Usage and answer from the events, if the transcript is not known. */
function saidOf(events: readonly JournalEvent[]): StoryItem[] {
  let before: number | undefined;
  return events.flatMap((event): readonly StoryItem[] => {
    const from = before;
    before = event.at;
    if (event.type !== "notice") return [];
    const { notice, id: key, at } = event;
    if (notice.kind === "reply") return [{ kind: "text", key, at, text: notice.text, spent: NOTHING }];
    if (notice.kind !== "usage") return [];
    const tokens = (notice.inputTokens ?? 0) + (notice.outputTokens ?? 0);
    const spent = { tokens, cost: notice.cost, ms: from === undefined ? undefined : at - from };
    return [{ kind: "text", key, at, text: "", spent }];
  });
}

const NOTHING: Spent = { tokens: undefined, cost: undefined, ms: undefined };

/** Returns the steps of a turn: those from its first event until the next turn. */
export function stepsIn(
  steps: readonly Step[],
  from: number,
  until: number = Number.POSITIVE_INFINITY,
): readonly Step[] {
  return steps.filter(({ at }) => at >= from && at < until);
}
