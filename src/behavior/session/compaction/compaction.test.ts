import { describe, expect, it } from "vitest";
import { characterCounter } from "../../results/token-counter.ts";
import { digest } from "./summary.ts";
import {
  type CompactionReport,
  countMessage,
  NO_CUT,
  renderNote,
  renderReport,
  type TranscriptMessage,
} from "./transcript.ts";

const EMPTY = { goal: "", decisions: [], open: [], files: [], errors: [], left: 0 };
const NONE = { messages: 0, calls: {} };
const model = { kind: "model" } as const;
const noModel = { kind: "digest", why: "429" } as const;

describe("what is told of a compaction", () => {
  it.each<{ said: string; report: Omit<CompactionReport, "before" | "after"> }>([
    {
      said: "1 earlier message with 0 calls were replaced by a summary. 9 tokens became 5.",
      report: { drops: { messages: 1, calls: {} }, shortened: 0, by: model },
    },
    {
      said: "2 earlier messages with 1 call (shell 1) were replaced by a list of messages, changes and failures; 1 long result is shown shortened. 9 tokens became 5. A summary could not be created: 429.",
      report: { drops: { messages: 2, calls: { shell: 1 } }, shortened: 1, by: noModel },
    },
    // Nothing went, so nobody had to be asked for a summary.
    {
      said: "3 long results are shown shortened. 9 tokens became 5.",
      report: { drops: NONE, shortened: 3, by: noModel },
    },
  ])("L10 the compaction report for the user says: $said", ({ said, report }) => {
    expect(renderReport({ before: 9, after: 5, ...report })).toBe(
      `The conversation was compacted to fit the model's window: ${said}`,
    );
  });

  it.each([
    { what: "nothing was said", said: { words: [], left: 0 }, ends: "get its result again.]" },
    { what: "all of it had room", said: { words: ["a\nb"], left: 0 }, ends: "newest last:\n> a\n> b" },
    {
      what: "some had none",
      said: { words: ["a"], left: 2 },
      ends: "> a\n(2 more of their messages did not fit.)",
    },
    { what: "none had any", said: { words: [], left: 2 }, ends: "\n(2 more of their messages did not fit.)" },
  ])("L02 the compaction note ends with the user's own messages when $what", ({ said, ends }) => {
    const compaction = { ...NO_CUT, summary: EMPTY, directives: [], said, drops: NONE, shortened: [] };
    const note = renderNote(compaction);
    expect(note.endsWith(ends)).toBe(true);
    expect(note).not.toContain("Directives from these messages");
    expect(renderNote({ ...compaction, directives: ["STOP x"] })).toContain("in force):\n- STOP x");
  });

  it("L06 the digest of messages without text has no text", () => {
    const silent: readonly TranscriptMessage[] = [
      { kind: "user", text: " \n", images: 1 },
      { kind: "assistant", text: "", calls: [{ id: "1", tool: "t", args: "no JSON" }] },
      { kind: "assistant", text: "", calls: [{ id: "2", tool: "t", args: '{"n":1,"deep":{"at":["./a.ts"]}}' }] },
    ];
    expect(digest(silent, undefined)).toEqual({ ...EMPTY, files: ["./a.ts"] });
  });

  it.each<{ message: TranscriptMessage; tokens: number }>([
    { message: { kind: "system", text: "12345678" }, tokens: 6 },
    { message: { kind: "user", text: "12345678", images: 0 }, tokens: 6 },
    {
      message: { kind: "result", call: "c", tool: "tool", text: "12345678", images: 1, failed: false },
      tokens: 6 + 8 + 1 + 1_600,
    },
  ])("L01 a message of kind $message.kind counts $tokens tokens", ({ message, tokens }) => {
    expect(countMessage(message, characterCounter)).toBe(tokens);
  });
});
