import { describe, expect, it } from "vitest";
import type { GovernanceEntry, GovernanceHead, GovernanceJournal } from "../../base/ports/stores/governance.ts";
import type { HotContract } from "../../base/ports/stores/hot-contract.ts";
import { CHAIN_START, sealEntries } from "../journal/governance-chain.ts";
import { ContractService } from "./contract-service.ts";

/** A journal in memory that counts how often it is read, and whose disk can go away. */
function testJournal() {
  const entries: GovernanceEntry[] = [];
  const seen = { reads: 0, gone: false };
  const check = () => {
    if (seen.gone) throw new Error("the disk is gone");
  };
  const head = () => entries.at(-1) ?? CHAIN_START;
  const journal: GovernanceJournal = {
    append: async (after, drafts) => {
      check();
      if (after !== head().seq) return "moved";
      const sealed = sealEntries(head(), drafts);
      entries.push(...sealed);
      return { entries: sealed };
    },
    head: async () => {
      check();
      return head();
    },
    read: async ({ from = 1 }) => {
      check();
      seen.reads++;
      return { entries: entries.slice(from - 1) };
    },
    search: async () => [],
  };
  return { journal, entries, seen };
}

/** Says what it was told last, or what a test wants it to say. */
function testHot() {
  const told: { kind: "expect" | "announce"; seq: number; wrong?: GovernanceHead }[] = [];
  const says: { newest: GovernanceHead | undefined } = { newest: undefined };
  const hot: HotContract = {
    newest: async () => says.newest,
    expect: async ({ seq }) => {
      told.push({ kind: "expect", seq });
      says.newest = undefined;
    },
    announce: async (head, _, wrong) => {
      told.push({ kind: "announce", seq: head.seq, wrong });
      says.newest = { seq: head.seq, hash: head.hash };
    },
    close: async () => undefined,
  };
  return { hot, told, says };
}

function serve(journal: GovernanceJournal, hot?: HotContract) {
  let ids = 0;
  const service = new ContractService({
    journal,
    clock: { now: () => 1_700_000_000_000, monotonic: () => 0 },
    ids: { next: (prefix) => `${prefix}_${++ids}` },
    counter: async () => ({
      encoding: "characters",
      count: (text) => text.length,
      countUpTo: (text) => ({ tokens: text.length, exact: true }),
      fit: (_, max) => ({ end: max, tokens: max }),
    }),
    hot,
  });
  const add = (text: string) => service.change({ kind: "add", type: "keep", text }, "op");
  const version = async () => (await service.contract({})).version;
  return { service, add, version };
}

describe("a service with a hot contract", () => {
  it("HOT-20 the contract service reads the journal once, and again only when a new head is announced", async () => {
    const { journal, seen } = testJournal();
    const { hot, told } = testHot();
    const [one, other] = [serve(journal, hot), serve(journal, hot)];
    expect([await one.version(), await other.version(), await one.version(), seen.reads]).toEqual([0, 0, 0, 2]);
    await one.add("short notes");
    expect(told.slice(-2)).toEqual([
      { kind: "expect", seq: 0 },
      { kind: "announce", seq: 1 },
    ]);
    const { reads } = seen;
    for (let turn = 0; turn < 5; turn++) expect(await other.version()).toBe(1);
    expect(seen.reads).toBe(reads + 1);
  });

  it.each([
    { says: { seq: 7, hash: "x" }, wrong: { seq: 7, hash: "x" } },
    { says: { seq: 1, hash: "x" }, wrong: { seq: 1, hash: "x" } },
    { says: { seq: 0, hash: "" }, wrong: undefined },
    { says: undefined, wrong: undefined },
  ])(
    "HOT-21 when $says is announced as the head, the service reads the journal and corrects the announcement",
    async ({ says, wrong }) => {
      const { journal } = testJournal();
      const test = testHot();
      const { add, version } = serve(journal, test.hot);
      await add("short notes");
      test.says.newest = says;
      expect(await version()).toBe(1);
      expect(test.told.at(-1)).toEqual({ kind: "announce", seq: 1, wrong });
    },
  );

  it("HOT-22 the service decides changes on the journal's real head, whatever was announced", async () => {
    const { journal, entries } = testJournal();
    const test = testHot();
    const one = serve(journal, test.hot);
    await one.version();
    await serve(journal).add("short notes");
    test.says.newest = { ...CHAIN_START };
    expect(await one.add("Short notes")).toMatchObject({ outcome: "repeated" });
    expect(await one.add("long notes in the weekly report")).toMatchObject({ contract: { version: 2 } });
    expect(entries).toHaveLength(3);
  });

  it("HOT-23 the service makes changes while the hot contract fails, and serves turns while the journal fails", async () => {
    const { journal, entries, seen } = testJournal();
    const fails = async () => Promise.reject(new Error("no Redis"));
    const failing = serve(journal, { newest: async () => undefined, expect: fails, announce: fails, close: fails });
    expect(await failing.add("short notes")).toMatchObject({ kind: "accepted" });
    expect(entries).toHaveLength(1);
    const { version } = serve(journal, testHot().hot);
    await version();
    seen.gone = true;
    expect(await version()).toBe(1);
  });

  it("HOT-24 a change by a writer without the hot contract is in force at the next question, and is announced", async () => {
    const { journal } = testJournal();
    const test = testHot();
    const { version } = serve(journal, test.hot);
    await version();
    await serve(journal).add("short notes");
    expect(await version()).toBe(1);
    expect(test.told.at(-1)).toEqual({ kind: "announce", seq: 1 });
  });

  it("HOT-26 listeners hear of each change that was written, and one that throws breaks nothing", async () => {
    const { service, add } = serve(testJournal().journal);
    const heard: string[] = [];
    service.onNews(() => {
      throw new Error("broken");
    });
    const stop = service.onNews((news) => heard.push(news.kind));
    await add("short notes");
    await service.change({ kind: "undo" }, "op", { dryRun: true });
    await service.change({ kind: "remove", id: "d_9" }, "op");
    stop();
    await add("long notes in the weekly report");
    expect(heard).toEqual(["accepted"]);
  });

  it("HOT-25 the service neither announces a damaged journal nor trusts an announcement about it", async () => {
    const { journal, entries } = testJournal();
    const test = testHot();
    const { add, service } = serve(journal, test.hot);
    await add("short notes");
    const [draft] = sealEntries(entries[0] ?? CHAIN_START, [{ at: 1, by: "x", kind: "directive-added", body: {} }]);
    if (draft !== undefined) entries.push({ ...draft, hash: "x" });
    test.says.newest = undefined;
    const before = test.told.length;
    expect((await service.state()).fault).toMatchObject({ seq: 2 });
    expect(test.told).toHaveLength(before);
  });
});
