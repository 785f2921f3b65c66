import { expect, it } from "vitest";
import { csvOf } from "./csv.ts";

it("KF-8 a CSV file has every column, quotes where needed, and no cell that a spreadsheet runs as a formula", () => {
  const rows = [
    { id: "a", text: 'say "hi", then\nstop' },
    { id: "=1+1", more: { deep: 1 }, at: -5 },
  ];
  expect(csvOf(rows)).toBe('id,text,more,at\r\na,"say ""hi"", then\nstop",,\r\n\'=1+1,,"{""deep"":1}",-5\r\n');
});
