import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** No test writes to the folder of whoever runs it. */
const CONDUCT_HOME = mkdtempSync(join(tmpdir(), "conduct-test-home-"));

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "scripts/**/*.test.ts", "examples/**/*.test.ts", "bench/**/*.test.ts"],
    env: { CONDUCT_HOME, CONDUCT_STORE: "", CONDUCT_REDIS_URL: "", CONDUCT_TYPESENSE_URL: "" },
    setupFiles: ["scripts/property-seed.ts"],
    // Left to itself vitest keeps one core free: of two.
    maxWorkers: 2,
    // Processes, servers and a browser are started by the hundred: where a run decides whether a change lands, what fails is tried again.
    retry: Number(process.env.CONDUCT_RETRY ?? 0),
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What a loaded machine does in its own time is waited for.
    expect: { poll: { timeout: 20_000 } },
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      exclude: ["src/**/*.test.ts", "src/base/words/**", "src/base/ports/**"],
      reporter: ["text-summary", "json-summary"],
      thresholds: {
        "src/behavior/session/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/policy/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/feedback/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/completion/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/prompt/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/instructions/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/contract/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/transcript/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
        "src/behavior/results/**": { lines: 90, functions: 90, branches: 85, statements: 90 },
      },
    },
  },
});
