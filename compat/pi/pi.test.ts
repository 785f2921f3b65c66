import type { AgentTool } from "@earendil-works/pi-agent-core";
import { Type } from "@earendil-works/pi-ai";
import { describe, expect, it } from "vitest";
import type { ConductEvent } from "../../src/base/words/event.ts";
import type { ToolPolicy } from "../../src/base/words/policy.ts";
import { FileOutputChecker } from "../../src/behavior/completion/completion-checkers.ts";
import { ReadBeforeWritePolicy } from "../../src/behavior/policy/builtin/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../src/behavior/policy/builtin/sequential-dependency-policy.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import type { KitCall, KitReply } from "../../src/testing/kit/driver.ts";
import { resultOf, stops } from "../../src/testing/kit/expect.ts";
import { runPi } from "./driver.ts";

const plain = defineAgent({ name: "plain" });
const writer = defineAgent({ name: "writer", policies: [new ReadBeforeWritePolicy()] });
const finisher = defineAgent({ name: "finisher", completion: new FileOutputChecker({ files: ["output.txt"] }) });
const askPolicy: ToolPolicy = {
  name: "ask-first",
  check: ({ tool }) => (tool === "shell" ? { kind: "ask", question: "May it run?" } : { kind: "allow" }),
};
const asker = defineAgent({ name: "asker", policies: [askPolicy] });

const shell = (id: string, command: string): KitCall => ({ id, tool: "shell", args: { command } });
const read = (id: string, path: string): KitCall => ({ id, tool: "read_file", args: { path } });
const write = (id: string, path: string, content = "new\n"): KitCall => ({
  id,
  tool: "write_file",
  args: { path, content },
});
const touch: KitReply = { calls: [shell("call_1", "touch ran.txt")] };
const done: KitReply = { text: "Done." };

const outcomes = (events: readonly ConductEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "result" ? [`${event.call} ${event.outcome}`] : []));
const messages = (events: readonly ConductEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "message" ? [event.text] : []));

describe("fail closed", () => {
  it.each([
    {
      title: "a tool map that throws",
      agent: plain,
      options: {
        toolMap: () => {
          throw new Error("no map");
        },
      },
      reason: "could not be decided: no map",
    },
    {
      title: "a policy that throws",
      agent: defineAgent({
        name: "broken",
        policies: [
          {
            name: "broken",
            check: () => {
              throw new Error("no policy");
            },
          },
        ],
      }),
      options: {},
      reason: "no policy",
    },
    {
      title: "asking a person that throws",
      agent: asker,
      options: { ask: () => Promise.reject(new Error("no line")) },
      reason: "could not be decided: no line",
    },
  ])("$title blocks the call, and the model is told", async ({ agent, options, reason }) => {
    const outcome = await runPi({ agent, message: "go", script: [touch, done] }, options);
    expect(outcome.file("ran.txt")).toBeUndefined();
    expect(resultOf(outcome, "call_1")).toContain(reason);
    expect(outcome.turn.status).toBe("complete");
  });

  it("a hook set after conductPi would switch Conduct off: the run refuses to start", async () => {
    const outcome = await runPi(
      { agent: plain, message: "go", script: [touch] },
      {
        drive: async (conducted) => {
          conducted.agent.beforeToolCall = async () => undefined;
          return conducted.prompt("go");
        },
      },
    );
    expect(outcome.turn).toMatchObject({ status: "failed", why: expect.stringContaining("beforeToolCall") });
    expect(outcome.requests).toEqual([]);
    expect(outcome.file("ran.txt")).toBeUndefined();
  });

  it("a tool that does not exist runs nothing, and proves nothing", async () => {
    const outcome = await runPi(
      { agent: plain, message: "go", script: [touch, done] },
      { agentOptions: { initialState: { tools: [] } } },
    );
    expect(resultOf(outcome, "call_1")).toContain("Tool bash not found");
    expect(outcome.events.some(({ type }) => type === "call")).toBe(false);
  });
});

describe("call", () => {
  it("a denial that ends the turn ends the run cleanly, and the next turn works", async () => {
    const agent = defineAgent({
      name: "release",
      actions: { deploy: { tool: "shell", command: "touch ran.txt" } },
      policies: [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
    });
    const script = Array.from({ length: 6 }, (_, i) => ({
      calls: [
        shell(`less_${i}`, `echo ${i} >> less.txt`),
        shell(`call_${i}`, "touch ran.txt"),
        shell(`more_${i}`, `echo ${i} >> more.txt`),
      ],
    }));
    const outcome = await runPi(
      { agent, message: "deploy", script: [...script, { text: "Hello again." }] },
      {
        drive: async (conducted) => {
          const turn = await conducted.prompt("deploy");
          expect(await conducted.prompt("hello")).toMatchObject({ status: "complete", text: "Hello again." });
          return turn;
        },
      },
    );
    expect(outcome.turn.status).toBe("ended-by-policy");
    expect(outcome.requests).toHaveLength(7);
    expect(outcome.file("ran.txt")).toBeUndefined();
    expect(outcome.file("less.txt")).toBe("0\n1\n2\n3\n4\n5\n");
    expect(outcome.file("more.txt")).toBe("0\n1\n2\n3\n4\n");
    expect(resultOf(outcome, "call_5")).toContain("The turn ends here");
    expect(resultOf(outcome, "more_5")).toContain("Not run");
    expect(stops(outcome)).toEqual(["ended-by-policy", "complete"]);
  });

  it.each(["parallel", "sequential"] as const)(
    "a batch run %s is one step: it proves nothing to itself",
    async (mode) => {
      // Side by side, the first command waits for the last and a while longer: their results come in the other order.
      const first = mode === "parallel" ? "until test -e flag; do sleep 0.01; done; sleep 0.5" : "true";
      const batch = [shell("first", first), read("r_a", "a.txt"), write("w_a", "a.txt"), shell("last", "touch flag")];
      const outcome = await runPi(
        {
          agent: writer,
          message: "go",
          files: { "a.txt": "old\n" },
          script: [{ calls: batch }, { calls: [write("w_a2", "a.txt", "newer\n")] }, done],
        },
        { agentOptions: { toolExecution: mode } },
      );
      expect(resultOf(outcome, "w_a")).toContain("must be read before overwriting");
      expect(outcome.file("a.txt")).toBe("newer\n");
      const order = outcomes(outcome.events).filter((line) => /^(first|last)/.test(line));
      expect(order).toEqual(mode === "parallel" ? ["last ok", "first ok"] : ["first ok", "last ok"]);
      expect(outcome.requests[1]?.results.map(({ callId }) => callId)).toEqual(["first", "r_a", "w_a", "last"]);
    },
  );

  it("a path that Pi's own tools would open as another is checked as that one", async () => {
    const outcome = await runPi({
      agent: writer,
      message: "go",
      files: { "a.txt": "old\n" },
      script: [{ calls: [write("call_1", "@a.txt")] }, done],
    });
    expect(resultOf(outcome, "call_1")).toContain("'a.txt' must be read before overwriting");
  });

  it.each([
    { title: "nobody there", ask: undefined, text: "Waiting for a person's approval", ran: false },
    { title: "nobody answers", ask: async () => undefined, text: "Waiting for a person's approval", ran: false },
    { title: "yes", ask: async () => ({ answer: "yes", by: "ann" }) as const, text: "(no output)", ran: true },
    { title: "no", ask: async () => ({ answer: "no", by: "ann" }) as const, text: "A person denied this", ran: false },
  ])("a question with $title", async ({ ask, text, ran }) => {
    const outcome = await runPi(
      { agent: asker, message: "go", script: [touch, done] },
      ask === undefined ? {} : { ask },
    );
    expect(resultOf(outcome, "call_1")).toContain(text);
    expect(outcome.file("ran.txt") !== undefined).toBe(ran);
  });
});

describe("stop", () => {
  const output: KitReply = { calls: [write("call_w", "output.txt")] };

  it("a refusal is not lost when the application clears its queues, and a person's word comes through beside it", async () => {
    const outcome = await runPi(
      { agent: finisher, message: "go", script: [{ text: "Done!" }, output, done] },
      {
        drive: (conducted) => {
          const { agent } = conducted;
          const off = agent.subscribe((event) => {
            if (event.type !== "turn_end") return;
            off();
            agent.clearAllQueues();
            agent.followUp({ role: "user", content: "And hurry.", timestamp: 0 });
          });
          return conducted.prompt("go");
        },
      },
    );
    expect(stops(outcome)).toEqual(["refused", "complete"]);
    expect(outcome.requests[1]?.raw).toContain("output.txt");
    expect(outcome.requests[1]?.raw).toContain("And hurry.");
    expect(messages(outcome.events)).toEqual(["go", "And hurry."]);
  });

  it("with something queued the agent is not stopping: the check comes at the real end", async () => {
    const outcome = await runPi(
      { agent: finisher, message: "go", script: [{ text: "First." }, output, { text: "Second." }] },
      {
        drive: (conducted) => {
          conducted.agent.followUp({ role: "user", content: "Then write it.", timestamp: 0 });
          return conducted.prompt("go");
        },
      },
    );
    expect(stops(outcome)).toEqual(["complete"]);
    expect(messages(outcome.events)).toEqual(["go", "Then write it."]);
  });

  it("a tool that ends the run is a stop too, and can be refused", async () => {
    const finish: AgentTool = {
      name: "bash",
      label: "finish",
      description: "Ends the run.",
      parameters: Type.Object({}),
      execute: async () => ({ content: [{ type: "text", text: "ended" }], details: undefined, terminate: true }),
    };
    const outcome = await runPi(
      {
        agent: defineAgent({ ...finisher, limits: { stops: 1 } }),
        message: "go",
        script: [{ calls: [shell("f_1", "")] }, { calls: [shell("f_2", "")] }],
      },
      { agentOptions: { initialState: { tools: [finish] } } },
    );
    expect(stops(outcome)).toEqual(["refused", "incomplete"]);
    expect(outcome.turn.status).toBe("incomplete");
  });

  it.each([
    {
      title: "the application ends the run",
      options: { finishTurn: () => ({ action: "end" }) as const },
      status: "unchecked",
    },
    { title: "the model fails", options: { getApiKey: () => undefined, streamFn: failingStream }, status: "failed" },
  ])("when $title nothing is checked and nothing goes on: $status", async ({ options, status }) => {
    const outcome = await runPi({ agent: finisher, message: "go", script: [done] }, { agentOptions: options });
    expect(outcome.turn.status).toBe(status);
    expect(stops(outcome)).toEqual([]);
  });

  it.each([
    { title: "while a command runs", agent: finisher },
    { title: "between the decision and the run", agent: defineAgent({ ...finisher, policies: [askPolicy] }) },
  ])("a run aborted $title: the call is cancelled, and the stop is not refused", async ({ agent }) => {
    let abort = (): void => undefined;
    const waiting: AgentTool = {
      name: "bash",
      label: "wait",
      description: "Waits until the run is aborted.",
      parameters: Type.Object({}),
      execute: async (_id, _args, signal) => {
        abort();
        signal?.throwIfAborted();
        throw new Error("the run goes on");
      },
    };
    const outcome = await runPi(
      { agent, message: "go", script: [{ calls: [shell("call_1", "")] }, done] },
      {
        agentOptions: { initialState: { tools: [waiting] } },
        ask: async () => {
          abort();
          return { answer: "yes", by: "ann" };
        },
        drive: (conducted) => {
          abort = () => conducted.agent.abort();
          return conducted.prompt("go");
        },
      },
    );
    expect(outcome.turn.status).toBe("aborted");
    expect(outcomes(outcome.events)).toEqual(["call_1 cancelled"]);
    expect(stops(outcome)).toEqual([]);
  });
});

function failingStream(): never {
  throw new Error("no model");
}
