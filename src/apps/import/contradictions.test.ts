import { describe, expect, it } from "vitest";
import type { BehaviorDirective } from "../../base/words/contract.ts";
import { parseRules } from "../../engine/agent/rules/parse-rules.ts";
import { findContradictions, type SaidLine } from "./contradictions.ts";

type Pair = readonly [a: string, b: string];

/** Pairs that a person would call a contradiction. The last four need more than the words of the sentence. */
const OPPOSED: readonly Pair[] = [
  ["Never force push.", "Feel free to force push."],
  ["Do not push to main.", "Push directly to main."],
  ["Don't commit without asking.", "You may commit without asking."],
  ["Run the tests before committing.", "Commit without running the tests."],
  ["Never use `npm`.", "Always use `npm`."],
  ["Use tabs.", "Use two spaces for indentation."],
  ["Indent with 4 spaces.", "Use 2 spaces."],
  ["Use single quotes.", "Prefer double quotes for strings."],
  ["Use semicolons.", "No semicolons."],
  ["Use pnpm.", "Use npm to install packages."],
  ["We use Jest.", "Write tests with vitest."],
  ["Answer in English.", "Reply in German."],
  ["Be concise.", "Give detailed explanations."],
  ["Wrap lines at 80.", "Maximum line length is 120."],
  ["Never add comments.", "Write comments."],
  ["Don't use emojis.", "Use emojis in your answers."],
  ["Ask before installing packages.", "Feel free to install new packages."],
  ["Never amend commits.", "You can amend commits."],
  ["Do not edit `db/schema.sql`.", "Edit `db/schema.sql`."],
  ["Never skip the pre-commit hooks.", "You may skip the pre-commit hooks."],
  ["Prefer composition.", "Prefer inheritance."],
  ["Errors are thrown.", "Errors are returned as values."],
  ["Keep functions short.", "Write long functions with everything in them."],
  ["All times are UTC.", "Times are stored in local time."],
];

/** Pairs that look alike and can both be followed. */
const FINE: readonly Pair[] = [
  ["Never force push.", "Never push to main."],
  ["Never force push.", "Push after every task."],
  ["Run the tests before committing.", "Commit small changes."],
  ["Run the tests before committing.", "Ask before committing."],
  ["Never commit without asking.", "Run the tests before committing."],
  ["Use tabs in Makefiles.", "Use two spaces for indentation."],
  ["Use single quotes in Python.", "Use double quotes in JSON."],
  ["Use pnpm.", "Use `npm publish` for releases."],
  ["Use Jest for old packages.", "Write tests with vitest."],
  ["Answer in English.", "Write German texts for the website."],
  ["Be concise.", "Write detailed commit messages."],
  ["Do not edit `db/schema.sql`.", "Edit `db/seed.sql`."],
  ["Wrap lines at 80.", "Wrap comments at 120."],
  ["Don't use emojis.", "Use icons in the interface."],
  ["Never deploy.", "We deploy with GitHub Actions."],
  ["Ask before deleting files.", "Delete unused code."],
  ["Never run `terraform apply`.", "Run `terraform plan` first."],
  ["Do not add new dependencies.", "Use the standard library."],
  ["Never add comments.", "Write documentation."],
  ["Use squash merges.", "Rebase your branch before review."],
  ["Never push to `main`.", "Push to `develop`."],
  ["Never use `any`.", "Use `unknown`."],
  ["Keep answers short.", "Be concise."],
  ["Use semicolons.", "Use trailing commas."],
];

const line = (source: string, text: string, at = 1): SaidLine => ({ source, place: `${source}:${at}`, text });
const between = ([a, b]: Pair) => findContradictions([line("CLAUDE.md", a), line("AGENTS.md", b)], [], []);
const contradicts = (pair: Pair) => between(pair).some(({ kind }) => kind === "contradiction");
const directive = (type: BehaviorDirective["type"], text: string) =>
  ({ id: "d_01", type, text, scope: "global" }) as BehaviorDirective;
const PACK = `
rules:
  - { id: no-force-push, on: git.push, when: args.force, say: No force. }
  - { id: publish-asks, on: packages.publish, effect: ask, say: Ask. }
  - { id: tests-first, on: git.commit, require: { call: tests.run }, say: Test. }
`;

function rules() {
  const parsed = parseRules(PACK, "rules.yaml");
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
  return parsed.ruleSet.rules.map((rule) => ({ ...rule, source: "rules.yaml" }));
}

describe("contradictions between sources", () => {
  it("CTD-1 no pair that can be followed is reported, and most opposed pairs are (figures printed)", () => {
    const found = OPPOSED.filter(contradicts);
    const wrong = FINE.filter(contradicts);
    console.info(
      `contradictions: found ${found.length} of ${OPPOSED.length}, wrongly reported ${wrong.length} of ${FINE.length}`,
    );
    expect(wrong).toEqual([]);
    expect(OPPOSED.slice(0, 20).filter((pair) => !contradicts(pair))).toEqual([]);
  });

  it("CTD-2 a text against a rule names both places", () => {
    const [pair, ...rest] = findContradictions([line("CLAUDE.md", "Feel free to force push.", 7)], rules(), []);
    expect(rest).toEqual([]);
    expect(pair).toMatchObject({
      kind: "contradiction",
      first: { place: "CLAUDE.md:7" },
      second: { place: "rules.yaml:3 (rule no-force-push)" },
    });
  });

  it.each([
    ["Run `git push -f` to update the branch.", "no-force-push"],
    ["Run `git push` when you are done.", undefined],
    ["Never run `git push -f`.", undefined],
    ["Run `npm publish` to release.", undefined],
    ["Commit without running the tests.", "tests-first"],
  ])("CTD-3 a command that a rule always denies: %s", (text, rule) => {
    const found = findContradictions([line("CLAUDE.md", text)], rules(), []);
    const opposed = found.filter(({ kind }) => kind === "contradiction").map(({ second }) => second.place);
    expect(opposed).toEqual(rule === undefined ? [] : [expect.stringContaining(rule)]);
  });

  it.each([
    ["Use emojis.", "stop", "emojis", "contradiction"],
    ["Answer in German.", "keep", "answers in English", "contradiction"],
    ["Be concise.", "keep", "answers concise", "repeat"],
    ["Give detailed explanations.", "keep", "answers concise", "contradiction"],
    ["Use nouns.", "stop", "long status reports", undefined],
  ] as const)("CTD-4 a text against a directive: %s", (text, type, said, kind) => {
    const found = findContradictions([line("CLAUDE.md", text)], [], [directive(type, said)]);
    expect(found.map((one) => one.kind)).toEqual(kind === undefined ? [] : [kind]);
  });

  it("CTD-5 the same sentence in two files is a repeat, and one file is never compared with itself", () => {
    const same = "Money is counted in cents, never in euros.";
    expect(between([same, `${same}`])).toMatchObject([{ kind: "repeat" }]);
    expect(findContradictions([line("A.md", "Use tabs."), line("A.md", "Use spaces.", 2)], [], [])).toEqual([]);
  });
});
