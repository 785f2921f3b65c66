import { expect, it } from "vitest";
import { OutputBuffer } from "./node-commands.ts";

it.each([
  { head: 0, tail: 4, chunks: ["abc"], text: "abc" },
  { head: 0, tail: 4, chunks: ["abcd", "e"], text: "bcde" },
  { head: 0, tail: 4, chunks: ["a", "b", "c", "d", "e", "f"], text: "cdef" },
  { head: 0, tail: 4, chunks: ["x", "abcdefgh"], text: "efgh" },
  { head: 0, tail: 4, chunks: ["aéé"], text: "éé" },
  { head: 0, tail: 3, chunks: ["éé"], text: "é" },
  { head: 0, tail: 4, chunks: [], text: "" },
  { head: 2, tail: 4, chunks: ["abcdef"], text: "abcdef" },
  { head: 1, tail: 4, chunks: ["éab"], text: "éab" },
])("OT-1 of $chunks a buffer of $head and $tail bytes keeps $text", ({ head, tail, chunks, text }) => {
  const output = new OutputBuffer({ head, tail });
  for (const chunk of chunks) output.add(Buffer.from(chunk));
  expect(output.text()).toBe(text);
});

it.each([
  { chunks: ["abcdefghij"], start: "ab", end: "ghij", omitted: 4 },
  { chunks: [..."abcdefghij"], start: "ab", end: "ghij", omitted: 4 },
  { chunks: ["aébcdeé"], start: "a", end: "deé", omitted: 3 },
])("OT-2 the middle that a buffer leaves out of $chunks is counted in a notice", ({ chunks, start, end, omitted }) => {
  const output = new OutputBuffer({ head: 2, tail: 4 });
  for (const chunk of chunks) output.add(Buffer.from(chunk));
  const [head, notice, tail] = output.text().split("\n\n");
  expect([head, tail]).toEqual([start, end]);
  expect(notice).toMatch(new RegExp(`^\\[\\.\\.\\. ${omitted} bytes left out\\.`));
});
