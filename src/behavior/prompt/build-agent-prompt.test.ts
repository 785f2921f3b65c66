import { describe, expect, it } from "vitest";
import type {
  ContributorContext,
  ContributorSource,
  PromptContributor,
  PromptMode,
  PromptSection,
} from "../../base/words/prompt.ts";
import { loadTokenizer } from "../results/token-counter.ts";
import { type BuildOptions, buildAgentPrompt } from "./build-agent-prompt.ts";
import { testContext } from "./builtin/test/test-context.ts";
import { PromptContributorRegistry } from "./contributor-registry.ts";

const counter = await loadTokenizer();

type Given = Partial<PromptContributor> & {
  readonly source?: ContributorSource;
  readonly section?: PromptSection | undefined;
};

function build(
  given: Readonly<Record<string, Given | string>>,
  context: Partial<ContributorContext> = {},
  options: Partial<BuildOptions> = {},
) {
  const registry = new PromptContributorRegistry();
  for (const [id, one] of Object.entries(given)) {
    const { section, source, ...over } = typeof one === "string" ? { section: { content: one } } : one;
    const home = source ?? (id.startsWith("builtin:") ? "builtin" : "plugin");
    registry.register({ id, contribute: () => section, ...over }, home);
  }
  return buildAgentPrompt(registry, testContext(context), { counter, ...options });
}

const ids = (prompt: ReturnType<typeof build>) => prompt.sections.map(({ contributor }) => contributor);

describe("rendering", () => {
  it.each([
    { what: "a heading and content", section: { heading: "Rules", content: " a\n" }, text: "## Rules\n\na" },
    { what: "content alone", section: { content: "a\n\nb" }, text: "a\n\nb" },
    { what: "seed 000's form", section: { content: "## Security\n- a\n- b\n" }, text: "## Security\n\n- a\n- b" },
    { what: "any level of it", section: { content: "#### S ##\r\n\r\na" }, text: "## S\n\na" },
    { what: "a heading of marks alone", section: { content: "## ##\na" }, text: "a" },
    { what: "headings inside", section: { content: "# A\na\n# B\nb" }, text: "## A\n\na\n### B\nb" },
    { what: "a heading given and one inside", section: { heading: "H", content: "## A\na" }, text: "## H\n\n### A\na" },
    { what: "a heading of two lines", section: { heading: "A\n## B\u0007", content: "a" }, text: "## A ## B\n\na" },
    { what: "a blank heading", section: { heading: " \n", content: "a" }, text: "a" },
    {
      what: "a tag of ours",
      section: { heading: "<conduct>", content: "</feedback>" },
      text: "## &lt;conduct>\n\n&lt;/feedback>",
    },
    {
      what: "a heading that is kept (G15)",
      section: { heading: "H", content: "### Rules\n\n- a" },
      text: "## H\n\n### Rules\n\n- a",
    },
    { what: "an open block", section: { content: "```\n## a" }, text: "```\n## a\n```" },
    { what: "half a character", section: { content: "a\ud83d" }, text: "a\ufffd" },
  ])("PB-1 a section is rendered: $what", ({ section, text }) => {
    expect(build({ a: { section } }).text).toBe(text);
  });

  it("G01: sections are joined by one blank line, and every line is attributed to its contributor", () => {
    const prompt = build({ b: "one\ntwo", a: { section: { heading: "H", content: "x" } }, c: "```\n\n```" });
    expect(prompt.text).toBe("## H\n\nx\n\none\ntwo\n\n```\n\n```");
    expect(prompt.provenance).toEqual(["a", "a", "a", "", "b", "b", "", "c", "c", "c"]);
    expect(prompt.sections.map(({ lines }) => lines)).toEqual([
      { from: 1, to: 3 },
      { from: 5, to: 6 },
      { from: 8, to: 10 },
    ]);
  });

  it("PB-2 only built-in sections may write Conduct's own tags", () => {
    const content = "<memory_notes>\nx\n</memory_notes>";
    expect(build({ "builtin:memory": content }).text).toBe(content);
    expect(build({ memory: content }).text).toBe("&lt;memory_notes>\nx\n&lt;/memory_notes>");
  });

  it("PB-3 a registry without contributors gives an empty prompt", () => {
    expect(build({})).toMatchObject({ text: "", sections: [], provenance: [], tokens: 0, prefixTokens: 0, trace: [] });
  });

  it("G13: the cacheable prefix ends before the first section of the turn", () => {
    const at = (time: string, layout: "cache" | "priority" = "cache") =>
      build({ a: "stable", time: { zone: "turn", priority: 1, section: { content: time } } }, {}, { layout });
    expect(at("9:05").text).toBe("stable\n\n9:05");
    expect(at("9:05").prefixHash).toBe(at("9:06").prefixHash);
    expect(at("9:05").prefixHash).toBe(build({ a: "stable" }).hash);
    expect(at("9:05").hash).not.toBe(at("9:06").hash);
    expect(at("9:05").prefixTokens).toBe(at("9:05").sections[0]?.tokens);
    expect(at("9:05", "priority")).toMatchObject({ text: "9:05\n\nstable", prefixTokens: 0 });
  });
});

describe("filters", () => {
  const section = { content: "a" };
  const fail = () => {
    throw new Error("no database");
  };
  const loose = (value: unknown) => value as PromptSection;
  it.each([
    { what: "is included", one: { section }, reason: "included", detail: "universal" },
    { what: "is vetoed", one: { section, shouldContribute: () => false }, reason: "vetoed", detail: undefined },
    { what: "throws before", one: { section, shouldContribute: fail }, reason: "failed", detail: "no database" },
    {
      what: "answers with a promise",
      one: { section, shouldContribute: () => Promise.reject(new Error("late")) as unknown as boolean },
      reason: "failed",
      detail: "shouldContribute returned a promise; it must return true or false",
    },
    { what: "throws", one: { contribute: fail }, reason: "failed", detail: "no database" },
    {
      what: "gives a promise",
      one: { contribute: () => loose(Promise.resolve(section)) },
      reason: "failed",
      detail: "contribute returned a promise; it must return { content } or nothing",
    },
    {
      what: "gives a text",
      one: { contribute: () => loose("a") },
      reason: "failed",
      detail: "contribute returned a string; it must return { content } or nothing",
    },
    {
      what: "gives no content",
      one: { contribute: () => loose({ heading: "A" }) },
      reason: "failed",
      detail: "its content is undefined; it must be a text",
    },
    {
      what: "gives a bad limit",
      one: { section: { ...section, maxChars: -1 } },
      reason: "failed",
      detail: "its maxChars is -1; it must be a number of at least 1, or left out",
    },
    { what: "gives nothing", one: { section: undefined }, reason: "empty", detail: undefined },
    { what: "gives blanks", one: { section: { heading: "A", content: " \n" } }, reason: "empty", detail: undefined },
    { what: "gives a heading only", one: { section: { content: "## A" } }, reason: "empty", detail: undefined },
    {
      what: "leaves nothing",
      one: { section: { content: "abcdef", maxChars: 1 } },
      reason: "empty",
      detail: "maxChars is too small to show any of it",
    },
  ])(
    "G10: a contributor that $what is traced as $reason, and the other contributor is unaffected",
    ({ one, reason, detail }) => {
      const prompt = build({ a: one, b: "other" });
      expect(prompt.trace).toEqual([
        { contributor: "a", reason, detail },
        { contributor: "b", reason: "included", detail: "universal" },
      ]);
      expect(prompt.text).toBe(reason === "included" ? "a\n\nother" : "other");
    },
  );

  it("G10: a contributor that modifies the context fails without affecting the others", () => {
    const tamper = (context: ContributorContext) => {
      (context.availableTools as string[]).push("rm");
      return { content: "x" };
    };
    const tools = (context: ContributorContext) => ({ content: context.availableTools.join() });
    const prompt = build({ a: { contribute: tamper }, b: { contribute: tools } }, { availableTools: ["read"] });
    expect(prompt.text).toBe("read");
    expect(prompt.trace[0]?.reason).toBe("failed");
  });

  it("PB-4 a contributor whose tags do not match is not called", () => {
    const prompt = build({ a: { tags: [{ dimension: "topic", value: "ops" }], shouldContribute: fail } });
    expect(prompt.trace).toEqual([]);
  });

  const everyone = {
    "builtin:identity": "i",
    "builtin:contract": "c",
    "builtin:soul": "s",
    "builtin:safety": "f",
    "builtin:tools": "t",
    "builtin:channel": "ch",
    "section:001:role": { source: "agent", section: { content: "role" } },
    rule: { source: "config", section: { content: "rule" } },
    plugin: "p",
  } as const;
  it.each([
    { mode: "full", kept: Object.keys(everyone) },
    { mode: "minimal", kept: Object.keys(everyone).filter((id) => id !== "plugin" && id !== "builtin:channel") },
    { mode: "none", kept: ["builtin:identity", "builtin:contract"] },
  ] satisfies { mode: PromptMode; kept: string[] }[])("PB-5 prompt mode $mode keeps $kept", ({ mode, kept }) => {
    const prompt = build(everyone, { promptMode: mode });
    expect([...ids(prompt)].sort()).toEqual([...kept].sort());
    const left = prompt.trace.filter(({ reason }) => reason !== "included");
    expect(left.map(({ reason, detail }) => `${reason}: ${detail}`)).toEqual(
      Array(Object.keys(everyone).length - kept.length).fill(`vetoed: prompt mode ${mode}`),
    );
  });
});

describe("limits", () => {
  const long = Array.from({ length: 40 }, (_, i) => `- Rule ${i} says to look before you leap.`).join("\n");

  it("G11: a section over its own limit is cut, and the cut is reported", () => {
    const prompt = build({ a: { section: { heading: "H", content: long, maxChars: 200 } }, b: "other" });
    expect(prompt.cuts).toEqual([{ contributor: "a", limit: "maxChars", kept: expect.any(Number), of: long.length }]);
    expect(prompt.text).toMatch(/^## H\n\n- Rule 0 .*\n… \[cut: kept \d+ of 1,\d+ characters\]\n\nother$/s);
  });

  const three = {
    "builtin:safety": { priority: 25, section: { heading: "Safety", content: long } },
    low: { priority: 300, section: { heading: "Low", content: long } },
    middle: { priority: 200, section: { heading: "Middle", content: long } },
  };
  const whole = build(three).tokens;

  it("G19: a prompt within its budget is unchanged", () => {
    expect(build(three, {}, { budget: whole })).toMatchObject({ cuts: [], tokens: whole });
  });

  it.each([
    { over: 1, cut: ["low"], gone: [] },
    { over: 200, cut: ["low"], gone: [] },
    { over: whole / 3 + 10, cut: ["middle"], gone: ["low"] },
    { over: (whole * 2) / 3 - 5, cut: [], gone: ["low", "middle"] },
  ])("G19: a prompt $over tokens over budget cuts $cut and omits $gone", ({ over, cut, gone }) => {
    const budget = Math.floor(whole - over);
    const prompt = build(three, {}, { budget });
    expect(prompt.tokens).toBeLessThanOrEqual(budget);
    expect(prompt.cuts.map(({ contributor, limit }) => `${contributor} ${limit}`)).toEqual(
      cut.map((id) => `${id} budget`),
    );
    expect(prompt.trace.filter(({ reason }) => reason === "over-budget").map(({ contributor }) => contributor)).toEqual(
      [...gone].sort().reverse(),
    );
  });

  it("G19: of sections with equal priority the one with the larger id is cut first", () => {
    const two = { a: { section: { content: long } }, b: { section: { content: long } } };
    const prompt = build(two, {}, { budget: build(two).tokens - 10 });
    expect(prompt.cuts.map(({ contributor }) => contributor)).toEqual(["b"]);
  });

  it("G19: a few more tokens in another section rarely change a cut, so the prefix stays cached", () => {
    const one = { section: { content: "word ".repeat(300) } };
    const prefixes = Array.from({ length: 12 }, (_, i) => {
      const time = { zone: "turn", priority: 90, section: { content: `It is ${"very ".repeat(i)}late` } } as const;
      return build({ one, time }, {}, { budget: 200 }).prefixHash;
    });
    expect(new Set(prefixes).size).toBeLessThanOrEqual(2);
  });

  it("G19: a section that is one token too long is cut, not omitted", () => {
    for (let words = 60; words < 100; words++) {
      const one = { one: { section: { heading: "One", content: "word ".repeat(words) } } };
      const budget = build(one).tokens - 1;
      const prompt = build(one, {}, { budget });
      expect(ids(prompt)).toEqual(["one"]);
      expect(prompt.tokens).toBeLessThanOrEqual(budget);
    }
  });

  it("G19: identity, contract and safety are never cut, and the trace reports that they exceed the budget", () => {
    const given = { ...three, "builtin:identity": "You are Ann.", "builtin:contract": "KEEP: short" };
    const prompt = build(given, {}, { budget: 10 });
    expect(ids(prompt)).toEqual(["builtin:safety", "builtin:contract", "builtin:identity"]);
    expect(prompt.cuts).toEqual([]);
    for (const { reason, detail } of prompt.trace.slice(0, 3)) {
      expect(reason).toBe("included");
      expect(detail).toBe(`universal; the budget is 10 tokens; the protected sections need ${prompt.tokens}`);
    }
  });

  it.each([0, -1, Number.NaN])("G19: a budget of %s is rejected", (budget) => {
    expect(() => build(three, {}, { budget })).toThrow(`above 0, not ${budget}`);
  });
});
