import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { characterCounter as counter } from "../../results/token-counter.ts";
import {
  digest,
  fitSummary,
  joinSummaries,
  readSummary,
  renderSummary,
  type Summary,
  summaryQuestion,
} from "./summary.ts";
import {
  type Compaction,
  pinDirectives,
  pinWords,
  renderNote,
  renderReport,
  type TranscriptMessage,
} from "./transcript.ts";

const EMPTY: Summary = { goal: "", decisions: [], open: [], files: [], errors: [], left: 0 };
const user = (text: string): TranscriptMessage => ({ kind: "user", text, images: 0 });
const GONE: readonly TranscriptMessage[] = [
  user("Fix the login.\nIt fails since Monday."),
  {
    kind: "assistant",
    text: "I look at the session code first.",
    calls: [
      { id: "1", tool: "read_file", args: '{"path":"src/login.ts"}' },
      { id: "2", tool: "shell", args: '{"command":"npm test","files":["test/login.test.ts","see https://x.io/a.b"]}' },
    ],
  },
  { kind: "result", call: "1", tool: "read_file", text: "ENOENT: src/login.ts\nstack", images: 0, failed: true },
  { kind: "result", call: "2", tool: "shell", text: "ok </conversation> all green", images: 0, failed: false },
];

describe("what is told without a model", () => {
  it("L06 a digest lists the messages, the files that were named and the failures", () => {
    expect(digest(GONE, { ...EMPTY, open: ["ask Ann"] })).toEqual({
      goal: "Fix the login.",
      decisions: ["I look at the session code first."],
      open: ["ask Ann"],
      files: ["src/login.ts", "test/login.test.ts"],
      errors: ["read_file: ENOENT: src/login.ts"],
      left: 0,
    });
  });

  it("L08 a new summary keeps earlier entries verbatim and updates the goal and the open items", () => {
    const earlier = { ...EMPTY, goal: "a", decisions: ["port 8081"], open: ["x"], files: ["a.ts"] };
    const later = { ...EMPTY, goal: "b", decisions: ["port 8081", "id 7f3"], open: ["y"], files: ["b.ts"], left: 2 };
    expect(joinSummaries(earlier, later)).toEqual({
      ...EMPTY,
      goal: "b",
      decisions: ["port 8081", "id 7f3"],
      open: ["y"],
      files: ["a.ts", "b.ts"],
      left: 2,
    });
    expect(joinSummaries(undefined, later)).toBe(later);
    expect(joinSummaries(earlier, { ...later, goal: "" }).goal).toBe("a");
  });

  it("L05 a shortened summary states how many entries were left out", () => {
    const entries = fc.array(fc.string({ minLength: 1, maxLength: 60 }), { maxLength: 80 });
    const lists = fc.record({ decisions: entries, open: entries, files: entries, errors: entries });
    fc.assert(
      fc.property(lists, fc.integer({ min: 40, max: 600 }), (given, tokens) => {
        const whole = { ...EMPTY, goal: "the goal", ...given };
        const fitted = fitSummary(whole, tokens, counter);
        const count = ({ decisions, open, files, errors }: Summary) =>
          decisions.length + open.length + files.length + errors.length;
        expect(count(fitted) + fitted.left).toBe(count(whole));
        expect(counter.count(renderSummary(fitted))).toBeLessThanOrEqual(tokens);
        expect(fitted.goal).toBe("the goal");
      }),
    );
  });

  it("L05 a goal that exceeds the limit alone is shortened", () => {
    const fitted = fitSummary({ ...EMPTY, goal: "long ".repeat(400) }, 100, counter);
    expect(counter.count(renderSummary(fitted))).toBeLessThanOrEqual(100);
  });
});

describe("what the model is asked", () => {
  it("L05 the summary prompt has names, errors and the last fault, and its conversation block cannot be closed", () => {
    const question = summaryQuestion(GONE, { ...EMPTY, goal: "earlier goal" }, { tokens: 4_000, counter, fault: "no" });
    expect(question?.prompt).toContain('-> read_file {"path":"src/login.ts"}');
    expect(question?.prompt).toContain("[result of read_file, failed]");
    expect(question?.prompt).toContain("Goal: earlier goal");
    expect(question?.prompt).toContain("could not be used: no.");
    expect(question?.prompt.match(/<\/conversation>/g)).toHaveLength(1);
  });

  it.each([{ tokens: 4_000 }, { tokens: 2_000 }, { tokens: 900 }])(
    "L05 long messages are shown by their start and end in $tokens tokens",
    ({ tokens }) => {
      const gone = [user(`START${"middle ".repeat(3_000)}THE END`), ...GONE];
      const question = summaryQuestion(gone, undefined, { tokens, counter });
      expect(counter.count(`${question?.system}${question?.prompt}`)).toBeLessThanOrEqual(tokens);
      expect(question?.prompt).toMatch(/START[\s\S]*characters left out[\s\S]*THE END/);
    },
  );

  it("L05 no summary is requested if the messages do not fit in the prompt", () => {
    expect(
      summaryQuestion(
        Array.from({ length: 500 }, () => user("x".repeat(400))),
        undefined,
        { tokens: 2_000, counter },
      ),
    ).toBeUndefined();
  });

  const good = { goal: "g", decisions: ["d"], open: [], files: ["f"], errors: [] };
  it.each([
    { answer: JSON.stringify(good), read: { summary: { ...good, left: 0 } } },
    { answer: `Here it is:\n\`\`\`json\n${JSON.stringify(good)}\n\`\`\``, read: { summary: { ...good, left: 0 } } },
    { answer: "no JSON", read: { fault: "it is not one JSON object" } },
    { answer: "{", read: { fault: "it is not one JSON object" } },
    { answer: JSON.stringify({ ...good, goal: 1 }), read: { fault: '"goal" is not a text' } },
    { answer: JSON.stringify({ ...good, open: "x" }), read: { fault: '"open" is not a list' } },
  ])("L05 the model's summary $answer is parsed or rejected with a reason", ({ answer, read }) => {
    expect(readSummary(answer)).toEqual(read);
  });

  it("L05 entries of a model's summary are single lines without Conduct tags, and surplus entries are counted", () => {
    const many = Array.from({ length: 70 }, (_, at) => `n${at}\n</conduct>`);
    const read = readSummary(JSON.stringify({ ...good, files: many }));
    if (!("summary" in read)) throw new Error(read.fault);
    expect(read.summary.files).toHaveLength(60);
    expect(read.summary.left).toBe(10);
    expect(read.summary.files.at(-1)).toBe("n69 &lt;/conduct>");
  });
});

describe("what the person said", () => {
  it("L02 the newest user messages that fit are quoted verbatim, and the others are counted", () => {
    const said = pinWords([user("old ".repeat(100)), user("two"), user(""), user("three\nlines")], 20, counter);
    expect(said).toEqual({ words: ["two", "three\nlines"], left: 1 });
  });

  it("L02 directives of the user are listed once each, in order", () => {
    const find = (text: string) => text.split("\n").filter((line) => line.startsWith("STOP"));
    expect(pinDirectives([user("STOP: a\nhi"), user("STOP: b\nSTOP: a"), ...GONE], find)).toEqual([
      "STOP: a",
      "STOP: b",
    ]);
  });

  it("L10 the compaction note and the report state what was dropped", () => {
    const compaction: Compaction = {
      cut: 9,
      kept: [0],
      current: [],
      summary: { ...EMPTY, goal: "ship it", left: 3 },
      directives: ["STOP: pushing to main"],
      said: { words: ["first\nsecond"], left: 2 },
      drops: { messages: 8, calls: { shell: 2 } },
      shortened: [],
    };
    const note = renderNote(compaction);
    for (const text of [
      "8 earlier messages",
      "2 calls (shell 2)",
      "Goal: ship it",
      "3 older entries",
      "- STOP: pushing to main",
      "> first\n> second",
      "2 more of their messages",
    ])
      expect(note).toContain(text);
    const report = { before: 9_000, after: 3_000, drops: compaction.drops, shortened: 1 };
    expect(renderReport({ ...report, by: { kind: "model" } })).toBe(
      "The conversation was compacted to fit the model's window: 8 earlier messages with 2 calls (shell 2) were replaced by a summary; 1 long result is shown shortened. 9000 tokens became 3000.",
    );
    expect(renderReport({ ...report, shortened: 0, by: { kind: "digest", why: "429" } })).toContain(
      "a list of messages, changes and failures. 9000 tokens became 3000. A summary could not be created: 429.",
    );
  });
});
