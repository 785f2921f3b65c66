import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConductEvent, EventBody } from "../../base/words/event.ts";
import { parseShellLine } from "../../behavior/policy/shell-line.ts";
import { sampleCall, sampleDenial, sampleEvent, sampleQuestion } from "../../edge/stores/events-samples.ts";
import { openSqlStore } from "../../edge/stores/sql/open-sql-store.ts";
import type { Arguments } from "./command.ts";
import { parseCommandLine } from "./command-line.ts";
import { COMMANDS } from "./command-tree.ts";
import type { Outcome } from "./outcome.ts";
import { runStatus } from "./status.ts";
import { testTerminal } from "./test-terminal.ts";
import { runWatch } from "./watch.ts";
import { runWhy } from "./why.ts";

const NOON = Date.UTC(2026, 10, 15, 14, 2, 0);
const MODES = { think: true, verbose: false, elevated: false };
const ALLOW = { kind: "allow", id: "d_ok1", advice: [] } as const;
const RESULT = { type: "result", call: "c_1", tool: "shell", truncation: [], feedback: [] } as const;
const CUT = {
  tool: "shell",
  strategy: "head",
  original: 61_204,
  estimated: true,
  limit: 30_720,
  kept: 30_720,
  handle: "r_19",
} as const;
const ADA = { agent: "assistant", session: "s_8kq2v0x3m7t1za" };
const BOB = { agent: "bob", session: "night" };

const BUILD = { ...sampleCall(ALLOW, "build", {}, "c_0") };
const BODIES: readonly (readonly [EventBody, typeof ADA])[] = [
  [{ type: "session", change: "opened", user: "ann", channel: "web" }, ADA],
  [{ type: "message", text: "deploy it\u001b[2J", modes: MODES }, ADA],
  [
    {
      type: "prompt",
      hash: "4f1c2a9d",
      prefixHash: "0",
      tokens: 1_842,
      prefixTokens: 1_790,
      sections: [{ contributor: "identity", tokens: 9, hash: "x" }],
      cuts: [],
    },
    ADA,
  ],
  [BUILD, ADA],
  [{ ...RESULT, call: "c_0", tool: "build", outcome: "ok" }, ADA],
  [sampleCall(sampleDenial("d_8kq2ab"), "shell", { command: "npm run deploy" }), ADA],
  [sampleCall({ ...ALLOW, id: "d_9" }, "shell", { command: "npm test" }), ADA],
  [{ ...RESULT, outcome: "failed", exitCode: 1, truncation: [CUT] }, ADA],
  [{ type: "stop", status: "refused", refusals: 1, bound: 5, feedback: "report.md is missing." }, ADA],
  [{ type: "session", change: "opened", channel: "scheduled" }, BOB],
  [sampleCall(sampleQuestion("d_ask", "a_77"), "pay", { amount: 3 }), BOB],
  [{ type: "approval", approval: "a_77", answer: "yes", by: "ann" }, BOB],
  [{ type: "fault", fault: { where: "store", code: "x", message: "it was away" } }, BOB],
  [{ type: "notice", notice: { kind: "ended", reason: "done" } }, BOB],
];
const STORY: readonly ConductEvent[] = BODIES.map(([body, envelope], at) =>
  sampleEvent(body, { ...envelope, id: `e_${100 + at}`, at: NOON + at * 1_000 }),
);

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "conduct-watch-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function keep(events: readonly ConductEvent[]): Promise<void> {
  const store = await openSqlStore({ kind: "sqlite", file: join(home, "conduct.db") });
  await store.events.append(events);
  await store.close();
}

type Run = {
  readonly columns?: number;
  readonly json?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  readonly pauses?: readonly (() => Promise<void>)[];
};

/** Runs one of them; at each pause the next of `pauses` happens, and after the last the person ends it. */
async function run(command: "watch" | "why" | "status", args: Arguments = {}, options: Run = {}) {
  const { columns = 100, json = false, env = {}, pauses = [] } = options;
  const terminal = testTerminal({ columns, json });
  const left = [...pauses];
  let ended = false;
  const world = {
    env,
    home,
    now: () => NOON + 60_000,
    zone: "UTC",
    ended: () => ended,
    pause: async () => {
      const next = left.shift();
      if (next === undefined) ended = true;
      else await next();
    },
  };
  const body = { watch: runWatch, why: runWhy, status: runStatus }[command];
  const outcome: Outcome = await body(args, terminal, world);
  for (const { command: line } of outcome.next) {
    const [, ...words] = parseShellLine(line).commands[0] ?? [];
    expect(parseCommandLine(words, COMMANDS).kind, line).toBe("run");
  }
  const said = `${terminal.said()}${outcome.text ?? ""}`.replaceAll(home, "/home");
  return { outcome, said, complained: terminal.complained().replaceAll(home, "/home") };
}

describe("conduct watch", () => {
  it.each([80, 100, 120])("WA-1 --once shows the newest events in %d columns (golden)", async (columns) => {
    await keep(STORY);
    const { outcome, said } = await run("watch", { once: true }, { columns });
    expect(outcome).toMatchObject({ ok: true, result: { events: { length: 14 } } });
    await expect(said).toMatchFileSnapshot(`watch-${columns}.golden.txt`);
    expect(said.split("\n").filter((line) => line.length > columns)).toEqual([]);
    expect(said).not.toContain("\u001b");
  });

  it.each<{ args: Arguments; shown: RegExp; hidden: RegExp }>([
    { args: { denied: true }, shown: /d_8kq2ab/, hidden: /npm test/ },
    { args: { agent: "bob" }, shown: /a_77/, hidden: /d_8kq2ab/ },
    { args: { session: "s_8kq2v0x3m7t1za" }, shown: /d_8kq2ab/, hidden: /a_77/ },
    { args: { session: "8kq2v0" }, shown: /d_8kq2ab/, hidden: /a_77/ },
    { args: { session: "assistant/web#8kq2v0" }, shown: /d_8kq2ab/, hidden: /a_77/ },
  ])("WA-2 $args shows only those", async ({ args, shown, hidden }) => {
    await keep(STORY);
    const { said } = await run("watch", { ...args, once: true });
    expect(said).toMatch(shown);
    expect(said).not.toMatch(hidden);
  });

  it("WA-3 what another process writes is shown as it comes, each event once, until the person ends it", async () => {
    await keep(STORY.slice(0, 3));
    const pauses = [async () => {}, () => keep(STORY.slice(3, 6)), () => keep(STORY.slice(3, 7)), async () => {}];
    const { outcome, said } = await run("watch", { session: "s_8kq2v0x3m7t1za" }, { pauses });
    expect(said.match(/npm run deploy/g)).toHaveLength(1);
    expect(said.match(/npm test/g)).toHaveLength(1);
    expect(outcome).toMatchObject({ ok: true, result: { shown: 4 } });
  });

  it("WA-4 begins before there is a store, and goes on when there is one", async () => {
    const pauses = [async () => {}, () => keep(STORY.slice(0, 2)), () => keep(STORY.slice(2, 6))];
    const { said, complained } = await run("watch", {}, { pauses });
    expect(complained).toContain("nothing has been kept in /home/conduct.db yet; waiting");
    expect(said).toContain("deploy it");
    expect(said).toContain("d_8kq2ab");
  });

  it("WA-5 as data: live one event a line, with --once all in the envelope", async () => {
    await keep(STORY.slice(0, 2));
    const { said } = await run("watch", {}, { json: true, pauses: [() => keep(STORY)] });
    const lines = said.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(STORY);
    const { outcome } = await run("watch", { once: true, denied: true }, { json: true });
    expect(outcome).toMatchObject({ ok: true, result: { events: [{ event: STORY[5] }] } });
  });

  it("WA-6 an empty journal teaches, and looking makes no store", async () => {
    const { outcome, said } = await run("watch", { once: true });
    expect(said).toContain("events show here when an agent runs under Conduct");
    expect(outcome.next).toEqual([expect.objectContaining({ command: "conduct demo" })]);
    expect((await run("status")).said).toContain("not made yet");
    await keep(STORY);
    expect((await run("watch", { once: true, agent: "asistant" })).said).toContain("did you mean assistant?");
    expect((await run("watch", { once: true, agent: "zzz" })).said).toContain("seen: bob, assistant");
    expect((await run("watch", { once: true, agent: "bob", denied: true })).said).toContain("nothing was denied");
  });

  it("WA-7 an unknown session is refused with those near it", async () => {
    await keep(STORY);
    const { outcome } = await run("watch", { session: "nihgt", once: true });
    expect(outcome).toMatchObject({ ok: false, code: "SESSION_NOT_FOUND", fix: "conduct watch --session night" });
    expect((await run("watch", { session: "zzzzzzzz" })).outcome).toMatchObject({ ok: false, fix: "conduct status" });
  });

  it("WA-8 a store that cannot be used is said so, once", async () => {
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

describe("conduct why", () => {
  it.each([
    { id: "d_8kq2ab", golden: "denied" },
    { id: "a_77", golden: "asked" },
  ])("WH-1 $id is explained (golden)", async ({ id, golden }) => {
    await keep(STORY);
    const { outcome, said } = await run("why", { id });
    expect(outcome.ok).toBe(true);
    await expect(said).toMatchFileSnapshot(`why-${golden}.golden.txt`);
    expect(said.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });

  it.each([
    { id: "e_105", shown: "by rule deploy-needs-proof" },
    { id: "d_8kq2", shown: "by rule deploy-needs-proof" },
    { id: "d_ask", shown: "answered  yes by ann" },
    { id: "d_9", shown: "no rule objected" },
    { id: "e_108", shown: "report.md is missing." },
    { id: "e_112", shown: "store: it was away" },
    { id: "e_102", shown: "hash 4f1c2a9d" },
    { id: "e_100", shown: '"change":"opened"' },
  ])("WH-2 $id can be asked about", async ({ id, shown }) => {
    await keep(STORY);
    expect((await run("why", { id })).said).toContain(shown);
  });

  it("WH-3 what was needed is held against what the session had by then", async () => {
    const later = sampleCall(sampleDenial("d_later"), "shell", { command: "npm run deploy" });
    const test = { ...sampleCall({ ...ALLOW, id: "d_t" }, "test", {}, "c_5") };
    const more = [test, { ...RESULT, call: "c_5", tool: "test", outcome: "ok" } as EventBody, later].map((body, at) =>
      sampleEvent(body, { ...ADA, id: `e_${200 + at}`, at: NOON + (30 + at) * 1_000 }),
    );
    await keep([...STORY, ...more]);
    expect((await run("why", { id: "d_8kq2ab" })).outcome).toMatchObject({
      result: { needed: [{ seen: { kind: "never", name: "test" } }], there: [{ name: "build" }] },
    });
    const { outcome, said } = await run("why", { id: "d_later" });
    expect(outcome).toMatchObject({
      result: { needed: [{ seen: { kind: "ok" } }], there: [{ name: "test" }, { name: "build" }] },
    });
    expect(said).toContain("which does not count here");
  });

  it("WH-4 the contract in force is shown where the events name it", async () => {
    const contract = { version: 7, hash: "4f1c2abcdef0", directives: 2 };
    const told = STORY.map((event) => (event.type === "prompt" ? { ...event, contract } : event));
    await keep(told);
    expect((await run("why", { id: "d_8kq2ab" })).said).toContain("contract v7 4f1c2a · modes think · not elevated");
    expect((await run("watch", { once: true }, { columns: 120 })).said).toContain("cached) · contract v7 4f1c2a");
  });

  it("WH-5 an unknown id is refused with those near it, a session with how to look at it", async () => {
    const none = await run("why", { id: "d_1" });
    expect(none.outcome).toMatchObject({ ok: false, code: "NOT_FOUND", fix: "conduct demo" });
    await keep(STORY);
    expect((await run("why", { id: "d_8kq2aX" })).outcome).toMatchObject({
      ok: false,
      code: "NOT_FOUND",
      fix: "conduct why d_8kq2ab",
    });
    expect((await run("why", { id: "night" })).outcome).toMatchObject({
      ok: false,
      fix: "conduct watch --session night --once",
    });
    expect((await run("why", { id: "something else" })).outcome).toMatchObject({
      ok: false,
      fix: "conduct watch --once",
    });
    expect((await run("why", { id: "e_10" })).outcome).toMatchObject({ ok: false, result: { near: { length: 3 } } });
  });
});

describe("conduct status", () => {
  it("ST-1 the store, who was at work, the last day (golden)", async () => {
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
