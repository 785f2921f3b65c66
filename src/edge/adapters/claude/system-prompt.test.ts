import { expect, it } from "vitest";
import { systemPromptWith } from "./adapter.ts";

const preset = { type: "preset", preset: "claude_code" } as const;

it.each([
  { given: undefined, want: { type: "custom", prompt: ["P"], snapshot: false } },
  { given: "H", want: { type: "custom", prompt: ["H", "P"], snapshot: false } },
  { given: ["A", "B"], want: { type: "custom", prompt: ["A", "B", "P"], snapshot: false } },
  {
    given: { type: "custom", prompt: "H", snapshot: true } as const,
    want: { type: "custom", prompt: ["H", "P"], snapshot: false },
  },
  { given: preset, want: { ...preset, append: "P", snapshot: false } },
  { given: { ...preset, append: "H" }, want: { ...preset, append: "H\n\nP", snapshot: false } },
])("PROMPT-1 Conduct's prompt is appended to the host's system prompt $given", ({ given, want }) => {
  expect(systemPromptWith(given, "P")).toEqual(want);
});

it("PROMPT-2 an agent without a prompt leaves the host's prompt unchanged", () => {
  expect(systemPromptWith("H", "")).toBe("H");
  expect(systemPromptWith(undefined, "")).toBeUndefined();
});
