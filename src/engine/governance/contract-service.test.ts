import { describe, expect, it } from "vitest";
import type { GovernanceEntry, GovernanceJournal } from "../../base/ports/stores/governance.ts";
import { characterCounter } from "../../behavior/results/token-counter.ts";
import { CHAIN_START, sealEntries } from "../journal/governance-chain.ts";
import { ContractService } from "./contract-service.ts";

/** A journal in memory whose entries a test can get at. */
function opened() {
  const entries: GovernanceEntry[] = [];
  const head = () => entries.at(-1) ?? CHAIN_START;
  const journal: GovernanceJournal = {
    append: async (after, drafts) => {
      if (after !== head().seq) return "moved";
      const sealed = sealEntries(head(), drafts);
      entries.push(...sealed);
      return { entries: sealed };
    },
    head: async () => head(),
    read: async ({ from = 1 }) => ({ entries: entries.slice(from - 1) }),
    search: async () => [],
  };
  const time = { now: Date.UTC(2026, 10, 15) };
  let ids = 0;
  const serve = () =>
    new ContractService({
      journal,
      clock: { now: () => time.now, monotonic: () => 0 },
      ids: { next: (prefix) => `${prefix}_${++ids}` },
      counter: async () => characterCounter,
    });
  return { entries, time, serve, service: serve() };
}

const add = (service: ContractService, text: string) => service.change({ kind: "add", type: "stop", text }, "op");
const told = async (service: ContractService) => (await service.contract({})).directives.map(({ text }) => text);

describe("who listens to the one writer", () => {
  it("CTS-20: contract listeners get every change, including those of other processes, but not the first read", async () => {
    const { serve, service } = opened();
    await add(service, "poems");
    const other = serve();
    let heard = 0;
    const leave = other.onChange(() => {
      heard += 1;
    });
    other.onChange(() => {
      throw new Error("breaks nothing");
    });
    await other.state();
    expect(heard).toBe(0);
    await add(service, "songs");
    await other.state();
    expect(heard).toBe(1);
    expect(await add(other, "dances")).toMatchObject({ kind: "accepted" });
    expect(heard).toBe(2);
    await other.change({ kind: "add", type: "stop", text: "plays" }, "op", { dryRun: true });
    leave();
    await add(other, "jokes");
    expect(heard).toBe(2);
  });
});

describe("the one writer of the contract", () => {
  it.each<[string, (entries: GovernanceEntry[]) => void]>([
    ["its end is cut off", (entries) => void entries.pop()],
    ["all of it is gone", (entries) => void entries.splice(0)],
    [
      "its end was written anew",
      (entries) => {
        const [first = CHAIN_START] = entries;
        const other = sealEntries(first, [{ at: 1, by: "mallory", kind: "x", body: {} }]);
        entries.splice(1, 1, ...other);
      },
    ],
  ])(
    "D05: in a running process a journal of which %s leaves the contract in force and blocks writes",
    async (_, harm) => {
      const { entries, service } = opened();
      await add(service, "long reports");
      await add(service, "small talk");
      harm(entries);
      const left = entries.length;
      expect(await told(service)).toEqual(["long reports", "small talk"]);
      expect((await service.state()).fault?.message).toMatch(/cut off or replaced by an older copy/);
      expect(await add(service, "poems")).toMatchObject({ kind: "refused", code: "GATEWAY_BEHAVIOR_FAILED" });
      expect(entries).toHaveLength(left);
    },
  );

  it("D06: an entry that could not be read back is never written", async () => {
    const { entries, service } = opened();
    const message = { id: "m".repeat(3_000), line: 1 };
    const change = service.change({ kind: "add", type: "stop", text: "long reports", message }, "op");
    await expect(change).rejects.toThrow("cannot be stored");
    expect(entries).toEqual([]);
    expect(await add(service, "long reports")).toMatchObject({ kind: "accepted" });
  });

  it("D23: expired directives end at the turn's start, and return if the clock is set back before expiry is recorded", async () => {
    const { service, time } = opened();
    const end = time.now + 1_000;
    const expiresAt = new Date(end).toISOString();
    await service.change({ kind: "add", type: "stop", text: "long reports", expiresAt }, "op");
    const at = async (now: number) => {
      time.now = now;
      return told(service);
    };
    expect([await at(end - 1), await at(end), await at(end - 1)]).toEqual([["long reports"], [], ["long reports"]]);
    time.now = end;
    await add(service, "small talk");
    expect(await at(end - 1)).toEqual(["small talk"]);
  });

  it("D22: undo reverts one change at a time, and a later change is the next to be undone", async () => {
    const { service } = opened();
    const hash = async () => (await service.contract({})).hash;
    const hashes = [await hash()];
    for (const text of ["long reports", "small talk"]) {
      await add(service, text);
      hashes.push(await hash());
    }
    const undo = () => service.change({ kind: "undo" }, "op");
    await undo();
    expect(await hash()).toBe(hashes[1]);
    await add(service, "poems");
    await undo();
    expect(await hash()).toBe(hashes[1]);
    await undo();
    expect(await hash()).toBe(hashes[0]);
    expect(await undo()).toMatchObject({ code: "NOTHING_TO_UNDO" });
  });

  it("C04: a directive that conflicts with one in an overlapping scope is rejected", async () => {
    const { service } = opened();
    const say = (type: "keep" | "stop", scope: string) =>
      service.change({ kind: "add", type, text: "small talk", scope }, "op");
    expect(await say("keep", "user:ann")).toMatchObject({ kind: "accepted" });
    for (const scope of ["global", "agent:ada", "channel:web", "user:ann"]) {
      expect(await say("stop", scope), scope).toMatchObject({ code: "BEHAVIOR_CONFLICT" });
    }
    expect(await say("stop", "user:bob")).toMatchObject({ kind: "accepted" });
  });
});
