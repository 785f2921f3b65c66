import type { AgentMessage } from "@earendil-works/pi-agent-core";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../base/words/json.ts";
import { characterCounter as counter } from "../../../behavior/results/token-counter.ts";
import {
  type Compaction,
  type CompactionReport,
  countMessage,
} from "../../../behavior/session/compaction/transcript.ts";
import { type CompactionOptions, TranscriptCompaction, WindowError } from "./compaction.ts";
import { markerOf, readMessage, readTranscript } from "./compaction-pi.ts";

const NONE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
const usage = { ...NONE, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
const head: AgentMessage = { role: "system", content: "", timestamp: 0 };
const user = (text: string): AgentMessage => ({ role: "user", content: text, timestamp: 0 });

function assistant(content: AssistantMessage["content"], input = 0): AgentMessage {
  const made = { api: "a", provider: "p", model: "m", stopReason: "stop" as const, timestamp: 0 };
  return { role: "assistant", content, ...made, usage: { ...usage, input } };
}
const says = (text: string, input?: number) => assistant([{ type: "text", text }], input);
const step = (id: string, tool: string, text: string, path = `${id}.ts`): AgentMessage[] => [
  assistant([{ type: "toolCall", id, name: tool, arguments: { path } }]),
  {
    role: "toolResult",
    toolCallId: id,
    toolName: tool,
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 0,
  },
];

const NOTES = { goal: "ship the login", decisions: [], open: [], files: [], errors: [] };

function compaction(more: Partial<CompactionOptions> = {}) {
  const kept: Compaction[] = [];
  const reports: CompactionReport[] = [];
  const asked: string[] = [];
  const made = new TranscriptCompaction({
    window: 4_000,
    answer: 500,
    counter,
    last: undefined,
    told: () => "",
    async ask({ prompt }) {
      asked.push(prompt);
      return JSON.stringify({ ...NOTES, decisions: [`noted ${asked.length}`] });
    },
    keep: async (next) => void kept.push(next),
    onCompacted: (report) => reports.push(report),
    ...more,
  });
  return { made, kept, reports, asked };
}

const textOf = (message: AgentMessage) => readMessage(message).text;
const sizeOf = (messages: readonly AgentMessage[]) =>
  messages.reduce((sum, message) => sum + countMessage(readMessage(message), counter), 0);
/** Calls without a result, and results without a call. */
function unpaired(messages: readonly AgentMessage[]): readonly string[] {
  const read = messages.map(readMessage);
  const called = read.flatMap((message) => (message.kind === "assistant" ? message.calls.map(({ id }) => id) : []));
  const answered = read.flatMap((message) => (message.kind === "result" ? [message.call] : []));
  return [...called.filter((id) => !answered.includes(id)), ...answered.filter((id) => !called.includes(id))];
}

const LONG = [
  head,
  user("Build the login page."),
  ...[1, 2, 3, 4, 5, 6].flatMap((n) => step(`c${n}`, "read", "word ".repeat(500))),
];

describe("a transcript that outgrows the window", () => {
  it("L01 a transcript that fits is sent unchanged, without a request to the model", async () => {
    const { made, asked, kept } = compaction();
    const messages = [head, user("hello"), says("hi")];
    expect(await made.fit(messages)).toEqual(messages);
    expect([asked, kept]).toEqual([[], []]);
  });

  it("L01 the prompt that is sent before the transcript counts towards the window", async () => {
    const messages = [head, user("task"), says("a ".repeat(2_000)), user("next")];
    const counts = [
      { told: 0, compacted: 0 },
      { told: 12_000, compacted: 1 },
    ];
    for (const { told, compacted } of counts) {
      const { made, reports } = compaction({ told: () => "x".repeat(told) });
      await made.fit(messages);
      expect(reports).toHaveLength(compacted);
    }
    const all = compaction({ told: () => "x".repeat(14_000) });
    await expect(all.made.fit(messages)).rejects.toBeInstanceOf(WindowError);
  });

  it("L02 L03 L10 compaction preserves the task and whole call pairs, and reports the dropped messages", async () => {
    const { made, reports, kept } = compaction();
    const shown = await made.fit(LONG);
    expect(sizeOf(shown)).toBeLessThanOrEqual(3_500);
    expect(shown.slice(0, 2)).toEqual(LONG.slice(0, 2));
    expect(unpaired(shown)).toEqual([]);
    expect(textOf(shown[2] ?? head)).toMatch(/^\[\d+ earlier messages with \d calls \(read \d\)/);
    expect(shown.at(-1)).toBe(LONG.at(-1));
    const [report] = reports;
    expect(report).toMatchObject({ by: { kind: "model" }, shortened: 0 });
    expect(report?.before).toBeGreaterThan(3_500);
    expect(report?.after).toBeLessThanOrEqual(1_750);
    expect(report?.drops.messages).toBe(LONG.length - (shown.length - 1));
    expect(kept).toHaveLength(1);
  });

  it("L02 compaction inside a long turn places the current question after the notes", async () => {
    const messages = [head, user("old task"), says("done"), user("NEW QUESTION"), ...LONG.slice(2)];
    const shown = (await compaction().made.fit(messages)).map(textOf);
    expect(shown.slice(1, 4)).toEqual(["old task", expect.stringContaining("noted 1"), "NEW QUESTION"]);
  });

  it("L07 the next request, the next turn and the next process continue from the compaction marker", async () => {
    const first = compaction();
    const shown = await first.made.fit(LONG);
    expect(await first.made.fit(LONG)).toEqual(shown);
    expect(first.asked).toHaveLength(1);
    const [marker] = first.kept;
    if (marker === undefined) throw new Error("no marker");
    const entries: JsonObject[] = JSON.parse(JSON.stringify([...LONG, markerOf(marker), user("more")]));
    const { messages, last } = readTranscript(entries);
    expect(messages).toHaveLength(LONG.length + 1);
    const second = compaction({ last });
    const again = await second.made.fit(messages as unknown as AgentMessage[]);
    expect(again).toEqual([...JSON.parse(JSON.stringify(shown)), user("more")]);
    expect(second.asked).toEqual([]);
  });

  it.each([
    { name: "of another form", marker: { role: "compaction", cut: "2" } },
    { name: "of more messages than there are", marker: { ...markerOf(markerLike(99)) } },
  ])("L07 a compaction marker $name is ignored", ({ marker }) => {
    expect(readTranscript([{ role: "user", content: "x" }, marker as JsonObject]).last).toBeUndefined();
  });

  it("L04 a single step that is too long is truncated, in the same way until the next compaction", async () => {
    const { made, reports } = compaction();
    const messages = [head, user("task"), ...step("a", "read", "short"), ...step("b", "read", "line\n".repeat(6_000))];
    const shown = await made.fit(messages);
    expect(sizeOf(shown)).toBeLessThanOrEqual(3_500);
    expect(textOf(shown.at(-1) ?? head)).toContain("Output truncated");
    expect(reports).toMatchObject([{ shortened: 1 }]);
    expect(await made.fit(messages)).toEqual(shown);
    expect(reports).toHaveLength(1);
  });

  it("L04 a transcript that cannot fit fails with advice on what to do, and leaves no marker", async () => {
    const { made, kept } = compaction();
    const messages = [head, user("x".repeat(40_000))];
    await expect(made.fit(messages)).rejects.toThrow(/needs 1\d{4} tokens.*limit is 3500\. Start a new conversation/);
    expect(kept).toEqual([]);
  });

  it("L06 if the model gives no summary, a digest replaces it, and the person is informed of the reason", async () => {
    let asked = 0;
    const { made, reports } = compaction({
      ask: async () => {
        asked += 1;
        throw new Error("429 too many");
      },
    });
    const shown = await made.fit(LONG);
    expect(asked).toBe(2);
    expect(textOf(shown[2] ?? head)).toContain("- c1.ts");
    expect(reports).toMatchObject([{ by: { kind: "digest", why: "429 too many" } }]);
  });

  it("L06 an invalid summary is requested once more, with the error", async () => {
    const prompts: string[] = [];
    const ask = async ({ prompt }: { prompt: string }) => {
      prompts.push(prompt);
      return prompts.length === 1 ? "Sure!" : JSON.stringify(NOTES);
    };
    const { made, reports } = compaction({ ask });
    await made.fit(LONG);
    expect(prompts[1]).toContain("could not be used: it is not one JSON object");
    expect(reports).toMatchObject([{ by: { kind: "model" } }]);
  });

  it("L06 a compaction in a cancelled turn stores nothing", async () => {
    const abort = new AbortController();
    const { made, kept } = compaction({
      async ask() {
        abort.abort();
        throw new Error("aborted");
      },
    });
    await expect(made.fit(LONG, abort.signal)).rejects.toThrow();
    expect(kept).toEqual([]);
  });

  it("L01 the window shrinks if the provider counts more tokens than we do", async () => {
    const messages = [head, user("task"), says("a ".repeat(2_000)), user("next")];
    const { made, reports } = compaction();
    const sent = sizeOf(await made.fit(messages));
    await made.fit([...messages, says("b ".repeat(3_600), sent), user("x")]);
    expect(reports).toHaveLength(0);
    const other = compaction();
    await other.made.fit(messages);
    await other.made.fit([...messages, says("b ".repeat(3_600), Math.ceil(sent * 1.4)), user("x")]);
    expect(other.reports).toHaveLength(1);
  });

  it("L08 five compactions preserve the task, directives, the newest messages and every noted fact", async () => {
    const { made, reports } = compaction();
    const task = "Build the login page. The ticket is LOG-4711.";
    const messages: AgentMessage[] = [
      head,
      user(task),
      says("Fine."),
      user(`STOP: pushing to main\n\n${"Some words on why. ".repeat(120)}`),
      says("Yes."),
    ];
    for (let n = 0; reports.length < 5; n++) {
      if (n > 200) throw new Error("it never had to be compacted five times");
      messages.push(user(`Go on with part ${n}.`), ...step(`r${n}`, "read", "word ".repeat(300)), says(`Part ${n}.`));
      const shown = await made.fit(messages);
      const text = shown.map(textOf).join("\n");
      expect(unpaired(shown)).toEqual([]);
      expect(textOf(shown[1] ?? head)).toBe(task);
      expect(text).toContain("STOP: pushing to main");
      for (const part of [n, n - 1, n - 2].filter((part) => part >= 0))
        expect(text).toContain(`Go on with part ${part}.`);
      for (let round = 1; round <= reports.length; round++) expect(text).toContain(`noted ${round}`);
    }
    expect(reports.map(({ drops }) => drops.messages > 0)).toEqual([true, true, true, true, true]);
  });
});

function markerLike(cut: number): Compaction {
  const summary = { ...NOTES, left: 0 };
  const said = { words: [], left: 0 };
  return {
    cut,
    kept: [],
    current: [],
    summary,
    directives: [],
    said,
    drops: { messages: 1, calls: {} },
    shortened: [],
  };
}

describe("any transcript", () => {
  const text = fc.integer({ min: 0, max: 4_000 }).map((length) => "lorem ipsum ".repeat(length).slice(0, length));
  const turn = fc.oneof(
    text.map((said) => [user(said)]),
    text.map((said) => [says(said)]),
    fc.tuple(fc.uuid(), text).map(([id, result]) => step(id, "read", result)),
  );
  const growth = fc.array(fc.array(turn, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 });

  it("L03 L04 L10 any transcript fits or fails clearly; no pair is split, the order stays, and every drop is reported", async () => {
    await fc.assert(
      fc.asyncProperty(growth, fc.boolean(), async (rounds, fails) => {
        const ask = async () => (fails ? "no" : JSON.stringify(NOTES));
        const { made, reports } = compaction({ ask });
        const messages: AgentMessage[] = [head];
        for (const more of rounds) {
          messages.push(...more.flat());
          let shown: AgentMessage[];
          try {
            shown = await made.fit(messages);
          } catch (error) {
            expect(error).toBeInstanceOf(WindowError);
            return;
          }
          expect(sizeOf(shown)).toBeLessThanOrEqual(3_500);
          expect(unpaired(shown)).toEqual([]);
          // A shortened result is another object in the same place.
          const places = shown.flatMap((message) => {
            const same = (other: AgentMessage) =>
              other === message ||
              (other.role === "toolResult" && message.role === "toolResult" && other.toolCallId === message.toolCallId);
            const at = messages.findIndex(same);
            return at < 0 ? [] : [at];
          });
          expect(places).toEqual(places.toSorted((a, b) => a - b));
          const told = reports.reduce((sum, { drops }) => sum + drops.messages, 0);
          expect(places.length + told).toBe(messages.length);
          expect(shown.length - places.length).toBe(told > 0 ? 1 : 0);
        }
      }),
    );
  });
});
