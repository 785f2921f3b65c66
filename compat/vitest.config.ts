import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { reporters } from "../scripts/failed-files.ts";

/** Told by their paths: the kit on OpenClaw takes longest, then the kits on all others, which are short files. */
const LONG = ["/openclaw/", "conformance", "same-decisions"];

/** The long ones first, so that at the end neither core is left alone with one. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((part) => moduleId.includes(part));
      return at < 0 ? LONG.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

/** Real runtimes: each test gets its own home and workspace. Two files at a time: most of a run is processes that start, one after the other. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    globalSetup: ["./build-hook.ts", "./shipped/install.ts"],
    env: { CONDUCT_STORE: "", CONDUCT_KEYS: mkdtempSync(join(tmpdir(), "conduct-compat-keys-")) },
    testTimeout: 300_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    reporters: reporters(),
    // Scenarios of one file that run at the same time.
    maxConcurrency: 3,
    sequence: { sequencer: LongFirst },
    // Other people's programs, starting and ending: what fails once is tried once more, and the report says so.
    retry: Number(process.env.CONDUCT_RETRY ?? 1),
  },
});
