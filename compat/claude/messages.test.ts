import { describe, expect, it } from "vitest";
import type { PromptContributor } from "../../src/base/words/prompt.ts";
import type { LocalRun } from "../../src/testing/kit/local-run.ts";
import type { ModelRequest } from "../../src/testing/test/model-server/index.ts";
import type { ClaudeOutcome } from "./driver.ts";
import { play, shell } from "./play.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } } as const;

const says = (...texts: string[]) => texts.map((text) => ({ text }));
const results = ({ messages }: ClaudeOutcome) =>
  messages.flatMap((one) => (one.type === "result" && one.subtype === "success" ? [[one.num_turns, one.result]] : []));
const heard = ({ events }: ClaudeOutcome) => events.flatMap((event) => (event.type === "message" ? [event.text] : []));
const levels = ({ requests }: ClaudeOutcome) => requests.map(({ thinking }) => thinking);
const bytes = ({ requests }: ClaudeOutcome) => requests.map(({ raw }) => raw).join("\n");
/** What stands beside the newest message. */
const beside = (request: ModelRequest | undefined) => {
  const text = JSON.stringify(request?.body.messages);
  return text.slice(text.lastIndexOf("UserPromptSubmit hook additional context: "));
};

describe("what the agent is told", () => {
  /** Half an hour passes between two turns, and a section of the session comes and goes. */
  function turns(): Pick<LocalRun, "before" | "ports"> {
    let now = Date.UTC(2026, 10, 15, 9, 0);
    return {
      ports: { clock: { now: () => now, monotonic: () => performance.now() } },
      before: (turn) => {
        if (turn > 1) now += 30 * 60_000;
      },
    };
  }
  const messages = ["one", "/think two", "/think off three"];
  const section = { sections: [{ heading: "Task", content: "Marker CACHED-5D." }] };

  it.each([
    { how: "resumed", run: { message: "one", further: messages.slice(1) }, more: {} },
    { how: "streaming", run: {}, more: { streamed: messages } },
    { how: "streaming, older", run: {}, more: { streamed: messages, options: { model: "claude-sonnet-4-5" } } },
  ])(
    "G13: the system prompt of a $how session keeps its bytes; time and thinking are sent with the message",
    async ({ run, more }) => {
      const outcome = await play(section, { ...turns(), ...run, script: says("One.", "Two.", "Three.") }, more);
      const prompts = outcome.modelRequests.map(({ body }) => JSON.stringify(body.system));
      expect(prompts).toHaveLength(3);
      expect(prompts[0]).toContain("CACHED-5D");
      expect(new Set(prompts).size).toBe(1);
      const [one, two, three] = outcome.modelRequests.map(beside);
      expect(one).toContain("09:00 AM");
      expect(two).toContain("09:30 AM");
      expect(two).toContain("Think step-by-step and show");
      expect(three).toContain("10:00 AM");
      expect(three).not.toContain("Think step-by-step and show");
      expect(three).not.toContain("CACHED-5D");
      // What came before is sent again as it was: the cache reaches to the end of the last turn.
      const history = outcome.modelRequests.map(({ history }) => history.map(({ message: _, ...item }) => item));
      const [before, after] = history.slice(-2);
      expect(after?.slice(0, before?.length)).toEqual(before);
    },
  );

  it("G12: a change in a running query is sent once, with the message, and without the unchanged sections", async () => {
    let season = "SEASON-WINTER";
    const contributor: PromptContributor = {
      id: "season",
      contribute: () => ({ heading: "Season", content: season }),
    };
    const outcome = await play(
      section,
      {
        script: says("One.", "Two.", "Three."),
        ports: { plugins: [{ name: "p", setup: (api) => void api.registerPromptContributor(contributor) }] },
        before: (turn) => {
          if (turn === 2) season = "SEASON-SPRING";
        },
      },
      { streamed: ["one", "two", "three"] },
    );
    const [one, two, three] = outcome.modelRequests.map(beside);
    expect(JSON.stringify(outcome.modelRequests[0]?.body.system)).toContain("SEASON-WINTER");
    expect(one).not.toContain("SEASON");
    expect(two).toContain("From now on these parts of them read:\\n\\n## Season\\n\\nSEASON-SPRING");
    expect(two).not.toContain("CACHED-5D");
    expect(three).not.toContain("SEASON");
  });

  it("G10: the prompt names tools as the model sees them", async () => {
    const outcome = await play({}, { script: says("Hi.") }, { options: { tools: ["Read", "Bash"] } });
    const [request] = outcome.modelRequests;
    const [, listed = ""] = /Available tools: (.*?)\\n/.exec(JSON.stringify(request?.body.system)) ?? [];
    // The runtime's own placeholder is no tool.
    const seen = request?.toolNames.filter((name) => name !== "DeferredToolPlaceholder");
    expect(listed.split(", ").sort()).toEqual(seen?.sort());
  });
});

describe("modes", () => {
  it.each([
    { how: "resumed", run: { message: "/verbose on", further: ["/think:low /modes", "go"] }, more: {} },
    { how: "streaming", run: {}, more: { streamed: ["/verbose on", "/think:low /modes", "go"] } },
  ])("K11: Conduct answers a message of modes only ($how), and the model never sees it", async ({ run, more }) => {
    const outcome = await play({}, { ...run, script: says("Gone.") }, more);
    const state = "think: on, low\nverbose: on\nelevated: off";
    expect(results(outcome)).toEqual([
      [0, "verbose: on"],
      [0, state],
      [1, "Gone."],
    ]);
    expect(outcome.shown.slice(0, 2)).toEqual(["verbose: on", state]);
    expect(heard(outcome)).toEqual(["/verbose on", "/think:low /modes", "go"]);
    expect(levels(outcome)).toEqual(["low"]);
    for (const text of ["/verbose", "/modes", "verbose: on"]) expect(bytes(outcome)).not.toContain(text);
    const replies = outcome.events.flatMap((event) =>
      event.type === "notice" && event.notice.kind === "reply" ? [event.notice.text] : [],
    );
    expect(replies).toEqual(["Gone."]);
  });

  it("K10: modes before a text are removed from the model's message, in text blocks too", async () => {
    const outcome = await play(
      {},
      { script: says("A.", "B.", "C.") },
      {
        streamed: [
          "/think  keep\n\n\tthis",
          [{ type: "text", text: "/verbose look" }, picture],
          [{ type: "text", text: "/verbose off" }, picture],
        ],
      },
    );
    const [one, two, three] = outcome.modelRequests.map(({ body }) => JSON.stringify(body.messages));
    expect(one).toContain(JSON.stringify(" keep\n\n\tthis"));
    expect(two).toContain('"text":"look"');
    expect(three?.match(/image\/png/g)).toHaveLength(2);
    for (const text of ["/think ", "/verbose", "slash command /"]) expect(bytes(outcome)).not.toContain(text);
    expect(outcome.shown.at(-1)).toBe("verbose: off");
  });

  it("K10: messages that the runtime joins are processed one by one", async () => {
    const say = (content: string) =>
      ({ type: "user", parent_tool_use_id: null, message: { role: "user", content } }) as const;
    async function* prompt() {
      yield* ["one", "/think:high two", "three", "/verbose on"].map(say);
    }
    const outcome = await play({}, { script: says("A.", "B.", "C.") }, { prompt: prompt() });
    expect(heard(outcome)).toEqual(["one", "/think:high two", "three", "/verbose on"]);
    expect(levels(outcome)[0]).toBe("medium");
    expect(levels(outcome).at(-1)).toBe("high");
    expect(bytes(outcome)).not.toContain("/think:high");
    expect(outcome.shown).toContain("verbose: on");
  });

  it.each([
    { model: "claude-opus-5-5", options: {}, want: ["medium", "high", "low", "medium"] },
    { model: "claude-opus-5-5", options: { effort: "xhigh" }, want: ["xhigh", "high", "low", "xhigh"] },
    { model: "claude-sonnet-4-5", options: {}, want: ["31999", "31999", "4000", "31999"] },
    { model: "claude-sonnet-4-5", options: { maxThinkingTokens: 5_000 }, want: ["5000", "31999", "4000", "5000"] },
  ] as const)(
    "K13: /think sets the level of that message in $model with $options, and the old level is restored afterwards",
    async ({ model, options, want }) => {
      const outcome = await play(
        {},
        { script: says("A.", "B.", "C.", "D.") },
        { options: { model, ...options }, streamed: ["one", "/think:high two", "/think:low three", "/nothink four"] },
      );
      expect(levels(outcome)).toEqual(want);
    },
  );

  it("K13: /think sets the level also with a separate query for each message", async () => {
    const outcome = await play(
      {},
      { message: "/think:low one", further: ["two", "/nothink three"], script: says("A.", "B.", "C.") },
      { options: { model: "claude-sonnet-4-5" } },
    );
    expect(levels(outcome)).toEqual(["4000", "4000", "31999"]);
  });

  it("K17: debug lines and notes are shown to the person and reach no model request, also not in later turns", async () => {
    const outcome = await play(
      {},
      {
        message: "/verbose /elevated run it",
        further: ["and again"],
        script: [{ calls: [shell("call_1", "echo hi"), shell("call_2", "exit 3")] }, ...says("Done.", "Again.")],
      },
    );
    const shown = outcome.shown.join("\n");
    expect(shown).toContain(
      "Not elevated: only an operator can elevate a session, in the console or with conduct elevate.",
    );
    expect(shown).toContain("[DEBUG] Tool: shell\n[DEBUG] Tokens: 1\n[DEBUG] Outcome: ok");
    expect(shown).toContain("[DEBUG] Outcome: failed");
    expect(shown).not.toContain(" says: ");
    for (const text of ["[DEBUG]", "Not elevated"]) expect(bytes(outcome)).not.toContain(text);
  });
});

describe("a host that runs its query itself", () => {
  it("K11: if the host runs its own query, the runtime shows the answer to a message of modes only", async () => {
    const outcome = await play({}, { message: "/verbose on", script: [] }, { withConductAlone: true });
    expect(results(outcome)).toEqual([[0, "UserPromptSubmit operation blocked by hook:\nverbose: on"]]);
    expect(outcome.requests).toHaveLength(0);
  });

  it("K10: if the host runs its own query, a note gives the model the text without modes, and the level is set", async () => {
    const outcome = await play({}, { message: "/think:high hello", script: says("Hi.") }, { withConductAlone: true });
    expect(bytes(outcome)).toContain("/think:high hello");
    expect(beside(outcome.modelRequests[0])).toContain("It now reads:\\nhello");
    expect(beside(outcome.modelRequests[0])).toContain("Think step-by-step and show");
    expect(levels(outcome)).toEqual(["high"]);
  });
});
