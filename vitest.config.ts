import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";
import { reporters } from "./scripts/failed-files.ts";
import { LongFirst } from "./scripts/long-first.ts";

/** Tests never write to the home of the person who runs them. The folder is deleted at the end of the run. */
const RUN = mkdtempSync(join(tmpdir(), "conduct-test-"));
const [CONDUCT_HOME, CONDUCT_KEYS, CONDUCT_TEST_CACHE] = [join(RUN, "home"), join(RUN, "keys"), join(RUN, "cache")];
mkdirSync(CONDUCT_HOME, { mode: 0o700 });
process.on("exit", () => rmSync(RUN, { recursive: true, force: true }));

/** `*.program.test.ts` start whole programs many times. `npm run test:programs` runs them, so that `npm test` stays short. */
const isLong = process.env.CONDUCT_PROGRAMS === "1";
const LONG = "**/*.program.test.ts";
const FILES = ["src", "scripts", "examples", "bench"].map((folder) => `${folder}/${isLong ? LONG : "**/*.test.ts"}`);

/** Tests of the layers up to the engine. They start no program, and only their coverage counts. */
const ENGINE = ["src/{base,behavior,engine,testing}/**/*.test.ts"];

/** Files that mock modules or timers. Mocks affect the whole process, so each of these files gets its own. */
const ISOLATED = globSync(FILES, { exclude: [LONG] }).filter((file) =>
  /\bvi\.(?:mock|doMock|useFakeTimers)\(/.test(readFileSync(file, "utf8")),
);

export default defineConfig({
  // Tests that import `agent-conduct` get its sources.
  ssr: { resolve: { conditions: ["conduct-source", ...defaultServerConditions] } },
  test: {
    projects: isLong
      ? [{ extends: true, test: { name: "programs", include: FILES, isolate: false } }]
      : [
          { extends: true, test: { name: "isolated", include: ISOLATED } },
          // All other files share a few processes, because loading the modules for each file would double the time.
          {
            extends: true,
            test: {
              ...{ name: "engine", include: ENGINE, exclude: [...ISOLATED, LONG], isolate: false },
              env: { CONDUCT_COVERAGE: "v8" },
            },
          },
          {
            extends: true,
            test: { name: "programs", include: FILES, exclude: [...ENGINE, ...ISOLATED, LONG], isolate: false },
          },
        ],
    env: {
      CONDUCT_HOME,
      CONDUCT_KEYS,
      CONDUCT_TEST_CACHE,
      CONDUCT_DATA_KEY: "",
      CONDUCT_STORE: "",
      CONDUCT_REDIS_URL: "",
      CONDUCT_TYPESENSE_URL: "",
    },
    setupFiles: ["scripts/property-seed.ts", "scripts/child-cache.ts"],
    sequence: { sequencer: LongFirst },
    reporters: reporters(),
    // Three workers on two cores, because many tests wait for a program or a time limit.
    maxWorkers: Math.max(3, availableParallelism()),
    // CI retries failed tests, because hundreds of processes and servers start during a run.
    retry: Number(process.env.CONDUCT_RETRY ?? 0),
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Polls wait longer than the default, for loaded machines.
    expect: { poll: { timeout: 20_000 } },
    coverage: {
      provider: "custom",
      customProviderModule: "scripts/engine-coverage.ts",
      include: ["src/behavior/**/*.ts"],
      exclude: ["src/**/*.test.ts"],
      reporter: ["text-summary", "json-summary"],
      thresholds: {
        "src/behavior/session/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/policy/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/feedback/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/completion/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/prompt/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/instructions/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/contract/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/results/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
      },
    },
  },
});
