import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConductEvent, EventBody } from "../../../../base/words/event.ts";
import { sampleCall, sampleDenial, sampleEvent } from "../../../../edge/stores/test/events-samples.ts";
import type { Arguments } from "../../line/command.ts";
import { paintFor } from "../../line/terminal.ts";
import { ADA, keep as keepIn, MODES, NOON, run as runIn, STORY } from "../../test/watch-test-world.ts";
import { watchLines } from "./watch.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "conduct-journal-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const keep = (events: readonly ConductEvent[]) => keepIn(home, events);
const run = (...asked: Asked) => runIn(home, ...asked);
type Asked = Parameters<typeof runIn> extends [string, ...infer Rest] ? Rest : never;

describe("conduct watch", () => {
  it.each([80, 100, 120])("WA-1 watch --once shows the newest events in %d columns (golden)", async (columns) => {
    await keep(STORY);
    const { outcome, said } = await run("watch", { once: true }, { columns });
    expect(outcome).toMatchObject({ ok: true, result: { events: { length: 14 } } });
    await expect(said).toMatchFileSnapshot(`watch-${columns}.golden.txt`);
    expect(said.split("\n").filter((line) => line.length > columns)).toEqual([]);
    expect(said).not.toContain("\u001b");
  });

  it.each<{ args: Arguments; shown: RegExp; hidden: RegExp }>([
    { args: { denied: true }, shown: /d_8kq2ab/, hidden: /npm test/ },
    { args: { search: "NPM deploy" }, shown: /d_8kq2ab/, hidden: /npm test|a_77/ },
    { args: { agent: "bob" }, shown: /a_77/, hidden: /d_8kq2ab/ },
    { args: { session: "s_8kq2v0x3m7t1za" }, shown: /d_8kq2ab/, hidden: /a_77/ },
    { args: { session: "8kq2v0" }, shown: /d_8kq2ab/, hidden: /a_77/ },
    { args: { session: "assistant/web#8kq2v0" }, shown: /d_8kq2ab/, hidden: /a_77/ },
  ])("WA-2 $args shows only the matching events", async ({ args, shown, hidden }) => {
    await keep(STORY);
    const { said } = await run("watch", { ...args, once: true });
    expect(said).toMatch(shown);
    expect(said).not.toMatch(hidden);
  });

  it("WA-3 watch shows events of other processes as they are written, each once, until the person ends it", async () => {
    await keep(STORY.slice(0, 3));
    const pauses = [async () => {}, () => keep(STORY.slice(3, 6)), () => keep(STORY.slice(3, 7)), async () => {}];
    const { outcome, said } = await run("watch", { session: "s_8kq2v0x3m7t1za" }, { pauses });
    expect(said.match(/npm run deploy/g)).toHaveLength(1);
    expect(said.match(/npm test/g)).toHaveLength(1);
    expect(outcome).toMatchObject({ ok: true, result: { shown: 4 } });
  });

  it("WA-4 watch can start before the store exists, and continues once it does", async () => {
    const pauses = [async () => {}, () => keep(STORY.slice(0, 2)), () => keep(STORY.slice(2, 6))];
    const { said, complained } = await run("watch", {}, { pauses });
    expect(complained).toContain("/home/conduct.db has no events yet; waiting");
    expect(said).toContain("deploy it");
    expect(said).toContain("d_8kq2ab");
  });

  it("WA-5 --json prints one event per line live, and with --once all events in the envelope", async () => {
    await keep(STORY.slice(0, 2));
    const { said } = await run("watch", {}, { json: true, pauses: [() => keep(STORY)] });
    const lines = said.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(STORY);
    const { outcome } = await run("watch", { once: true, denied: true }, { json: true });
    expect(outcome).toMatchObject({ ok: true, result: { events: [{ event: STORY[5] }] } });
  });

  it("WA-6 with an empty journal watch explains how to begin, and creates no store", async () => {
    const { outcome, said } = await run("watch", { once: true });
    expect(said.replaceAll(/\s+/g, " ")).toContain("run an agent under Conduct to see them here");
    expect(outcome.next).toEqual([expect.objectContaining({ command: "conduct init" })]);
    expect((await run("status")).said).toContain("not created yet");
    await keep(STORY);
    expect((await run("watch", { once: true, agent: "asistant" })).said).toContain("did you mean assistant?");
    expect((await run("watch", { once: true, agent: "zzz" })).said).toContain("seen: bob, assistant");
    expect((await run("watch", { once: true, agent: "bob", denied: true })).said).toContain("no call was denied");
    expect((await run("watch", { once: true, search: "zebra" })).said).toContain("no event matches 'zebra'");
  });

  it("WA-7 an unknown session is rejected with similar names", async () => {
    await keep(STORY);
    const { outcome } = await run("watch", { session: "nihgt", once: true });
    expect(outcome).toMatchObject({ ok: false, code: "SESSION_NOT_FOUND", fix: "conduct watch --session night" });
    expect((await run("watch", { session: "zzzzzzzz" })).outcome).toMatchObject({ ok: false, fix: "conduct status" });
  });

  it("WA-8 an unusable store is reported once", async () => {
    const { outcome } = await run("watch", { once: true }, { env: { CONDUCT_STORE: "mysql://x" } });
    expect(outcome).toMatchObject({
      ok: false,
      code: "STORE_UNAVAILABLE",
      fix: expect.stringContaining("postgres://"),
    });
    if (!outcome.ok) expect(outcome.message).not.toContain(outcome.fix);
    const away = await run("why", { id: "d_1" }, { env: { CONDUCT_STORE: "postgres://u:sesame@127.0.0.1:1/x" } });
    expect(away.outcome).toMatchObject({ ok: false, code: "STORE_UNAVAILABLE" });
    expect(JSON.stringify(away)).not.toContain("sesame");
  });
});

describe("watch lines", () => {
  it("WA-9 no text of an event can control the terminal or break its line", () => {
    const text = fc.string({
      unit: fc.constantFrom("\u001b", "[2J", "\n", "\r", "\u202e", "é", "x", " ", "漢"),
      maxLength: 80,
    });
    fc.assert(
      fc.property(text, text, text, fc.integer({ min: 72, max: 120 }), (a, b, c, columns) => {
        const linesOf = watchLines({ columns, paint: paintFor(false), timeOf: () => "14:02:00" });
        const denial = { ...sampleDenial(a, b), next: c };
        const bodies: readonly EventBody[] = [
          sampleCall(denial, a, { command: b }),
          { type: "message", text: a, modes: MODES },
          { type: "fault", fault: { where: a, code: "x", message: b } },
          { type: "stop", status: "ended-by-policy", refusals: 1, bound: 5, why: a },
          { type: "approval", approval: a, answer: "no", by: b },
          { type: "directive", outcome: "refused", line: 1, text: a, why: b },
          { type: "session", change: "agent", detail: c },
          { type: "requirement", call: "c", tool: a, requireBeforeNext: [b], escalateToOwner: true },
        ];
        for (const body of bodies)
          for (const line of linesOf(sampleEvent(body), "ada/web#1")) {
            // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to keep out.
            expect(line).not.toMatch(/[\u0000-\u001f\u202e]/);
            expect(line.length).toBeLessThanOrEqual(columns);
          }
      }),
    );
  });
});

describe("conduct status", () => {
  it("ST-1 status shows the store, the active sessions and the last day (golden)", async () => {
    const old = sampleEvent(sampleCall(sampleDenial("d_old", "old-rule")), {
      ...ADA,
      id: "e_old",
      at: NOON - 90_000_000,
    });
    await keep([old, ...STORY]);
    const { outcome, said } = await run("status");
    expect(outcome).toMatchObject({
      ok: true,
      result: {
        sessions: 2,
        active: { length: 1 },
        lastDay: { prompts: 1, calls: 4, denied: 1, rules: { "deploy-needs-proof": 1 } },
      },
    });
    await expect(said).toMatchFileSnapshot("status.golden.txt");
  });
});
