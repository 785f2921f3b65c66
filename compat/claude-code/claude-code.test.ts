import { describe, expect, it } from "vitest";
import { FileOutputChecker } from "../../src/behavior/completion/completion-checkers.ts";
import { resultOf, stops } from "../../src/testing/kit/expect.ts";
import { asking, outcomes, play, release, scripts, shell } from "./play.ts";

/**
 * Tests of the adapter on the real Claude Code, with the daemon in this process: they set its clock and pass policies
 * and checkers that are functions, which no file of a user can do. What a user gets is in conformance.test.ts and the other files here, which start the shipped program.
 */

/** How often a text stands in what the model was sent. */
const count = (raw: string | undefined, part: string) => (raw ?? "").split(part).length - 1;
const section = (content: string) => ({ sections: [{ heading: "Task", content }] });

describe("what the model is told", () => {
  it("CC-T1 the prompt is sent once in a conversation of several messages; later messages carry only changes", async () => {
    let now = Date.parse("2026-03-06T09:05:00Z");
    const outcome = await play(section("Marker TOLD-1."), {
      further: ["two", "/think three", "/think off four"],
      ports: { clock: { now: () => now, monotonic: () => performance.now() } },
      before(turn) {
        now += turn * 60_000;
      },
      script: [{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }],
    });
    const [first, second, third, fourth] = outcome.requests.map(({ raw }) => raw);
    expect(count(first, "09:06 AM (UTC)")).toBe(1);
    for (const text of ["Marker TOLD-1.", "## Safety", "09:06 AM (UTC)", "09:08 AM (UTC)"])
      expect(`${text} ${count(second, text)}`).toBe(`${text} 1`);
    expect(count(third, "Think step-by-step")).toBe(1);
    expect(count(fourth, "These sections no longer apply: Reasoning.")).toBe(1);
    expect(count(fourth, "Marker TOLD-1.")).toBe(1);
  });

  it("CC-T2 earlier messages stay unchanged byte for byte, so that the provider's cache stays valid", async () => {
    const outcome = await play(section("Marker TOLD-2."), {
      further: ["two", "three"],
      script: [{ text: "1" }, { text: "2" }, { text: "3" }],
    });
    const told = outcome.modelRequests.map(({ history }) =>
      history.flatMap((item) => (item.kind === "text" && item.text.includes("TOLD-2") ? [item.text] : [])),
    );
    expect(told[1]).toEqual(told[0]);
    expect(told[2]).toEqual(told[0]);
    expect(told[0]).toHaveLength(1);
  });

  it("CC-T3 a long prompt with any script arrives complete, also after a compaction and in a subagent", async () => {
    const lines = Array.from({ length: 700 }, (_, at) => `- Regel ${at + 1}: größer, 日本語, 👩‍🚀 sind keine Fehler.`);
    const task = { id: "call_1", prompt: "look", replies: [{ text: "Seen." }] };
    const outcome = await play(section(lines.join("\n")), {
      further: ["again"],
      steps: { 2: "compact" },
      script: [{ task }, { text: "1" }, { text: "2" }],
    });
    expect(outcome.unplayed).toBe(0);
    for (const { raw } of outcome.requests) {
      for (const line of lines) expect(`${line} ${count(raw, line)}`).toBe(`${line} 1`);
      expect(raw).not.toContain("Preview (first 2KB)");
    }
  });

  it("CC-T4 the prompt in a message that another hook blocks does not count as sent; the next message carries it", async () => {
    const command = "grep -q blocked && { echo no >&2; exit 2; }; exit 0";
    const outcome = await play(
      section("Marker TOLD-4."),
      { message: "this one is blocked", further: ["two"], script: [{ text: "1" }] },
      {
        setUp: {
          settings: JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] } }),
        },
      },
    );
    expect(outcome.requests.map(({ raw }) => count(raw, "Marker TOLD-4."))).toEqual([1]);
  });

  it("CC-T5 the person's own slash commands are messages too", async () => {
    const files = { ".claude/commands/mine.md": "Do the special thing." };
    const outcome = await play(section("Marker TOLD-5."), { message: "/mine", files, script: [{ text: "1" }] });
    expect(outcome.requests[0]?.raw).toContain("Do the special thing.");
    expect(outcome.requests[0]?.raw).toContain("Marker TOLD-5.");
  });
});

describe("calls", () => {
  it("CC-T6 an allow grants nothing: a call that the runtime's own rules deny does not run and proves nothing", async () => {
    const outcome = await play(
      release,
      {
        files: scripts,
        script: [
          { calls: [shell("call_1", "sh test.sh")] },
          { calls: [shell("call_2", "sh deploy.sh")] },
          { text: "No." },
        ],
      },
      { args: ["--disallowedTools", "Bash(sh test.sh)"] },
    );
    expect(outcomes(outcome)).toEqual(["call_1 denied"]);
    expect(resultOf(outcome, "call_2")).toContain("requires: test");
  });

  it("CC-T7 an approval given between two messages lets the retry run", async () => {
    const run = { conduct: undefined as undefined | { answer(): void } };
    const outcome = await play(
      { policies: [asking] },
      {
        further: ["now"],
        before(turn) {
          if (turn === 2) run.conduct?.answer();
        },
        script: [
          { calls: [shell("call_1", "touch ran.txt")] },
          { text: "Waiting." },
          { calls: [shell("call_2", "touch ran.txt")] },
          { text: "Done." },
        ],
      },
      {
        prepare({ conduct, events }) {
          const answer = () => {
            const asked = events.find((event) => event.type === "call" && event.decision.kind === "ask");
            if (asked?.type !== "call" || asked.decision.kind !== "ask") throw new Error("nobody was asked");
            conduct.find(asked.session)?.resolve(asked.decision.approval, "yes", "olga");
          };
          run.conduct = { answer };
        },
      },
    );
    expect(resultOf(outcome, "call_1")).toContain("Waiting for a person's approval");
    expect(outcome.file("ran.txt")).toBe("");
  });

  it("CC-T8 a subagent's shell commands are gated in the subagent's own session", async () => {
    const replies = [{ calls: [shell("sub_1", "sh deploy.sh")] }, { text: "No." }];
    const outcome = await play(release, {
      files: scripts,
      script: [{ task: { id: "call_1", prompt: "deploy", replies } }, { text: "Done." }],
    });
    const below = outcome.events.find((event) => event.type === "call" && event.call.id === "sub_1");
    expect(below?.session).toMatch(new RegExp(`^${below?.parent}/`));
    expect(outcome.file("deployed.txt")).toBeUndefined();
  });
});

describe("stops", () => {
  it("CC-T9 a turn ends as incomplete when the stop limit is below the runtime's own limit", async () => {
    const outcome = await play(
      { completion: new FileOutputChecker({ files: ["out.txt"] }), limits: { stops: 7 } },
      { script: Array.from({ length: 9 }, () => ({ text: "Done." })) },
    );
    expect(stops(outcome)).toEqual([...Array.from({ length: 7 }, () => "refused"), "incomplete"]);
    expect(outcome.requests).toHaveLength(8);
  });
});
