import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BehaviorDirective } from "../../../../base/words/contract.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { promptLint } from "./lint.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-lint-sources-")));
  for (const [name, text] of Object.entries({
    "home/conduct.yaml": `agents:
  coding:
    rules: [packs/coding]
    promptContributors:
      - id: style
        content: Use single quotes.
`,
    "work/CLAUDE.md":
      "# Shop\n\n- Feel free to force push.\n- Use tabs.\n- Never force push to production.\n- Give detailed explanations.\n",
    "work/AGENTS.md": "- Use two spaces.\n- Use double quotes.\n- Money is counted in cents, never in euros.\n",
    "work/GEMINI.md": "Money is counted in cents, never in euros.\n",
    "work/web/AGENTS.md": "- Use four spaces.\n",
  })) {
    mkdirSync(dirname(join(root, name)), { recursive: true, mode: 0o700 });
    writeFileSync(join(root, name), text);
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("conduct prompt lint between sources", () => {
  it("CTL-1 names both places of files, rules, contributors and directives, and leaves nested files alone", async () => {
    const terminal = testTerminal({ cwd: join(root, "work") });
    const directive = { id: "d_07", type: "keep", text: "answers concise", scope: "global" } as BehaviorDirective;
    const outcome = await promptLint({}, terminal, {
      home: join(root, "home"),
      now: () => 0,
      directives: async () => [directive],
    });
    const { files } = outcome.result as {
      readonly files: readonly {
        readonly rule: string;
        readonly contributor: string;
        readonly place?: { readonly line: number };
        readonly other: string;
      }[];
    };
    const found = files.map(
      ({ rule, contributor, place, other }) =>
        `${rule} ${contributor}:${place?.line} ${other.replace(/^.*packs/, "packs")}`,
    );
    expect(found.sort()).toEqual([
      "contradiction AGENTS.md:1 CLAUDE.md:4",
      expect.stringMatching(/^contradiction AGENTS.md:2 .*conduct.yaml:6$/),
      expect.stringMatching(/^contradiction CLAUDE.md:3 packs\/coding\/rules.yaml:\d+ \(rule no-force-push\)$/),
      "contradiction CLAUDE.md:6 contract d_07",
      "duplicate AGENTS.md:3 GEMINI.md:1",
    ]);
    expect(outcome.text).toContain("it contradicts CLAUDE.md:4");
    expect(outcome.ok).toBe(true);
  });
});
