import { describe, expect, it } from "vitest";
import type { ConductEvent, Notice } from "../../src/base/words/event.ts";
import { ReadBeforeWritePolicy } from "../../src/behavior/policy/builtin/read-before-write-policy.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import type { KitCall, KitReply } from "../../src/testing/kit/driver.ts";
import { resultOf } from "../../src/testing/kit/expect.ts";
import { runPi } from "./driver.ts";

const told = defineAgent({ name: "told", sections: [{ heading: "Task", content: "TOLD-1" }] });
const writer = defineAgent({ name: "writer", policies: [new ReadBeforeWritePolicy()] });
const echo: KitReply = { calls: [{ id: "call_1", tool: "shell", args: { command: "echo hi" } }] };
const read: KitCall = { id: "call_r", tool: "read_file", args: { path: "a.txt" } };
const write: KitCall = { id: "call_w", tool: "write_file", args: { path: "a.txt", content: "new\n" } };
const done: KitReply = { text: "Done." };

function notices<K extends Notice["kind"]>(
  events: readonly ConductEvent[],
  kind: K,
): readonly Extract<Notice, { kind: K }>[] {
  return events
    .flatMap((event) => (event.type === "notice" ? [event.notice] : []))
    .filter((notice): notice is Extract<Notice, { kind: K }> => notice.kind === kind);
}
const typesOf = (events: readonly ConductEvent[]): readonly string[] =>
  events.map((event) => (event.type === "notice" ? event.notice.kind : event.type));

describe("moments and notices", () => {
  it("come in their order, one after the other", async () => {
    const { events } = await runPi({ agent: told, message: "go", script: [echo, done] });
    expect(typesOf(events)).toEqual([
      "session",
      "started",
      "message",
      "prompt",
      "usage",
      "call",
      "result",
      "step-closed",
      "usage",
      "stop",
      "reply",
    ]);
  });

  it("tell the model with its window, and tokens and cost of every response", async () => {
    const { events } = await runPi({ agent: told, message: "go", script: [echo, done], session: { window: 50_000 } });
    expect(notices(events, "started")).toEqual([
      { kind: "started", adapter: "pi", model: "scripted/scripted", window: 50_000, reasons: true },
    ]);
    const usage = notices(events, "usage");
    expect(usage).toHaveLength(2);
    expect(usage[0]).toMatchObject({ inputTokens: 10, outputTokens: 5, cost: expect.closeTo(0.00002) });
    const last = events.findLast((event) => event.type === "notice" && event.notice.kind === "usage");
    expect(last).toMatchObject({ usage: { inputTokens: 20, outputTokens: 10, calls: 1 } });
  });

  it("a token budget that the responses used up denies the next call", async () => {
    const outcome = await runPi({
      agent: told,
      message: "go",
      session: { budget: { tokens: 12 } },
      script: [echo, done],
    });
    expect(resultOf(outcome, "call_1")).toContain("The session's budget for tokens is used up");
  });
});

describe("message and prompt", () => {
  it("a prompt given to the agent itself is a message too, and so is a steering one", async () => {
    const outcome = await runPi(
      { agent: told, message: "", script: [echo, done] },
      {
        drive: async ({ agent }) => {
          const off = agent.subscribe((event) => {
            if (event.type === "tool_execution_start") agent.steer({ role: "user", content: "Faster.", timestamp: 0 });
          });
          await agent.prompt("go");
          off();
          return { status: "complete", text: "", notes: [], debug: [] };
        },
      },
    );
    const said = outcome.events.flatMap((event) => (event.type === "message" ? [`${event.turn} ${event.text}`] : []));
    expect(said).toEqual(["1 go", "2 Faster."]);
    expect(outcome.requests.every(({ system }) => system.includes("TOLD-1"))).toBe(true);
  });

  it("the application's own prompt stays, and ours outlives a reset", async () => {
    const outcome = await runPi(
      { agent: told, message: "go", script: [done, done] },
      {
        agentOptions: { initialState: { systemPrompt: "OWN-1" } },
        drive: async (conducted) => {
          await conducted.prompt("go");
          conducted.agent.reset();
          return conducted.prompt("again");
        },
      },
    );
    for (const { system } of outcome.requests) {
      expect(system.startsWith("OWN-1\n\n## ")).toBe(true);
      expect(system.split("## Task\n\nTOLD-1")).toHaveLength(2);
    }
    expect(outcome.requests).toHaveLength(2);
    expect(outcome.requests[1]?.raw).not.toContain('"go"');
  });

  it("a second prompt in the middle of a turn is refused and begins none", async () => {
    const outcome = await runPi(
      { agent: told, message: "go", script: [done] },
      {
        drive: async (conducted) => {
          const first = conducted.prompt("go");
          await expect(conducted.prompt("too early")).rejects.toThrow("in the middle of a turn");
          return first;
        },
      },
    );
    expect(outcome.events.filter(({ type }) => type === "message")).toHaveLength(1);
  });

  it("read_result stays when the application sets other tools, and goes with detach", async () => {
    const outcome = await runPi(
      { agent: told, message: "go", script: [done, done] },
      {
        drive: async (conducted) => {
          conducted.agent.state.tools = conducted.agent.state.tools.slice(0, 1);
          const turn = await conducted.prompt("go");
          conducted.detach();
          await conducted.agent.prompt("free");
          return turn;
        },
      },
    );
    const [first, second] = outcome.requests;
    expect(first?.raw).toContain('"read_result"');
    expect(second?.raw).not.toContain('"read_result"');
    expect(second?.system).not.toContain("TOLD-1");
    expect(outcome.events.filter(({ type }) => type === "message")).toHaveLength(1);
  });
});

describe("a fresh agent", () => {
  it("declares our tools with its own, in the head of the transcript", async () => {
    let heads = 0;
    await runPi(
      { agent: told, message: "go", script: [done] },
      {
        drive: async (conducted) => {
          const turn = await conducted.prompt("go");
          heads = conducted.agent.state.messages.filter(({ role }) => role === "system").length;
          return turn;
        },
      },
    );
    expect(heads).toBe(1);
  });
});

describe("compaction", () => {
  it("a file whose text was cut from the transcript has to be read again, and the agent is told all it was told", async () => {
    const outcome = await runPi(
      {
        agent: writer,
        message: "read",
        files: { "a.txt": "old\n" },
        script: [{ calls: [read] }, done, { calls: [write] }, done],
      },
      {
        drive: async (conducted) => {
          await conducted.prompt("read");
          conducted.agent.state.messages = conducted.agent.state.messages.filter(({ role }) => role === "system");
          return conducted.prompt("write");
        },
      },
    );
    expect(notices(outcome.events, "compacted")).toHaveLength(1);
    for (const { system } of outcome.requests) expect(system).toMatch(/^## Soul.*## Safety.*## Current Time/s);
    expect(resultOf(outcome, "call_w")).toContain("must be read before overwriting");
  });
});

describe("the application's own hooks", () => {
  it("run first: what they block is not asked, what they rewrite is what Conduct sees", async () => {
    const outcome = await runPi(
      {
        agent: defineAgent({ name: "small", limits: { window: 4_000 } }),
        message: "go",
        script: [{ calls: [{ id: "call_0", tool: "shell", args: { command: "touch no.txt" } }] }, echo, done],
      },
      {
        agentOptions: {
          beforeToolCall: async ({ toolCall }) =>
            toolCall.id === "call_0" ? { block: true, reason: "OWN-BLOCK" } : undefined,
          afterToolCall: async () => ({ content: [{ type: "text", text: "filler text ".repeat(5_000) }] }),
        },
      },
    );
    expect(resultOf(outcome, "call_0")).toBe("OWN-BLOCK");
    expect(resultOf(outcome, "call_1")).toContain("[Output truncated: ");
    expect(outcome.events.filter(({ type }) => type === "call")).toHaveLength(1);
  });
});
