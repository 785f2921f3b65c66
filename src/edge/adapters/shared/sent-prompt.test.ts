import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BuiltPrompt, BuiltSection, PromptZone } from "../../../base/words/prompt.ts";
import { promptNews, sentPrompt } from "./sent-prompt.ts";

type Given = { readonly id: string; readonly zone: PromptZone; readonly text: string; readonly heading?: string };

function prompt(...given: readonly Given[]): BuiltPrompt {
  const sections = given.map(
    ({ id, zone, text, heading }): BuiltSection => ({
      contributor: id,
      source: "agent",
      zone,
      priority: 100,
      text,
      tokens: 1,
      hash: text,
      lines: { from: 1, to: 1 },
      ...(heading === undefined ? {} : { heading }),
    }),
  );
  const turn = sections.findIndex(({ zone }) => zone === "turn");
  const prefix = (turn < 0 ? sections : sections.slice(0, turn)).map(({ text }) => text).join("\n\n");
  const text = sections.map((section) => section.text).join("\n\n");
  const none = { provenance: [], tokens: 0, prefixTokens: 0, cuts: [], trace: [] };
  return { ...none, text, sections, hash: text, prefixHash: prefix };
}

const task = { id: "task", zone: "static", text: "TASK", heading: "Task" } as const;
const time = (text: string): Given => ({ id: "time", zone: "turn", text, heading: "Time" });
const plain = (text: string): Given => ({ id: "plain", zone: "turn", text });
const late = (text: string): Given => ({ id: "late", zone: "static", text, heading: "Late" });

describe("promptNews", () => {
  it.each([
    { what: "nothing", before: [task, time("1")], now: [task, time("1")], news: undefined },
    { what: "a turn's section", before: [task, time("1")], now: [task, time("2")], news: /^This is new; .*\n\n2$/ },
    { what: "one more", before: [task], now: [task, time("2")], news: /^This is new; .*\n\n2$/ },
    { what: "one gone", before: [task, time("1")], now: [task], news: /^These sections no longer apply: Time\.$/ },
    {
      what: "the prefix",
      before: [task, time("1")],
      now: [{ ...task, text: "NEW" }, time("1")],
      news: /\n\nNEW\n\n1$/,
    },
    { what: "one without a heading", before: [task, plain("1")], now: [task, plain("2")], news: /\n\nTASK\n\n2$/ },
    {
      what: "one that lasts, behind the turn's",
      before: [task, time("1"), late("a")],
      now: [task, time("1"), late("b")],
      news: /^This is new; .*\n\nb$/,
    },
  ])("G13: a prompt update contains only what the model lacks when $what has changed", ({ before, now, news }) => {
    const told = promptNews(sentPrompt(prompt(...before)), prompt(...now));
    if (news === undefined) expect(told).toBeUndefined();
    else expect(told).toMatch(news);
  });

  it("G13: a model that got every update has the current version of every section", () => {
    const section = fc.record({ id: fc.constantFrom("a", "b", "c"), text: fc.constantFrom("1", "2", "3") });
    const turns = fc.array(fc.uniqueArray(section, { selector: ({ id }) => id }), { minLength: 1 });
    fc.assert(
      fc.property(turns, (all) => {
        let before: BuiltPrompt | undefined;
        const has = new Map<string, string>();
        for (const sections of all) {
          const now = prompt(task, ...sections.map(({ id, text }) => ({ ...time(`${id}=${text}`), id, heading: id })));
          const news = promptNews(before && sentPrompt(before), now) ?? "";
          for (const id of /no longer apply: (.*)\.$/m.exec(news)?.[1]?.split(", ") ?? []) has.delete(id);
          for (const [, id = "", text = ""] of news.matchAll(/^(\w)=(\d)$/gm)) has.set(id, text);
          expect(Object.fromEntries(has)).toEqual(Object.fromEntries(sections.map(({ id, text }) => [id, text])));
          before = now;
        }
      }),
    );
  });
});
