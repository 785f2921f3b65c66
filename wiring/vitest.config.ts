import { defineConfig } from "vitest/config";
import { reporters } from "../scripts/failed-files.ts";

/** The packed program in homes of its own. Two files at a time: most of a run is programs that start. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Polls wait longer than the default, for loaded machines.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    reporters: reporters(),
    retry: Number(process.env.CONDUCT_RETRY ?? 0),
  },
});
