import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Candidate, ContractView } from "../../../base/words/contract.ts";
import { characterCounter } from "../../../behavior/results/token-counter.ts";
import { homeStores } from "../../../edge/stores/home-stores.ts";
import { ContractService } from "../../../engine/governance/contract-service.ts";
import { verifyChain } from "../../../engine/journal/governance-chain.ts";
import { measureAdherence } from "../adherence/measure-adherence.ts";
import { GOVERNANCE, isQuotedFrom, readEvidence } from "./evidence.ts";
import { pastRuns } from "./past-runs.ts";
import { isSame } from "./propose.ts";
import { reviewSteps } from "./review-steps.ts";
import { directly, type ReviewRecord, runReview } from "./steps.ts";
import { drawn, isForeign, playDay } from "./test-days.ts";
import { testReview } from "./test-review.ts";

const folder = mkdtempSync(join(tmpdir(), "conduct-review-"));
const stores = homeStores({ kind: "sqlite", file: join(folder, "conduct.db") });
afterAll(async () => {
  await stores.close();
  rmSync(folder, { recursive: true, force: true });
});

const VIEWS: readonly ContractView[] = [
  { agent: "agent", channel: "web" },
  ...["ann", "bob", "eve"].map((user) => ({ agent: "agent", channel: "web", user })),
];
/** The machine slept. */
const ASLEEP = new Set([4, 5, 6, 12, 20, 21]);

/** Thirty days, each reviewed by a process of its own; on some of them an operator decides on what waits. */
async function playThirtyDays() {
  const world: ReturnType<typeof testReview> = testReview(
    { measure: (window) => measureAdherence({ events: stores.events, contracts: world.contracts }, window) },
    stores,
  );
  const next = drawn(20_261_102);
  const hashes = async () => Promise.all(VIEWS.map(async (view) => (await world.contracts.contract(view)).hash));
  const moved: { readonly day: number; readonly by: "review" | "operator" }[] = [];
  const records: ReviewRecord[] = [];
  const rejected: Candidate[] = [];
  const again: string[] = [];
  let repeats = 0;
  await world.contracts.change({ kind: "add", type: "keep", text: "your answers shorter" }, "ann");
  await world.contracts.change({ kind: "add", type: "start", text: "apologising all the time" }, "ann");
  const check = "length: at most 20 words";
  await world.contracts.change({ kind: "add", type: "less", text: "words", check }, "ann");
  for (let day = 0; day < 30; day++) {
    world.time.now = Date.UTC(2026, 10, 2 + day, 9);
    await playDay(world, next);
    await world.keep();
    if (ASLEEP.has(day)) continue;
    const before = await hashes();
    const known = new Set((await world.candidates()).map(({ id }) => id));
    const counter = async () => characterCounter;
    const ids = { next: (prefix: string) => `${prefix}_${day}_${Math.floor(next() * 2 ** 32).toString(36)}` };
    const contracts = new ContractService({ journal: stores.governance, clock: world.review.clock, ids, counter });
    const steps = reviewSteps({ ...world.review, contracts });
    const window = await steps.window(world.time.now);
    const record = await runReview(steps, world.time.now, directly);
    if (record === "nothing" || window === "nothing") throw new Error("there was nothing to look at");
    records.push(record);
    for (const candidate of await world.candidates()) {
      if (known.has(candidate.id)) continue;
      const same = rejected.filter((one) => isSame(one, candidate));
      if (same.length > 0) repeats += 1;
      const old = new Set(same.flatMap(({ evidence }) => evidence));
      if (candidate.evidence.every((one) => old.has(one))) again.push(candidate.text);
    }
    // Once more, as after a crash before the end.
    const head = await stores.governance.head();
    expect(await runReview(steps, world.time.now, directly)).toBe("nothing");
    await steps.finish(window, await steps.propose(window, await steps.find(window)), [], undefined);
    expect(await stores.governance.head()).toEqual(head);
    if ((await hashes()).join() !== before.join()) moved.push({ day, by: "review" });
    if (day % 3 === 2) rejected.push(...(await decide(world, day)));
    if ((await hashes()).join() !== before.join()) moved.push({ day, by: "operator" });
  }
  return { world, records, moved, rejected, again, repeats };
}

/** In turn: promoted, rejected, put in other words and promoted, left alone. */
async function decide(world: ReturnType<typeof testReview>, day: number): Promise<readonly Candidate[]> {
  const rejected: Candidate[] = [];
  const waiting = (await world.candidates()).filter(({ status }) => status === "pending");
  for (const [at, candidate] of waiting.entries()) {
    const { id, type, text } = candidate;
    switch ((at + day) % 4) {
      case 0:
        await world.contracts.change({ kind: "promote", id }, "ann");
        break;
      case 1:
        if (candidate.demotes === undefined)
          await world.contracts.change({ kind: "promote", id, as: { type, text: `${text}, where it fits` } }, "ann");
        break;
      case 2:
        rejected.push(candidate);
        await world.contracts.change({ kind: "reject", id, reason: "not wanted" }, "ann");
    }
  }
  return rejected;
}

describe("thirty days on the engine and SQLite", async () => {
  const { world, records, moved, rejected, again, repeats } = await playThirtyDays();
  const candidates = await world.candidates();

  it("RV-80 in thirty days the contract never changes without an operator", () => {
    expect(moved.filter(({ by }) => by === "review")).toEqual([]);
    expect(moved.filter(({ by }) => by === "operator").length).toBeGreaterThan(3);
  });

  it("RV-81 in thirty days every kind of pattern is proposed", () => {
    const patterns = new Set(candidates.map(({ origin }) => origin?.pattern));
    for (const pattern of ["correction", "denied-then-met", "overridden", "tool-fails", "stop-refused", "truncated"])
      expect(patterns).toContain(pattern);
    for (const pattern of ["not-followed", "cadence", "demotion"]) expect(patterns).toContain(pattern);
    expect(candidates.length).toBeGreaterThan(20);
  });

  it("RV-82 in thirty days every candidate has evidence, all of it verbatim in the journal", async () => {
    for (const { evidence, text } of candidates) {
      expect(evidence.length).toBeGreaterThan(0);
      for (const one of evidence) {
        const read = readEvidence(one);
        const kept = read?.session === GOVERNANCE ? undefined : await stores.events.find(read?.event ?? "");
        expect([text, one, kept !== undefined && isQuotedFrom(read?.quote ?? "", kept.event)]).toEqual([
          text,
          one,
          true,
        ]);
        expect(kept?.event.session).toBe(read?.session);
      }
    }
  });

  it("RV-83 in thirty days rejected candidates return only with new evidence", () => {
    expect(rejected.length).toBeGreaterThan(5);
    expect(again).toEqual([]);
    expect(repeats).toBeGreaterThan(0);
  });

  it("RV-84 in thirty days every event is reviewed in exactly one run, also after days of sleep", async () => {
    const runs = await pastRuns(stores.governance);
    expect(runs).toEqual(records);
    expect(runs).toHaveLength(30 - ASLEEP.size);
    expect(runs.map(({ window }) => window.after)).toEqual([0, ...runs.slice(0, -1).map(({ window }) => window.upTo)]);
    expect(runs.at(-1)?.window.upTo).toBe(await stores.events.head());
    const messages = await stores.events.count({ types: ["message"] });
    expect(runs.reduce((sum, run) => sum + run.messages, 0)).toBe(messages);
  });

  it("RV-85 the review learns nothing from the contract's block, a digest, a quote, a reply or a tool's output", () => {
    const said = candidates.flatMap(({ text, evidence, origin }) =>
      origin?.pattern === "correction" || origin?.pattern === "request" ? [text, ...evidence] : [text],
    );
    expect(said.filter(isForeign)).toEqual([]);
  });

  it("RV-86 after thirty days the journal is valid, and a replay from the start gives the same contract", async () => {
    const { entries } = await stores.governance.read({ limit: 10_000 });
    expect(verifyChain(entries)).toMatchObject({ kind: "whole" });
    const clock = world.review.clock;
    const fresh = new ContractService({
      journal: stores.governance,
      clock,
      ids: { next: String },
      counter: async () => characterCounter,
    });
    for (const view of VIEWS) expect(await fresh.contract(view)).toEqual(await world.contracts.contract(view));
    expect([...(await fresh.state()).candidates].map(([, one]) => one)).toEqual(candidates);
  });
});
