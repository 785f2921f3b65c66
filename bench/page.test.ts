import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { chart } from "./chart.ts";
import { issueTable } from "./issue-table.ts";
import { pageOf, writePage } from "./page.ts";
import { type BenchmarkDocument, Report, readFlags } from "./report.ts";

function documentOf(name: string, fill: (report: Report) => void): BenchmarkDocument {
  const report = new Report(readFlags(["--json"]));
  fill(report);
  return report.document({ name, about: [], run: async () => {} }, 1);
}

const CALLS = documentOf("calls", (report) => {
  report.budget("issue 20: a call, p50", 100, 90, "time");
  report.budget("issue 20: a call, p99", 2_000, 2_500, "time");
  report.budget("issue 20: allocated", 10_000, 9_000, "bytes");
  report.budget("another issue", 1, 2, "ratio");
});
const RULES = documentOf("rules", (report) => {
  report.budget("issue 20: one rule, p50", 2, 1.5, "time");
  report.figures("one rule", [{ name: "issue 20: one rule, p99", value: 4, unit: "time" }]);
});
const CURVE = {
  name: "Time < size",
  of: "calls",
  unit: "time",
  lines: [
    {
      name: "p50",
      points: [
        { size: 100, value: 20 },
        { size: 10_000, value: 21 },
      ],
    },
  ],
} as const;

it("BENCH-30 p50 and p99 share a row of the table, and one missed budget of them misses the row", () => {
  expect(issueTable([RULES, CALLS])).toBe(
    [
      "| what      |     p50 |     p99 |       at most |         |",
      "|-----------|--------:|--------:|--------------:|--------:|",
      "| a call    |   90 us | 2.50 ms | 100 us / 2 ms | NOT MET |",
      "| allocated |    9 KB |         |         10 KB |     met |",
      "| one rule  | 1.50 us |    4 us |          2 us |     met |",
    ].join("\n"),
  );
});

it("BENCH-31 a chart has a point for each size, its axis labels, and no markup from names", () => {
  const svg = chart(CURVE);
  expect(svg.match(/<circle /g)).toHaveLength(2);
  for (const part of ["100 calls", "10,000 calls", ">10 us<", ">100 us<", "Time &lt; size"])
    expect(svg).toContain(part);
});

it("BENCH-32 the page has the table, the charts, when each benchmark ran, and what was not measured", () => {
  const curves = documentOf("curves", (report) => report.curve(CURVE));
  const page = pageOf("<!-- table -->\n<!-- charts -->\n<!-- runs -->", [CALLS, curves]);
  expect(page).toContain("| a call ");
  expect(page).toContain("![Time < size](images/benchmarks/calls.svg)");
  expect(page).toContain("`npm run bench -- calls`");
  expect(page).toContain("Not measured yet: rules, gateway");
});

it("BENCH-33 a later run replaces only the benchmarks that it measured", async () => {
  const docs = mkdtempSync(join(tmpdir(), "conduct-bench-page-"));
  onTestFinished(() => rmSync(docs, { recursive: true }));
  await writePage([CALLS, RULES], docs);
  await writePage([documentOf("rules", (report) => report.budget("issue 20: one rule, p50", 2, 3, "time"))], docs);
  const page = readFileSync(join(docs, "benchmarks.md"), "utf8");
  expect(page).toMatch(/\| a call +\| +90 us/);
  expect(page).toMatch(/\| one rule +\| +3 us .*NOT MET/);
});

it("BENCH-34 the folder after --base or --weakincentives is not taken for a benchmark", async () => {
  const file = fileURLToPath(new URL("./run.ts", import.meta.url));
  const args = [file, "snapshots", "--base", "/x", "--weakincentives", "/y", "--json"];
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, (_error, output) => resolve(output));
  });
  expect(JSON.parse(stdout).error.message).toContain("'snapshots'");
});
