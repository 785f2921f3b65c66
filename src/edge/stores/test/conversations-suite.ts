import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { Conversation, TurnRecord } from "../../../base/words/hosting/conversation.ts";

const talk = (id: string, lastAt = 1, more: Partial<Conversation> = {}): Conversation => ({
  id,
  agent: "ada",
  user: "ann",
  channel: "web",
  at: 0.5,
  lastAt,
  ...more,
});
const turn = (id: string, at = 1, more: Partial<TurnRecord> = {}): TurnRecord => ({
  id,
  conversation: "s1",
  text: "hi 🙂",
  sender: { id: "ann", role: "user" },
  at,
  status: "queued",
  ...more,
});

/** What every store of conversations does. */
export function conversationsSuite(name: string, open: () => Promise<ConversationsStore>): void {
  describe(`conversations: ${name}`, () => {
    it("CNV-1 conversations are listed newest first, filtered and page by page", async () => {
      const store = await open();
      const all = [
        talk("s1", 1),
        talk("s2", 3, { user: "bob" }),
        talk("s3", 2, { channel: "telegram", address: "-77" }),
      ];
      for (const one of all) await store.create(one);
      expect(await store.read("s3")).toEqual(all[2]);
      expect(await store.read("none")).toBeUndefined();
      const ids = async (query: Parameters<typeof store.list>[0]) => (await store.list(query)).map(({ id }) => id);
      expect(await ids({ limit: 10 })).toEqual(["s2", "s3", "s1"]);
      expect(await ids({ limit: 1, before: 3 })).toEqual(["s3"]);
      expect(await ids({ limit: 10, user: "ann" })).toEqual(["s3", "s1"]);
      expect(await ids({ limit: 10, channel: "web", agent: "ada" })).toEqual(["s2", "s1"]);
      expect((await store.at("telegram", "-77"))?.id).toBe("s3");
      expect(await store.at("telegram", "77")).toBeUndefined();
      await expect(store.create(talk("s1"))).rejects.toThrow();
    });

    it("CNV-2 entries are appended to a transcript only after its last entry", async () => {
      const store = await open();
      await store.create(talk("s1"));
      expect(await store.append("s1", 0, [{ a: 1 }, { b: 2 }])).toBe(true);
      expect(await store.append("s1", 0, [{ x: 1 }])).toBe(false);
      expect(await store.append("s1", 3, [{ x: 1 }])).toBe(false);
      expect(await store.append("s1", 2, [])).toBe(true);
      expect(await store.append("s1", 2, [{ c: 3 }])).toBe(true);
      expect(await store.transcript("s1")).toEqual([
        { seq: 1, entry: { a: 1 } },
        { seq: 2, entry: { b: 2 } },
        { seq: 3, entry: { c: 3 } },
      ]);
    });

    it("CNV-3 of concurrent appends to a transcript exactly one wins as a whole", async () => {
      const store = await open();
      await store.create(talk("s1"));
      const won = await Promise.all(
        Array.from({ length: 6 }, (_, at) =>
          store.append(
            "s1",
            0,
            Array.from({ length: at + 1 }, () => ({ at })),
          ),
        ),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      const winner = won.indexOf(true);
      const kept = await store.transcript("s1");
      expect(kept.map(({ entry }) => entry.at)).toEqual(Array.from({ length: winner + 1 }, () => winner));
    });

    it("CNV-4 any entry and long transcripts are read back unchanged", async () => {
      const store = await open();
      await store.create(talk("s1"));
      const values = fc.sample(fc.jsonValue({ stringUnit: "binary" }), { numRuns: 300, seed: 7 });
      const entries = values.map((value) => JSON.parse(JSON.stringify({ value })));
      const many = Array.from({ length: 4 }, () => entries).flat();
      expect(await store.append("s1", 0, many)).toBe(true);
      expect((await store.transcript("s1")).map(({ entry }) => entry)).toEqual(many);
    });

    it("CNV-5 two messages with the same id are one turn, even if both arrive at once", async () => {
      const store = await open();
      await store.create(talk("s1"));
      const sent = await Promise.all(["t1", "t2", "t3"].map((id) => store.addTurn(turn(id, 2, { messageId: "m'1" }))));
      expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
      expect(await store.turns({ conversation: "s1", limit: 9 })).toHaveLength(1);
      // In another conversation it is another message.
      expect((await store.addTurn(turn("t9", 2, { conversation: "s2", messageId: "m'1" }))).id).toBe("t9");
    });

    it("CNV-6 turns are found, listed and updated; the conversation's time follows and never decreases", async () => {
      const store = await open();
      await store.create(talk("s1", 1));
      for (const one of [turn("t0", 5), turn("t1", 10), turn("t2", 20), turn("t3", 30)]) await store.addTurn(one);
      await store.updateTurn(turn("t0", 5, { status: "complete", endedAt: 40 }));
      // The end of a short turn does not change it.
      expect((await store.read("s1"))?.lastAt).toBe(30);
      await store.updateTurn(turn("t1", 10, { status: "complete", answer: "yes", endedAt: 60_040 }));
      await store.updateTurn(turn("t2", 20, { status: "running" }));
      expect(await store.turn("t1")).toEqual(turn("t1", 10, { status: "complete", answer: "yes", endedAt: 60_040 }));
      expect((await store.read("s1"))?.lastAt).toBe(60_040);
      expect((await store.turns({ conversation: "s1", limit: 2 })).map(({ id }) => id)).toEqual(["t3", "t2"]);
      expect((await store.turns({ conversation: "s1", limit: 2, before: 20 })).map(({ id }) => id)).toEqual([
        "t1",
        "t0",
      ]);
      expect((await store.openTurns()).map(({ id, status }) => `${id} ${status}`)).toEqual(["t2 running", "t3 queued"]);
      await expect(store.updateTurn(turn("none"))).rejects.toThrow("no turn");
    });

    it("CNV-21 of concurrent ends of a turn one wins, and the turn never changes afterwards", async () => {
      const store = await open();
      await store.create(talk("s1", 1));
      await store.addTurn(turn("t1", 10));
      const ends = Array.from({ length: 8 }, (_, at) =>
        turn("t1", 10, { status: at % 2 === 0 ? "complete" : "interrupted", answer: String(at), endedAt: 20 + at }),
      );
      const won = await Promise.all(ends.map((end) => store.updateTurn(end)));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await store.turn("t1")).toEqual(ends[won.indexOf(true)]);
      expect(await store.updateTurn(turn("t1", 10, { status: "running" }))).toBe(false);
      expect(await store.openTurns()).toEqual([]);
    });

    it("CNV-7 removing a conversation deletes its transcript and turns, and nothing else", async () => {
      const store = await open();
      for (const id of ["s1", "s2"]) {
        await store.create(talk(id));
        await store.append(id, 0, [{ id }]);
        await store.addTurn(turn(`${id}t`, 1, { conversation: id }));
      }
      await store.remove("s1");
      expect(await store.read("s1")).toBeUndefined();
      expect(await store.transcript("s1")).toEqual([]);
      expect(await store.turn("s1t")).toBeUndefined();
      expect(await store.transcript("s2")).toHaveLength(1);
    });

    it("CNV-20 paging through conversations skips none, even among those with the same time", async () => {
      const store = await open();
      const times = [5, 5, 5, 5, 4, 3, 3, 3];
      for (const [at, lastAt] of times.entries())
        await store.create({ id: `p${at}`, agent: "ada", user: "ann", channel: "web", at: lastAt, lastAt });
      await store.create({ id: "q", agent: "ada", user: "eve", channel: "web", at: 9, lastAt: 9 });
      for (const [at, time] of times.entries())
        await store.addTurn({ id: `t${at}`, conversation: "q", text: "x", at: time, status: "queued" });
      for (const limit of [1, 2, 3, 4, 7, 8, 9]) {
        const seen: string[] = [];
        for (let before: number | undefined = 8; before !== undefined; ) {
          const page = await store.list({ limit, before, user: "ann" });
          seen.push(...page.map(({ id }) => id));
          before = page.length < limit ? undefined : page.at(-1)?.lastAt;
        }
        expect(seen.toSorted()).toEqual(times.map((_, at) => `p${at}`));
        const turns: string[] = [];
        for (let before: number | undefined = 8; before !== undefined; ) {
          const page = await store.turns({ conversation: "q", limit, before });
          turns.push(...page.map(({ id }) => id));
          before = page.length < limit ? undefined : page.at(-1)?.at;
        }
        expect(turns.toSorted()).toEqual(times.map((_, at) => `t${at}`));
      }
    });
  });
}
