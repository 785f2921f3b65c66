import { expect, it } from "vitest";
import { OutputTail } from "./node-commands.ts";

it.each([
  { max: 4, chunks: ["abc"], text: "abc" },
  { max: 4, chunks: ["abcd", "e"], text: "bcde" },
  { max: 4, chunks: ["a", "b", "c", "d", "e", "f"], text: "cdef" },
  { max: 4, chunks: ["x", "abcdefgh"], text: "efgh" },
  { max: 4, chunks: ["aéé"], text: "éé" },
  { max: 3, chunks: ["éé"], text: "é" },
  { max: 4, chunks: [], text: "" },
])("OT-1 the tail of $chunks, limited to $max bytes, is $text", ({ max, chunks, text }) => {
  const tail = new OutputTail(max);
  for (const chunk of chunks) tail.add(Buffer.from(chunk));
  expect(tail.text()).toBe(text);
});
