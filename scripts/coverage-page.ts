import type { Capability } from "../src/testing/kit/driver.ts";
import { type Cell, type Column, type Coverage, SAME_DECISIONS } from "./coverage.ts";

/** What each row means, in the words of a person who reads the map. */
const MEANING: { readonly [row in Capability | typeof SAME_DECISIONS]: string } = {
  prompt: "what the agent is told, contract included, is in every model request",
  deny: "a call is blocked, and the model reads why",
  rewrite: "a call runs with the arguments that rules have given it",
  "end-turn": "a turn that will not let go of a denied call is ended",
  outcome: "a failing command is told from a succeeding one",
  batch: "calls of one model response are known to belong together",
  truncate: "a result is shortened before the model sees it",
  "read-result": "the agent can page through what was shortened",
  feedback: "advice reaches the model in the same turn",
  stop: "a stop is refused, and the agent goes on",
  "stop-bound": "refusals end, also at the runtime's own cap, and the status says so",
  modes: "a message of modes only is answered without the model",
  "rewrite-message": "mode words do not reach the model, the rest does byte for byte",
  "think-level": "the level of /think is in the model request",
  verbose: "the person is shown debug lines",
  "survives-compaction": "after a compaction all of it is in every request again",
  "survives-resume": "after an end and a new start, too, and evidence holds",
  approval: "a person is asked, and the call waits: yes, no, no answer",
  subagents: "what holds for the agent holds for its subagents",
  mcp: "tools of MCP servers are calls like any other",
  shadow: "a session that is only watched changes nothing, and all is on record",
  "fail-closed": "a call that Conduct fails to decide does not run",
  "no-daemon": "with nobody there to ask no call runs",
  [SAME_DECISIONS]: "one definition and one rule file give the same decisions as everywhere",
};

type Shown = Column & { readonly ways: readonly string[] };

/** `docs/coverage.md`: a table of marks, the reasons below it, and what was run. */
export function renderCoverage({ columns, generated }: Coverage): string {
  const shown = joinAlike(columns);
  const notes: string[] = [];
  const note = (text: string): string => {
    if (!notes.includes(text)) notes.push(text);
    return `[^${notes.indexOf(text) + 1}]`;
  };
  const rows = Object.entries(MEANING).map(([name, meaning]) => {
    const cells = shown.map(({ capabilities }) => mark(capabilities[name], note));
    return `| **${name}**: ${meaning} | ${cells.join(" | ")} |`;
  });
  return `<!-- Generated ${generated}. -->
# Coverage: what is enforced in which runtime

Each cell is the outcome of driving the **real** runtime with a scripted model and looking at the bytes it sends
(\`npm run compat\`; the scenarios are in \`src/testing/kit\`). ✓ proven · ✗ impossible there, with the runtime's reason · ‼ failed ·
– neither claimed nor tried.

| | ${shown.map(({ driver }) => driver).join(" | ")} |
|---|${shown.map(() => ":-:").join("|")}|
${rows.join("\n")}

${notes.map((text, at) => `[^${at + 1}]: ${text}`).join("\n")}

## What was run
| column | package | version | day |
|---|---|---|---|
${shown.map((column) => `| ${column.ways.join(", ")} | \`${column.package}\` | ${column.version} | ${column.run} |`).join("\n")}

Isolation is not claimed: an agent that runs under the same account as Conduct can end its processes.
`;
}

/** Ways to run one runtime that have shown the same are one column; only the usual one is held against the other runtimes. */
function joinAlike(columns: readonly Column[]): readonly Shown[] {
  const groups = new Map<string, Column[]>();
  for (const column of columns) {
    const { [SAME_DECISIONS]: _same, ...shown } = column.capabilities;
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

function mark(cell: Cell | undefined, note: (text: string) => string): string {
  if (cell === undefined) return "–";
  if ("proven" in cell) return "✓";
  if ("impossible" in cell) return `✗${note(cell.impossible)}`;
  return `‼${note(`failed: ${cell.failed.join(", ")}`)}`;
}
