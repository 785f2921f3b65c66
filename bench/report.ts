import { mkdtempSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { Curve } from "./chart.ts";
import { BATCHES, type CompareOptions, type Comparison, compare } from "./harness.ts";
import { show, showSpread, table, type Unit } from "./show.ts";

/** One file of `bench/`; `about` explains its numbers. */
export type Benchmark = {
  readonly name: string;
  readonly about: readonly string[];
  run(report: Report): Promise<void>;
};

/** `part`: run by `run.ts`, which prints the machine and needs the document. */
export type Flags = { readonly quick: boolean; readonly json: boolean; readonly part: boolean };

/** A number without a reference, such as a size. */
export type Figure = { readonly name: string; readonly value: number; readonly unit: Unit };

/** A line of the budget table in design.md, with the measured value. */
export type BudgetLine = {
  readonly budget: string;
  readonly limit: number;
  readonly measured: number;
  readonly unit: Unit;
  readonly met: boolean;
};

export type BenchmarkDocument = {
  readonly name: string;
  readonly about: readonly string[];
  readonly seconds: number;
  readonly quick: boolean;
  readonly machine: Machine;
  /** Processes that wanted a core when the benchmark ended. */
  readonly load: number;
  readonly comparisons: readonly (Comparison & { readonly group: string })[];
  readonly figures: readonly Figure[];
  readonly budgets: readonly BudgetLine[];
  readonly curves: readonly Curve[];
};

export type Machine = {
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly platform: string;
  readonly at: string;
};

export function machine(): Machine {
  const all = cpus();
  return {
    node: process.version,
    cpu: all[0]?.model.trim() || "unknown processor",
    cores: all.length,
    platform: `${process.platform} ${process.arch}`,
    at: new Date().toISOString(),
  };
}

export function machineLine({ node, cpu, cores, platform, at }: Machine): string {
  return `Node ${node}, ${cpu}, ${cores} cores, ${platform}, ${at.slice(0, 16).replace("T", " ")} UTC`;
}

/** Returns the JSON envelope that every `--json` of this project uses. */
export function envelope(benchmarks: readonly BenchmarkDocument[], quick: boolean): string {
  const result = { machine: machine(), quick, benchmarks };
  return JSON.stringify({ ok: true, command: "bench", result, next_actions: [] }, undefined, 2);
}

export function readFlags(args: readonly string[]): Flags {
  return { quick: args.includes("--quick"), json: args.includes("--json"), part: args.includes("--part") };
}

/** Collects the results of a benchmark, and prints them as they arrive unless JSON is requested. */
export class Report {
  readonly flags: Flags;
  readonly #print: (text: string) => void;
  readonly #comparisons: (Comparison & { readonly group: string })[] = [];
  readonly #figures: Figure[] = [];
  readonly #budgets: BudgetLine[] = [];
  readonly #curves: Curve[] = [];

  constructor(flags: Flags, print: (text: string) => void = (text) => console.log(text)) {
    this.flags = flags;
    this.#print = flags.json ? () => {} : print;
  }

  get quick(): boolean {
    return this.flags.quick;
  }

  say(text: string): void {
    this.#print(text);
  }

  /** Measures the rows one after the other, then prints them as one table. `sides` names the two columns. */
  async group(
    group: string,
    sides: { readonly ours: string; readonly reference: string },
    rows: readonly CompareOptions[],
  ): Promise<readonly Comparison[]> {
    const done: Comparison[] = [];
    for (const row of rows) {
      const tick = progress(`${group}, ${row.name}`);
      const batches = row.batches ?? BATCHES;
      done.push(await compare({ ...row, batches: this.quick ? Math.min(6, batches) : batches, onBatch: tick }));
    }
    this.#comparisons.push(...done.map((row) => ({ ...row, group })));
    const each = done.some((row) => row.ours.p99 !== undefined);
    const head = [group, sides.ours, ...(each ? ["its p99"] : []), sides.reference, "ratio"];
    const lines = done.map((row) => cells(row, each));
    this.#print(`\n${table(head, lines)}`);
    return done;
  }

  figures(title: string, figures: readonly Figure[]): void {
    this.#figures.push(...figures);
    const rows = figures.map(({ name, value, unit }) => [name, show(value, unit)]);
    this.#print(`\n${table([title, "measured"], rows)}`);
  }

  /**
   * Compares a value with its promised `limit`. A miss is reported and fails nothing, because benchmarks are not
   * tests.
   */
  budget(budget: string, limit: number, measured: number, unit: Unit): void {
    const line = { budget, limit, measured, unit, met: measured <= limit };
    this.#budgets.push(line);
    const word = line.met ? "met" : "NOT MET";
    this.#print(`budget ${word}: ${budget}: ${show(measured, unit)}, at most ${show(limit, unit)}`);
  }

  /** Prints a growth curve as a table; the page of benchmarks shows it as a chart. */
  curve(curve: Curve): void {
    this.#curves.push(curve);
    const sizes = curve.lines[0]?.points.map(({ size }) => size.toLocaleString("en-US")) ?? [];
    const rows = curve.lines.map(({ name, points }) => [name, ...points.map(({ value }) => show(value, curve.unit))]);
    this.#print(`\n${table([curve.name, ...sizes], rows)}`);
  }

  document({ name, about }: Benchmark, seconds: number): BenchmarkDocument {
    return {
      name,
      about,
      seconds,
      quick: this.quick,
      machine: machine(),
      load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
      comparisons: this.#comparisons,
      figures: this.#figures,
      budgets: this.#budgets,
      curves: this.#curves,
    };
  }
}

function cells({ name, ours, reference, ratio }: Comparison, each: boolean): readonly string[] {
  const p99 = each ? [show(ours.p99 ?? Number.NaN, "time")] : [];
  const times = [showSpread(ours.spread, "time"), ...p99, showSpread(reference.spread, "time")];
  return [name, ...times, showSpread(ratio, "ratio")];
}

/** Shows progress after one second: a moving line in a terminal, otherwise a line now and then. */
export function progress(label: string): (done: number, of: number) => void {
  const { stderr } = process;
  let next = performance.now() + 1_000;
  let shown = false;
  return (done, of) => {
    const now = performance.now();
    if (done < of && now >= next) {
      stderr.write(stderr.isTTY ? `\r\u001b[K${label}: ${done} of ${of}` : `… ${label}: ${done} of ${of}\n`);
      shown = true;
      next = now + (stderr.isTTY ? 200 : 10_000);
    }
    if (done >= of && shown && stderr.isTTY) stderr.write("\r\u001b[K");
  };
}

/** Entry point of a benchmark file, run directly or by `run.ts`. */
export async function main(benchmark: Benchmark, args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const flags = readFlags(args);
  // Never use the developer's own home.
  process.env.CONDUCT_HOME ??= mkdtempSync(join(tmpdir(), "conduct-bench-"));
  process.env.CONDUCT_KEYS ??= mkdtempSync(join(tmpdir(), "conduct-bench-keys-"));
  const report = new Report(flags);
  if (!flags.part) report.say(machineLine(machine()));
  report.say(`\n## ${benchmark.name}\n`);
  for (const line of benchmark.about) report.say(line);
  const started = performance.now();
  await benchmark.run(report);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  report.say(`(${seconds} s)`);
  const document = report.document(benchmark, seconds);
  if (flags.part && process.send !== undefined) process.send(document);
  else if (flags.json) console.log(envelope([document], flags.quick));
}
