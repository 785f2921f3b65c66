import { describe, expect, it } from "vitest";
import type { Measured } from "./measure.ts";
import { BEGIN, END, renderFigures, replaceBlock } from "./render.ts";

const measured: Measured = {
  replicas: 3,
  turnsPerSecond: 40,
  startMs: [10, 20, 30],
  turnMs: [100, 200, 300],
  perTurn: { rows: 50, transactions: 20, walBytes: 10_240, gatewayCpuMs: 12, postgresCpuMs: 6 },
  idle: { transactionsPerSecond: 30, walBytesPerSecond: 1_024 },
  failed: 0,
};
const where = { date: "2026-11-18", machine: "2 x a CPU", commit: "abc", load: 1 };

describe("figures of many replicas", () => {
  it("REPB-01 a million turns a day are computed from CPU time, transactions and WAL of a turn", () => {
    const block = renderFigures([measured], where);
    // 1,000,000 / 86,400 = 11.6 turns a second, 58 in a peak of five times that.
    expect(block).toContain("11.6 turns a second on average");
    expect(block).toContain("| gateway cores | 58 turns/s x 12.0 ms / 0.6 | 1.2 |");
    expect(block).toContain("| gateways | one core each, and one more so that one may fail | 3 |");
    expect(block).toContain("| PostgreSQL cores | 58 turns/s x 6.0 ms / 0.6 | 0.6 |");
    expect(block).toContain("| PostgreSQL transactions | 58 turns/s x 20 | 1157 a second in the peak |");
    expect(block).toContain("10 GB a day");
    expect(block).toContain("Measured on 2026-11-18, commit abc, on 2 x a CPU");
  });

  it("REPB-02 the block of a page is replaced, and the rest stays", () => {
    const page = `before\n${BEGIN}\nold\n${END}\nafter\n`;
    const block = renderFigures([measured], where);
    expect(replaceBlock(page, block)).toBe(`before\n${block}\nafter\n`);
    expect(() => replaceBlock("no block", block)).toThrow(/no generated block/);
  });
});
