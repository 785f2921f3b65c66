import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { defineConfig } from "vitest/config";
import type { TestSequencer, TestSpecification } from "vitest/node";
import root from "../../vitest.config.ts";
import { COMPOSITION_ROOTS } from "./composition-roots.ts";
import { withMutants } from "./mutants.ts";

const ROOT = join(import.meta.dirname, "../..");
const PRELUDE = "const __conductMutant = (id: string): boolean => globalThis.__conductSwitch?.(id) ?? false;";
const { env, setupFiles } = root.test ?? {};
const files: readonly string[] = JSON.parse(process.env.CONDUCT_MUTANT_FILES ?? "[]");

/** In the order of the plan: cheap tests first. */
class Planned implements TestSequencer {
  shard = async (all: TestSpecification[]) => all;
  sort = async (all: TestSpecification[]) => {
    const at = ({ moduleId }: TestSpecification) => files.indexOf(relative(ROOT, moduleId));
    return all.toSorted((a, b) => at(a) - at(b));
  };
}

/** Runs the tests of `npm test` with every mutant of the composition roots behind a switch: see `repeat-runner.ts`. */
export default defineConfig({
  root: ROOT,
  ssr: root.ssr ?? {},
  plugins: [
    {
      name: "mutants",
      enforce: "pre",
      transform(_, id) {
        const file = relative(ROOT, id);
        const functions = COMPOSITION_ROOTS[file];
        return functions && withMutants(file, readFileSync(id, "utf8"), PRELUDE, functions).text;
      },
    },
  ],
  test: {
    ...{ env, setupFiles },
    include: [...files],
    runner: join(import.meta.dirname, "repeat-runner.ts"),
    // One process for all files: a module is loaded once.
    isolate: false,
    sequence: { sequencer: Planned },
    fileParallelism: false,
    maxWorkers: 1,
    testTimeout: 5_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 2_500 } },
    reporters: [{}],
  },
});
