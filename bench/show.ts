import type { Spread } from "./statistics.ts";

/** Unit of a figure. Times are stored in microseconds, sizes in bytes. */
export type Unit = "time" | "bytes" | "ratio" | "count";

type Scale = { readonly name: string; readonly size: number };

const SCALES: Readonly<Record<"time" | "bytes", readonly Scale[]>> = {
  time: [
    { name: "s", size: 1_000_000 },
    { name: "ms", size: 1_000 },
    { name: "us", size: 1 },
    { name: "ns", size: 0.001 },
  ],
  bytes: [
    { name: "MB", size: 1_000_000 },
    { name: "KB", size: 1_000 },
    { name: "B", size: 1 },
  ],
};

/** Formats a figure: `42.3 us`, `1.20 MB`, `1.05 x`. */
export function show(value: number, unit: Unit): string {
  if (!Number.isFinite(value)) return "-";
  if (unit === "count") return value.toLocaleString("en-US");
  const { name, size } = scaleOf(value, unit);
  return `${digits(value / size)} ${name}`;
}

/** Formats a median with its quartiles, `42.3 us (40.1..45.0)`, all in the median's unit. */
export function showSpread({ low, median, high }: Spread, unit: "time" | "ratio"): string {
  if (!Number.isFinite(median)) return "-";
  const { name, size } = scaleOf(median, unit);
  return `${digits(median / size)} ${name} (${digits(low / size)}..${digits(high / size)})`;
}

function scaleOf(value: number, unit: Exclude<Unit, "count">): Scale {
  if (unit === "ratio") return { name: "x", size: 1 };
  const scales = SCALES[unit];
  return scales.find(({ size }) => Math.abs(value) >= size) ?? scales.at(-1) ?? { name: "", size: 1 };
}

/** Three significant digits, two for small figures: `1234`, `12.3`, `0.00042`. */
function digits(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1_000) return String(value);
  if (size >= 0.1) return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
  return value.toFixed(Math.min(12, 1 - Math.floor(Math.log10(size))));
}

/** Returns a Markdown table with columns aligned for terminals; all but the first are right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(3, ...[title, ...rows.map((row) => row[i] ?? "")].map(width)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((size, i) => pad(cells[i] ?? "", size, i > 0)).join(" | ")} |`;
  const rule = `|${widths.map((size, i) => (i > 0 ? `${"-".repeat(size + 1)}:` : "-".repeat(size + 2))).join("|")}|`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

function pad(text: string, size: number, right: boolean): string {
  const space = " ".repeat(Math.max(0, size - width(text)));
  return right ? space + text : text + space;
}

function width(text: string): number {
  return [...text].length;
}
