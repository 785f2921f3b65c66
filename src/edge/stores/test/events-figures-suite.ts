import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventJournal, FiguresAt, FiguresQuery, SectionText } from "../../../base/ports/stores/event-journal.ts";
import type { ConductEvent, EventBody } from "../../../base/words/event.ts";
import { SECTION_REFRESH_MS } from "../../../engine/journal/section-writer.ts";
import { addFigures, figuresOf, HOUR_MS, NO_FIGURES } from "../../../engine/journal/session-figures.ts";
import { ALLOW, OPENED, STORY, sampleCall, sampleDenial, sampleEvent, sampleQuestion } from "./events-samples.ts";

const DAY_MS = 24 * HOUR_MS;
const PROMPT: EventBody = {
  type: "prompt",
  hash: "h",
  prefixHash: "p",
  tokens: 100,
  prefixTokens: 80,
  sections: [],
  cuts: [],
};
const CUT: EventBody = {
  type: "result",
  call: "c_1",
  tool: "shell",
  outcome: "ok",
  truncation: [{ original: 900, kept: 100, place: "budget", handle: "h" } as never],
  feedback: [],
};
const REFUSED: EventBody = { type: "stop", status: "refused", refusals: 1, bound: 5 };
const INCOMPLETE: EventBody = { type: "stop", status: "incomplete", refusals: 5, bound: 5 };
const CLASSED: EventBody = {
  type: "classification",
  classification: { label: "A deploy", topic: "ops", complexity: "hard", domain: [], flags: [] },
  held: { label: "A deploy", topic: "ops", complexity: "hard", domain: [], flags: [] },
  model: "local/rules",
  because: "opener",
  usage: {},
};
const BODIES = [PROMPT, CUT, REFUSED, INCOMPLETE, sampleCall(ALLOW), sampleCall(sampleDenial("d")), OPENED];

/** What the figures are by definition: every kept event, counted. */
function naive(events: readonly ConductEvent[], { by, since, until, agent }: FiguresQuery): readonly FiguresAt[] {
  const span = by === "day" ? DAY_MS : HOUR_MS;
  const start = (at: number) => Math.floor(at / span) * span;
  const found = new Map<string, FiguresAt>();
  for (const event of events) {
    const [at, counted] = [start(event.at), figuresOf(event)];
    if (counted === undefined || at < start(since) || at > start(until)) continue;
    if (agent !== undefined && event.agent !== agent) continue;
    const key = `${at} ${event.agent}`;
    found.set(key, { at, agent: event.agent, ...addFigures(found.get(key) ?? NO_FIGURES, counted) });
  }
  return [...found.values()].sort((a, b) => a.at - b.at || (a.agent < b.agent ? -1 : 1));
}

const isOpenedOn = (event: ConductEvent) => event.type === "session" && event.channel === "c1";

/** Figures, texts of sections, questions that wait and the choice of sessions: what every store of events does. */
export function figuresSuite(name: string, open: () => Promise<EventJournal>): void {
  describe(`figures of events: ${name}`, () => {
    it("FIG-1 calls, denials, questions, refused stops, prompts and tokens are counted by hour, day and agent", async () => {
      const journal = await open();
      const at = 10 * DAY_MS;
      const bodies: readonly (readonly [EventBody, number, string])[] = [
        [sampleCall(ALLOW), at, "ada"],
        [sampleCall(sampleDenial("d_1")), at + 1, "ada"],
        [sampleCall(sampleQuestion("d_2", "a_1")), at + HOUR_MS, "ada"],
        [PROMPT, at + HOUR_MS, "bob"],
        [CUT, at + DAY_MS, "bob"],
        [REFUSED, at + DAY_MS, "bob"],
      ];
      await journal.append(
        bodies.map(([body, when, agent], one) => sampleEvent(body, { id: `f_${one}`, at: when, agent })),
      );
      const range = { since: at, until: at + DAY_MS };
      expect(await journal.figures({ by: "day", ...range })).toEqual([
        { ...NO_FIGURES, at, agent: "ada", calls: 3, denials: 1, asked: 1 },
        { ...NO_FIGURES, at, agent: "bob", prompts: 1, promptTokens: 100, stableTokens: 80 },
        { ...NO_FIGURES, at: at + DAY_MS, agent: "bob", stopsRefused: 1, tokensSaved: 800 },
      ]);
      expect(await journal.figures({ by: "hour", since: at, until: at + HOUR_MS, agent: "ada" })).toEqual([
        { ...NO_FIGURES, at, agent: "ada", calls: 2, denials: 1 },
        { ...NO_FIGURES, at: at + HOUR_MS, agent: "ada", calls: 1, asked: 1 },
      ]);
      expect(await journal.figures({ by: "day", since: at + 5 * DAY_MS, until: at + 6 * DAY_MS })).toEqual([]);
    });

    it("FIG-2 figures match the stored events after any writes, deletions and expiry", async () => {
      const journal = await open();
      let made = 0;
      const one = fc.record({
        body: fc.constantFrom(...BODIES),
        session: fc.nat(3),
        at: fc.nat(60),
        agent: fc.constantFrom("ada", "bøb", "eve/x"),
      });
      const step = fc.oneof(
        { weight: 8, arbitrary: fc.array(one, { maxLength: 6 }) },
        fc.record({ expire: fc.nat(60) }),
        fc.record({ forget: fc.nat(3) }),
        fc.constant({ rebuild: true } as const),
      );
      await fc.assert(
        fc.asyncProperty(step, fc.constantFrom("hour", "day"), fc.nat(60), async (action, by, since) => {
          if ("expire" in action) await journal.expire(action.expire * HOUR_MS);
          else if ("forget" in action) await journal.deleteSession(`p_${action.forget}`);
          else if ("rebuild" in action) await journal.rebuild();
          else
            await journal.append(
              action.map(({ body, session, at, agent }) =>
                sampleEvent(body, { at: at * HOUR_MS, agent, session: `p_${session}`, id: `p_${made++}` }),
              ),
            );
          const events = (await journal.follow({ after: 0, limit: 10_000 })).map(({ event }) => event);
          const query = { by, since: since * HOUR_MS, until: (since + 20) * HOUR_MS } as const;
          const byName = (some: readonly FiguresAt[]) =>
            some.toSorted((a, b) => a.at - b.at || (a.agent < b.agent ? -1 : 1));
          expect(byName(await journal.figures(query))).toEqual(naive(events, query));
        }),
        { numRuns: 60 },
      );
    });

    it("FIG-30 sessions and events that are found by time, denial, channel and user match a scan of the events after any writes, deletions and rebuilding", async () => {
      const journal = await open();
      let made = 0;
      const one = fc.record({
        body: fc.constantFrom(sampleCall(ALLOW), sampleCall(sampleDenial("d")), REFUSED),
        session: fc.nat(5),
        at: fc.nat(30),
      });
      const step = fc.oneof(
        { weight: 6, arbitrary: fc.array(one, { maxLength: 5 }) },
        fc.record({ expire: fc.nat(30) }),
        fc.record({ forget: fc.nat(5) }),
        fc.constant({ rebuild: true } as const),
      );
      const opened = (session: number) =>
        sampleEvent(Object.assign({}, OPENED, { channel: `c${session % 2}`, user: `u${session % 3}` }), {
          at: 5 * HOUR_MS,
          session: `q_${session}`,
          id: `q_${made++}`,
        });
      await fc.assert(
        fc.asyncProperty(step, fc.nat(30), fc.nat(10), fc.boolean(), async (action, from, hours, denied) => {
          if ("expire" in action) await journal.expire(action.expire * HOUR_MS);
          else if ("forget" in action) await journal.deleteSession(`q_${action.forget}`);
          else if ("rebuild" in action) await journal.rebuild();
          else
            await journal.append(
              action.flatMap(({ body, session, at }) => [
                opened(session),
                sampleEvent(body, { at: at * HOUR_MS, session: `q_${session}`, id: `q_${made++}` }),
              ]),
            );
          const events = (await journal.follow({ after: 0, limit: 10_000 })).map(({ event }) => event);
          const [since, until] = [from * HOUR_MS, (from + hours) * HOUR_MS];
          const isIn = ({ at }: ConductEvent) => at >= since && at <= until;
          const isDeniedCall = (event: ConductEvent) => event.type === "call" && event.decision.kind === "deny";
          const scanned = new Set(
            events.filter((event) => isIn(event) && (!denied || isDeniedCall(event))).map(({ session }) => session),
          );
          const query = { since, until, denied: denied || undefined, limit: 3 } as const;
          const { sessions, total } = await journal.sessions(query);
          expect(total).toBe(scanned.size);
          expect(sessions.length).toBe(Math.min(3, scanned.size));
          for (const { session } of sessions) expect(scanned).toContain(session);
          const onChannel = (session: string) => events.some((event) => event.session === session && isOpenedOn(event));
          const found = await journal.read({ channel: "c1", limit: 10_000 });
          expect(found.events.map(({ event }) => event.id).sort()).toEqual(
            events
              .filter(({ session }) => onChannel(session))
              .map(({ id }) => id)
              .sort(),
          );
        }),
        { numRuns: 60 },
      );
    });

    it("FIG-3 sessions are filtered by class, denials, incomplete turns and words, alone or combined", async () => {
      const journal = await open();
      await journal.append(STORY);
      await journal.append([
        sampleEvent(CLASSED, { id: "c_1", session: "s_1", at: 2_000 }),
        sampleEvent(INCOMPLETE, { id: "c_2", session: "s_1", at: 2_001 }),
        sampleEvent(
          { type: "message", text: "Ship the rocket", modes: {} as never },
          { id: "c_3", session: "s_3", at: 3 },
        ),
      ]);
      for (const [query, found] of [
        [{}, ["s_1", "s_2", "s_3"]],
        [{ topic: "ops" }, ["s_1"]],
        [{ topic: "coding" }, []],
        [{ complexity: "hard", topic: "ops" }, ["s_1"]],
        [{ denied: true }, ["s_1", "s_2"]],
        [{ incomplete: true }, ["s_1"]],
        [{ text: "rock" }, ["s_3"]],
        [{ text: "tests passed" }, ["s_1", "s_2"]],
        [{ text: "tests", agent: "bob", denied: true }, ["s_2"]],
        [{ since: 3, until: 3 }, ["s_3"]],
        [{ until: 3 }, ["s_3"]],
        [{ since: 2_001, until: 9_999 }, ["s_1"]],
        [{ since: 2_001, until: 9_999, denied: true }, []],
        [{ since: 1_000, until: 1_999, denied: true }, ["s_1", "s_2"]],
        [{ text: "" }, []],
        [{ text: "' or 1=1 --" }, []],
      ] as const) {
        const { sessions, total } = await journal.sessions({ ...query, limit: 10 });
        expect([query, sessions.map(({ session }) => session)]).toEqual([query, found]);
        expect(total).toBe(found.length);
      }
      expect(await journal.session("s_1")).toMatchObject({ topic: "ops", complexity: "hard", incomplete: 1 });
    });

    it("FIG-4 a question is pending until it is answered, and only recent questions are listed", async () => {
      const journal = await open();
      await journal.append(STORY);
      expect(await journal.unanswered(0)).toEqual([]);
      const asked = sampleEvent(sampleCall(sampleQuestion("d_9", "a_9")), { id: "q_1", at: 5_000 });
      await journal.append([asked]);
      expect((await journal.unanswered(5_000)).map(({ event }) => event)).toEqual([asked]);
      expect(await journal.unanswered(5_001)).toEqual([]);
      await journal.append([
        sampleEvent({ type: "approval", approval: "a_9", answer: "no", by: "ann" }, { id: "q_2", at: 5_010 }),
      ]);
      expect(await journal.unanswered(0)).toEqual([]);
    });
  });

  describe(`texts of sections: ${name}`, () => {
    const soul = { hash: "aa11", text: "Be kind.\n\u{1F680} ÄÖ \0 \ud800" };
    const clock = { hash: "bb22", text: "It is nine." };
    const told = (session: string, at: number, ...sections: readonly SectionText[]) =>
      sections.map((section) => ({ session, at, ...section }));

    it("SEC-10 a section's text is found by its hash in its first form; unknown hashes are omitted", async () => {
      const journal = await open();
      expect(await journal.readSections([])).toEqual(new Map());
      await journal.keepSections([]);
      await journal.keepSections(told("s_1", 1, soul, clock, clock));
      await journal.keepSections(told("s_2", 1, { ...soul, text: "something else" }));
      expect(await journal.readSections(["aa11", "none", "bb22", "' or 1=1"])).toEqual(
        new Map([
          ["aa11", "Be kind.\n\u{1F680} ÄÖ \ufffd \ufffd"],
          ["bb22", "It is nine."],
        ]),
      );
    });

    it("SEC-11 a section's text is deleted with the last session that used it", async () => {
      const journal = await open();
      await journal.keepSections(told("s_1", 1, soul, clock));
      await journal.keepSections(told("s_2", 1, soul));
      await journal.deleteSession("s_1");
      expect([...(await journal.readSections(["aa11", "bb22"])).keys()]).toEqual(["aa11"]);
      await journal.deleteSession("s_2");
      expect(await journal.readSections(["aa11"])).toEqual(new Map());
    });

    it("SEC-12 an unused section text expires after a day's grace, unless it is used again", async () => {
      const journal = await open();
      const before = 100 * DAY_MS;
      await journal.keepSections(told("s_1", before - SECTION_REFRESH_MS - 1, soul, clock));
      await journal.keepSections(told("s_1", before - SECTION_REFRESH_MS, soul));
      await journal.expire(before);
      expect([...(await journal.readSections(["aa11", "bb22"])).keys()]).toEqual(["aa11"]);
    });

    it("SEC-13 deleting some of many concurrent sessions deletes no text that another one uses", async () => {
      const journal = await open();
      const tell = (at: number) =>
        journal.keepSections(told(`s_${at}`, at, soul, { hash: `own${at}`, text: `of ${at}` }));
      await Promise.all(Array.from({ length: 20 }, (_, at) => tell(at)));
      await Promise.all(
        Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? journal.deleteSession(`s_${at}`) : tell(at + 100))),
      );
      const left = await journal.readSections(["aa11", ...Array.from({ length: 20 }, (_, at) => `own${at}`)]);
      expect([...left.keys()].sort()).toEqual(
        ["aa11", ...Array.from({ length: 10 }, (_, at) => `own${at * 2 + 1}`)].sort(),
      );
    });
  });
}
