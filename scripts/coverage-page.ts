import { CAPABILITY_MEANING } from "../src/base/kernel/capability-meaning.ts";
import type { Can, CoverageCell, CoverageColumn } from "../src/base/words/hosting/capability.ts";
import { cursorCapabilities } from "../src/edge/adapters/capabilities.ts";
import { type Coverage, SAME_DECISIONS } from "./coverage.ts";

type Shown = CoverageColumn & { readonly ways: readonly string[] };

/** Adapters that were written from documentation, because their runtime does not run without an account. */
const NOT_PROVEN = [
  { driver: "cursor", setUp: "`conduct init cursor`", documented: "2026-09-21", capabilities: cursorCapabilities },
];

/** Renders `docs/coverage.md`: a table of marks, the reasons, and the versions that were run. */
export function renderCoverage({ columns, generated }: Coverage): string {
  const shown = joinAlike(columns);
  const notes: string[] = [];
  const note = (text: string): string => {
    if (!notes.includes(text)) notes.push(text);
    return `[^${notes.indexOf(text) + 1}]`;
  };
  const rows = Object.entries(CAPABILITY_MEANING).map(([name, meaning]) => {
    const cells = [
      ...shown.map(({ capabilities }) => mark(capabilities[name], note)),
      ...NOT_PROVEN.map(({ capabilities }) =>
        expected(new Map<string, Can>(Object.entries(capabilities)).get(name), note),
      ),
    ];
    return `| **${name}**: ${meaning} | ${cells.join(" | ")} |`;
  });
  return `<!-- Generated ${generated}. -->
# Coverage: what is enforced in which runtime

✓ means that you get it after the command under [What was run](#what-was-run), with the shipped program and nothing else. Each cell is the result of a
test that runs this command in a new home, drives the **real** runtime with a scripted model, and checks the bytes of its requests (\`npm run compat\`).

✓ proven · ✗ impossible in this runtime, with the reason · ‼ failed · – not claimed and not tried · ? not proven: written from the documentation of a
runtime that does not run here.

| | ${[...shown, ...NOT_PROVEN].map(({ driver }) => driver).join(" | ")} |
|---|${[...shown, ...NOT_PROVEN].map(() => ":-:").join("|")}|
${rows.join("\n")}

${notes.map((text, at) => `[^${at + 1}]: ${text}`).join("\n")}

## What was run
| column | package | version | set up by | day |
|---|---|---|---|---|
${shown.map(runRow).join("\n")}

## What was not run
| column | set up by | documentation of |
|---|---|---|
${NOT_PROVEN.map(({ driver, setUp, documented }) => `| ${driver} | ${setUp} | ${documented} |`).join("\n")}

Conduct does not isolate an agent: under the same account, it can end Conduct's processes.
`;
}

function runRow({ ways, package: name, version, setUp = OLD, run }: Shown): string {
  return `| ${ways.join(", ")} | \`${name}\` | ${version} | ${setUp} | ${run} |`;
}

/** Columns of runs before drivers used the shipped program. */
const OLD = "a daemon in the test's process";

/**
 * Merges columns of one runtime that have the same results. Only the usual way to run it is compared with other
 * runtimes.
 */
function joinAlike(columns: readonly CoverageColumn[]): readonly Shown[] {
  const groups = new Map<string, CoverageColumn[]>();
  for (const column of columns) {
    const { [SAME_DECISIONS]: _same, "exec-gate": _gate, ...shown } = column.capabilities;
    const key = JSON.stringify([column.runtime, column.version, column.run, shown]);
    groups.set(key, [...(groups.get(key) ?? []), column]);
  }
  return [...groups.values()].flatMap((alike) => {
    const usual = alike.find(({ capabilities }) => capabilities[SAME_DECISIONS] !== undefined) ?? alike[0];
    if (usual === undefined) return [];
    const ways = alike.map(({ driver }) => driver);
    return [{ ...usual, ways, driver: ways.length === 1 ? usual.driver : usual.runtime }];
  });
}

function expected(can: Can | undefined, note: (text: string) => string): string {
  if (can === undefined) return "–";
  return can === true ? "?" : `✗${note(can.cannot)}`;
}

function mark(cell: CoverageCell | undefined, note: (text: string) => string): string {
  if (cell === undefined) return "–";
  if ("proven" in cell) return "✓";
  if ("impossible" in cell) return `✗${note(cell.impossible)}`;
  return `‼${note(`failed: ${cell.failed.join(", ")}`)}`;
}
