import { describe, expect, it } from "vitest";
import { characterCounter } from "../../../behavior/results/token-counter.ts";
import { ContractService } from "../../../engine/governance/contract-service.ts";
import { buildDigest, renderDigest } from "../digest/digest.ts";
import { DAY, testReview } from "./test-review.ts";

const WISH = "Please stop sending status reports.";

async function saying(text: string) {
  const world = testReview();
  const session = world.open({ user: "bob" });
  await session.onMessage({ text });
  await world.keep();
  return { world, session };
}

describe("what is proposed", () => {
  it("RV-60 a proposal has evidence, origin and confidence, and changes nothing in force", async () => {
    const { world, session } = await saying(WISH);
    const before = await world.contracts.contract({ user: "bob" });
    const record = await world.run();
    const [candidate] = await world.candidates();
    const [message] = (await world.events.read({ types: ["message"], limit: 1 })).events;
    expect(candidate).toMatchObject({
      scope: "user:bob",
      status: "pending",
      evidence: [`${session.id}/${message?.event.id}: ${WISH}`],
      origin: { pattern: "correction", good: false, raw: candidate?.confidence },
    });
    expect(record).toMatchObject({ found: 1, proposed: [candidate?.id], merged: [], known: 0, refused: [] });
    expect(world.delivered).toEqual([record]);
    expect(await world.contracts.contract({ user: "bob" })).toEqual(before);
  });

  it("RV-61 a repeated wish is merged, and a rejected one is not proposed again until it is repeated", async () => {
    const { world, session } = await saying(WISH);
    await world.run();
    await session.onMessage({ text: WISH });
    expect(await world.run()).toMatchObject({ proposed: [], merged: { length: 1 } });
    const [candidate] = await world.candidates();
    await world.contracts.change({ kind: "reject", id: candidate?.id ?? "", reason: "not now" }, "op");
    world.pass(DAY);
    await session.onMessage({ text: "hello" });
    expect(await world.run()).toMatchObject({ proposed: [], known: 0 });
    await session.onMessage({ text: WISH });
    expect(await world.run()).toMatchObject({ proposed: { length: 1 } });
  });

  it("RV-65 a reworded wish stays the same candidate, also after a rejection", async () => {
    const { world } = await saying("hello");
    const evidence = [{ session: "s", event: "e1", quote: "no more status reports" }];
    const base = { pattern: "correction", good: false, scope: "user:bob", confidence: 0.8 } as const;
    const window = await world.steps.window(world.time.now);
    if (window === "nothing") throw new Error("there is no window");
    await world.steps.propose(window, [{ ...base, type: "stop", text: "status reports", evidence }]);
    const later = [...evidence, { session: "s", event: "e2", quote: "less of these reports" }];
    const better = { ...base, type: "less", text: "of these reports", evidence: later } as const;
    expect(await world.steps.propose(window, [better])).toMatchObject([{ outcome: "merged" }]);
    const [candidate, ...others] = await world.candidates();
    expect(others).toEqual([]);
    expect(candidate).toMatchObject({ type: "stop", text: "status reports", evidence: { length: 2 } });
    await world.contracts.change({ kind: "reject", id: candidate?.id ?? "" }, "op");
    expect(await world.steps.propose(window, [better])).toMatchObject([{ outcome: "known" }]);
  });

  it("RV-66 a message that repeats a digest's text verbatim proposes nothing", async () => {
    const world = testReview();
    const evidence = ["s/e: as it was"];
    const origin = { pattern: "cadence", good: false };
    const proposed = {
      kind: "propose",
      type: "less",
      text: "words in a reply",
      confidence: 0.7,
      evidence,
      origin,
    } as const;
    await world.contracts.change(proposed, "daily-review");
    await world.open({ user: "bob" }).onMessage({ text: "LESS: words in a reply" });
    await world.open({ user: "bob" }).onMessage({ text: "LESS: words in a summary" });
    await world.run();
    expect((await world.candidates()).map(({ text }) => text).sort()).toEqual([
      "words in a reply",
      "words in a summary",
    ]);
  });

  it("RV-66 a digest pasted into a chat, whole or line by line, proposes nothing", async () => {
    const { world } = await saying(WISH);
    for (let at = 0; at < 3; at++) await world.open().onStop();
    const record = await world.run();
    if (record === "nothing") throw new Error("there was nothing to look at");
    const digest = renderDigest(buildDigest(await world.contracts.state(), world.time.now, record), world.time.now);
    const before = await world.candidates();
    expect(before).toHaveLength(2);
    world.pass(DAY);
    for (const text of [digest, `what is this?\n\n${digest}`, ...digest.split("\n")]) {
      if (text.trim() === "") continue;
      for (const sender of [{ role: "user", user: "eve" }, { role: "operator" }] as const)
        await world.open({ user: "eve" }).onMessage({ text, sender });
    }
    await world.run();
    expect(await world.candidates()).toEqual(before);
  });

  it("RV-67 after twenty decisions, a pattern that is always rejected is no longer proposed", async () => {
    const world = testReview();
    for (let at = 0; at < 24; at++) {
      const good = at % 2 === 0;
      const decided = await world.contracts.change(
        {
          ...{ kind: "propose", type: "stop", text: `thing number ${at} of many`, confidence: 0.7 },
          evidence: [`s/e${at}: it was so`],
          origin: { pattern: good ? "correction" : "stop-refused", good: false, raw: 0.7 },
        },
        "daily-review",
      );
      const id = decided.kind === "accepted" ? (decided.candidate?.id ?? "") : "";
      await world.contracts.change({ kind: good ? "promote" : "reject", id }, "op");
    }
    for (let at = 0; at < 3; at++) await world.open().onStop();
    await world.open({ user: "bob" }).onMessage({ text: WISH });
    const record = await world.run();
    expect(record).toMatchObject({ found: 2, proposed: { length: 1 } });
    const proposed = (await world.candidates()).filter(({ status }) => status === "pending");
    expect(proposed).toMatchObject([{ origin: { pattern: "correction" } }]);
    expect(proposed[0]?.confidence).not.toBe(proposed[0]?.origin?.raw);
  });

  it("RV-62 findings below the threshold are not proposed", async () => {
    const world = testReview({ thresholds: { confidence: 0.99 } });
    await world.open({ user: "bob" }).onMessage({ text: WISH });
    expect(await world.run()).toMatchObject({ found: 1, proposed: [], known: 0 });
    expect(await world.candidates()).toEqual([]);
  });

  it("RV-63 a proposal that the contract rejects is recorded with the reason", async () => {
    const { world } = await saying("hello");
    const window = await world.steps.window(world.time.now);
    if (window === "nothing") throw new Error("there is no window");
    const evidence = [{ session: "s", event: "e", quote: "x" }];
    const finding = {
      pattern: "model",
      good: false,
      type: "stop",
      text: "<b>",
      scope: "global",
      confidence: 0.9,
      evidence,
    } as const;
    const reviewed = await world.steps.propose(window, [finding, { ...finding, text: "all right", evidence: [] }]);
    const record = await world.steps.finish(window, reviewed, [], undefined);
    expect(record.refused).toEqual([
      { text: "STOP: <b>", why: "The text contains a tag." },
      { text: "STOP: all right", why: "The candidate has no evidence." },
    ]);
  });

  it("RV-64 after proposals the governance journal stays valid and the contract unchanged", async () => {
    const { world } = await saying(WISH);
    await world.run();
    await world.contracts.change({ kind: "add", type: "keep", text: "short answers" }, "op");
    const clock = world.review.clock;
    const again = new ContractService({
      journal: world.governance,
      clock,
      ids: { next: String },
      counter: async () => characterCounter,
    });
    expect((await again.state()).fault).toBeUndefined();
    expect(await again.contract({})).toEqual(await world.contracts.contract({}));
  });
});
