import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { type RunnerTestCase, type RunnerTestSuite, TestRunner, type TestTryOptions } from "vitest";

/** Where results go, which mutants are open, and when to stop. Written by `in-process.ts`. */
export type Plan = {
  readonly results: string;
  /** The open mutants with the words of their code. */
  readonly open: Readonly<Record<string, readonly string[]>>;
  /** A mutant is tried on so many tests that share no word with it, and on so many others. */
  readonly most: { readonly any: number; readonly related: number };
  /** A test that takes longer judges too few mutants in its time. */
  readonly slowMs: number;
  /** Each file of tests judges for so long at most. */
  readonly fileMs: number;
  readonly until: number;
};
/** A line of the results file. */
export type InProcessResult = {
  readonly id: string;
  readonly test: string;
  readonly killed: boolean;
  readonly why?: string | undefined;
};

declare global {
  var __conductSwitch: ((id: string) => boolean) | undefined;
}

const plan = JSON.parse(readFileSync(process.env.CONDUCT_MUTANT_PLAN ?? "", "utf8")) as Plan;
const open = new Map(Object.entries(plan.open));
const tries = new Map<string, number>();
/** `ID TEST` of every pair that was tried. */
const known = new Set<string>();
for (const line of existsSync(plan.results) ? readFileSync(plan.results, "utf8").split("\n").filter(Boolean) : []) {
  const { id, test, killed } = JSON.parse(line) as InProcessResult;
  known.add(`${id} ${test}`);
  if (killed) open.delete(id);
  else tries.set(id, (tries.get(id) ?? 0) + 1);
}

const sources = new Map<string, string>();
/** The name of a test with its first lines. */
function textOf({ name, file: { filepath } }: RunnerTestCase): string {
  const source = sources.get(filepath) ?? readFileSync(filepath, "utf8").toLowerCase();
  sources.set(filepath, source);
  const at = source.indexOf(name.toLowerCase().slice(0, 30));
  return source.slice(Math.max(0, at), at + 1_500);
}

/** More attempts than mutants: the last one skips itself. */
const ATTEMPTS = 5_000;
/** Mutants that are on at once at first: many of those that a test did not kill, few of the others. */
const [GROUP, NEW_GROUP] = [16, 2];
/** After so many failures without a mutant the test has broken its own world. */
const BROKEN = 2;

/**
 * Runs each test first without a mutant, which records those it reaches, and then with groups of them. A group that
 * fails is halved until one mutant is left. A failure of one counts only if the test passes without it right after.
 */
export default class RepeatRunner extends TestRunner {
  #queue: (readonly string[])[] = [];
  #now: readonly string[] = [];
  /** The failure to confirm by an attempt without a mutant. */
  #doubt: { readonly id: string; readonly why: string } | undefined;
  #late = "";
  #broken = 0;
  #fileUntil = 0;
  readonly #reached = new Set<string>();

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    test.repeats = ATTEMPTS;
    test.retry = 0;
    [this.#queue, this.#now, this.#doubt, this.#broken] = [[], [], undefined, 0];
  }

  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onBeforeRunSuite(suite);
    if ("filepath" in suite) this.#fileUntil = Math.min(plan.until, Date.now() + plan.fileMs);
  }

  override onBeforeTryTask(test: RunnerTestCase, options: TestTryOptions): void {
    super.onBeforeTryTask(test, options);
    if (options.repeats === 0) {
      this.#reached.clear();
      globalThis.__conductSwitch = (id) => {
        this.#reached.add(id);
        return false;
      };
      return;
    }
    this.#judgeLast(test, options.repeats);
    const next = this.#doubt === undefined ? this.#queue.shift() : [];
    if (next === undefined || Date.now() > this.#fileUntil) {
      globalThis.__conductSwitch = undefined;
      test.context.skip();
      return;
    }
    this.#now = next;
    globalThis.__conductSwitch = (id) => next.includes(id);
  }

  /** Uses the result of the attempt before this one. */
  #judgeLast(test: RunnerTestCase, repeats: number): void {
    const last = test.result?.attempts?.at(-1);
    const passed = last?.state === "pass";
    const [first, ...others] = this.#now;
    if (repeats === 1) {
      if (passed && (last?.duration ?? 0) < plan.slowMs) this.#queue = groupsOf(this.#reached, test);
    } else if (first === undefined) {
      const doubt = this.#doubt;
      this.#doubt = undefined;
      if (!passed && ++this.#broken >= BROKEN) this.#queue = [];
      if (!passed || doubt === undefined) return;
      // A loaded machine is late too: only a second late failure counts.
      if (!/timed out/i.test(doubt.why) || this.#late === doubt.id) note(test, doubt.id, doubt.why);
      else {
        this.#late = doubt.id;
        this.#queue.unshift([doubt.id]);
      }
    } else if (passed) for (const id of this.#now) note(test, id);
    else if (others.length === 0)
      this.#doubt = { id: first, why: String(last?.errors?.[0]?.message ?? "it fails").slice(0, 200) };
    else {
      const half = Math.ceil(this.#now.length / 2);
      this.#queue.unshift(this.#now.slice(0, half), this.#now.slice(half));
    }
  }
}

/** Mutants that share a word with the test come first. */
function groupsOf(reached: ReadonlySet<string>, test: RunnerTestCase): (readonly string[])[] {
  const text = textOf(test);
  const isRelated = (id: string) => open.get(id)?.some((word) => text.includes(word)) ?? false;
  const left = [...reached]
    .filter((id) => open.has(id) && !known.has(`${id} ${nameOf(test)}`))
    .filter((id) => (tries.get(id) ?? 0) < plan.most[isRelated(id) ? "related" : "any"])
    .toSorted((a, b) => Number(isRelated(b)) - Number(isRelated(a)));
  const chunks = (ids: readonly string[], size: number) =>
    Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size));
  const isNew = (id: string) => !tries.has(id);
  return [
    ...chunks(left.filter(isNew), NEW_GROUP),
    ...chunks(
      left.filter((id) => !isNew(id)),
      GROUP,
    ),
  ];
}

const nameOf = ({ name, file }: RunnerTestCase) => `${name.split(" ")[0]} ${file.name}`;

/** `why`: the mutant is killed. */
function note(test: RunnerTestCase, id: string, why?: string): void {
  const result: InProcessResult = { id, test: nameOf(test), killed: why !== undefined, why };
  appendFileSync(plan.results, `${JSON.stringify(result)}\n`);
  if (result.killed) open.delete(id);
  else tries.set(id, (tries.get(id) ?? 0) + 1);
}
