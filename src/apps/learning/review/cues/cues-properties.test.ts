import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normaliseDirective } from "../../../../behavior/contract/parse/normalise-directive.ts";
import { isScope } from "../../../../behavior/contract/scopes.ts";
import type { SaidMessage } from "../said.ts";
import { findCorrections } from "./find-corrections.ts";

const WISHES = [
  "stop sending me status updates",
  "Please keep your answers shorter!",
  "from now on reply in German",
  "I love the short summaries, keep doing that",
  "never push to main without asking",
  "your replies are way too long",
  "STOP: long summaries",
  "I don't need a recap",
  "whenever you delete something, ask first",
  "more examples in your explanations please",
];
const MISSES = [
  "perfect!",
  "stop the server",
  "why do you always do that?",
  "my boss said stop sending reports",
  "ok",
  "the build takes too long",
];
const NOISE = [
  "“",
  "”",
  '"',
  "`",
  "```",
  "> ",
  "\n",
  "\r\n",
  "\u202e",
  "\u200b",
  "\ud800",
  "<b>",
  "</b>",
  "{{x}}",
  "- ",
  "停止 ",
  " مرحبا ",
  "😀",
  "\t",
  ": ",
  "# ",
  "…",
  "sk-ant-api03-abcdefghijklmnopqrstuvwxyz",
];

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...WISHES, ...MISSES, ...NOISE, ". ", " ", ", "),
      fc.string({ maxLength: 8, unit: "binary" }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));
const message: fc.Arbitrary<Omit<SaidMessage, "event">> = fc.record({
  session: fc.constantFrom("s1", "s2", "s3"),
  at: fc.nat(20),
  text,
  agent: fc.constantFrom("scout", "clerk"),
  user: fc.constantFrom("ann", "bo"),
  role: fc.constantFrom("operator" as const, "user" as const),
});
const messages = fc
  .array(message, { maxLength: 8 })
  .map((all) => all.map((one, at): SaidMessage => ({ ...one, event: `e${at}` })));

describe("whatever is said", () => {
  it("LRN-C30 every finding has verbatim evidence from the message it names, and a valid text, scope and confidence", () => {
    fc.assert(
      fc.property(messages, (all) => {
        const found = findCorrections(all, { least: 0 });
        for (const { evidence, text: written, scope, confidence, type, good } of found) {
          expect(evidence.length).toBeGreaterThan(0);
          for (const { session, event, quote } of evidence) {
            const source = all.find((one) => one.session === session && one.event === event);
            expect(source?.text.includes(quote)).toBe(true);
            expect(quote.length).toBeLessThanOrEqual(1_000);
          }
          expect(normaliseDirective(written)).toMatchObject({ text: written });
          expect(isScope(scope)).toBe(true);
          expect(confidence).toBeGreaterThanOrEqual(0);
          expect(confidence).toBeLessThanOrEqual(1);
          expect(good).toBe(type === "keep");
        }
      }),
      { numRuns: 800 },
    );
  });

  it("LRN-C31 the order of messages does not change the findings", () => {
    fc.assert(
      fc.property(messages, fc.infiniteStream(fc.nat()), (all, keys) => {
        const shuffled = all
          .map((one) => ({ one, key: keys.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ one }) => one);
        expect(findCorrections(shuffled)).toEqual(findCorrections(all));
      }),
      { numRuns: 300 },
    );
  });

  it("LRN-C32 additional sentences remove no finding", () => {
    fc.assert(
      fc.property(messages, fc.constantFrom(...MISSES), fc.nat(20), (all, miss, at) => {
        const besides: SaidMessage = {
          session: "s9",
          event: "e99",
          at,
          text: miss,
          agent: "scout",
          user: "ann",
          role: "user",
        };
        const after = findCorrections([...all, besides]);
        for (const found of findCorrections(all)) expect(after).toContainEqual(found);
      }),
      { numRuns: 300 },
    );
  });

  it("LRN-C33 only an operator's message gives a finding a global scope", () => {
    fc.assert(
      fc.property(messages, (all) => {
        for (const { scope, evidence } of findCorrections(all)) {
          const roles = evidence.map(
            (one) => all.find(({ session, event }) => session === one.session && event === one.event)?.role,
          );
          if (scope === "global") expect(new Set(roles)).toEqual(new Set(["operator"]));
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("hostile text", () => {
  const MEGABYTE = 1_000_000;
  const fill = (part: string): string => part.repeat(Math.ceil(MEGABYTE / part.length));
  // That each of them ends at all is the test: quadratic time would take hours.
  it.each([
    [`${".".repeat(50)}x`],
    ['"'],
    ["“"],
    ["'a "],
    [" "],
    ["please "],
    ["stop sending me "],
    ["stop sending me mails. "],
    ["stop sending\n"],
    ["> "],
    ["<a>"],
    ["<a>\n"],
    ["`"],
    ["\u202estop sending me updates\u202c "],
    ["s\u200bt\u200bo\u200bp sending. "],
    ["停止 отправлять stop مرحبا "],
    ["a: "],
    ["a😀"],
    ["http://"],
    ["your a too "],
    [`your ${"a ".repeat(190)}.\n`],
    [`i ${"really ".repeat(55)}\n`],
    [`${"so and but also ".repeat(24)}\n`],
    [`if ${"a".repeat(390)}\n`],
  ])(
    "LRN-C34 a message with a megabyte of %j is processed",
    (part) => {
      expect(() =>
        findCorrections([{ session: "s", event: "e", at: 0, text: fill(part), agent: "a", user: "u", role: "user" }]),
      ).not.toThrow();
    },
    60_000,
  );

  it("LRN-C35 invisible characters hide no wish and appear in no directive", () => {
    const found = findCorrections([
      {
        session: "s",
        event: "e",
        at: 0,
        text: "st\u200bop send\u2060ing me \u202emails\u202c",
        agent: "a",
        user: "u",
        role: "user",
      },
    ]);
    expect(found.map(({ text: written }) => written)).toEqual(["sending me mails"]);
  });
});
