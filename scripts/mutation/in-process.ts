import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./mutants.ts";
import type { InProcessResult, Plan } from "./repeat-runner.ts";

const ROOT = join(import.meta.dirname, "../..");
const PLACE = join(ROOT, ".cache");
const RESULTS = join(PLACE, "in-process.jsonl");
const PLAN = join(PLACE, "in-process-plan.json");

/** The tests that start the composition roots in their own process, next to them. */
const TESTS = [
  "src/apps/{daemon,gateway}/**/*.test.ts",
  "src/apps/cli/{line,commands/{acp,daemon,gateway,mcp,open}}/*.test.ts",
];
/** Replaced modules or time outlive an attempt, so that the next one proves nothing. */
const REPLACES = /\bvi\.(?:mock|doMock|useFakeTimers)\(/;
/** Tests that start programs or servers take longest, so they come last. */
const STARTS = /\b(?:spawn|execFile|postgres|test-replicas|test-program)/i;
/** Named tests judge every mutant that they reach. */
const ATTEMPTS = 1_000;
/** Words that most mutants have. */
const COMMON = new Set(
  "dropped skipped negated ignored name another undefined options await const request session string home handle this".split(
    " ",
  ),
);

const wordsOf = ({ what }: Mutant): readonly string[] =>
  [...new Set(what.toLowerCase().match(/[a-z]{4,}/g) ?? [])].filter((word) => !COMMON.has(word));

type JudgeOptions = {
  readonly minutes: number;
  /** Files of tests. */
  readonly only: readonly string[];
  /** Tests for a mutant. */
  readonly most: number | undefined;
  /** The ids of the tests that judge; all without ids. */
  readonly tests?: readonly string[] | undefined;
};

/** Judges the open mutants with tests of `npm test` in one process: see `repeat-runner.ts`. */
export function judgeInProcess(open: readonly Mutant[], { minutes, only, most, tests = [] }: JudgeOptions): void {
  const sourceOf = (file: string) => readFileSync(join(ROOT, file), "utf8");
  const costOf = (file: string) => (STARTS.test(sourceOf(file)) ? 100 : 0) + file.split("/").length;
  const files = globSync(TESTS, { cwd: ROOT })
    .filter((file) => only.length === 0 || only.some((text) => file.includes(text)))
    .filter((file) => !REPLACES.test(sourceOf(file)))
    .toSorted((a, b) => costOf(a) - costOf(b));
  mkdirSync(PLACE, { recursive: true });
  const plan: Plan = {
    results: RESULTS,
    open: Object.fromEntries(open.map((one) => [one.id, wordsOf(one)])),
    most: tests.length > 0 ? { any: ATTEMPTS, related: ATTEMPTS } : { any: most ?? 10, related: most ?? 40 },
    // Whoever names files waits for them.
    slowMs: only.length === 0 ? 2_500 : 60_000,
    fileMs: only.length === 0 ? 90_000 : minutes * 60_000,
    until: Date.now() + minutes * 60_000,
  };
  writeFileSync(PLAN, JSON.stringify(plan));
  console.log(`${open.length} mutants to judge with the tests of ${files.length} files`);
  const config = join(import.meta.dirname, "in-process.config.ts");
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const env = { ...process.env, CONDUCT_MUTANT_PLAN: PLAN, CONDUCT_MUTANT_FILES: JSON.stringify(files) };
  const named = tests.length === 0 ? [] : ["--testNamePattern", `\\b(?:${tests.join("|")}) `];
  spawnSync(process.execPath, [vitest, "run", "--config", config, ...named], { cwd: ROOT, env, stdio: "inherit" });
}

/** By mutant: the test that killed it in process, or the tests that it survived. */
export function inProcessResults(): ReadonlyMap<string, { readonly killer?: string; readonly passed: number }> {
  const lines = existsSync(RESULTS) ? readFileSync(RESULTS, "utf8").split("\n").filter(Boolean) : [];
  const found = new Map<string, { killer?: string; passed: number }>();
  for (const line of lines) {
    const { id, test, killed } = JSON.parse(line) as InProcessResult;
    const one = found.get(id) ?? { passed: 0 };
    found.set(id, one);
    if (killed) one.killer = test;
    else one.passed += 1;
  }
  return found;
}
