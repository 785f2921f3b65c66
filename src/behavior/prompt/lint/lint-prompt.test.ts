import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContributorTag } from "../../../base/words/prompt.ts";
import { type LintedContributor, type LintInput, lintPrompt } from "./lint-prompt.ts";

const KNOWN = ["read_file", "write_file", "read_memory", "save_memory", "shell", "deploy", "search", "path", "Bash"];

function contributor(given: Partial<LintedContributor>): LintedContributor {
  return { id: "house", source: "config", tags: [], tokens: 10, reason: "included", ...given };
}

function lint(contributors: readonly LintedContributor[], given: Partial<LintInput> = {}) {
  return lintPrompt({
    contributors,
    cuts: [],
    clashes: [],
    names: { known: new Set(KNOWN), closed: true },
    tags: {
      classified: true,
      values: {
        topic: ["coding", "debugging"],
        complexity: ["simple", "hard"],
        channel: ["web", "cli", "pager"],
        domain: ["security", "database"],
        flag: ["production"],
      },
    },
    mode: "full",
    ...given,
  });
}

/** `rule level` of what is found in one text. */
function found(text: string, given: Partial<LintInput> = {}, id = "house"): readonly string[] {
  return lint([contributor({ id, text })], given).map(({ level, rule, quote }) => `${level} ${rule} ${quote}`);
}

const tag = (text: string): ContributorTag => {
  const [dimension, value = ""] = text.split(":");
  return { dimension: dimension as ContributorTag["dimension"], value };
};

describe("names of tools in texts", () => {
  it.each([
    ["Call `recall_memory` first.", "error unknown-tool recall_memory"],
    ["Call recall_memory first.", "error unknown-tool recall_memory"],
    ["Always call the `recall_memory` tool.", "error unknown-tool recall_memory"],
    ["The recall_memory tool knows it.", "error unknown-tool recall_memory"],
    ["See `get_orders()` for that.", "warning unknown-tool get_orders"],
    ["Then update_ticket, and stop.", "warning unknown-tool update_ticket"],
    ["Prefer `serach` over guessing.", "warning unknown-tool serach"],
    ["Prefer `shelll` over guessing.", "warning unknown-tool shelll"],
    ["Use mcp__linear__create_issue for it.", "warning unknown-tool mcp__linear__create_issue"],
    ["Use the `lookup` tool.", "warning unknown-tool lookup"],
    ["See `get_orders`. Then call get_orders.", "error unknown-tool get_orders"],
  ])("I06: the linter reports an unknown tool name: %s", (text, expected) => {
    expect(found(text)).toEqual([expected]);
  });

  it.each([
    "Call `read_memory` first, then read_file.",
    "Call mcp__conduct__read_memory first.",
    "Use `Bash` or the `shell` tool.",
    "Name variables in snake_case, such as user_id or `created_at`.",
    "Set MAX_RETRIES and `API_KEY`, not $READ_timeout_ms.",
    "Read src/get_orders/index.ts, get_orders.ts and ./list_all.",
    "The flag is `path`; a branch is `main`, a program `npm`, a file `README`.",
    "Pass list_all=true and <run_all>.",
    "```python\nresult = get_orders(user_id)\n```",
    "~~~\ncall recall_memory\n~~~",
    "Run `npm run build_all` and `git push`.",
    "Ask the person; a tool that fails is read again.",
    "",
  ])("I06: the linter reports no unknown tool in %j", (text) => {
    expect(found(text)).toEqual([]);
  });

  it("I06: an agent without a declared tool list gets only a warning, with the nearest name", () => {
    const [finding] = lint([contributor({ text: "Call read_memry first." })], {
      names: { known: new Set(KNOWN), closed: false },
    });
    expect(finding).toMatchObject({ level: "warning", fix: expect.stringContaining("did you mean 'read_memory'?") });
  });

  it("I06: the linter skips Conduct's own texts and sections that name files", () => {
    const text = "Call recall_memory first.";
    const ids = ["builtin:memory", "builtin:tools", "builtin:skills", "builtin:docs", "builtin:reply-tags"];
    expect(lint(ids.map((id) => contributor({ id, text: `${text} ${id}`, source: "builtin" })))).toEqual([]);
    expect(found(text, {}, "builtin:soul")).toEqual(["error unknown-tool recall_memory"]);
  });
});

describe("guidance that is there twice", () => {
  const pair = (a: string, b: string, ids = ["a", "b"]) =>
    lint([contributor({ id: ids[0] ?? "", text: a }), contributor({ id: ids[1] ?? "", text: b })]).map(
      ({ rule, contributor, other }) => `${rule} ${contributor} ${other}`,
    );

  it.each([
    ["Never commit secrets to git.", "- never commit **secrets** to git", "duplicate"],
    ["One. Never commit secrets to git. Two.", "Three.\nNever commit secrets to git!", "duplicate"],
    [
      "Run all the tests before you push to the main branch.",
      "Run all the tests before you push to the main branch, please.",
      "duplicate",
    ],
    [
      "Run all the tests before you push to the main branch.",
      "Run all of the tests before you push to the main branch.",
      "near-duplicate",
    ],
    ["Always force push to the main branch.", "Never force push to the main branch.", "contradiction"],
    ["Do commit secrets to git.", "Don’t commit secrets to git.", "contradiction"],
    [
      "Before you answer about preferences, call `read_memory` first.",
      "Before you answer about preferences, call `save_memory` first.",
      "different-tools",
    ],
    [
      "Before you answer about preferences, call read_memory first.",
      "Before you answer about preferences, call fetch_notes first.",
      "different-tools",
    ],
  ])("I07: the linter reports %j and %j as a %s", (a, b, rule) => {
    expect(pair(a, b).filter((found) => !found.startsWith("unknown-tool"))).toEqual([`${rule} a b`]);
  });

  it.each([
    ["Be short.", "Be short."],
    ["Read the file before you write it.", "Read the log before you ask about it."],
    ["```\nnever commit secrets to git\n```", "Never commit secrets to git."],
    ["## Never commit secrets to git", "Never commit secrets to git."],
    ["Test first.", "Test last."],
    ["Ask `deploy` for it.", "Ask `shell` for it."],
  ])("I07: the linter does not report %j and %j as similar", (a, b) => {
    expect(pair(a, b)).toEqual([]);
  });

  it("I07: repetitions within one section or within Conduct's own texts are not reported", () => {
    const text = "Never commit secrets to git.";
    expect(found(`${text}\n${text}`)).toEqual([]);
    expect(pair(text, text, ["builtin:safety", "builtin:memory"])).toEqual([]);
    expect(pair(text, text, ["builtin:safety", "b"])).toEqual(["duplicate b builtin:safety"]);
    expect(pair(text, text, ["builtin:soul", "b"])).toEqual(["duplicate builtin:soul b"]);
  });
});

describe("tags that no session has", () => {
  const tagged = (tags: readonly string[], given: Partial<LintInput> = {}) =>
    lint([contributor({ tags: tags.map(tag), text: "Hello there." })], given).map(
      ({ level, message, fix }) => `${level} ${message} -> ${fix}`,
    );

  it.each([
    [["topic:codng"], "error no session selects it: there is no topic 'codng' -> did you mean 'coding'?"],
    [["complexity:huge"], "error no session selects it: there is no complexity 'huge' -> use one of simple, hard"],
    [["channel:pagr"], "warning no session selects it: no channel 'pagr' is known -> did you mean 'pager'?"],
    [["domain:securty"], "warning no session selects it: local/rules never assigns the domain 'securty'"],
    [["flag:prodution"], "warning no session selects it: local/rules never assigns the flag 'prodution'"],
    [["topic:codng", "domain:security"], "warning there is no topic 'codng'"],
    [["custom:vip"], "hint custom:vip is matched only where the host sets it"],
  ])("G18: the linter reports tags that no session can match: %j", (tags, expected) => {
    const findings = tagged(tags);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain(expected);
  });

  it.each([[["topic:Coding"]], [["topic:*", "channel:*", "custom:*"]], [["channel:PAGER"]], [[]]])(
    "G18: the linter accepts the selectable tags %j",
    (tags) => {
      expect(tagged(tags)).toEqual([]);
    },
  );

  it("G18: a model classifier can give any domain; without a classifier no domain matches", () => {
    const values = { topic: ["coding"] };
    expect(tagged(["domain:quantum"], { tags: { classified: true, values } })).toEqual([]);
    const [finding] = tagged(["domain:quantum"], { tags: { classified: false, values } });
    expect(finding).toContain("needs a classification, but the agent has none");
    expect(tagged(["channel:web"], { tags: { classified: false, values } })).toEqual([]);
  });

  it.each([
    ["minimal", "config", 1],
    ["none", "agent", 1],
    ["minimal", "agent", 0],
    ["none", "builtin", 0],
    ["full", "config", 0],
  ] as const)("G18: in prompt mode %s a contributor from %s has %i finding", (mode, source, length) => {
    expect(lint([contributor({ source, text: "Hello there." })], { mode })).toHaveLength(length);
  });
});

describe("what else is wrong", () => {
  it.each([
    ["Dear {{ user.name }}, hello.", "{{ user.name }}"],
    ["You are $soul now.", "$soul"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder as people leave it.
    ["The time is ${now}.", "${now}"],
  ])("G16: the linter reports a leftover placeholder in %j", (text, quote) => {
    expect(found(text)).toEqual([`warning template-left ${quote}`]);
  });

  it.each([
    "It costs $5 or $$.",
    "Use $HOME and \\$x.",
    "Write `{{x}}` for it.",
    "```\n$x {{y}}\n```",
    "a$b",
    "{ { x } }",
  ])("G16: the linter reports no placeholder in %j", (text) => {
    expect(found(text)).toEqual([]);
  });

  it("G19: the linter reports empty, failed, cut and overridden contributors, errors first", () => {
    const findings = lint(
      [
        contributor({ id: "empty", reason: "empty" }),
        contributor({ id: "failed", reason: "failed", detail: "boom" }),
        contributor({ id: "builtin:voice", source: "builtin", reason: "empty" }),
        contributor({ id: "vetoed", reason: "vetoed" }),
      ],
      {
        cuts: [
          { contributor: "empty", limit: "maxChars", kept: 1, of: 9 },
          { contributor: "failed", limit: "budget", kept: 1, of: 9 },
        ],
        clashes: [{ id: "failed", kept: "config", held: "workspace" }],
      },
    );
    expect(findings.map(({ level, rule, contributor }) => `${level} ${rule} ${contributor}`)).toEqual([
      "error failed failed",
      "error id-clash failed",
      "warning empty empty",
      "warning cut empty",
      "warning over-budget failed",
    ]);
    for (const { message, fix } of findings) expect([message, fix]).not.toContain("");
  });

  it("G18: the linter accepts any text, and every quote occurs in that text", () => {
    const word = fc.constantFrom(
      "`x_y`",
      "call",
      "read_file",
      "get_it",
      "```",
      "\n",
      "- ",
      "never",
      "$a",
      "{{b}}",
      ". ",
      "é‮",
    );
    const text = fc.array(fc.oneof(word, fc.string()), { maxLength: 40 }).map((parts) => parts.join(" "));
    fc.assert(
      fc.property(text, text, (a, b) => {
        const texts = new Map([
          ["a", a],
          ["b", b],
        ]);
        for (const { contributor: id, quote } of lint([...texts].map(([id, text]) => contributor({ id, text })))) {
          expect(texts.get(id)).toContain(quote);
        }
      }),
    );
  });
});
