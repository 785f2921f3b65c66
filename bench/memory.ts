import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Benchmark, type Figure, main, type Report } from "./report.ts";

const PROBE = fileURLToPath(new URL("./memory-probe.ts", import.meta.url));
/** Allows for the runtime's own compiled code and caches, which are in the heap, too. */
const FLAT = 1.1;

export const memory: Benchmark = {
  name: "memory",
  about: [
    "Heap in use after a full collection, each case in a process of its own. The tokenizer's tables are loaded before counting begins.",
    "A session remembers at most 10,000 paths for each read-before-write policy (there are two) and 10,000 names. Two of ten calls open a new file:",
    "at 50,000 calls these bounds are full, and from there on it must not grow.",
  ],
  run,
};

async function run(report: Report): Promise<void> {
  const marks = report.quick ? [1_000, 10_000] : [1_000, 10_000, 55_000, 100_000];
  const session = await probe("session", marks);
  const kept = await probe("keep-all", marks);
  report.figures("one session", [
    ...marks.map((calls, i) => at(`after ${count(calls)} calls`, session[i])),
    at(`growth from ${count(marks[0])} to ${count(marks.at(-1))} calls`, difference(session, 0, marks.length - 1)),
    at("the same calls and results kept in an array, for comparison", kept.at(-1)),
  ]);
  if (!report.quick) {
    const growth = (session[3] ?? Number.NaN) / (session[2] ?? Number.NaN);
    report.budget("issue 2: memory is bounded: a session after 100,000 calls / after 55,000", FLAT, growth, "ratio");
  }
  const sessions = report.quick ? 2_000 : 10_000;
  const idle = await probe("idle", [sessions]);
  const used = await probe("used", [sessions]);
  report.figures(`${count(sessions)} idle sessions`, [
    at("just opened, all together", idle[0]),
    at("just opened, each", (idle[0] ?? Number.NaN) / sessions),
    at("after 10 calls each, all together", used[0]),
    at("after 10 calls each, each", (used[0] ?? Number.NaN) / sessions),
  ]);
  const each = (used[0] ?? Number.NaN) / sessions;
  report.budget("issue 20: idle session in the engine, after 10 calls", 20_000, each, "bytes");
}

/** Returns the bytes in use at each mark, minus those before the first. */
function probe(what: string, marks: readonly number[]): Promise<readonly number[]> {
  const child = spawn(process.execPath, ["--expose-gc", PROBE, what, ...marks.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code !== 0) reject(new Error(`the memory probe '${what}' ended with code ${code}`));
      else resolve(output.trim().split(/\s+/).map(Number));
    });
  });
}

function at(name: string, value: number | undefined): Figure {
  return { name, value: value ?? Number.NaN, unit: "bytes" };
}

function difference(values: readonly number[], from: number, to: number): number {
  return (values[to] ?? Number.NaN) - (values[from] ?? Number.NaN);
}

function count(value: number | undefined): string {
  return (value ?? 0).toLocaleString("en-US");
}

if (import.meta.main) await main(memory);
