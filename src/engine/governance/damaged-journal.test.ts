import { describe, expect, it } from "vitest";
import type { GovernanceEntry, GovernanceHead } from "../../base/ports/stores/governance.ts";
import { characterCounter } from "../../behavior/results/token-counter.ts";
import { sealEntries } from "../journal/governance-chain.ts";
import { testConduct } from "../session/test/test-conduct.ts";
import { ContractService } from "./contract-service.ts";
import { diagnoseJournal, planRepair } from "./repair-journal.ts";
import { testJournal } from "./test/test-journal.ts";

const RULE = "rules:\n  - { id: no-deploy, on: deploy }\n";

/** A journal with an enforced rule, whose heads are stored elsewhere. */
async function ruled() {
  const { journal: bare, entries } = testJournal();
  const heads: GovernanceHead[] = [];
  const time = { monotonic: 0 };
  const witness = {
    newest: async () => heads.at(-1),
    add: async (more: readonly GovernanceHead[]) => void heads.push(...more.map(({ seq, hash }) => ({ seq, hash }))),
  };
  const journal = {
    ...bare,
    witness,
    append: async (...given: Parameters<typeof bare.append>) => {
      const done = await bare.append(...given);
      if (done !== "moved") await witness.add(done.entries);
      return done;
    },
  };
  let ids = 0;
  const serve = () =>
    new ContractService({
      journal,
      clock: { now: () => 1_700_000_000_000, monotonic: () => time.monotonic },
      ids: { next: (prefix) => `${prefix}_${++ids}` },
      counter: async () => characterCounter,
    });
  const service = serve();
  await service.change({ kind: "harden", rule: "no-deploy", text: RULE }, "op");
  await service.change({ kind: "enforce-rule", id: "no-deploy" }, "op");
  return { journal, entries, heads, service, serve, time };
}

const deploy = { id: "c1", tool: "deploy", args: {} };
const changed = (entry: GovernanceEntry, body: object) => ({ ...entry, body: { ...(entry.body as object), ...body } });

const TAMPERINGS: readonly [string, (entries: GovernanceEntry[]) => void][] = [
  [
    "an entry was changed",
    (entries) => entries.splice(0, 1, ...entries.slice(0, 1).map((one) => changed(one, { x: 1 }))),
  ],
  [
    "a kind was changed",
    (entries) => entries.splice(1, 1, ...entries.slice(1).map((one) => ({ ...one, kind: "rule-shadowed" }))),
  ],
  ["the last entry is gone", (entries) => void entries.pop()],
  ["all entries are gone", (entries) => void entries.splice(0)],
  [
    "it was rewritten with hashes that fit",
    (entries) => {
      const drafts = entries.map(({ at, by }) => ({ at, by, kind: "nothing", body: {} }));
      entries.splice(0, entries.length, ...sealEntries({ seq: 0, hash: "" }, drafts));
    },
  ],
];

describe("a journal that was changed", () => {
  it.each(TAMPERINGS)(
    "DMJ-1 a process that starts when %s denies every call, and the denial names the repair command",
    async (_, harm) => {
      const { journal, entries } = await ruled();
      harm(entries);
      const session = testConduct({}, { governance: journal }).open();
      const decision = await session.onCall({ ...deploy, tool: "anything" });
      expect(decision).toMatchObject({ kind: "deny", rule: "standing-rules-unreadable", code: "policy-error" });
      expect(decision).toMatchObject({ next: expect.stringContaining("conduct journal repair") });
      expect((await session.onPrompt()).text).toContain("conduct journal repair");
    },
  );

  it.each(TAMPERINGS)("DMJ-2 a session in shadow mode allows calls even when %s", async (_, harm) => {
    const { journal, entries } = await ruled();
    harm(entries);
    const session = testConduct({}, { governance: journal }).open({ enforcement: "shadow" });
    expect(await session.onCall(deploy)).toMatchObject({ kind: "allow" });
  });

  it.each(TAMPERINGS)(
    "DMJ-3 a running process that finds that %s continues to enforce its known rules and reports it",
    async (_, harm) => {
      const { entries, service } = await ruled();
      harm(entries);
      await service.audit();
      const state = await service.state();
      expect(state.fault).toMatchObject({ trust: "last-known" });
      expect(state.rules.get("no-deploy")).toMatchObject({ status: "enforced" });
      expect(await service.change({ kind: "remove-rule", id: "no-deploy" }, "op")).toMatchObject({ kind: "refused" });
    },
  );

  it("DMJ-4 a process that misses an acknowledged entry does not use its last known state", async () => {
    const { entries, service, serve } = await ruled();
    const other = serve();
    await other.state();
    await service.change({ kind: "harden", rule: "no-ship", text: RULE.replace("no-deploy", "no-ship") }, "op");
    entries.pop();
    expect((await other.state()).fault).toMatchObject({ trust: "none" });
    expect(other.known).toBeUndefined();
  });

  it("DMJ-5 an outdated stored head is accepted, and the next reader updates it", async () => {
    const { heads, serve } = await ruled();
    heads.pop();
    expect((await serve().state()).fault).toBeUndefined();
    expect(heads.at(-1)?.seq).toBe(2);
  });

  it("DMJ-6 without a stored head the journal is accepted, and the missing head is reported", async () => {
    const { entries, heads, serve } = await ruled();
    heads.splice(0);
    entries.pop();
    const service = serve();
    expect((await service.state()).fault).toBeUndefined();
    expect(service.storedHead).toBe("missing");
  });

  it("DMJ-7 a running process accepts a repaired journal, but not one that lost entries", async () => {
    const { entries, heads, serve, time } = await ruled();
    const service = serve();
    await service.state();
    const whole = [...entries];
    entries.splice(0, 1, ...whole.slice(0, 1).map((one) => changed(one, { x: 1 })));
    await service.audit();
    expect((await service.state()).fault).toBeDefined();
    entries.splice(0, entries.length);
    heads.splice(0);
    time.monotonic += 10_000;
    expect((await service.state()).fault).toBeDefined();
    entries.push(...whole);
    time.monotonic += 10_000;
    expect((await service.state()).fault).toBeUndefined();
    expect(service.known?.rules.size).toBe(1);
  });
});

describe("planning a repair", () => {
  const who = { repair: "repair_1", by: "ann", at: 5 };
  const mapOf = (heads: readonly GovernanceHead[]) => new Map(heads.map(({ seq, hash }) => [seq, hash]));

  it("DMJ-10 a repair preserves proven entries after the break, omits altered ones, and records both", async () => {
    const { entries, heads } = await ruled();
    entries.splice(0, 1, ...entries.slice(0, 1).map((one) => changed(one, { x: 1 })));
    const found = { entries, heads: mapOf(heads) };
    const broken = diagnoseJournal(found);
    if (broken.kind !== "broken") throw new Error("it is broken");
    const plan = planRepair(found, broken, () => false, who);
    expect(plan.aside.map(({ entry, proof, fate }) => [entry.seq, proof, fate])).toEqual([
      [1, "altered", "left-out"],
      [2, "proven", "kept"],
    ]);
    const [record] = plan.replacement.entries;
    expect(record).toMatchObject({ seq: 1, kind: "journal-repaired", by: "ann", body: { leftOut: [1], kept: [2] } });
    expect(planRepair(found, broken, (seq) => seq === 1, who).after.rules.get("no-deploy")).toMatchObject({
      status: "enforced",
    });
  });

  it("DMJ-11 a repair finds the first rewritten entry, even if every hash fits", async () => {
    const { entries, heads } = await ruled();
    const drafts = entries.map(({ at, by, kind, body }, place) => ({
      at,
      by,
      kind: place === 1 ? "nothing" : kind,
      body,
    }));
    const rewritten = sealEntries({ seq: 0, hash: "" }, drafts);
    expect(diagnoseJournal({ entries: rewritten, heads: mapOf(heads) })).toMatchObject({
      kind: "broken",
      fault: { seq: 2 },
      keep: { head: { seq: 1 } },
    });
  });

  it("DMJ-12 a repair does not trust the entry before a missing link, unless its head was stored", async () => {
    const { entries, heads } = await ruled();
    const [first] = sealEntries({ seq: 0, hash: "" }, [{ at: 1, by: "x", kind: "nothing", body: {} }]);
    if (first === undefined) throw new Error("one entry");
    entries.splice(0, 1, first);
    expect(diagnoseJournal({ entries, heads: new Map() })).toMatchObject({
      kind: "broken",
      keep: { head: { seq: 0 } },
    });
    expect(diagnoseJournal({ entries, heads: mapOf(heads) })).toMatchObject({ kind: "broken", fault: { seq: 1 } });
  });

  it("DMJ-13 a repair made on another machine is recognised by its entry, and only the heads are stored again", async () => {
    const { entries, heads } = await ruled();
    const found = { entries: entries.slice(0, 1), heads: mapOf(heads) };
    const broken = diagnoseJournal(found);
    if (broken.kind !== "broken") throw new Error("it is broken");
    const { replacement } = planRepair(found, broken, () => false, who);
    const repaired = [...entries.slice(0, 1), ...replacement.entries];
    expect(diagnoseJournal({ entries: repaired, heads: mapOf(heads) })).toMatchObject({ kind: "heads" });
    expect(diagnoseJournal({ entries: repaired, heads: mapOf(replacement.heads) })).toMatchObject({ kind: "whole" });
  });
});
