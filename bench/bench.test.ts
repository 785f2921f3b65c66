import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openConductFromEnv } from "../src/edge/host/opening/open-conduct.ts";
import { compare } from "./harness.ts";
import { type Benchmark, main, Report, readFlags } from "./report.ts";
import { show, showSpread, table } from "./show.ts";
import { pairedRatios, quantile, spreadOf } from "./statistics.ts";
import { benchAgent, Driver, instantFilesystem } from "./workload.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Time that passes when it is told to, in milliseconds. */
function fakeTime(): (ms: number) => void {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  return (ms) => {
    now += ms;
  };
}

describe("statistics", () => {
  it.each([
    { values: [5], share: 0.5, expected: 5 },
    { values: [3, 1, 2], share: 0.5, expected: 2 },
    { values: [4, 1, 3, 2], share: 0.5, expected: 2.5 },
    { values: [1, 2, 3, 4, 5], share: 0.25, expected: 2 },
    { values: [0, 10], share: 0.99, expected: 9.9 },
  ])("BENCH-1 the quantile $share of $values is $expected", ({ values, share, expected }) => {
    expect(quantile(values, share)).toBeCloseTo(expected);
  });

  it("BENCH-1 an empty list of values has no quantile", () => {
    expect(quantile([], 0.5)).toBeNaN();
  });

  it("BENCH-2 a spread consists of the median and both quartiles, and computing it does not modify the values", () => {
    const values = [50, 10, 40, 20, 30];
    expect(spreadOf(values)).toEqual({ low: 20, median: 30, high: 40 });
    expect(values).toEqual([50, 10, 40, 20, 30]);
  });

  it("BENCH-3 a ratio compares two neighbouring batches, not two medians", () => {
    expect(pairedRatios([2, 20], [1, 10])).toEqual([2, 2]);
    expect(pairedRatios([10], [1], 1 / 10)).toEqual([1]);
  });
});

describe("compare", () => {
  it("BENCH-4 a comparison runs both sides in pairs of alternating order, after a warm-up that is not counted", async () => {
    const order: string[] = [];
    const prepared: number[] = [];
    const result = await compare({
      name: "toy",
      ours: { prepare: (batch) => [prepared.push(batch), order.push("ours")], run: () => 1 },
      reference: { prepare: () => order.push("reference"), run: () => 2 },
      batches: 3,
      perBatch: 4,
    });
    expect(order.slice(2)).toEqual(["ours", "reference", "reference", "ours", "ours", "reference"]);
    expect(prepared).toEqual([-1, 0, 1, 2]);
    expect(result).toMatchObject({ name: "toy", batches: 3, perBatch: 4 });
    expect(result.ratio.low).toBeLessThanOrEqual(result.ratio.high);
  });

  it.each([
    { kind: "synchronous", each: false, sync: true },
    { kind: "synchronous, each timed", each: true, sync: true },
    { kind: "asynchronous", each: false, sync: false },
    { kind: "asynchronous, each timed", each: true, sync: false },
  ])("BENCH-5 a $kind body runs once per repetition, strictly in sequence", async ({ each, sync }) => {
    let runs = 0;
    let open = 0;
    const wait = async () => {
      open += 1;
      expect(open).toBe(1);
      await Promise.resolve();
      open -= 1;
      runs += 1;
    };
    const count = () => {
      runs += 1;
    };
    const ours = sync ? count : wait;
    const result = await compare({ name: "toy", ours, reference: () => 0, batches: 2, perBatch: 5, each });
    // One look at whether it is asynchronous, a batch of warm-up and two that count.
    expect(runs).toBe(1 + 5 * 3);
    expect(result.ours.p99 !== undefined).toBe(each);
  });

  it("BENCH-6 a batch counts with its mean, and the time of a repeated side is divided by its repetitions", async () => {
    const pass = fakeTime();
    const result = await compare({
      name: "toy",
      ours: { run: () => pass(1), repeat: 2 },
      reference: () => pass(4),
      batches: 4,
      perBatch: 3,
    });
    expect(result.ours.spread).toEqual({ low: 1_000, median: 1_000, high: 1_000 });
    expect(result.reference.spread.median).toBe(4_000);
    expect(result.ratio.median).toBe(0.25);
  });

  it("BENCH-7 if runs are timed one by one, a batch counts with its median, and one slow run affects only p99", async () => {
    const pass = fakeTime();
    let runs = 0;
    const run = () => {
      runs += 1;
      pass(runs % 10 === 0 ? 1_000 : 1);
    };
    const ours = { before: () => pass(500), run };
    const result = await compare({
      name: "toy",
      ours,
      reference: () => pass(1),
      batches: 2,
      perBatch: 10,
      each: true,
      work: { ours: 2, reference: 1 },
    });
    expect(result.ours.spread.median).toBe(1_000);
    expect(result.ours.p50).toBe(1_000);
    expect(result.ours.p99).toBe(1_000_000);
    expect(result.ratio.median).toBe(0.5);
  });
});

describe("what is printed", () => {
  it.each([
    { value: 0.0891, unit: "time" as const, text: "89.1 ns" },
    { value: 42.34, unit: "time" as const, text: "42.3 us" },
    { value: 15_200, unit: "time" as const, text: "15.2 ms" },
    { value: 2_000_000, unit: "time" as const, text: "2 s" },
    { value: 0, unit: "time" as const, text: "0 ns" },
    { value: 1_340, unit: "bytes" as const, text: "1.34 KB" },
    { value: -2_000_000, unit: "bytes" as const, text: "-2 MB" },
    { value: 0.00042, unit: "ratio" as const, text: "0.00042 x" },
    { value: 1.114, unit: "ratio" as const, text: "1.11 x" },
    { value: 10_000, unit: "count" as const, text: "10,000" },
    { value: Number.NaN, unit: "time" as const, text: "-" },
  ])("BENCH-8 the report formats $value in $unit as $text", ({ value, unit, text }) => {
    expect(show(value, unit)).toBe(text);
  });

  it("BENCH-9 all three values of a spread share the unit of the median", () => {
    expect(showSpread({ low: 0.9, median: 1.5, high: 1_200 }, "time")).toBe("1.50 us (0.90..1200)");
    expect(showSpread({ low: 0.08, median: 0.09, high: 0.1 }, "time")).toBe("90 ns (80..100)");
  });

  it("BENCH-10 a report table is aligned and valid Markdown", () => {
    const text = table(
      ["what", "us"],
      [
        ["short", "1.5"],
        ["a longer name", "1,000"],
      ],
    );
    expect(text).toBe(
      [
        "| what          |    us |",
        "|---------------|------:|",
        "| short         |   1.5 |",
        "| a longer name | 1,000 |",
      ].join("\n"),
    );
  });

  it("BENCH-11 a missed budget is reported in plain words and does not fail the run", () => {
    const lines: string[] = [];
    const report = new Report(readFlags([]), (line) => lines.push(line));
    report.budget("one thing", 50, 42, "time");
    report.budget("another", 1.2, 1.39, "ratio");
    expect(lines).toEqual([
      "budget met: one thing: 42 us, at most 50 us",
      "budget NOT MET: another: 1.39 x, at most 1.20 x",
    ]);
    expect(process.exitCode).toBeUndefined();
  });
});

describe("--json", () => {
  const toy: Benchmark = {
    name: "toy",
    about: ["Nothing is measured."],
    async run(report) {
      const row = { name: "row", ours: () => 1, reference: () => 2, perBatch: 2 };
      await report.group("group", { ours: "ours", reference: "theirs" }, [row]);
      report.figures("sizes", [{ name: "size", value: 12, unit: "bytes" }]);
      report.budget("small enough", 20, 12, "bytes");
    },
  };

  it("BENCH-12 --json prints a single document with every row, figure and budget, and nothing else", async () => {
    const print = vi.spyOn(console, "log").mockImplementation(() => {});
    await main(toy, ["--json", "--quick"]);
    expect(print).toHaveBeenCalledTimes(1);
    const { ok, command, result } = JSON.parse(String(print.mock.calls[0]?.[0]));
    expect({ ok, command, quick: result.quick }).toEqual({ ok: true, command: "bench", quick: true });
    expect(result.machine).toMatchObject({ node: process.version });
    expect(result.benchmarks).toMatchObject([
      {
        name: "toy",
        comparisons: [{ group: "group", name: "row", batches: 6, perBatch: 2 }],
        figures: [{ name: "size", value: 12, unit: "bytes" }],
        budgets: [{ budget: "small enough", met: true, limit: 20, measured: 12 }],
      },
    ]);
  });

  it("BENCH-13 without --json the same report is printed as readable text", async () => {
    const lines: string[] = [];
    vi.spyOn(console, "log").mockImplementation((line) => void lines.push(String(line)));
    await main(toy, ["--quick"]);
    const text = lines.join("\n");
    for (const part of ["Node v", "## toy", "Nothing is measured.", "| group", "| sizes", "budget met: small enough"])
      expect(text).toContain(part);
  });

  it("BENCH-14 an unknown benchmark is rejected with the nearest name and a non-zero exit code", async () => {
    const file = fileURLToPath(new URL("./run.ts", import.meta.url));
    const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
      execFile(process.execPath, [file, "snapshots", "--json"], (error, stdout) => {
        resolve({ code: error?.code, stdout });
      });
    });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { message: expect.stringContaining("'snapshot'") } });
  });
});

it("BENCH-15 the benchmark session allows every call without faults, and only few feedback providers respond", async () => {
  const conduct = openConductFromEnv({
    agents: [benchAgent()],
    workspace: "/w",
    journal: false,
    ports: { filesystem: instantFilesystem },
  });
  let spoke = 0;
  const faults: unknown[] = [];
  conduct.subscribe((event) => {
    if (event.type === "result") spoke += event.feedback.length;
    if (event.type === "fault") faults.push(event.fault);
  });
  await new Driver(conduct.session({ agent: "bench" })).upTo(450);
  expect(faults).toEqual([]);
  expect(spoke).toBe(4);
});
