import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionTopic } from "../../base/words/classification.ts";
import { COMPLEXITIES, DOMAIN_MAX, FLAGS_MAX, LABEL_MAX, TOPICS } from "./classification.ts";
import { classifyLocally } from "./classify-locally.ts";

/** Rows as `columns` names them; lists are parted by spaces. */
const CASES: { readonly tuned: readonly string[]; readonly heldOut: readonly string[] } = JSON.parse(
  readFileSync(new URL("./classify-locally.cases.json", import.meta.url), "utf8"),
);

/** Flags count as wrong when they are given and not expected; tags may be more than expected. */
function measure(rows: readonly string[]): object {
  const right = { topic: 0, complexityWithinOne: 0, complexity: 0, domain: 0, flags: 0, needlessFlags: 0 };
  const of = { openers: rows.length, domain: 0, flags: 0 };
  for (const row of rows) {
    const [topics = "", complexity = "", domain = "", flags = "", ...text] = row.split(" | ");
    const given = classifyLocally([text.join(" | ")]);
    const [tags, expectedFlags] = [list(domain), list(flags)];
    const off = Math.abs(tierOf(complexity) - tierOf(given.complexity));
    right.topic += Number(topics.split(" ").includes(given.topic));
    right.complexity += Number(off === 0);
    right.complexityWithinOne += Number(off <= 1);
    right.domain += tags.filter((tag) => given.domain.includes(tag)).length;
    right.flags += expectedFlags.filter((flag) => given.flags.includes(flag)).length;
    right.needlessFlags += given.flags.filter((flag) => !expectedFlags.includes(flag)).length;
    of.domain += tags.length;
    of.flags += expectedFlags.length;
  }
  return { right, of };
}

function tierOf(complexity: string): number {
  const tiers: readonly string[] = COMPLEXITIES;
  return tiers.indexOf(complexity);
}

function list(text: string): readonly string[] {
  return text.split(" ").filter((word) => word !== "");
}

describe("classifyLocally", () => {
  // docs/guides/classification.md gives these figures: change them together.
  it("CL-40 the local classifier reaches its documented accuracy on the openers it was tuned on", () => {
    expect(measure(CASES.tuned)).toEqual({
      right: { topic: 286, complexityWithinOne: 316, complexity: 195, domain: 70, flags: 26, needlessFlags: 5 },
      of: { openers: 317, domain: 82, flags: 27 },
    });
  });

  it("CL-41 the local classifier reaches its documented accuracy on openers it was not tuned on", () => {
    expect(measure(CASES.heldOut)).toEqual({
      right: { topic: 47, complexityWithinOne: 67, complexity: 41, domain: 7, flags: 2, needlessFlags: 2 },
      of: { openers: 69, domain: 7, flags: 2 },
    });
  });

  it("CL-42 the local classifier is deterministic and stays within the limits for any text", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("```", "\n", "error: ", "<conversation>", "a.ts "),
    );
    const message = fc.array(piece, { maxLength: 15 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), (conversation) => {
        const given = classifyLocally(conversation);
        expect(TOPICS).toContain(given.topic);
        expect(COMPLEXITIES).toContain(given.complexity);
        expect(given.label.length).toBeGreaterThan(0);
        expect(given.label.length).toBeLessThanOrEqual(LABEL_MAX);
        expect(given.label).not.toMatch(/[\n\r]|<\/?conversation/);
        expect(given.domain.length).toBeLessThanOrEqual(DOMAIN_MAX);
        expect(given.flags.length).toBeLessThanOrEqual(FLAGS_MAX);
        expect(classifyLocally(conversation)).toEqual(given);
      }),
    );
  });

  it.each<[string, string]>([
    ["Hi there! Can you please rename the variable `tmp`?", "Rename the variable `tmp`"],
    ["good morning, could you review this diff?\n```diff\n- a\n```", "Review this diff"],
    ["```js\nlet a\n```\nwhat does this print?", "What does this print"],
    ["npm install fails with ERESOLVE.", "Npm install fails with ERESOLVE"],
    ["test_login fails", "test_login fails"],
    ["Traceback (most recent call last):\n  File \"a.py\", line 4\n    main()\nKeyError: 'id'\n", "KeyError: 'id'"],
    [
      `Add a button, ${"and another ".repeat(10)}`,
      "Add a button, and another and another and another and another and another",
    ],
    [
      "Take the pricing rules out of the controller and put them there, with a test for each of them",
      "Take the pricing rules out of the controller and put them there",
    ],
    ["hi", "Hi"],
    ["Ciao! Come stai oggi?", "Come stai oggi"],
    ["今日はいい天気ですね。散歩に行きましょう。", "今日はいい天気ですね。散歩に行きましょう"],
    ["…", "A conversation session"],
  ])("CL-43 the local classifier labels %j as %j", (text, label) => {
    expect(classifyLocally([text]).label).toBe(label);
  });

  it("CL-43 the label comes from the first message that contains words", () => {
    expect(classifyLocally(["!!", "fix the build"]).label).toBe("Fix the build");
  });

  it.each<[string, SessionTopic]>([
    ["Hallo, wie geht es dir heute denn so", "other"],
    ["Quisiera saber dónde queda la estación", "other"],
    ["نعم", "conversation"],
    ["", "conversation"],
  ])("CL-44 text that the local classifier cannot read gets a neutral classification: %j", (text, topic) => {
    const given = classifyLocally([text]);
    expect(given).toMatchObject({ topic, domain: [], flags: [] });
    expect(["trivial", "simple"]).toContain(given.complexity);
  });

  it("CL-45 newer messages change the local classification", () => {
    const shifted = ["hello", "the app crashes with a segmentation fault on startup", "still the same error"];
    expect(classifyLocally(shifted).topic).toBe("debugging");
  });

  it.each<[string, readonly string[]]>([
    ["rm -rf build/ on the production server", ["destructive", "production"]],
    ["terraform destroy the sandbox", ["destructive"]],
    ["store the password hashed", ["security-sensitive"]],
    ["change a.ts, b.ts and c.ts", ["multi-file"]],
    ["make a delete button", []],
  ])("CL-46 the local classifier gives %j the flags %j", (text, flags) => {
    expect(classifyLocally([text]).flags).toEqual(flags);
  });

  it.each(["wipe", "wipes", "wiped", "wiping", "copies of the salaries, wiped"])(
    "CL-47 the local classifier recognises regular word forms: %j",
    (text) => {
      expect(classifyLocally([text]).flags).toContain("destructive");
    },
  );

  it('CL-47 words such as "constructor" and "toString" match no keyword of the local classifier', () => {
    expect(classifyLocally(["constructor toString"])).toMatchObject({ domain: [], flags: [] });
  });
});
