import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";
import { reporters } from "./scripts/failed-files.ts";
import { LongFirst } from "./scripts/long-first.ts";

/** No test writes to the folder of whoever runs it; what a run leaves goes with it. */
const RUN = mkdtempSync(join(tmpdir(), "conduct-test-"));
const [CONDUCT_HOME, CONDUCT_KEYS, CONDUCT_TEST_CACHE] = [join(RUN, "home"), join(RUN, "keys"), join(RUN, "cache")];
mkdirSync(CONDUCT_HOME, { mode: 0o700 });
process.on("exit", () => rmSync(RUN, { recursive: true, force: true }));

const FILES = ["src/**/*.test.ts", "scripts/**/*.test.ts", "examples/**/*.test.ts", "bench/**/*.test.ts"];

/** The layers that start nothing: their tests are those whose coverage counts. */
const ROOMS = ["src/{base,behavior,engine,testing}/**/*.test.ts"];

/** A file that replaces modules or the time replaces them for all that its process has loaded: it gets one of its own. */
const ALONE = globSync(FILES).filter((file) =>
  /\bvi\.(?:mock|doMock|useFakeTimers)\(/.test(readFileSync(file, "utf8")),
);

export default defineConfig({
  // Tests import the package by its name, and mean its sources.
  ssr: { resolve: { conditions: ["conduct-source", ...defaultServerConditions] } },
  test: {
    projects: [
      { extends: true, test: { name: "alone", include: ALONE } },
      // All others are run by the same few processes, each of which loads a module once: a new one for every file is half of the work.
      {
        extends: true,
        test: { name: "rooms", include: ROOMS, exclude: ALONE, isolate: false, env: { CONDUCT_COVERAGE: "v8" } },
      },
      { extends: true, test: { name: "world", include: FILES, exclude: [...ROOMS, ...ALONE], isolate: false } },
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
    // One more than cores where there are two: many tests wait for a program or a time limit.
    maxWorkers: Math.max(3, availableParallelism()),
    // Processes, servers and a browser are started by the hundred: where a run decides whether a change lands, what fails is tried again.
    retry: Number(process.env.CONDUCT_RETRY ?? 0),
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What a loaded machine does in its own time is waited for.
    expect: { poll: { timeout: 20_000 } },
    coverage: {
      provider: "custom",
      customProviderModule: "scripts/room-coverage.ts",
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
