import { afterEach, describe, expect, it } from "vitest";
import { ask } from "../../../behavior/policy/policy-decision.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { say, testConversations } from "../test/test-gateway.ts";
import { BusyError } from "./turns.ts";

const WEB = { agent: "demo", user: "ann", channel: "web" };
const sender = { id: "ann", role: "operator", user: "ann" } as const;
const worlds: { remove(): void; close(): Promise<void> }[] = [];

function world(options: Parameters<typeof testConversations>[0] = {}) {
  const made = testConversations(options);
  const opened = made.open();
  worlds.push({ remove: made.remove, close: () => opened.conversations.close().then(() => opened.conduct.close()) });
  return { ...made, ...opened };
}

afterEach(async () => {
  for (const { close, remove } of worlds.splice(0)) {
    await close();
    remove();
  }
});

const decisions = (events: ReturnType<typeof world>["events"]) =>
  events.flatMap((event) => (event.type === "call" ? [`${event.call.tool} ${event.decision.kind}`] : []));

describe("conversations on the demo model", () => {
  it("GW-1 'deploy it' shows all five moments: denied, guided to the tests and the build, stop refused, done", async () => {
    const { conversations, events, updates } = world();
    const conversation = await conversations.start(WEB);
    expect(await say(conversations, conversation, "deploy it")).toMatchObject({ status: "complete", answer: "Done." });
    const wanted = ["deploy deny", "test allow", "build allow", "deploy allow", "write_file allow"];
    expect(decisions(events)).toEqual(wanted);
    expect(events.flatMap((event) => (event.type === "stop" ? [event.status] : []))).toEqual(["refused", "complete"]);
    expect(updates.filter(({ kind }) => kind === "text").length).toBeGreaterThan(5);
  });

  it("GW-2 a conversation runs one turn at a time, and later messages queue in order", async () => {
    const { conversations, updates } = world();
    const conversation = await conversations.start(WEB);
    const texts = ["deploy it", "hello", "read README.md"];
    const turns = await Promise.all(texts.map((text) => conversations.submit(conversation, { text, sender })));
    await Promise.all(turns.map((turn) => conversations.ended(turn)));
    const told = updates.flatMap((update) =>
      update.kind === "turn" ? [`${update.turn.text}: ${update.turn.status}`] : [],
    );
    const ran = told.filter((line) => !line.endsWith("queued"));
    expect(ran).toEqual(texts.flatMap((text) => [`${text}: running`, `${text}: complete`]));
  });

  it("GW-3 a message id sent twice is one turn", async () => {
    const { conversations, store } = world();
    const conversation = await conversations.start(WEB);
    const message = { text: "hello", sender, id: "m1" };
    const [first, second] = await Promise.all([1, 2].map(() => conversations.submit(conversation, message)));
    expect(second?.id).toBe(first?.id);
    expect(await store.turns({ conversation: conversation.id, limit: 10 })).toHaveLength(1);
  });

  it("GW-4 after a restart the session continues with its evidence and transcript; an interrupted turn is not repeated", async () => {
    const made = world();
    const conversation = await made.conversations.start(WEB);
    await say(made.conversations, conversation, "run the tests");
    await made.conversations.close();
    const half = { id: "t_half", conversation: conversation.id, text: "deploy it", at: 1, status: "running" } as const;
    await made.store.addTurn(half);
    await made.store.addTurn({ ...half, id: "t_next", text: "build it", status: "queued", at: 2 });
    const again = made.open();
    expect(await again.conversations.recovery.recover()).toEqual({ interrupted: 1, requeued: 1 });
    const next = await made.store.turn("t_next");
    if (next === undefined) throw new Error("the queued turn is gone");
    expect(await again.conversations.ended(next)).toMatchObject({ status: "complete" });
    expect(await made.store.turn("t_half")).toMatchObject({
      status: "interrupted",
      why: expect.stringContaining("Send the message again"),
    });
    await say(again.conversations, conversation, "deploy it");
    // Test and build were proven before: nothing is denied any more.
    expect(decisions(again.events)).toEqual(["build allow", "deploy allow", "write_file allow"]);
    await again.conversations.close();
    await again.conduct.close();
  });

  it("GW-5 a cancelled turn ends, queued ones are dropped, and the next one runs", async () => {
    const { conversations } = world();
    const conversation = await conversations.start(WEB);
    const turns = await Promise.all(
      ["deploy it", "hello"].map((text) => conversations.submit(conversation, { text, sender })),
    );
    expect(await conversations.cancel(conversation.id)).toBe(2);
    const ended = await Promise.all(turns.map((turn) => conversations.ended(turn)));
    expect(ended.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    expect(await say(conversations, conversation, "hello")).toMatchObject({ status: "complete" });
  });

  it("GW-6 too many messages are rejected with a hint to wait, and none is lost", async () => {
    const { conversations, store } = world();
    const conversation = await conversations.start(WEB);
    const sent = Array.from({ length: 40 }, (_, at) =>
      conversations.submit(conversation, { text: `hello ${at}`, sender }),
    );
    const done = await Promise.allSettled(sent);
    const refused = done.filter((one) => one.status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ reason }) => reason instanceof BusyError)).toBe(true);
    const turns = await store.turns({ conversation: conversation.id, limit: 100 });
    expect(turns).toHaveLength(40 - refused.length);
    await conversations.cancel(conversation.id);
  });

  it("GW-7 a question waits for a person: yes runs the call, a timeout denies it, and a later yes allows one retry", async () => {
    const asks = { name: "careful", check: () => ask("Deploy now?") };
    const agents = [defineAgent({ name: "demo", tools: [{ name: "deploy" }], policies: [asks] })];
    const { conversations, approvals, events } = world({ agents, waitMs: 50 });
    const conversation = await conversations.start(WEB);
    const stop = approvals.onAsked(({ approval }) =>
      approvals.answer(approval, { answer: "yes", by: "ann" }, Date.now()),
    );
    await say(conversations, conversation, "deploy it");
    expect(decisions(events).at(-1)).toBe("deploy allow");
    stop();
    await say(conversations, conversation, "deploy it");
    const [open] = await approvals.list(Date.now());
    expect(open).toMatchObject({ question: expect.stringContaining("Deploy now?"), user: "ann", tool: "deploy" });
    expect(await approvals.answer(open?.approval ?? "", { answer: "yes", by: "ann" }, Date.now())).toBe(true);
    expect(await approvals.answer(open?.approval ?? "", { answer: "yes", by: "ann" }, Date.now())).toBe(false);
    await say(conversations, conversation, "deploy it");
    expect(decisions(events).at(-1)).toBe("deploy allow");
  });

  it("GW-8 the user's time zone and the channel are in the prompt", async () => {
    const { conversations } = world();
    const conversation = await conversations.start({ ...WEB, channel: "telegram" });
    const { text } = await (await conversations.session(conversation)).onPrompt();
    expect(text).toContain("Europe/London");
    expect(text).toMatch(/telegram/i);
  });

  it("GW-9 an idle conversation is unloaded and restored unchanged", async () => {
    const time = { now: Date.now() };
    const { conversations, events } = world({ clock: { now: () => time.now, monotonic: () => time.now } });
    const conversation = await conversations.start(WEB);
    await say(conversations, conversation, "run the tests");
    await conversations.sweep();
    expect(conversations.live).toBe(1);
    time.now += 11 * 60_000;
    await conversations.sweep();
    expect(conversations.live).toBe(0);
    await say(conversations, conversation, "deploy it");
    // What was proven before it left still holds: only the build is missing.
    expect(decisions(events).slice(0, 3)).toEqual(["test allow", "deploy deny", "build allow"]);
  });

  it("GW-60 recovery never treats a turn of this process as left by a crash", async () => {
    const { conversations, store } = world();
    const conversation = await conversations.start(WEB);
    conversations.hold();
    const turns = await Promise.all(
      ["hello", "hello again"].map((text) => conversations.submit(conversation, { text, sender })),
    );
    expect(await conversations.recovery.recover()).toEqual({ interrupted: 0, requeued: 0 });
    conversations.release();
    const ended = turns.map((turn) => conversations.ended(turn));
    // Now one of them runs and the other waits.
    expect(await conversations.recovery.recover()).toEqual({ interrupted: 0, requeued: 0 });
    expect((await Promise.all(ended)).map(({ status }) => status)).toEqual(["complete", "complete"]);
    expect(await store.openTurns()).toEqual([]);
  });

  it("GW-61 while turns are paused, messages are accepted and queued, and recovered turns run before them", async () => {
    const { conversations, store } = world();
    const conversation = await conversations.start(WEB);
    const left = { id: "left", conversation: conversation.id, text: "first", at: 1, status: "queued" as const };
    await store.addTurn(left);
    conversations.hold();
    expect(await conversations.recovery.recover()).toEqual({ interrupted: 0, requeued: 1 });
    const later = await conversations.submit(conversation, { text: "second", sender });
    expect((await store.turn("left"))?.status).toBe("queued");
    conversations.release();
    const ended = await conversations.ended(later);
    const first = await store.turn("left");
    expect([first?.status, ended.status]).toEqual(["complete", "complete"]);
    expect(first?.endedAt ?? 0).toBeLessThanOrEqual(ended.endedAt ?? 0);
  });
});
