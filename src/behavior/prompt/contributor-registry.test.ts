import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionClassification } from "../../base/words/classification.ts";
import type {
  ContributorContext,
  ContributorSource,
  ContributorTag,
  PromptContributor,
  TagDimension,
} from "../../base/words/prompt.ts";
import { testContext } from "./builtin/test/test-context.ts";
import { ContributorError, PromptContributorRegistry } from "./contributor-registry.ts";

const classification: SessionClassification = {
  label: "Fix the login",
  topic: "coding",
  complexity: "hard",
  domain: ["Security ", "web"],
  flags: ["multi-file"],
};
const classified = testContext({ classification, channel: "Telegram", custom: ["vip"] });
const unclassified = testContext({ channel: "cli" });

function contributor(id: string, over: Partial<PromptContributor> = {}): PromptContributor {
  return { id, contribute: () => ({ content: id }), ...over };
}

/** Written `topic:coding`. */
function tag(text: string): ContributorTag {
  const [dimension = "", value = ""] = text.split(":");
  return { dimension: dimension as TagDimension, value };
}

function tagged(id: string, ...tags: readonly string[]): PromptContributor {
  return contributor(id, { tags: tags.map(tag) });
}

function registryOf(...contributors: readonly PromptContributor[]): PromptContributorRegistry {
  const registry = new PromptContributorRegistry();
  for (const one of contributors) registry.register(one, "plugin");
  return registry;
}

function ids(registry: PromptContributorRegistry, context: ContributorContext = classified): readonly string[] {
  return registry.select(context).map(({ id }) => id);
}

describe("selection by tags", () => {
  it.each([
    { tags: ["topic:coding"], because: "topic:coding" },
    { tags: ["topic: CODING "], because: "topic:coding" },
    { tags: ["complexity:hard"], because: "complexity:hard" },
    { tags: ["domain:security"], because: "domain:security" },
    { tags: ["domain:WEB"], because: "domain:web" },
    { tags: ["flag:multi-file"], because: "flag:multi-file" },
    { tags: ["channel:telegram"], because: "channel:telegram" },
    { tags: ["custom:VIP"], because: "custom:vip" },
    { tags: ["topic:ops", "custom:vip"], because: "custom:vip" },
    { tags: ["custom:vip", "topic:coding"], because: "topic:coding" },
    { tags: ["topic:*"], because: "topic:*" },
    { tags: ["domain:*"], because: "domain:*" },
    { tags: ["custom:*"], because: "custom:*" },
    { tags: ["topic:ops"], because: undefined },
    { tags: ["domain:secur"], because: undefined },
    { tags: ["custom:coding"], because: undefined },
  ])("SEL-1 a contributor with the tags $tags is selected because of $because", ({ tags, because }) => {
    expect(registryOf(tagged("a", ...tags)).select(classified)[0]?.because).toBe(because);
  });

  it.each([
    { tags: [], selected: true },
    { tags: ["topic:*"], selected: false },
    { tags: ["complexity:*"], selected: false },
    { tags: ["domain:*"], selected: false },
    { tags: ["flag:*"], selected: false },
    { tags: ["custom:*"], selected: false },
    { tags: ["channel:*"], selected: true },
    { tags: ["topic:coding", "channel:cli"], selected: true },
  ])(
    "SEL-2 without a classification a contributor with the tags $tags is selected: $selected",
    ({ tags, selected }) => {
      expect(ids(registryOf(tagged("a", ...tags)), unclassified)).toEqual(selected ? ["a"] : []);
    },
  );

  it.each(["domain:*", "flag:*", "custom:*"])("SEL-3 the wildcard %s matches only if there is a value", (any) => {
    const none = { ...classification, domain: [], flags: [" "] };
    expect(ids(registryOf(tagged("a", any)), testContext({ classification: none, custom: ["", " "] }))).toEqual([]);
  });

  it("SEL-4 a contributor that matches twice is selected once", () => {
    expect(ids(registryOf(tagged("a", "domain:web", "domain:security", "domain:*", "topic:coding")))).toEqual(["a"]);
  });

  it("SEL-5 the registry selects the same contributors as a scan over all of them", () => {
    const dimensions = ["topic", "complexity", "domain", "flag", "channel", "custom"] as const;
    const values = ["a", "B", " c ", "*", "coding"];
    const anyTag = fc.record({ dimension: fc.constantFrom(...dimensions), value: fc.constantFrom(...values) });
    const session = fc.record({
      topic: fc.constantFrom("a", "b", "coding"),
      complexity: fc.constantFrom("A", "hard"),
      domain: fc.uniqueArray(fc.constantFrom("a", "b", "C"), { maxLength: 3 }),
      flags: fc.uniqueArray(fc.constantFrom("a", "b"), { maxLength: 2 }),
      label: fc.constant("x"),
    });
    fc.assert(
      fc.property(
        fc.array(fc.array(anyTag, { maxLength: 3 }), { maxLength: 12 }),
        fc.option(session, { nil: undefined }),
        fc.constantFrom("a", "B", ""),
        fc.uniqueArray(fc.constantFrom("a", "c")),
        (lists, given, channel, custom) => {
          const found = given as SessionClassification | undefined;
          const context = testContext({ channel, custom, classification: found });
          const has: Readonly<Record<TagDimension, readonly string[]>> = {
            topic: found === undefined ? [] : [found.topic],
            complexity: found === undefined ? [] : [found.complexity],
            domain: found?.domain ?? [],
            flag: found?.flags ?? [],
            channel: [channel],
            custom,
          };
          const expected = lists.flatMap((tags, i) => {
            const matches = tags.some(({ dimension, value }) =>
              has[dimension].some((own) => value === "*" || own.toLowerCase() === value.trim().toLowerCase()),
            );
            return tags.length === 0 || matches ? [`c${i}`] : [];
          });
          const registry = registryOf(...lists.map((tags, i) => contributor(`c${i}`, { tags })));
          expect([...ids(registry, context)].sort()).toEqual(expected.sort());
        },
      ),
    );
  });
});

describe("order", () => {
  const mixed = [
    contributor("time", { zone: "turn", priority: 1 }),
    tagged("tagged", "topic:coding"),
    contributor("late", { priority: 101 }),
    contributor("b"),
    contributor("B"),
    contributor("early", { priority: -1 }),
  ];

  it("G12: sections are ordered by zone, then priority (default 100), then id in code units", () => {
    expect(ids(registryOf(...mixed))).toEqual(["early", "B", "b", "late", "tagged", "time"]);
    expect(ids(registryOf(...[...mixed].reverse()))).toEqual(["early", "B", "b", "late", "tagged", "time"]);
  });

  it("G12: the layout `priority` ignores zones", () => {
    const selected = registryOf(...mixed).select(classified, "priority");
    expect(selected.map(({ id }) => id)).toEqual(["early", "time", "B", "b", "tagged", "late"]);
  });

  it("G12: by default a tagged contributor is in the session zone and any other in the static zone", () => {
    const zones = registryOf(contributor("a"), tagged("b", "topic:coding")).select(classified);
    expect(zones.map(({ zone, priority }) => [zone, priority])).toEqual([
      ["static", 100],
      ["session", 100],
    ]);
  });
});

describe("register", () => {
  const broken = (over: object) => ({ ...contributor("a"), ...over }) as PromptContributor;
  it.each([
    { what: "no id", given: broken({ id: "" }), code: "bad-id", says: "one-line id" },
    { what: "an id that is no text", given: broken({ id: 7 }), code: "bad-id", says: "a number" },
    { what: "an id of two lines", given: broken({ id: "a\nb" }), code: "bad-id", says: "one-line id" },
    {
      what: "an id with what nobody sees",
      given: broken({ id: "\u200bbuiltin:soul" }),
      code: "bad-id",
      says: "one-line id",
    },
    { what: "an id of Conduct's", given: broken({ id: "builtin:soul" }), code: "reserved-id", says: "another id" },
    { what: "one that looks like it", given: broken({ id: " Builtin:x" }), code: "reserved-id", says: "another id" },
    { what: "a priority NaN", given: broken({ priority: Number.NaN }), code: "bad-priority", says: "NaN" },
    { what: "a priority as text", given: broken({ priority: "5" }), code: "bad-priority", says: "leave it out" },
    { what: "an unknown zone", given: broken({ zone: "always" }), code: "bad-zone", says: "static, session or turn" },
    { what: "an unknown dimension", given: tagged("a", "topics:x"), code: "bad-tag", says: "did you mean topic?" },
    { what: "a blank value", given: tagged("a", "topic: "), code: "bad-tag", says: "* for any" },
    { what: "tags that are no list", given: broken({ tags: null }), code: "bad-tag", says: "[{ dimension, value }]" },
    { what: "a tag that is none", given: broken({ tags: [null] }), code: "bad-tag", says: "one of topic" },
    { what: "no function", given: broken({ contribute: "x" }), code: "bad-function", says: "returns a section" },
    {
      what: "a veto that is none",
      given: broken({ shouldContribute: true }),
      code: "bad-function",
      says: "leave it out",
    },
  ])("SEL-10 a contributor with $what is rejected with a fix", ({ given, code, says }) => {
    const registry = new PromptContributorRegistry();
    const register = () => registry.register(given, "plugin");
    expect(register).toThrow(ContributorError);
    expect(register).toThrow(expect.objectContaining({ code, message: expect.stringContaining(says) }));
    expect(registry.revision).toBe(0);
  });

  it("SEL-11 a duplicate id from the same source is rejected, and the first contributor stays registered", () => {
    const registry = registryOf(contributor("a", { priority: 41 }));
    expect(() => registry.register(contributor("a", { priority: 42 }), "plugin")).toThrow(
      expect.objectContaining({ code: "duplicate-id" }),
    );
    expect(registry.select(classified).map(({ priority }) => priority)).toEqual([41]);
  });

  it("SEL-12 unregistering works once and does not affect a later contributor with the same id", () => {
    const registry = new PromptContributorRegistry();
    const off = registry.register(tagged("a", "topic:coding"), "plugin");
    off();
    const { revision } = registry;
    expect(ids(registry)).toEqual([]);
    registry.register(contributor("a"), "plugin");
    off();
    expect(ids(registry)).toEqual(["a"]);
    expect(registry.revision).toBe(revision + 1);
  });

  it("SEL-13 changing a contributor object after registration has no effect", () => {
    const own = { ...tagged("a", "topic:coding"), priority: 45 };
    const registry = registryOf(own);
    own.priority = 500;
    own.tags = [];
    expect(registry.select(classified)[0]).toMatchObject({ priority: 45, because: "topic:coding" });
  });

  it("SEL-14 of contributors with one id the strongest source wins in any order; the next one takes over later", () => {
    const order: readonly ContributorSource[] = ["builtin", "agent", "config", "plugin", "workspace"];
    fc.assert(
      fc.property(fc.shuffledSubarray([...order], { minLength: 1 }), fc.nat(), (sources, pick) => {
        const registry = new PromptContributorRegistry();
        const off = sources.map((source) => registry.register(contributor("a"), source));
        const strongest = (of: readonly ContributorSource[]) => order.find((one) => of.includes(one));
        const kept = () => registry.select(unclassified).map(({ source }) => source);
        expect(kept()).toEqual([strongest(sources)]);
        expect(registry.clashes()).toHaveLength(sources.length - 1);
        const gone = pick % sources.length;
        off[gone]?.();
        const rest = sources.filter((_, i) => i !== gone);
        expect(kept()).toEqual(rest.length === 0 ? [] : [strongest(rest)]);
        expect(registry.clashes()).toHaveLength(Math.max(0, rest.length - 1));
      }),
    );
  });

  it("SEL-15 an id clash names the source that is used and the source that is overridden", () => {
    const registry = registryOf(contributor("b"), contributor("a"));
    registry.register(contributor("b"), "workspace");
    registry.register(contributor("b"), "config");
    expect(registry.clashes()).toEqual([
      { id: "b", kept: "config", held: "plugin" },
      { id: "b", kept: "config", held: "workspace" },
    ]);
  });
});

describe("explain", () => {
  it("G18: the explanation lists every contributor and the tags that unselected ones need", () => {
    const registry = registryOf(
      contributor("a"),
      tagged("b", "topic:ops", "domain:web"),
      tagged("c", "channel:web", "topic:ops"),
    );
    const trace = [{ contributor: "a", reason: "included", detail: "universal" }] as const;
    expect(registry.explain(unclassified, trace)).toEqual([
      ...trace,
      { contributor: "b", reason: "tag-miss", detail: "needs domain:web or topic:ops; the session is not classified" },
      { contributor: "c", reason: "tag-miss", detail: "needs channel:web or topic:ops" },
    ]);
  });
});
