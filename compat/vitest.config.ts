import { defineConfig } from "vitest/config";

/** Real runtimes: each test gets its own home and workspace; one file at a time, because the machine has two cores. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    env: { CONDUCT_STORE: "" },
    testTimeout: 300_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    // Other people's programs, starting and ending: what fails once is tried once more, and the report says so.
    retry: Number(process.env.CONDUCT_RETRY ?? 1),
  },
});
