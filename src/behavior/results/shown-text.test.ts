import { expect, it } from "vitest";
import { shownText } from "./result-text.ts";

it("ST-1 every kind of result part is shown as text; images and bytes only by type and size", () => {
  const parts = [
    { kind: "text", text: "a" },
    { kind: "json", value: { b: 1 } },
    { kind: "image", mime: "image/png", data: "AAAA" },
    { kind: "bytes", bytes: new Uint8Array(3) },
  ] as const;
  expect(shownText(parts)).toBe('a\n{"b":1}\n[image image/png]\n[3 bytes]');
});
