import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Parts of the paths of the slowest tests, slowest first: real servers, whole programs, many random cases. */
const LONG = [
  "stores/sql/postgres-store",
  "daemon/daemon-program",
  "gateway/killed",
  "stores/sql/sqlite-store",
  "gateway/store-faults",
  "scripts/build",
  "runners/dbos-review",
  "moments/rules-agree",
  "cli/mcp-proxy",
  "cli/approve",
  "host/contract-stores",
  "replay/replay-events",
  "replay/would-have-been",
  "contract/any-text",
  "loop/loop",
  "cli/doctor",
  "daemon/daemon.test",
  "stores/home-stores",
];

/**
 * Isolated tests first, then `programs`, whose programs and servers are slowest, then `engine`. Slow files run first in
 * each.
 */
const PROJECTS = ["isolated", "programs", "engine"];

/** Runs slow files first, so that no core ends up alone with one. Workers are shared within a project only. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const long = LONG.findIndex((part) => moduleId.includes(part));
      return PROJECTS.indexOf(project.name) * 1_000 + (long < 0 ? LONG.length : long);
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
