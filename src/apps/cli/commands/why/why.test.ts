import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConductEvent, EventBody } from "../../../../base/words/event.ts";
import { RulesPolicy } from "../../../../behavior/policy/rules/rules-policy.ts";
import { openConductFromEnv } from "../../../../edge/host/opening/open-conduct.ts";
import { openSqlStore } from "../../../../edge/stores/sql/open-sql-store.ts";
import { sampleCall, sampleDenial, sampleEvent } from "../../../../edge/stores/test/events-samples.ts";
import { defineAgent } from "../../../../engine/agent/define-agent.ts";
import { parseRules } from "../../../../engine/agent/rules/parse-rules.ts";
import { standingPlace } from "../../../../engine/governance/standing-place.ts";
import { ADA, ALLOW, keep as keepIn, MODES, NOON, RESULT, run as runIn, STORY } from "../../test/watch-test-world.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "conduct-journal-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const keep = (events: readonly ConductEvent[]) => keepIn(home, events);
const run = (...asked: Asked) => runIn(home, ...asked);
type Asked = Parameters<typeof runIn> extends [string, ...infer Rest] ? Rest : never;

describe("conduct why", () => {
  it.each([
    { id: "d_8kq2ab", golden: "denied" },
    { id: "a_77", golden: "asked" },
  ])("WH-1 why explains $id (golden)", async ({ id, golden }) => {
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
  ])("WH-2 why accepts $id", async ({ id, shown }) => {
    await keep(STORY);
    expect((await run("why", { id })).said).toContain(shown);
  });

  it("WH-3 why compares each requirement with the evidence that the session had at that time", async () => {
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

  it.each([
    { what: "/elevated", seen: undefined },
    { what: "no deploy", seen: undefined },
    { what: "a call left", seen: undefined },
    { what: "build with target web", seen: "build" },
  ])("WH-6 why looks up a requirement in the session only if it is a call: $what", async ({ what, seen }) => {
    const denial = { ...sampleDenial("d_need"), missing: [{ what, why: "so it is" }] };
    await keep([...STORY, sampleEvent(sampleCall(denial), { ...ADA, id: "e_300", at: NOON + 50_000 })]);
    const { outcome, said } = await run("why", { id: "d_need" });
    const [needed] = (outcome as { result: { needed: { seen?: { name: string } }[] } }).result.needed;
    expect(needed?.seen?.name).toBe(seen);
    expect(said.includes("never ran")).toBe(false);
    expect(said).toContain(`✗ ${what}: `);
  });

  it("WH-4 why shows the contract in force if the events name it", async () => {
    const contract = { version: 7, hash: "4f1c2abcdef0", directives: 2 };
    const told = STORY.map((event) => (event.type === "prompt" ? { ...event, contract } : event));
    await keep(told);
    expect((await run("why", { id: "d_8kq2ab" })).said).toContain("contract v7 4f1c2a · modes think · not elevated");
    expect((await run("watch", { once: true }, { columns: 120 })).said).toContain("cached) · contract v7 4f1c2a");
  });

  it("WH-7 without an id why explains the newest denial, or says that nothing was denied", async () => {
    await keep(STORY.slice(0, 3));
    const none = await run("why", { id: "last" });
    expect(none.outcome.ok).toBe(true);
    expect(none.said).toContain("no call was denied yet");
    await keep(STORY);
    expect((await run("why", { id: "last" })).said).toContain("by rule deploy-needs-proof");
  });

  it.each([
    { effect: "deny", kind: "deny", shown: "by rule deploy-needs-test (ops/rules.yaml:2)" },
    { effect: "ask", kind: "ask", shown: "by rule deploy-needs-test (ops/rules.yaml:2)" },
    { effect: "shadow", kind: "allow", shown: "deploy-needs-test (ops/rules.yaml:2) would have denied it" },
  ])(
    "WH-8 why shows the file and line of a rule that was read from a file: $effect",
    async ({ effect, kind, shown }) => {
      const text = `rules:\n  - { id: deploy-needs-test, on: deploy, require: { call: test }, effect: ${effect} }\n`;
      const parsed = parseRules(text, "ops/rules.yaml");
      if ("faults" in parsed) throw new Error(parsed.faults[0]?.message);
      const agent = defineAgent({ name: "release", policies: [new RulesPolicy(parsed.ruleSet)] });
      const conduct = openConductFromEnv({ agents: [agent], home, workspace: home });
      const decision = await conduct.session({ agent: "release" }).onCall({ id: "c", tool: "deploy", args: {} });
      await conduct.close();
      expect(decision.kind).toBe(kind);
      expect((await run("why", { id: decision.id }, { columns: 120 })).said).toContain(shown);
    },
  );

  /** A rule that asks for the build, added so long after noon; a new turn begins at 20 s, and at 21 s it denies. */
  async function denied({ addedAt, file = standingPlace("build-first") }: { addedAt: number; file?: string }) {
    const missing = [{ what: "build", why: "not done in this session" }];
    const denial = { ...sampleDenial("d_late", "build-first"), place: { file, line: 2 }, missing };
    const turn = [{ type: "message", text: "and now?", modes: MODES } as const, sampleCall(denial)];
    await keep([
      ...STORY,
      ...turn.map((body, at) => sampleEvent(body, { ...ADA, turn: 2, id: `e_${300 + at}`, at: NOON + 20_000 + at })),
    ]);
    const text = "rules:\n  - { id: build-first, on: shell, require: { call: build } }\n";
    const since = new Date(addedAt).toISOString();
    const rule = { id: "build-first", text, scope: "global", createdAt: since, status: "enforced", since };
    const { governance, close } = await openSqlStore({ kind: "sqlite", file: join(home, "conduct.db") });
    await governance.append(0, [{ at: addedAt, by: "cli:ann", kind: "rule-added", body: { rule } }]);
    await close();
  }

  it("WH-10 a shared rule added during the session is reported, and earlier calls are not called unproven (golden)", async () => {
    await denied({ addedAt: NOON + 15_000 });
    const { outcome, said } = await run("why", { id: "d_late" });
    await expect(said).toMatchFileSnapshot("why-late-rule.golden.txt");
    expect(outcome).toMatchObject({
      result: {
        needed: [{ seen: { kind: "early", name: "build", at: NOON + 4_000 } }],
        late: { rule: "build-first", addedAt: NOON + 15_000, countsFrom: NOON + 20_000 },
      },
    });
  });

  it.each([
    {
      what: "in the turn before the next one",
      addedAt: NOON + 3_000,
      late: { countsFrom: NOON + 20_000 },
      seen: "early",
    },
    { what: "before the session", addedAt: NOON - 1, late: undefined, seen: "ok" },
    { what: "as the agent's own of that id", addedAt: NOON + 15_000, file: "rules.yaml", late: undefined, seen: "ok" },
    { what: "after the call", addedAt: NOON + 30_000, late: undefined, seen: "ok" },
  ])(
    "WH-11 for a rule that was added $what, why reports the earlier call as $seen",
    async ({ addedAt, file, late, seen }) => {
      await denied({ addedAt, file });
      const { outcome } = await run("why", { id: "d_late" });
      const { result } = outcome as { result: { late?: object; needed: readonly { seen?: object }[] } };
      expect(result.needed).toMatchObject([{ seen: { kind: seen } }]);
      if (late === undefined) expect(result.late).toBeUndefined();
      else expect(result.late).toMatchObject(late);
    },
  );

  it("WH-12 any successful call of a tool satisfies a requirement for that tool, whatever its actions", async () => {
    const denial = { ...sampleDenial("d_tool"), missing: [{ what: "shell", why: "so it is" }] };
    const body = { ...sampleCall({ ...ALLOW, id: "d_s" }, "shell", {}, "c_7") };
    if (body.type !== "call") throw new Error("a call");
    const plain = { ...body, call: { ...body.call, actions: [], proves: [] } };
    const more = [plain, { ...RESULT, call: "c_7", outcome: "ok" } as EventBody, sampleCall(denial)];
    await keep([
      ...STORY,
      ...more.map((one, at) => sampleEvent(one, { ...ADA, id: `e_${300 + at}`, at: NOON + 40_000 + at })),
    ]);
    expect((await run("why", { id: "d_tool" })).outcome).toMatchObject({
      result: { needed: [{ seen: { kind: "ok" } }] },
    });
  });

  it("WH-13 without an id, why explains the newest call that would have been stopped, and lists the earlier ones", async () => {
    const wouldBe = (at: number, asks?: true) => ({
      ...sampleEvent(
        {
          ...sampleCall({ ...ALLOW, id: `d_w${at}`, because: "shadow" }, "shell", { command: `git push ${at}` }),
          shadows: [{ rule: "no-push", code: "policy", reason: "Nobody pushes.", asks }],
        } as EventBody,
        { ...ADA, id: `e_w${at}`, at: NOON + 30_000 + at },
      ),
      observing: "shadow" as const,
    });
    await keep([wouldBe(1), wouldBe(2), wouldBe(3, true)]);
    const { said, outcome } = await run("why", { id: "last" });
    expect(outcome).toMatchObject({ ok: true, result: { event: { id: "e_w3" } } });
    expect(said).toContain("no-push would have asked: Nobody pushes.");
    expect(said).toMatch(/earlier {3}d_w2 shell "git push 2"\n {12}d_w1 shell "git push 1"/);
    await keep(STORY.map((event) => ({ ...event, at: event.at + 60_000 })));
    expect((await run("why", { id: "last" })).said).toContain("deploy-needs-proof");
  });

  it("WH-9 a call that could not be parsed is found by the id of its denial", async () => {
    const fault = { where: "call", code: "bad-call", message: "it has no tool", decision: "d_bad123" };
    await keep([...STORY, sampleEvent({ type: "fault", fault }, { ...ADA, id: "e_300", at: NOON + 50_000 })]);
    for (const id of ["d_bad123", "d_bad1"]) {
      expect((await run("why", { id })).said).toContain("denied    a call that could not be decided: it has no tool");
    }
  });

  it("WH-5 an unknown id is rejected with similar ids, and a session id with the command that shows it", async () => {
    const none = await run("why", { id: "d_1" });
    expect(none.outcome).toMatchObject({ ok: false, code: "NOT_FOUND", fix: "conduct init" });
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
