import { describe, expect, it } from "vitest";
import { mergeFindings } from "./propose.ts";
import type { Finding } from "./steps.ts";

const finding = (more: Partial<Finding>, events: readonly string[] = ["e1"]): Finding => ({
  ...{ pattern: "correction", good: false, type: "stop", text: "sending long status reports", scope: "global" },
  confidence: 0.7,
  evidence: events.map((event) => ({ session: "s", event, quote: "so" })),
  ...more,
});
const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `e${from + at}`);

describe("findings that say the same", () => {
  it.each<[string, Partial<Finding>, number]>([
    ["the same", {}, 1],
    ["but for case and a full stop", { text: "Sending long status reports." }, 1],
    ["found by another pattern", { pattern: "model" }, 1],
    ["another type", { type: "less" }, 2],
    ["another scope", { scope: "user:bob" }, 2],
    ["other words", { text: "answering in German" }, 2],
    ["one of them takes a directive away", { demotes: "d_1" }, 2],
  ])("RV-6 two findings are merged only if they say the same: %s", (_, other, count) => {
    expect(mergeFindings([finding({}), finding(other, ["e2"])])).toHaveLength(count);
  });

  it("RV-7 merged findings have the highest confidence, the first wording, and the newest evidence without duplicates", () => {
    const [merged, ...others] = mergeFindings([
      finding({}, ids(0, 8)),
      finding({ confidence: 0.9, text: "sending long status report" }, ids(4, 15)),
    ]);
    expect(others).toEqual([]);
    expect(merged).toMatchObject({ confidence: 0.9, text: "sending long status reports" });
    expect(merged?.evidence.map(({ event }) => event)).toEqual(ids(5, 15));
  });
});
