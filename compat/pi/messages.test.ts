import type { AgentMessage } from "@earendil-works/pi-agent-core";
import type { ImageContent } from "@earendil-works/pi-ai";
import { describe, expect, it } from "vitest";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import type { KitReply } from "../../src/testing/kit/driver.ts";
import { type PiOutcome, type PiRunOptions, runPi } from "./driver.ts";

const agent = defineAgent({ name: "listener" });
const echo: KitReply = { calls: [{ id: "call_1", tool: "shell", args: { command: "echo hi" } }] };
const done: KitReply = { text: "Done." };
const picture: ImageContent = { type: "image", data: "AA==", mimeType: "image/png" };
const none = { status: "complete", text: "", notes: [], debug: [] } as const;
const say = (text: string): AgentMessage => ({ role: "user", content: text, timestamp: 0 });

function play(script: readonly KitReply[], options: PiRunOptions): Promise<PiOutcome> {
  return runPi({ agent, message: "", script }, options);
}

describe("a message through prompt()", () => {
  it("K11: a message of modes only is answered, and leaves the transcript unchanged", async () => {
    const outcome = await play([done], {
      drive: async (pi) => {
        await pi.prompt("go");
        const before = pi.agent.state.messages.length;
        const turn = await pi.prompt("/verbose on /elevated on");
        expect(pi.agent.state.messages).toHaveLength(before);
        return turn;
      },
    });
    expect(outcome.turn).toMatchObject({ status: "answered", text: expect.stringContaining("verbose: on"), debug: [] });
    expect(outcome.turn.notes).toEqual([expect.stringContaining("operator")]);
    expect(outcome.requests).toHaveLength(1);
  });

  it("K17: a message's notes and debug lines appear once, on its own turn only", async () => {
    const turns = await turnsOf(["/verbose /think:maybe go", "go on"]);
    expect(turns[0]?.notes).toEqual([expect.stringContaining("maybe")]);
    expect(turns[0]?.debug.join("\n").match(/\[DEBUG\] Tool: shell/g)).toHaveLength(1);
    expect(turns[1]?.notes).toEqual([]);
    expect(turns[1]?.debug.join("\n")).not.toContain("Tool: shell");
  });

  it("K11: a message of modes only with a picture is sent as the picture, and the answer is a note", async () => {
    const outcome = await play([done], { drive: (pi) => pi.prompt("/verbose on", [picture]) });
    expect(outcome.turn).toMatchObject({ status: "complete", notes: [expect.stringContaining("verbose: on")] });
    expect(outcome.requests[0]?.raw).toContain('"image"');
    expect(outcome.requests[0]?.raw).not.toContain("verbose");
  });
});

it("K04: each message may have its own sender, and only an operator's message elevates", async () => {
  const answers: string[] = [];
  await play([], {
    drive: async (pi) => {
      for (const role of ["user", "operator"] as const) {
        answers.push((await pi.prompt("/elevated on", [], { sender: { role } })).text);
      }
      return none;
    },
  });
  expect(answers).toEqual(["elevated: off", expect.stringContaining("elevated: on")]);
});

describe("messages that Pi takes in by itself", () => {
  it("K10: messages sent to Pi directly (prompted, steered, queued) lose their modes in this and every later request", async () => {
    const outcome = await play([echo, done, done, done], {
      drive: async ({ agent: pi }) => {
        const off = pi.subscribe((event) => {
          if (event.type !== "tool_execution_start") return;
          pi.steer(say("/verbose faster"));
          pi.followUp(say("/think:high then this"));
        });
        await pi.prompt("/think:low direct");
        off();
        await pi.prompt("again");
        return none;
      },
    });
    const modes = outcome.events.flatMap((event) => (event.type === "message" ? [event.modes] : []));
    expect(modes.at(-1)).toMatchObject({ think: true, verbose: true, thinkLevel: "high" });
    expect(outcome.requests.map(({ lastUserText }) => lastUserText)).toEqual([
      "direct",
      "faster",
      "then this",
      "again",
    ]);
    for (const { raw } of outcome.requests) expect(raw).not.toMatch(/\/think|\/verbose/);
    expect(outcome.requests.map(({ thinking }) => thinking)).toEqual(["2048", "2048", "16384", "16384"]);
  });

  it("K11: a message of modes only sent to Pi directly becomes a placeholder line, and Conduct's answer is shown", async () => {
    const outcome = await play([done], {
      drive: async ({ agent: pi }) => {
        await pi.prompt("/verbose on");
        return none;
      },
    });
    expect(outcome.requests[0]?.lastUserText).toContain("No answer is needed");
    expect(outcome.requests[0]?.raw).not.toContain("verbose");
    expect(outcome.shown[0]).toContain("verbose: on");
  });
});

describe("the thinking level", () => {
  it("K09: the application's own thinking level is restored when think mode ends, also in the middle of a run", async () => {
    const outcome = await play([echo, done, done], {
      agentOptions: { initialState: { thinkingLevel: "low" } },
      drive: async (pi) => {
        const off = pi.agent.subscribe((event) => {
          if (event.type === "tool_execution_start") pi.agent.steer(say("/think off enough"));
        });
        await pi.prompt("/think:high go");
        off();
        expect(pi.agent.state.thinkingLevel).toBe("low");
        return pi.prompt("/think go");
      },
    });
    expect(outcome.requests.map(({ thinking }) => thinking)).toEqual(["16384", "2048", "8192"]);
  });
});

/** The turns of two messages; the model calls a tool in the first. */
async function turnsOf(messages: readonly string[]) {
  const turns: PiOutcome["turn"][] = [];
  await play([echo, done, done], {
    drive: async (pi) => {
      for (const message of messages) turns.push(await pi.prompt(message));
      return none;
    },
  });
  return turns;
}
