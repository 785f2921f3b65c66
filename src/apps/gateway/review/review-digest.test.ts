import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { characterCounter } from "../../../behavior/results/token-counter.ts";
import { sequentialIds } from "../../../edge/host/node/node-ids.ts";
import { memoryStores } from "../../../edge/stores/home-stores.ts";
import { ContractService } from "../../../engine/governance/contract-service.ts";
import type { ReviewRecord } from "../../learning/review/steps.ts";
import { type DigestPlaces, deliverDigest } from "./review-desk.ts";

const home = mkdtempSync(join(tmpdir(), "conduct-digest-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const NOON = Date.UTC(2026, 10, 15, 12);

/** A store with that many candidates that wait, the last the surest; and a chat that takes what it is sent, or not. */
async function world(count: number, quote: string, refuse: readonly string[] = []) {
  const clock = { now: () => NOON, monotonic: () => 0 };
  const contracts = new ContractService({
    ...{ journal: memoryStores().governance, clock, ids: sequentialIds(), counter: async () => characterCounter },
  });
  for (let at = 1; at <= count; at++) {
    await contracts.change(
      { kind: "propose", type: "stop", text: `habit number ${at}${at}`, confidence: 0.6 + at / 100, evidence: [quote] },
      "daily-review",
    );
  }
  const record: ReviewRecord = {
    window: { run: "r", after: 0, upTo: 9, from: NOON, to: NOON },
    ...{ at: NOON, by: "daily-review", sessions: 1, messages: 2, decisions: 3, found: count, known: 0 },
    ...{ proposed: [...(await contracts.state()).candidates].map(([id]) => id), merged: [], refused: [] },
    ...{ good_patterns: [], bad_patterns: [], adherence: [] },
  };
  const sent: string[] = [];
  const proposed: { readonly chat: string; readonly text: string; readonly id: string }[] = [];
  const reported: string[] = [];
  const bot = {
    send: async (_chat: string, text: string) => void sent.push(text),
    propose: async (chat: string, text: string, id: string) => {
      if (refuse.includes(id)) throw new Error("Bad Request");
      proposed.push({ chat, text, id });
    },
  };
  const deliver = (config: DigestPlaces["config"], telegram: DigestPlaces["telegram"] = () => bot) =>
    deliverDigest(
      { contracts, clock, config, home, telegram, slack: () => bot, report: (line) => reported.push(line) },
      record,
    );
  return { deliver, sent, proposed, reported };
}

describe("the digest in its places", () => {
  it("E10: the chat gets the candidates with the highest confidence one by one and the count of others; the file has all", async () => {
    const { deliver, sent, proposed, reported } = await world(12, "s_1/e_1: please stop that");
    await deliver({ file: "out/digest.md", telegram: 4711 });
    expect(sent).toEqual([expect.stringContaining("12 new, 0 waiting")]);
    expect(sent[0]).toContain("the 10 with the highest confidence");
    expect(proposed.map(({ id }) => id)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((at) => `c_${at}`));
    expect(proposed[0]).toMatchObject({ chat: "4711", text: expect.stringContaining("> please stop that (s_1)") });
    expect(readFileSync(join(home, "out/digest.md"), "utf8").match(/^\*\*c_/gm)).toHaveLength(12);
    expect(reported).toEqual([]);
  });

  it("SLK-10 the digest goes to Slack with a message for each proposal", async () => {
    const { deliver, sent, proposed } = await world(2, "that");
    await deliver({ slack: "C012AB3CD" });
    expect(sent).toHaveLength(1);
    expect(proposed.map(({ chat, id }) => `${chat} ${id}`)).toEqual(["C012AB3CD c_2", "C012AB3CD c_1"]);
  });

  it("E10: a digest message that Telegram rejects is reported, and the others are still sent", async () => {
    const { deliver, proposed, reported } = await world(3, "that", ["c_3"]);
    await deliver({ telegram: 1 });
    expect(proposed.map(({ id }) => id)).toEqual(["c_2", "c_1"]);
    expect(reported).toEqual([expect.stringContaining("c_3 could not be sent to the chat")]);
  });

  it.each(["🙂".repeat(400), "a".repeat(299) + "👩‍👩‍👧".repeat(50)])(
    "E10: a long quote is cut between characters, in the chat and in the file",
    async (quote) => {
      const { deliver, proposed } = await world(1, quote);
      await deliver({ file: "long.md", telegram: 1 });
      for (const text of [proposed[0]?.text ?? "", readFileSync(join(home, "long.md"), "utf8")]) {
        expect(text).toContain(" …");
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toContain("\uFFFD");
        expect(text.length).toBeLessThan(4_096);
      }
    },
  );

  it("E10: an unreachable destination of the digest is reported and does not affect the others", async () => {
    const { deliver, reported } = await world(1, "that");
    writeFileSync(join(home, "taken"), "");
    await deliver({ file: "taken/digest.md", telegram: 1 }, () => undefined);
    expect(reported).toEqual([expect.stringContaining("could not be written"), expect.stringContaining("not set up")]);
  });
});
