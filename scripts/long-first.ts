import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Parts of the paths of the slowest tests, slowest first: real servers, whole programs, many random cases. */
const LONG = [
  "doctor/doctor",
  "journal/repair",
  "binding/same-decision",
  "gateway/killed",
  "daemon/exec-gate",
  "hook-guard/switched-off",
  "lifecycle/second-gateway",
  "config/config-program",
  "builtin/complex-command-policy",
  "stores/sql/postgres-store",
  "adapters/test/loop",
  "config/plain-faults",
  "parse/any-text",
  "hosting/results",
  "stores/sql/sqlite-store",
  "gateway/store-faults",
  "runners/dbos-review",
  "moments/rules-agree",
  "replay/would-have-been",
  "daemon/daemon",
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
