import { describe, expect, it } from "vitest";
import { WEB, world } from "../test/test-faults.ts";

const sender = { id: "ann", role: "operator", user: "ann" } as const;
const shell = { calls: [{ id: "call_1", name: "shell", input: { command: "true" } }] };

/** A turn whose first model request waits until it is let go. */
async function steered(first: object) {
  const gate = Promise.withResolvers<void>();
  const test = await world(async ({ index, raw }) => {
    if (index === 0) await gate.promise;
    if (index === 0) return first as never;
    return { text: raw.includes("make it BLUE") ? "Blue." : "Done." };
  });
  const conversation = await test.conversations.start(WEB);
  const turn = await test.conversations.submit(conversation, { text: "begin", sender, id: "m1" });
  await expect.poll(() => test.server.requests.length, { timeout: 20_000 }).toBe(1);
  const said = () =>
    test.events.flatMap((event) =>
      event.type === "message" ? [{ text: event.text, id: event.messageId, by: event.sender?.id }] : [],
    );
  const turns = async () =>
    (await test.store.turns({ conversation: conversation.id, limit: 10 }))
      .map(({ text, status, messageId }) => `${text}: ${status} ${messageId}`)
      .reverse();
  const rest = async () => {
    for (const one of await test.store.turns({ conversation: conversation.id, limit: 10 }))
      await test.conversations.ended(one);
  };
  return { ...test, conversation, turn, gate, said, turns, rest };
}

const BLUE = { text: "make it BLUE", sender, id: "m2" };

describe("steering on Pi", () => {
  it("ST-1 a steered message has its sender and id, and its directives count", async () => {
    const test = await steered(shell);
    const more = { ...BLUE, text: "make it BLUE\nSTOP: long status reports" };
    expect((await test.conversations.steer(test.conversation, more)).id).toBe(test.turn.id);
    test.gate.resolve();
    expect(await test.conversations.ended(test.turn)).toMatchObject({ status: "complete", answer: "Blue." });
    expect(test.said()).toEqual([
      { text: "begin", id: "m1", by: "ann" },
      { text: more.text, id: "m2", by: "ann" },
    ]);
    expect(test.events.flatMap((event) => (event.type === "directive" ? [event.outcome] : []))).toEqual(["added"]);
    expect(await test.turns()).toEqual(["begin: complete m1"]);
  });

  it("ST-2 a message id sent twice is steered once", async () => {
    const test = await steered(shell);
    await Promise.all([1, 2].map(() => test.conversations.steer(test.conversation, BLUE)));
    test.gate.resolve();
    await test.conversations.ended(test.turn);
    expect(test.said().filter(({ id }) => id === "m2")).toHaveLength(1);
  });

  it("ST-3 steered messages that a failed turn did not read become turns before the queued ones", async () => {
    const test = await steered({ error: { status: 401, message: "no", retry: false } });
    await test.conversations.submit(test.conversation, { text: "waits", sender, id: "m3" });
    await test.conversations.steer(test.conversation, BLUE);
    test.gate.resolve();
    expect(await test.conversations.ended(test.turn)).toMatchObject({ status: "failed" });
    await expect.poll(test.turns, { timeout: 20_000 }).toHaveLength(3);
    await test.rest();
    expect(test.said().map(({ id }) => id)).toEqual(["m1", "m2", "m3"]);
    expect((await test.turns()).toSorted()).toEqual([
      "begin: failed m1",
      "make it BLUE: complete m2",
      "waits: complete m3",
    ]);
  });

  it("ST-4 cancelling a turn cancels its unread steered messages, also for the next turn", async () => {
    const test = await steered({ text: "never" });
    await test.conversations.steer(test.conversation, BLUE);
    const cancelling = test.conversations.cancel(test.conversation.id);
    test.gate.resolve();
    await cancelling;
    expect(await test.turns()).toEqual(["begin: cancelled m1", "make it BLUE: cancelled m2"]);
    const next = await test.conversations.submit(test.conversation, { text: "hello", sender });
    expect(await test.conversations.ended(next)).toMatchObject({ answer: "Done." });
  });
});
