import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventBody } from "../../../../src/base/words/event.ts";
import type { Conversation, TurnRecord, TurnStatus } from "../../../../src/base/words/hosting/conversation.ts";
import type { JournalEvent } from "../../moments/line-of.ts";
import { type Change, NO_CONVERSATION, step } from "./conversation-state.ts";
import { addedTo, eventsByTurn, modesOf } from "./turns-of.ts";

const OFF = { think: false, verbose: false, elevated: false };
const CONVERSATION: Conversation = { id: "s_1", agent: "demo", user: "ann", channel: "web", at: 0, lastAt: 0 };

const turn = (id: string, at: number, status: TurnStatus = "complete", more: Partial<TurnRecord> = {}): TurnRecord => ({
  id,
  conversation: "s_1",
  text: `say ${id}`,
  at,
  status,
  ...more,
});
const event = (seq: number, at: number, body: EventBody & { readonly id?: string }): JournalEvent =>
  ({ v: 1, seq, at, session: "s_1", agent: "demo", run: "r", turn: 1, id: `e${seq}`, ...body }) as JournalEvent;
const said = (seq: number, at: number, text: string, id?: string) =>
  event(seq, at, { type: "message", text, modes: OFF, id });
const stop = (seq: number, at: number) => event(seq, at, { type: "stop", status: "complete", refusals: 0, bound: 5 });

function play(...changes: readonly Change[]) {
  return changes.reduce(step, { ...NO_CONVERSATION, id: "s_1" });
}
const loaded = (turns: readonly TurnRecord[], events: readonly JournalEvent[] = []): Change => ({
  kind: "loaded",
  conversation: CONVERSATION,
  turns,
  older: undefined,
  events,
  steps: [],
  questions: [],
});
const live = (update: Extract<Change, { kind: "live" }>["update"]): Change => ({ kind: "live", update });

describe("whose moment is it", () => {
  it("CV-1 a message starts its turn, matched by id or text, and events that it caused earlier belong to that turn", () => {
    const turns = [
      turn("a", 10, "complete", { messageId: "m1" }),
      turn("b", 20, "answered", { text: "/think on" }),
      turn("c", 30),
    ];
    const directive = event(4, 31, { type: "directive", outcome: "added", line: 1, text: "STOP: x" });
    const events = [
      event(1, 5, { type: "session", change: "opened" }),
      said(2, 11, "say a", "m1"),
      stop(3, 12),
      said(5, 21, "/think on"),
      directive,
      said(6, 32, "say c"),
      stop(7, 33),
    ];
    const found = eventsByTurn(turns, events);
    expect([...found].map(([id, own]) => [id, own.map(({ type }) => type)])).toEqual([
      ["a", ["message", "stop"]],
      ["b", ["message"]],
      ["c", ["message", "directive", "stop"]],
    ]);
  });

  it("CV-2 the same text sent twice is two turns in order, and a turn without stored events takes none of another", () => {
    const turns = [
      turn("a", 10, "complete", { text: "x" }),
      turn("lost", 15, "failed", { text: "y" }),
      turn("b", 20, "complete", { text: "x" }),
    ];
    const found = eventsByTurn(turns, [said(1, 11, "x"), stop(2, 12), said(3, 21, "x"), stop(4, 22)]);
    expect([...found].map(([id, own]) => [id, own.map(({ seq }) => seq)])).toEqual([
      ["a", [1, 2]],
      ["lost", []],
      ["b", [3, 4]],
    ]);
  });

  it("CV-9 a steered message is shown once in the running turn, even if a queued one has its text, and as unread until read", () => {
    const turns = [
      turn("a", 10, "running", { messageId: "m1", text: "go" }),
      turn("b", 12, "queued", { messageId: "m3", text: "hurry" }),
    ];
    const [a] = turns;
    if (a === undefined) throw new Error("there is no turn");
    const first = event(1, 11, { type: "message", text: "go", modes: OFF, messageId: "m1" });
    const further = event(2, 14, { type: "message", text: "hurry", modes: OFF, messageId: "m2" });
    const sent = [
      { messageId: "m2", text: "hurry" },
      { messageId: "m3", text: "hurry" },
    ];
    const shown = (events: readonly JournalEvent[]) =>
      addedTo(a, eventsByTurn(turns, events).get("a") ?? [], sent, turns).map(({ text, heard }) => [text, heard]);
    expect(shown([first])).toEqual([["hurry", false]]);
    expect(shown([first, further])).toEqual([["hurry", true]]);
  });

  it("CV-10 a message that is answered with another message's turn was steered into that turn, and its text stays", () => {
    const message = { messageId: "m2", text: "hurry" };
    const running = turn("a", 10, "running", { messageId: "m1" });
    const state = play(
      loaded([running]),
      { kind: "sending", message },
      { kind: "sent", messageId: "m2", turn: running },
    );
    expect([state.sending, state.added.get("a"), state.turns.length]).toEqual([[], [message], 1]);
    const own = play(
      loaded([running]),
      { kind: "sending", message },
      { kind: "sent", messageId: "m2", turn: turn("b", 12, "queued", { messageId: "m2" }) },
    );
    expect([own.added.size, own.turns.length]).toEqual([0, 2]);
  });

  it("CV-3 the modes are those of the newest message, and an elevation expires", () => {
    expect(modesOf([], 0)).toEqual(OFF);
    const elevated = event(1, 1, {
      type: "message",
      text: "/elevated on",
      modes: { ...OFF, elevated: true, elevatedUntil: 100 },
    });
    expect([modesOf([elevated], 99).elevated, modesOf([elevated], 100).elevated]).toEqual([true, false]);
  });
});

describe("a conversation as it goes on", () => {
  it("CV-4 repeated, late or reordered updates lead to the same conversation", () => {
    const base = loaded([turn("a", 1)]);
    const told: readonly Change[] = [
      live({ kind: "turn", turn: turn("b", 5, "queued", { messageId: "m" }) }),
      live({ kind: "turn", turn: turn("b", 5, "running", { messageId: "m" }) }),
      live({ kind: "turn", turn: turn("b", 5, "complete", { messageId: "m", answer: "done" }) }),
      live({ kind: "event", event: said(1, 6, "say b", "m") }),
      live({ kind: "event", event: stop(2, 7) }),
      { kind: "sent", messageId: "m", turn: turn("b", 5, "queued", { messageId: "m" }) },
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray([...told, ...told], { minLength: 12 }), (order) => {
        const { turns, events, sending } = play(
          base,
          { kind: "sending", message: { messageId: "m", text: "say b" } },
          ...order,
        );
        expect(turns.map(({ id, status }) => [id, status])).toEqual([
          ["a", "complete"],
          ["b", "complete"],
        ]);
        expect(events.map(({ seq }) => seq)).toEqual([1, 2]);
        expect(sending).toEqual([]);
      }),
    );
  });

  it("CV-5 the model's text is split into pieces, one for each response", () => {
    const call = event(3, 7, { type: "stop", status: "refused", refusals: 1, bound: 5 });
    const state = play(
      loaded([turn("a", 1, "running")]),
      live({ kind: "text", turn: "a", delta: "Straight " }),
      live({ kind: "text", turn: "a", delta: "on." }),
      live({ kind: "event", event: call }),
      live({ kind: "text", turn: "a", delta: "Then test." }),
      live({ kind: "text", turn: "elsewhere", delta: "no" }),
    );
    expect([...state.said].map(([id, { pieces }]) => [id, pieces])).toEqual([["a", ["Straight on.", "Then test."]]]);
  });

  it("CV-6 updates of another conversation are ignored", () => {
    const state = play(
      loaded([turn("a", 1)]),
      live({ kind: "turn", turn: { ...turn("x", 2), conversation: "s_2" } }),
      live({ kind: "event", event: { ...stop(9, 9), session: "s_2" } }),
      live({
        kind: "approval",
        approval: {
          approval: "a_1",
          session: "s_2",
          agent: "demo",
          user: "bob",
          rule: "r",
          tool: "t",
          question: "?",
          expiresAt: 1,
        },
      }),
    );
    expect([state.turns.length, state.events.length, state.questions.length]).toEqual([1, 0, 0]);
  });

  it("CV-7 a question is shown until it is answered, here or elsewhere", () => {
    const question = {
      approval: "a_1",
      session: "s_1",
      agent: "demo",
      user: "ann",
      rule: "r",
      tool: "t",
      question: "?",
      expiresAt: 1,
    };
    const asked = play(
      loaded([turn("a", 1, "running")]),
      live({ kind: "approval", approval: question }),
      live({ kind: "approval", approval: question }),
    );
    expect(asked.questions).toHaveLength(1);
    expect(step(asked, { kind: "answered", approval: "a_1" }).questions).toEqual([]);
    expect(
      step(
        asked,
        live({ kind: "event", event: event(3, 3, { type: "approval", approval: "a_1", answer: "yes", by: "olga" }) }),
      ).questions,
    ).toEqual([]);
  });

  it("CV-8 live updates before the conversation is loaded count, and an older response does not revert them", () => {
    const { turns, events } = play(
      live({ kind: "turn", turn: turn("a", 1, "running") }),
      live({ kind: "event", event: said(1, 2, "say a") }),
      live({ kind: "turn", turn: turn("a", 1, "complete", { answer: "done" }) }),
      loaded([turn("a", 1, "running")], [said(1, 2, "say a")]),
    );
    expect(turns).toEqual([turn("a", 1, "complete", { answer: "done" })]);
    expect(events).toHaveLength(1);
  });
});
