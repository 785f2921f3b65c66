import { describe, expect, it } from "vitest";
import { migrateInstructions } from "./legacy-instructions.ts";

const ann = { user: "ann", agent: "helper" };

describe("migrateInstructions", () => {
  it.each([
    { content: "Be brief", text: "Be brief" },
    { content: '"Be \\"brief\\""', text: 'Be "brief"' },
    { content: { a: 1 }, text: "a: 1" },
    { content: '{"a": 1}', text: "a: 1" },
    {
      content: { tone: "warm", rules: ["no mail", "ask first"], x: { y: true } },
      text: "tone: warm\nrules: no mail\nrules: ask first\nx y: true",
    },
    { content: ["a", "a", "", null], text: "a" },
    { content: "{not json", text: "{not json" },
    { content: {}, text: "" },
  ])(
    "H15: the legacy content $content is migrated to $text, and the original row is stored with it",
    ({ content, text }) => {
      const row = { ...ann, content };
      expect(migrateInstructions([row])).toEqual([{ owner: ann, text, rows: [row] }]);
    },
  );

  it("H16: legacy rows of one user and agent are merged, highest priority first", () => {
    const rows = [
      { ...ann, content: "second", priority: 1 },
      { user: "ann", agent: "other", content: "apart" },
      { ...ann, content: { text: "first" }, priority: 9 },
    ];
    const migrated = migrateInstructions(rows);
    expect(migrated.map(({ owner, text }) => [owner.agent, text])).toEqual([
      ["helper", "text: first\nsecond"],
      ["other", "apart"],
    ]);
    expect(migrated.flatMap((one) => one.rows)).toHaveLength(3);
  });

  it("H11: an inactive legacy row adds no text, and the row is stored", () => {
    const rows = [{ ...ann, content: "off", active: false }];
    expect(migrateInstructions(rows)).toEqual([{ owner: ann, text: "", rows }]);
  });
});
