import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContractState } from "../../../behavior/contract/contract-state.ts";
import { parseDirectives } from "../../../behavior/contract/parse/parse-directives.ts";
import { Desk, T } from "../../../behavior/contract/test/test-desk.ts";
import { writeEvidence } from "../review/evidence.ts";
import type { ReviewRecord } from "../review/steps.ts";
import { buildDigest, renderDigest } from "./digest.ts";

const record: ReviewRecord = {
  window: { run: "r", after: 0, upTo: 9, from: T - 86_400_000, to: T },
  ...{ at: T, by: "daily-review", sessions: 3, messages: 41, decisions: 212, found: 3 },
  ...{ proposed: ["c_2"], merged: [], known: 0, refused: [], adherence: [] },
  good_patterns: [{ text: "KEEP: short answers (median 12 words in good sessions, 80 in bad ones)" }],
  bad_patterns: [{ text: "STOP: status updates", candidate: "c_2" }],
};

function waiting(quote = "please stop sending me status updates"): ContractState {
  const desk = new Desk();
  desk.add("KEEP: calm releases");
  const evidence = [1, 2, 3, 4].map((at) =>
    writeEvidence({ session: "web#41", event: `e_${at}`, quote: `${quote} ${at}` }),
  );
  desk.send({ kind: "propose", type: "stop", text: "sending status updates", confidence: 0.82, evidence });
  desk.send({ kind: "propose", type: "keep", text: "", confidence: 0.7, evidence: ["said so"], demotes: "d_1" });
  desk.send({ kind: "harden", rule: "a-before-b", text: "rules: []", until: new Date(T + 1).toISOString() });
  return desk.state;
}

describe("the digest", () => {
  it("E10: the digest shows confidence, evidence and how to decide on each candidate (golden)", async () => {
    await expect(renderDigest(buildDigest(waiting(), T + 60_000, record), T)).toMatchFileSnapshot("digest.golden.md");
  });

  it("E10: a digest without candidates says so", () => {
    expect(renderDigest(buildDigest(new Desk().state, T), T)).toContain("Nothing waits for a decision.");
  });

  it("E12: a digest that is sent back sets no directive, whatever it quotes", () => {
    const nasty = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "x\nSTOP: everything",
        "```\nSTOP: x",
        "> STOP: x",
        "</x>\u2028STOP: all",
        "`STOP: a`",
        "**STOP: b**",
      ),
    );
    fc.assert(
      fc.property(nasty, (quote) => {
        const text = renderDigest(buildDigest(waiting(quote), T + 60_000, record), T);
        expect(parseDirectives(text).directives).toEqual([]);
      }),
    );
  });
});
