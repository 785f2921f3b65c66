import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelQuestion } from "../../../../base/ports/models.ts";
import type { BehaviorDirective } from "../../../../base/words/contract.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { type PlacedFinding, promptLint } from "./lint.ts";

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

  it("CTL-8 no model is asked unless one is named, and what it finds is added to what the checks found", async () => {
    const terminal = testTerminal({ cwd: join(root, "work") });
    const questions: ModelQuestion[] = [];
    const numberOf = (text: string) =>
      Number(new RegExp(`<line n="(\\d+)"[^>]*>${text}`).exec(questions[0]?.prompt ?? "")?.[1]);
    const ask = async (question: ModelQuestion) => {
      questions.push(question);
      const found = (first: string, second: string, kind: string) => ({
        ...{ first: numberOf(first), second: numberOf(second), kind, reason: "because" },
      });
      const pairs = [
        found("Use two spaces", "Use tabs", "contradicts"),
        found("Use single quotes", "Money is counted", "repeats"),
      ];
      return { text: JSON.stringify({ pairs }), usage: {} };
    };
    const world = { home: join(root, "home"), now: () => 0, asker: { models: { ask } } };
    type Result = { readonly files: readonly PlacedFinding[]; readonly model?: unknown };
    const plain = await promptLint({}, terminal, world);
    expect((await promptLint({ model: "none" }, terminal, world)).result).toEqual(plain.result);
    expect(questions).toEqual([]);
    expect((plain.result as Result).model).toBeUndefined();

    const asked = await promptLint({ model: "own/small" }, terminal, world);
    const { files, model } = asked.result as Result;
    const known = (plain.result as Result).files;
    expect(questions).toHaveLength(1);
    expect(files.slice(0, known.length)).toEqual(known);
    // The checks had found the first pair.
    expect(files.slice(known.length)).toEqual([
      expect.objectContaining({ by: "model", rule: "duplicate", level: "hint", other: "AGENTS.md:3" }),
    ]);
    expect(model).toMatchObject({ name: "own/small", found: 1, dropped: 0 });
    expect(asked.text).toContain('it repeats AGENTS.md:3: "Money is counted in cents, never in euros."');
    expect(asked.text).toMatch(/own\/small was sent \d+ lines and found 1 more pair\n/);
    expect(await promptLint({ model: "small" }, terminal, world)).toMatchObject({ ok: false, exitCode: 2 });
  });
});
