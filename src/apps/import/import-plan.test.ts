import { describe, expect, it } from "vitest";
import { sha256 } from "../../base/kernel/canonical-json.ts";
import { parseRules } from "../../engine/agent/rules/parse-rules.ts";
import { classifyStatement } from "./classify-statement.ts";
import { planImport, rulesText } from "./import-plan.ts";
import type { InstructionFile } from "./instruction-files.ts";
import { readInstructions } from "./instruction-lines.ts";
import { readClaudePermissions, readCodexRules } from "./permission-lists.ts";
import { pathPattern } from "./rule-drafts.ts";

/** Lines as people write them, and the rule that each becomes: its `on`, its effect, and what it requires. */
const RULES: readonly (readonly [line: string, rule: string])[] = [
  ["Never force push.", "git.push when args.force"],
  ["**NEVER** use `git push --force`!", "git.push when args.force"],
  ["Force pushing is not allowed.", "git.push when args.force"],
  ["Don't commit unless I explicitly ask you to.", "git.commit ask"],
  ["Never commit or push without asking me first.", "git.commit ask; git.push ask"],
  ["Ask before installing new dependencies.", "packages.install when size(args.names) > 0 ask"],
  ["Do not add new dependencies without approval.", "packages.install when size(args.names) > 0 ask"],
  ["Run the tests before committing.", "git.commit needs tests.run"],
  ["Always run `npm run lint` and `npm test` before you commit.", "git.commit needs lints.run, tests.run"],
  ["Before pushing, run `cargo test`.", "git.push needs tests.run"],
  ["Make sure the tests pass before you commit or push.", "git.commit,git.push needs tests.run"],
  ["Never commit without running the linter first.", "git.commit needs lints.run"],
  ["Run `./scripts/verify.sh` before every commit.", "git.commit needs cmd-scripts-verify-sh"],
  ["IMPORTANT: Never skip the pre-commit hooks.", "git.commit,git.push,git.hooks when args.noVerify || args.off"],
  ["Don't use `npm`; use `pnpm` instead.", "cmd-npm"],
  ["Never run `terraform apply` — a person does that.", "cmd-terraform-apply"],
  ["You must not run `docker compose down` on your own.", "cmd-docker-compose-down ask"],
  ["Never disable failing tests.", "tests.weaken"],
  ["Do not run database migrations without my explicit approval.", "database.migrate ask"],
  ["You should not deploy.", "deploys.run warn"],
];

/** Lines that look like rules, but that no rule can enforce as they are meant. */
const TEXTS: readonly string[] = [
  "Never push to main unless it is a hotfix.",
  "Run the tests before committing if you changed code.",
  "Never use `any`.",
  "Do not use `find` on large arrays.",
  "Do not change `User.email`.",
  "Never delete tests to make the build pass.",
  "Never log passwords or tokens.",
  "Avoid force pushes.",
  "Usually run the tests before you commit.",
  "Never mock the database in integration tests.",
  "Prefer composition over inheritance.",
  "Do not use default exports.",
  "Never import from `src/internal` in the web package.",
  "We deploy with GitHub Actions.",
  "Commit messages follow Conventional Commits.",
  "Run `npm run dev` to start the server.",
  "Only push when CI is green.",
  "Don't commit generated files.",
  "Never trust user input.",
  "Do not edit files that you have not read.",
];

const DIRECTIVES: readonly (readonly [line: string, directive: string])[] = [
  ["Be concise.", "keep: answers concise"],
  ["Keep your answers short and direct.", "keep: answers short and direct"],
  ["Always answer in English.", "keep: answers in English"],
  ["Don't use emojis.", "stop: emojis"],
  ["STOP: long status reports", "stop: long status reports"],
];

function shown(line: string): string {
  const becomes = classifyStatement(readInstructions(line)[0]?.units[0]?.statements[0]?.text ?? "");
  if (becomes.kind === "directive") return `${becomes.type}: ${becomes.text}`;
  if (becomes.kind !== "rule") return becomes.kind;
  return becomes.drafts
    .map(({ on, when, require, effect }) => {
      const needs = [...JSON.stringify(require ?? {}).matchAll(/"call":"([^"]+)"/g)].map(([, call]) => call);
      return [String(on), when && `when ${when}`, needs.length > 0 && `needs ${needs.join(", ")}`, effect]
        .filter(Boolean)
        .join(" ");
    })
    .join("; ");
}

const file = (name: string, text: string, more: Partial<InstructionFile> = {}): InstructionFile => {
  return { name, path: `/w/${name}`, kind: "text", under: "", readers: [], text, sha256: sha256(text), ...more };
};
const plan = (...files: readonly InstructionFile[]) =>
  planImport(files, { classified: false, asDirective: () => false });

describe("what a line becomes", () => {
  it.each(RULES)("IMP-1 %s", (line, rule) => {
    expect(shown(line)).toBe(rule);
  });

  it.each(TEXTS)("IMP-2 stays text: %s", (line) => {
    expect(shown(line)).toBe("contributor");
  });

  it.each(DIRECTIVES)("IMP-3 %s", (line, directive) => {
    expect(shown(line)).toBe(directive);
  });

  it("IMP-4 a line with invisible characters, and an include, become nothing", () => {
    expect(classifyStatement("Never push\u200b to main.")).toMatchObject({ kind: "nothing" });
    expect(classifyStatement("@docs/style.md")).toMatchObject({
      kind: "nothing",
      why: expect.stringContaining("docs/style.md"),
    });
  });

  it("IMP-5 code blocks, front matter, comments and Conduct's own block have no statements, and lines keep their numbers", () => {
    const text = [
      "---\ndescription: x\n---\n# Git\n<!-- Never push. -->\n```sh\nNever push.\n```\n- Never force\n  push. Use a branch.",
      "<!-- conduct export: begin -->\n- Never push.\n<!-- conduct export: end -->",
    ].join("\n\n");
    const statements = readInstructions(text).flatMap(({ units }) => units.flatMap((unit) => unit.statements));
    expect(statements).toEqual([
      { line: 9, text: "Never force push." },
      { line: 10, text: "Use a branch." },
    ]);
  });
});

describe("permission lists", () => {
  it("IMP-6 Claude Code's deny and ask entries become rules, and its allow entries loosen nothing", () => {
    const text = JSON.stringify(
      {
        permissions: {
          allow: ["Bash(git push:*)", "Edit"],
          ask: ["Bash(npm publish:*)"],
          deny: [
            "Read(./.env)",
            "Bash(curl:*)",
            "WebFetch(domain:evil.example)",
            "mcp__db__drop_table",
            "Edit(/secrets/**)",
            "Weird(x)",
          ],
        },
      },
      undefined,
      2,
    );
    const listed = readClaudePermissions(text).map(({ line, text, becomes }) => [
      line,
      text,
      becomes.kind,
      becomes.kind === "rule" ? [becomes.drafts[0]?.on, becomes.drafts[0]?.when, becomes.drafts[0]?.effect] : undefined,
    ]);
    expect(listed).toEqual([
      [
        11,
        "deny: Read(./.env)",
        "rule",
        ["read_file", 'has(args.path) && args.path.matches("(^|/)[.]env(/|$)")', undefined],
      ],
      [12, "deny: Bash(curl:*)", "rule", ["cmd-curl", undefined, undefined]],
      [
        13,
        "deny: WebFetch(domain:evil.example)",
        "rule",
        ["fetch", expect.stringContaining("evil[.]example"), undefined],
      ],
      [14, "deny: mcp__db__drop_table", "rule", ["db/drop_table", undefined, undefined]],
      [
        15,
        "deny: Edit(/secrets/**)",
        "rule",
        [expect.arrayContaining(["write_file"]), expect.stringContaining("^secrets(/|$)"), undefined],
      ],
      [16, "deny: Weird(x)", "nothing", undefined],
      [8, "ask: Bash(npm publish:*)", "rule", ["cmd-npm-publish", undefined, "ask"]],
      [4, "allow: Bash(git push:*)", "nothing", undefined],
      [5, "allow: Edit", "nothing", undefined],
    ]);
  });

  it("IMP-7 Codex's forbidden and prompt rules become rules for every alternative", () => {
    const text = `# house rules
prefix_rule(pattern=["git", ["push", "fetch"]], decision="prompt")
prefix_rule(
    pattern = ['rm', '-rf'],  # never
    decision = "forbidden",
)
prefix_rule(pattern=["ls"])
`;
    expect(readCodexRules(text)).toMatchObject([
      {
        line: 2,
        text: "prompt: git push|fetch",
        becomes: { kind: "rule", drafts: [{ on: "cmd-git-push", effect: "ask" }, { on: "cmd-git-fetch" }] },
      },
      { line: 3, text: "forbidden: rm -rf", becomes: { kind: "rule", drafts: [{ on: "cmd-rm-rf" }] } },
      { line: 7, text: "allow: ls", becomes: { kind: "nothing" } },
    ]);
  });

  it.each([
    ["secrets/", "secrets/a", true],
    ["secrets/**", "secrets/a/b", true],
    ["*.pem", "deep/x.pem", true],
    ["*.pem", "x.pem.txt", false],
    ["src/*.ts", "src/a/b.ts", false],
    ["config/prod.json", "config/prod.json", true],
    ["config/prod.json", "other/config/prod.json", false],
    [".env", "web/.env", true],
    [".env", ".env.example", false],
    ["secrets/**", "secrets", true],
    ["secrets/**", "secrets/a/b", true],
    ["secrets/**", "secrets-of-others/a", false],
    ["db/migrations/", "db/migrations", true],
    ["db/migrations/*", "db/migrations", true],
    ["db/migrations/", "db/migrations.md", false],
    ["**/*.pem", "a/b.pem", true],
  ])("IMP-8 the pattern %s on %s", (glob, path, matches) => {
    expect(new RegExp(pathPattern(glob) ?? "$^").test(path)).toBe(matches);
  });
});

describe("the plan of an import", () => {
  const CLAUDE = `# Shop

## Git
- Never force push.
- Commit messages are in English.
- Don't commit to main. Never force push.

## Style
Be concise. Use two spaces.
`;

  it("IMP-9 rules have unique ids, name their place, and parse as a rule file", () => {
    const { rules, lines } = plan(file("CLAUDE.md", CLAUDE), file("AGENTS.md", "- Never run `npm publish`.\n"));
    expect(rules.map(({ id, from }) => [id, from])).toEqual([
      ["never-force-push", "CLAUDE.md:4"],
      ["dont-commit-to-main", "CLAUDE.md:6"],
      ["never-force-push-2", "CLAUDE.md:6"],
      ["never-run-npm-publish", "AGENTS.md:1"],
    ]);
    expect(lines.every(({ ids, becomes }) => ids.length > 0 || becomes.kind === "directive")).toBe(true);
    const parsed = parseRules(rulesText(rules), "rules.yaml");
    expect(parsed).not.toHaveProperty("faults");
    expect(rulesText(rules)).toContain("# CLAUDE.md:4");
  });

  it("IMP-10 the text keeps what is not taken as a whole, and the runtime that reads the file does not get it twice", () => {
    const [text] = plan(file("CLAUDE.md", CLAUDE, { readers: ["claude-code"] })).contributors;
    expect(text).toMatchObject({
      id: "imported:CLAUDE.md",
      heading: "From CLAUDE.md",
      exceptRuntimes: ["claude-code"],
    });
    expect(text?.content).toBe(
      "### Git\n\n- Commit messages are in English.\n\n### Style\n\nBe concise. Use two spaces.",
    );
  });

  it("IMP-11 lines about one folder or one kind of files stay text, and say what they are about", () => {
    const { rules, contributors, lines } = plan(
      file("web/AGENTS.md", "- Never force push.\n", { under: "web" }),
      file(".cursor/rules/api.mdc", "---\nglobs: src/api/**\n---\n- Never deploy.\n", { globs: "src/api/**" }),
    );
    expect(rules).toEqual([]);
    expect(contributors.map(({ content }) => content.split("\n")[0])).toEqual([
      "These apply to files in `web/`:",
      "These apply to files that match `src/api/**`:",
    ]);
    expect(lines[0]?.becomes).toMatchObject({ note: expect.stringContaining("web/") });
  });

  it("IMP-12 a classified agent gets sections with tags, other agents get everything in every session", () => {
    const text = "# Security\n- Validate input.\n# Names\n- Use nouns.\n";
    const tagged = planImport([file("CLAUDE.md", text)], { classified: true, asDirective: () => false });
    expect(tagged.contributors.map(({ id, tags }) => [id, tags])).toEqual([
      ["imported:CLAUDE.md:security", [{ dimension: "domain", value: "security" }]],
      ["imported:CLAUDE.md", []],
    ]);
    expect(plan(file("CLAUDE.md", text)).contributors).toHaveLength(1);
  });
});
