import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createVitest, type TestCase } from "vitest/node";

/**
 * A process of `npm run mutate` in its copy of the tree: it runs single tests, one after the other, with one Vitest. A
 * request names a test; the answer says whether it passed.
 */

export type RunnerRequest = { readonly file: string; readonly name: string; readonly limitMs: number } | "list";
export type RunnerAnswer =
  | { readonly kind: "tests"; readonly tests: readonly { readonly file: string; readonly name: string }[] }
  | { readonly kind: "ran"; readonly passed: boolean; readonly ms: number; readonly why: string };

const FOLDER = process.cwd();
const vitest = await createVitest("test", {
  config: join(FOLDER, "wiring/vitest.config.ts"),
  root: join(FOLDER, "wiring"),
  watch: false,
  reporters: [{}],
  maxWorkers: 1,
  expect: { poll: { timeout: 10_000 } },
  retry: 0,
});

/** Ends what a test with a mutant has left running: programs that were started from this copy. */
function endPrograms(): void {
  for (const id of readdirSync("/proc")) {
    if (!/^\d+$/.test(id) || Number(id) === process.pid) continue;
    try {
      if (readFileSync(`/proc/${id}/cmdline`, "utf8").includes(`${FOLDER}/dist/`)) process.kill(Number(id), "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

async function run({ file, name, limitMs }: Exclude<RunnerRequest, "list">): Promise<RunnerAnswer> {
  const specs = (await vitest.globTestSpecifications([file])).filter((one) => one.moduleId.endsWith(`/${file}`));
  vitest.setGlobalTestNamePattern(new RegExp(`(^| )${escaped(name)}$`));
  const began = performance.now();
  let isLate = false;
  const timer = setInterval(() => {
    isLate = true;
    endPrograms();
  }, limitMs);
  try {
    // Errors of earlier runs are reported again, so that only the state of the test itself decides.
    const { testModules } = await vitest.runTestSpecifications(specs);
    const cases = testModules.flatMap((one) => [...one.children.allTests()]).filter((one) => one.name === name);
    const states = cases.map((one: TestCase) => one.result().state);
    const ms = performance.now() - began;
    const errors = [
      ...testModules.flatMap((one) => one.errors()),
      ...cases.flatMap((one) => one.result().errors ?? []),
    ];
    const why = String((errors[0] as { message?: unknown } | undefined)?.message ?? "").slice(0, 200);
    const passed = !isLate && states.length > 0 && states.every((one) => one === "passed");
    return { kind: "ran", passed, ms, why: isLate ? "time limit" : why };
  } finally {
    clearInterval(timer);
    endPrograms();
  }
}

async function list(): Promise<RunnerAnswer> {
  // Tests are defined by a function of ours, so that only running the files finds them.
  vitest.setGlobalTestNamePattern(/^no test has this name$/);
  const { testModules } = await vitest.runTestSpecifications(await vitest.globTestSpecifications());
  const tests = testModules.flatMap((one) =>
    [...one.children.allTests()].map(({ name }) => ({ file: one.moduleId.split("/").at(-1) ?? "", name })),
  );
  return { kind: "tests", tests };
}

process.on("message", async (request: RunnerRequest) => {
  process.send?.(request === "list" ? await list() : await run(request));
});
process.on("disconnect", () => process.exit());
