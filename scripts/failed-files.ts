import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/**
 * Writes the paths of the test files that failed to the file named by `CONDUCT_FAILED`, so that `.ci/run` can run just
 * those again in new processes. The file is empty if something else failed: an unhandled error, or the coverage.
 */
class FailedFiles implements Reporter {
  readonly #list: string;

  constructor(list: string) {
    this.#list = list;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const failed = modules.filter((module) => !module.ok()).map(({ moduleId }) => moduleId);
    writeFileSync(this.#list, failed.map((path) => `${path}\n`).join(""));
  }
}

/** The reporters of every suite. */
export const reporters = (list = process.env.CONDUCT_FAILED): (string | Reporter)[] =>
  list === undefined ? ["default"] : ["default", new FailedFiles(list)];
