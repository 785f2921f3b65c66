import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest, told by their paths, the longest of them first: real servers, whole programs, many random cases. */
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

/** Those that are isolated, then the world's, whose programs and servers take longest, then the rooms'; of each the long ones first. */
const PROJECTS = ["alone", "world", "rooms"];

/** So that at the end no core is left alone with a long one. A worker is shared within a project, and given up at the next. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const long = LONG.findIndex((part) => moduleId.includes(part));
      return PROJECTS.indexOf(project.name) * 1_000 + (long < 0 ? LONG.length : long);
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
