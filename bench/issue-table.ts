import type { BenchmarkDocument } from "./report.ts";
import { show, table, type Unit } from "./show.ts";

/** The benchmarks behind the table of issue 20, our default configuration first. */
export const TABLE_NAMES = [
  "calls",
  "rules",
  "gateway",
  "full",
  "daemon",
  "cli",
  "adapters",
  "replay",
  "memory",
] as const;

const PREFIX = "issue 20: ";

/** One line of the table. A line without `most` is only measured. */
type Line = { readonly measured: number; readonly most: number | undefined; readonly unit: Unit };
type Row = { readonly what: string; p50?: Line; p99?: Line; whole?: Line };

/**
 * Builds the table of issue 20 from every budget and figure whose name starts with `issue 20: `. Names that end in
 * `, p50` and `, p99` share a row.
 */
export function issueTable(documents: readonly BenchmarkDocument[]): string {
  const rows = TABLE_NAMES.flatMap((name) => documents.filter((one) => one.name === name)).flatMap(rowsOf);
  return table(
    ["what", "p50", "p99", "at most", ""],
    rows.map((row) => cellsOf(row)),
  );
}

function rowsOf({ budgets, figures }: BenchmarkDocument): readonly Row[] {
  const rows = new Map<string, Row>();
  const add = (name: string, line: Line) => {
    if (!name.startsWith(PREFIX)) return;
    const [, what = "", part = "whole"] = /^(.*?)(?:, (p50|p99))?$/s.exec(name.slice(PREFIX.length)) ?? [];
    const row = rows.get(what) ?? { what };
    row[part as "p50" | "p99" | "whole"] = line;
    rows.set(what, row);
  };
  for (const { budget, limit, measured, unit } of budgets) add(budget, { measured, most: limit, unit });
  for (const { name, value, unit } of figures) add(name, { measured: value, most: undefined, unit });
  return [...rows.values()];
}

/** A value that is not a distribution is in the first column. */
function cellsOf({ what, p50, p99, whole }: Row): readonly string[] {
  const lines = [whole ?? p50, p99];
  const limited = lines.filter((line) => line?.most !== undefined);
  const isMet = limited.every((line) => line !== undefined && line.measured <= (line.most ?? 0));
  return [
    what,
    ...lines.map((line) => (line === undefined ? "" : show(line.measured, line.unit))),
    limited.map((line) => (line === undefined ? "" : show(line.most ?? Number.NaN, line.unit))).join(" / "),
    limited.length === 0 ? "" : isMet ? "met" : "NOT MET",
  ];
}
