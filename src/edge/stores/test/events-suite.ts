import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventFilter, EventJournal, KeptEvent } from "../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Json } from "../../../base/words/json.ts";
import { summarise } from "../../../engine/journal/session-figures.ts";
import { figuresSuite } from "./events-figures-suite.ts";
import { ALLOW, BODIES, OPENED, STORY, sampleCall, sampleEvent } from "./events-samples.ts";
import { toldSuite } from "./events-told-suite.ts";

async function told(open: () => Promise<EventJournal>): Promise<EventJournal> {
  const journal = await open();
  await journal.append(STORY);
  return journal;
}

function ids(events: readonly KeptEvent[]): readonly number[] {
  return events.map(({ event }) => Number(event.id.slice(2)));
}

async function readAll(journal: EventJournal, filter: EventFilter = {}, limit = 3): Promise<readonly KeptEvent[]> {
  const all: KeptEvent[] = [];
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
    const page: Awaited<ReturnType<EventJournal["read"]>> = await journal.read({ ...filter, before, limit });
    all.push(...page.events);
    before = page.next;
  }
  return all;
}

/** What every store of events does. */
export function eventsSuite(name: string, open: () => Promise<EventJournal>): void {
  toldSuite(name, open);
  figuresSuite(name, open);
  describe(`events: ${name}`, () => {
    it("JNL-1 the journal starts empty and returns events unchanged and in order", async () => {
      const journal = await open();
      expect(await journal.head()).toBe(0);
      expect(await journal.read({ limit: 5 })).toEqual({ events: [] });
      expect(await journal.follow({ after: 0, limit: 5 })).toEqual([]);
      expect(await journal.append([])).toBe(0);
      expect(await journal.append(STORY)).toBe(10);
      const all = await journal.follow({ after: 0, limit: 100 });
      expect(all.map(({ event }) => event)).toEqual(STORY);
      expect(await journal.head()).toBe(all.at(-1)?.position);
      expect(await readAll(journal)).toEqual(all.toReversed());
    });

    it("JNL-40 whole sessions are read in the requested order from the start, and an unknown one is empty", async () => {
      const journal = await told(open);
      const of = (session: string) => STORY.filter((event) => event.session === session);
      expect(of("s_1").length).toBeGreaterThan(1);
      expect(await journal.histories([])).toEqual([]);
      expect(await journal.histories(["s_2", "s_9", "s_1"])).toEqual([of("s_2"), [], of("s_1")]);
      expect(await journal.histories(["s_1", "s_1"])).toEqual([of("s_1"), of("s_1")]);
      const odd = { session: "a name with / and 'quotes'" };
      await journal.append([sampleEvent(OPENED, { id: "e_odd", ...odd })]);
      expect((await journal.histories([odd.session]))[0]?.map(({ id }) => id)).toEqual(["e_odd"]);
      const many = Array.from({ length: 1_100 }, (_, at) =>
        sampleEvent(OPENED, { id: `m_${at}`, session: `many_${at}` }),
      );
      await journal.append(many);
      const found = await journal.histories(many.map(({ session }) => session));
      expect(found.flat().map(({ id }) => id)).toEqual(many.map(({ id }) => id));
    });

    it("JNL-2 an event is stored once, in its first form, however often it is appended", async () => {
      const journal = await told(open);
      const again = STORY.slice(0, 3).map((event) => ({ ...event, agent: "changed" }));
      const more = sampleEvent(OPENED, { id: "e_11", session: "s_3" });
      expect(await journal.append([...again, more, more])).toBe(1);
      expect(await journal.count({})).toBe(11);
      expect((await journal.find("e_1"))?.event).toEqual(STORY[0]);
      expect((await journal.session("s_1"))?.calls).toBe(2);
      const many = Array.from({ length: 10 }, () => journal.append([sampleEvent(OPENED, { id: "e_12" })]));
      expect((await Promise.all(many)).reduce((sum, one) => sum + one, 0)).toBe(1);
    });

    it.each<{ filter: EventFilter; found: readonly number[] }>([
      { filter: {}, found: [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] },
      { filter: { session: "s_1" }, found: [8, 7, 3, 2, 1] },
      { filter: { session: "s_9" }, found: [] },
      { filter: { agent: "bob" }, found: [10, 9, 6, 5, 4] },
      { filter: { channel: "telegram" }, found: [10, 9, 6, 5, 4] },
      { filter: { channel: "Telegram" }, found: [] },
      { filter: { types: ["call", "stop"] }, found: [9, 8, 7, 5, 3] },
      { filter: { types: [] }, found: [] },
      { filter: { denied: true }, found: [9, 3] },
      { filter: { denied: true, channel: "web" }, found: [3] },
      { filter: { objected: true }, found: [9, 5, 3] },
      { filter: { objected: true, since: 1_004, agent: "bob" }, found: [9, 5] },
      { filter: { since: 1_008 }, found: [10, 9] },
      { filter: { agent: "ada", types: ["call"], since: 1_003 }, found: [7] },
      { filter: { agent: "' or 1=1 --" }, found: [] },
      { filter: { text: "tests PASSED" }, found: [9, 3] },
      { filter: { text: "tests passed", session: "s_1", denied: true }, found: [3] },
      { filter: { text: "shel" }, found: [9, 7, 5, 3] },
      { filter: { text: "ann" }, found: [6, 4, 1] },
      { filter: { text: "hell" }, found: [] },
      { filter: { text: "ada" }, found: [] },
      { filter: { text: "" }, found: [] },
      { filter: { text: "' or 1=1 -- \" * : & | (" }, found: [] },
    ])(
      "JNL-3 the filter $filter returns $found, the same in pages, in counts and when following",
      async ({ filter, found }) => {
        const journal = await told(open);
        expect(ids(await readAll(journal, filter))).toEqual(found);
        expect(ids(await readAll(journal, filter, 1))).toEqual(found);
        expect(ids(await journal.follow({ ...filter, after: 0, limit: 100 }))).toEqual(found.toReversed());
        expect(await journal.count(filter)).toBe(found.length);
      },
    );

    it("JNL-26 calls that a rule would have denied in shadow are found with the denied ones", async () => {
      const journal = await told(open);
      const shadows = [{ rule: "tests-first", code: "policy", reason: "no tests" }] as const;
      const [quiet, loud] = [
        { ...sampleCall(ALLOW), shadows: [] },
        { ...sampleCall(ALLOW), shadows },
      ];
      await journal.append([sampleEvent(quiet, { id: "e_21" }), sampleEvent(loud, { id: "e_22" })]);
      expect(ids(await readAll(journal, { objected: true }))).toEqual([22, 9, 5, 3]);
      expect(ids(await readAll(journal, { objected: true, denied: true }, 1))).toEqual([9, 3]);
    });

    it("JNL-4 following continues after a position, even if the newest events were deleted", async () => {
      const journal = await told(open);
      const [first] = await journal.follow({ after: 0, limit: 1 });
      expect(ids(await journal.follow({ after: first?.position ?? 0, limit: 2 }))).toEqual([2, 3]);
      const head = await journal.head();
      expect(await journal.follow({ after: head, limit: 9 })).toEqual([]);
      await journal.deleteSession("s_2");
      await journal.append([sampleEvent(OPENED, { id: "e_20", session: "s_2" })]);
      expect(ids(await journal.follow({ after: head, limit: 9 }))).toEqual([20]);
    });

    it.each([
      { id: "d_1", found: [3] },
      { id: "d_2", found: [5] },
      { id: "a_1", found: [5, 6] },
      { id: "e_1", found: [] },
      { id: "D_1", found: [] },
    ])("JNL-5 a search for the decision or approval $id returns $found", async ({ id, found }) => {
      const journal = await told(open);
      expect(ids(await journal.findDecision(id))).toEqual(found);
      expect(await journal.find("e_99")).toBeUndefined();
    });

    it("JNL-6 every session has a summary, newest first", async () => {
      const journal = await told(open);
      const ada = {
        session: "s_1",
        agent: "ada",
        user: "ann",
        channel: "web",
        startedAt: 1_000,
        lastAt: 1_007,
        ended: false,
        turns: 2,
        prompts: 0,
        calls: 2,
        denials: 1,
        stopsRefused: 1,
        incomplete: 0,
        tokens: 120,
      };
      const bob = {
        session: "s_2",
        parent: "s_1",
        agent: "bob",
        channel: "telegram",
        ended: true,
        turns: 3,
        denials: 1,
      };
      expect(await journal.session("s_1")).toEqual(ada);
      expect(await journal.session("s_9")).toBeUndefined();
      const { sessions, total } = await journal.sessions({ limit: 10 });
      expect(total).toBe(2);
      expect(sessions).toEqual([expect.objectContaining(bob), ada]);
      expect(await journal.sessions({ limit: 1, offset: 1 })).toEqual({ sessions: [ada], total: 2 });
      for (const [query, count] of [
        [{ parent: "s_1" }, 1],
        [{ parent: "s_2" }, 0],
        [{ parent: "S_1" }, 0],
        [{ parent: '%","agent' }, 0],
        [{ agent: "bob" }, 1],
        [{ channel: "web" }, 1],
        [{ user: "ann" }, 2],
        [{ user: "Ann" }, 0],
        [{ since: 1_009 }, 1],
        [{ agent: "bob", channel: "web" }, 0],
      ] as const)
        expect((await journal.sessions({ ...query, limit: 5 })).total).toBe(count);
      expect(await journal.agents()).toEqual([
        { agent: "bob", sessions: 1, lastAt: 1_009 },
        { agent: "ada", sessions: 1, lastAt: 1_007 },
      ]);
    });

    it("JNL-7 deleting a session leaves nothing of it and does not affect others", async () => {
      const journal = await told(open);
      expect(await journal.deleteSession("s_1")).toBe(5);
      expect(await journal.deleteSession("s_1")).toBe(0);
      expect(await journal.session("s_1")).toBeUndefined();
      expect(await journal.findDecision("d_1")).toEqual([]);
      expect(ids(await readAll(journal, { text: "tests" }))).toEqual([9]);
      expect(ids(await readAll(journal))).toEqual([10, 9, 6, 5, 4]);
    });

    it.each([
      { before: 1_000, left: [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] },
      // A session that went on keeps what says whose it is.
      { before: 1_007, left: [10, 9, 8, 4, 1] },
      { before: 1_008, left: [10, 9, 4] },
      { before: 5_000, left: [] },
    ])(
      "JNL-8 events before $before are deleted, and the figures match the remaining ones",
      async ({ before, left }) => {
        const journal = await told(open);
        expect(await journal.expire(before)).toBe(10 - left.length);
        expect(ids(await readAll(journal))).toEqual(left);
        await expectFolded(journal);
        for (const one of (await journal.sessions({ limit: 9 })).sessions) expect(one.user).toBe("ann");
      },
    );

    it("JNL-9 replaying the stored events gives the same figures as live, for any events", async () => {
      const journal = await open();
      let made = 0;
      const bodies = BODIES.map(([body]) => body);
      const one = fc.record({ body: fc.constantFrom(...bodies), session: fc.nat(4), at: fc.nat(50), turn: fc.nat(9) });
      const step = fc.oneof(
        { weight: 8, arbitrary: fc.array(one, { maxLength: 6 }) },
        fc.record({ expire: fc.nat(50) }),
        fc.record({ forget: fc.nat(4) }),
      );
      await fc.assert(
        fc.asyncProperty(step, async (action) => {
          if ("expire" in action) await journal.expire(action.expire);
          else if ("forget" in action) await journal.deleteSession(`p_${action.forget}`);
          else {
            const events = action.map(({ body, session, at, turn }) =>
              sampleEvent(body, { at, turn, session: `p_${session}`, id: `p_${made++}` }),
            );
            await journal.append(events);
          }
          await expectFolded(journal);
          const live = await journal.sessions({ limit: 100 });
          expect(await journal.rebuild()).toBe(live.total);
          expect(await journal.sessions({ limit: 100 })).toEqual(live);
        }),
        { numRuns: 40 },
      );
    });

    it("JNL-10 events with any JSON and any name are read back unchanged", async () => {
      const journal = await open();
      let made = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.jsonValue({ stringUnit: "binary" }),
          fc.string({ unit: "binary" }),
          async (value, given) => {
            const label = `${made++}${given}`;
            const body = sampleCall({ ...ALLOW, id: `d${label}` }, "shell", { value: value as Json });
            const event = sampleEvent(body, { id: `e${label}`, session: label, agent: `a${given}` });
            const plain = JSON.parse(JSON.stringify(event)) as ConductEvent;
            expect(await journal.append([event])).toBe(1);
            expect((await journal.find(event.id))?.event).toEqual(plain);
            expect((await journal.findDecision(`d${label}`)).map((one) => one.event)).toEqual([plain]);
            expect(await journal.session(label)).toEqual(summarise(undefined, plain));
            expect(await journal.count({ session: label, agent: event.agent })).toBe(1);
          },
        ),
        { numRuns: 50 },
      );
    });

    it("JNL-11 a follower of the journal misses nothing while others write", async () => {
      const journal = await open();
      let writing = true;
      const write = async (writer: number) => {
        for (let batch = 0; batch < 10; batch++) {
          const some = [0, 1, 2].map((part) => sampleEvent(OPENED, { id: `w_${writer}_${batch}_${part}` }));
          await journal.append(some);
        }
      };
      const follow = async () => {
        const seen: string[] = [];
        for (let after = 0, done = false; !done; ) {
          done = !writing;
          const some = await journal.follow({ after, limit: 1_000 });
          seen.push(...some.map(({ event }) => event.id));
          after = some.at(-1)?.position ?? after;
        }
        return seen;
      };
      const following = follow();
      await Promise.all([0, 1, 2, 3].map(write));
      writing = false;
      const seen = await following;
      expect(seen).toHaveLength(120);
      expect(new Set(seen).size).toBe(120);
      expect((await journal.session("s_1"))?.startedAt).toBe(1_000);
    });

    it("JNL-12 thousands of events can be written in one append", async () => {
      const journal = await open();
      const many = Array.from({ length: 2_000 }, (_, at) =>
        sampleEvent({ type: "verbose", text: "ü".repeat(50) }, { id: `m_${at}`, session: `s_${at % 7}`, at }),
      );
      expect(await journal.append(many)).toBe(2_000);
      expect(await journal.count({ session: "s_0" })).toBe(286);
      expect(await journal.expire(1_500)).toBe(1_500);
      expect((await journal.sessions({ limit: 99 })).total).toBe(7);
    });

    it.each([0, -1, 1.5, Number.NaN])("JNL-13 a read limit of %d is rejected with a reason", async (limit) => {
      const journal = await open();
      await expect(journal.read({ limit })).rejects.toThrow("limit");
      await expect(journal.follow({ after: 0, limit })).rejects.toThrow("limit");
      await expect(journal.sessions({ limit })).rejects.toThrow("limit");
      await expect(journal.follow({ after: Number.NaN, limit: 1 })).rejects.toThrow("position");
    });
  });
}

/** The figures that are kept are those that the kept events come to. */
async function expectFolded(journal: EventJournal): Promise<void> {
  const folded = new Map<string, ReturnType<typeof summarise>>();
  for (const { event } of await journal.follow({ after: 0, limit: 10_000 }))
    folded.set(event.session, summarise(folded.get(event.session), event));
  const { sessions } = await journal.sessions({ limit: 1_000 });
  expect(new Map(sessions.map((one) => [one.session, one]))).toEqual(folded);
}
