import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Script } from "../../testing/test/model-server/index.ts";
import type { SteadyLimits } from "./runtimes/steady-stream.ts";
import { ran, WEB, world } from "./test/test-faults.ts";
import { say } from "./test/test-gateway.ts";

const streamed = ({ updates }: Awaited<ReturnType<typeof world>>) =>
  updates.map((update) => (update.kind === "text" ? update.delta : "")).join("");
const refused = (status: number) => ({ error: { status, message: "not now", retryAfterMs: 5 } });

describe("a model server with a fault, once", () => {
  const heals: readonly (readonly [string, Script])[] = [
    ["429 with retry-after", [refused(429), { text: "Here I am." }]],
    ["500 twice", [refused(500), refused(500), { text: "Here I am." }]],
    ["a stream that drops before any output", [{ broken: "drops" }, { text: "Here I am." }]],
    ["a stream that is garbled before any output", [{ broken: "garbles" }, { text: "Here I am." }]],
  ];
  it.each(heals)(
    "GW-30 after a fault (%s) the model request is retried, and the person sees only the answer",
    async (_, script) => {
      const test = await world(script);
      const conversation = await test.conversations.start(WEB);
      expect(await say(test.conversations, conversation, "hello")).toMatchObject({
        status: "complete",
        answer: "Here I am.",
      });
      expect(streamed(test)).toBe("Here I am.");
      test.server.assertPlayed();
    },
  );
});

describe("a model server with a fault that stays", () => {
  const stays: readonly {
    readonly fault: string;
    readonly script: Script;
    readonly why: RegExp;
    readonly answer?: string;
    readonly asked: number;
    readonly limits?: Partial<SteadyLimits>;
  }[] = [
    { fault: "429", script: () => refused(429), why: /too many requests.*not now/, asked: 3 },
    { fault: "500", script: () => refused(500), why: /internal error.*not now/, asked: 3 },
    {
      fault: "429 with a retry-after of an hour",
      script: () => ({ error: { status: 429, message: "not now", retryAfterMs: 3_600_000 } }),
      why: /asks for a long wait.*3600s/,
      asked: 1,
    },
    { fault: "401", script: () => refused(401), why: /rejects the key/, asked: 1 },
    { fault: "drops before output", script: () => ({ broken: "drops" }), why: /broke off/, asked: 3 },
    { fault: "garbles before output", script: () => ({ broken: "garbles" }), why: /unreadable response/, asked: 3 },
    { fault: "an empty answer", script: () => ({ text: "" }), why: /empty answer/, asked: 1 },
    {
      fault: "drops after a few words",
      script: () => ({ broken: "drops", text: "The first half" }),
      why: /broke off/,
      answer: "The first half",
      asked: 1,
    },
    {
      fault: "garbles after a few words",
      script: () => ({ broken: "garbles", text: "The first half" }),
      why: /unreadable response/,
      answer: "The first half",
      asked: 1,
    },
    {
      fault: "hangs without a word",
      script: () => new Promise(() => undefined),
      why: /sent nothing for/,
      asked: 1,
      limits: { idleMs: 1_000 },
    },
    {
      fault: "hangs in the stream",
      script: () => ({ broken: "hangs", text: "The first half" }),
      why: /sent nothing for/,
      answer: "The first half",
      asked: 1,
      limits: { idleMs: 4_000 },
    },
  ];

  it.each(stays)(
    "GW-31 a lasting fault ($fault) fails the turn with a clear reason, is recorded, and the next turn works",
    async (row) => {
      const test = await world(row.script, row.limits === undefined ? {} : { limits: row.limits });
      const { conversations, store, server } = test;
      const conversation = await conversations.start(WEB);
      const turn = await say(conversations, conversation, "hello");
      expect(turn).toMatchObject({ status: "failed", answer: row.answer ?? "", why: expect.stringMatching(row.why) });
      expect(turn.why?.length).toBeLessThan(300);
      expect(server.requests).toHaveLength(row.asked);
      expect(streamed(test)).toBe(row.answer ?? "");
      expect(await store.turn(turn.id)).toEqual(turn);
      server.setScript([{ text: "Back again." }]);
      expect(await say(conversations, conversation, "and now?")).toMatchObject({
        status: "complete",
        answer: "Back again.",
      });
      expect(server.requests.at(-1)?.lastUserText).toContain("and now?");
    },
  );

  it("GW-32 a turn whose model hangs can be cancelled at once", async () => {
    const { conversations, updates } = await world(() => ({ broken: "hangs", text: "Wait" }));
    const conversation = await conversations.start(WEB);
    const speaking = new Promise<void>((resolve) => {
      conversations.updates.subscribe(conversation.id, ({ kind }) => kind === "text" && resolve());
    });
    const turn = await conversations.submit(conversation, { text: "hello", sender: { id: "ann", role: "operator" } });
    await speaking;
    expect(await conversations.cancel(conversation.id)).toBe(1);
    expect(await conversations.ended(turn)).toMatchObject({ status: "cancelled" });
    expect(updates.filter(({ kind }) => kind === "text").length).toBeGreaterThan(0);
  });

  it("GW-33 a model fault after a call does not run the call again", async () => {
    const append = { name: "shell", input: { command: "echo x >> ran.txt" } };
    const test = await world([{ calls: [append] }, refused(500), { text: "Written once." }]);
    const conversation = await test.conversations.start(WEB);
    expect(await say(test.conversations, conversation, "go")).toMatchObject({
      status: "complete",
      answer: "Written once.",
    });
    expect(ran(test.root, conversation.id)).toBe("x\n");
    test.server.setScript([{ calls: [append] }, () => refused(500), () => refused(500), () => refused(500)]);
    expect(await say(test.conversations, conversation, "again")).toMatchObject({ status: "failed" });
    test.server.setScript([{ text: "I see it." }]);
    await say(test.conversations, conversation, "well?");
    expect(ran(test.root, conversation.id)).toBe("x\nx\n");
    expect(test.server.requests.at(-1)?.results).toHaveLength(2);
  });
});

describe("a tool that hangs", () => {
  async function hanging(options: Parameters<typeof world>[1]) {
    const wait = {
      calls: [{ name: "shell", input: { command: "for n in $(seq 1200); do [ -e go ] && break; sleep 0.05; done" } }],
    };
    const test = await world([wait, { text: "It did not answer." }], options);
    const conversation = await test.conversations.start(WEB);
    await test.conversations.session(conversation);
    // Lets go of the command that was left behind.
    onTestFinished(() => writeFileSync(join(test.root, "work", conversation.id, "go"), ""));
    return { ...test, conversation };
  }

  it("GW-34 a hanging tool is abandoned after its timeout, and the model is informed", async () => {
    const { conversations, conversation, server } = await hanging({ toolMs: 300 });
    expect(await say(conversations, conversation, "read it")).toMatchObject({
      status: "complete",
      answer: "It did not answer.",
    });
    expect(server.requests.at(-1)?.results.at(-1)?.text).toMatch(/shell did not finish within 0.3 seconds/);
  });

  it("GW-35 a hanging tool does not delay the cancellation of its turn", async () => {
    const { conversations, conversation, events } = await hanging({});
    const turn = await conversations.submit(conversation, { text: "read it", sender: { id: "ann", role: "operator" } });
    await expect.poll(() => events.some(({ type }) => type === "call"), { timeout: 20_000 }).toBe(true);
    await conversations.cancel(conversation.id);
    expect(await conversations.ended(turn)).toMatchObject({ status: "cancelled" });
  });
});

describe("a gateway that ends in the middle of a call", () => {
  it("GW-36 after a process ends during a call, the next one reports it, repeats nothing, and continues the conversation", async () => {
    const slow = { name: "shell", input: { command: "echo x >> ran.txt; sleep 60" } };
    const test = await world([{ calls: [slow] }, { text: "Where were we?" }]);
    const conversation = await test.conversations.start(WEB);
    const turn = await test.conversations.submit(conversation, { text: "go", sender: { id: "ann", role: "operator" } });
    await expect.poll(() => ran(test.root, conversation.id), { timeout: 20_000 }).toBe("x\n");
    // The first one is still in the call: as if it had been killed there.
    const next = test.open();
    onTestFinished(() => next.conversations.close(0));
    expect(await next.conversations.recovery.recover()).toEqual({ interrupted: 1, requeued: 0 });
    expect(await test.store.turn(turn.id)).toMatchObject({
      status: "interrupted",
      why: expect.stringMatching(/again/),
    });
    expect(await say(next.conversations, conversation, "hello?")).toMatchObject({
      status: "complete",
      answer: "Where were we?",
    });
    expect(ran(test.root, conversation.id)).toBe("x\n");
  });
});
