import { describe, expect, it, vi } from "vitest";
import { FileOutputChecker } from "../../../behavior/completion/completion-checkers.ts";
import { SequentialDependencyPolicy } from "../../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { useGateway } from "./test/gateway.ts";
import { begin, context, exec, KEY, response, shell } from "./test/run.ts";

const agent = defineAgent({
  name: "release",
  sections: [{ heading: "Task", content: "MARKER-1" }],
  actions: { test: { tool: "shell", command: "sh test.sh" }, deploy: { tool: "shell", command: "sh deploy.sh" } },
  policies: [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
});
const conduct = useGateway(agent);
const finishing = useGateway(
  defineAgent({ name: "finisher", completion: new FileOutputChecker({ files: ["o.txt"] }) }),
);

describe("a run", () => {
  it("OCL-40 a run begins if the system prompt contains Conduct's prompt", async () => {
    const gateway = conduct.open();
    expect(await begin(gateway)).toBeUndefined();
    const told = await gateway.call("before_prompt_build", {}, context);
    expect(told?.appendSystemContext).toContain("MARKER-1");
  });

  it("OCL-41 a run whose system prompt lacks Conduct's prompt does not begin, and the reason is shown", async () => {
    const gateway = conduct.open();
    await gateway.call("before_agent_reply", { cleanedBody: "go" }, context);
    expect(await gateway.call("before_agent_run", { systemPrompt: "x" }, context)).toMatchObject({
      outcome: "block",
      message: expect.stringContaining("allowConversationAccess"),
    });
    await gateway.call("before_prompt_build", {}, context);
    expect(await gateway.call("before_agent_run", { systemPrompt: "x" }, context)).toMatchObject({
      outcome: "block",
      message: expect.stringContaining("not in the system prompt"),
    });
  });

  it("OCL-42 calls of a run whose beginning Conduct did not see are blocked", async () => {
    const gateway = conduct.open();
    await begin(gateway);
    for (const told of [
      { ...context, runId: "r2" },
      { sessionKey: "agent:main:other", sessionId: "s9", runId: "r1" },
      {},
    ]) {
      const answer = await gateway.call("before_tool_call", shell("ls"), told);
      expect(answer).toMatchObject({ block: true, blockReason: expect.stringContaining("Conduct") });
    }
  });

  it("OCL-43 a run gets the same prompt, however often OpenClaw retries it", async () => {
    const gateway = conduct.open();
    await begin(gateway);
    await gateway.call("before_prompt_build", {}, context);
    expect(conduct.events.filter(({ type }) => type === "prompt")).toHaveLength(1);
    await begin(gateway, "again", { ...context, runId: "r2" });
    expect(conduct.events.filter(({ type }) => type === "prompt")).toHaveLength(2);
  });
});

describe("a call", () => {
  it("OCL-44 a call runs with the arguments that were decided, whatever other plugins change", async () => {
    const gateway = conduct.open();
    await begin(gateway);
    expect(await gateway.call("before_tool_call", shell("ls"), context)).toEqual({ params: { command: "ls" } });
  });

  it("OCL-45 a call proves nothing for others in the same response, only for those in the next", async () => {
    const gateway = conduct.open();
    await begin(gateway);
    gateway.call("before_message_write", response("c1", "c2"), { sessionKey: KEY });
    await gateway.call("before_tool_call", shell("sh test.sh", "c1"), context);
    await gateway.result(exec("c1", 0), context);
    const denied = await gateway.call("before_tool_call", shell("sh deploy.sh", "c2"), context);
    expect(denied?.blockReason).toContain("requires: test");
    gateway.call("before_message_write", response("c3"), { sessionKey: KEY });
    expect(await gateway.call("before_tool_call", shell("sh deploy.sh", "c3"), context)).toHaveProperty("params");
  });

  it("OCL-91 a long result is cut to what OpenClaw passes on with its window, and keeps the notice with the handle", async () => {
    const gateway = conduct.open();
    await begin(gateway);
    await gateway.call("model_call_started", { contextTokenBudget: 40_000 }, context);
    await gateway.call("before_tool_call", shell("cat big.log", "c1"), context);
    const long = exec("c1", 0);
    long.result.content = [{ type: "text", text: "a line of a long file\n".repeat(2_000) }];
    const [block] = (await gateway.result(long, context))?.result.content ?? [];
    const text = block !== undefined && "text" in block ? String(block.text) : "";
    expect(text.length).toBeLessThanOrEqual(16_000);
    expect(text).toMatch(/Output truncated.*"handle":"/s);
  });

  it("OCL-46 a call whose result did not pass through Conduct proves nothing", async () => {
    const gateway = conduct.open();
    await begin(gateway);
    await gateway.call("before_tool_call", shell("sh test.sh", "c1"), context);
    await gateway.call("after_tool_call", { toolCallId: "c1" }, context);
    expect(conduct.events.findLast(({ type }) => type === "result")).toMatchObject({ outcome: "unknown" });
    const denied = await gateway.call("before_tool_call", shell("sh deploy.sh", "c2"), context);
    expect(denied?.block).toBe(true);
  });

  it("OCL-67 if Conduct does not answer, a call is refused at once and the agent may stop", async () => {
    let fails = false;
    const gateway = finishing.open({ waitMs: 1_000 }, (host) => ({
      open: (origin) => (fails ? Promise.reject(new Error("no answer")) : host.open(origin)),
    }));
    await begin(gateway);
    fails = true;
    const answer = await gateway.call("before_tool_call", shell("ls"), context);
    expect(answer?.blockReason).toContain("this call could not be decided: no answer");
    expect(await gateway.call("before_agent_finalize", {}, context)).toBeUndefined();
    await gateway.call("agent_end", { success: true }, context);
    expect(gateway.runs).toEqual([]);
  });

  it("OCL-47 a call that is refused too often ends the run, and no further call of the run executes", async () => {
    const abort = vi.fn(async () => undefined);
    const gateway = conduct.open({ abort });
    await begin(gateway);
    for (let i = 0; i < 8; i += 1) await gateway.call("before_tool_call", shell("sh deploy.sh", `c${i}`), context);
    await vi.waitFor(() => expect(abort).toHaveBeenCalledExactlyOnceWith("s1"));
    const after = await gateway.call("before_tool_call", shell("ls", "c9"), context);
    expect(after?.blockReason).toContain("ended this turn");
    const shown = await gateway.call(
      "reply_payload_sending",
      { payload: { text: "oops" }, kind: "final", sessionKey: KEY },
      {},
    );
    expect(shown?.payload).toMatchObject({ text: expect.stringMatching(/^Conduct has ended this turn/) });
    await begin(gateway, "next", { ...context, runId: "r2" });
    expect(await gateway.call("before_tool_call", shell("ls", "d1"), { ...context, runId: "r2" })).toHaveProperty(
      "params",
    );
  });
});

describe("a stop", () => {
  it("OCL-54 a refused stop makes OpenClaw continue by itself", async () => {
    const gateway = finishing.open();
    await begin(gateway);
    const answer = await gateway.call("before_agent_finalize", { lastAssistantMessage: "Done." }, context);
    expect(answer).toEqual({ action: "revise", reason: expect.stringContaining("o.txt") });
    gateway.call("before_message_write", response(), { sessionKey: KEY });
    await gateway.call("agent_end", { success: false }, context);
    expect(gateway.runs).toEqual([]);
  });

  it.each([
    ["webchat", false],
    ["telegram", true],
  ])(
    "OCL-55 if OpenClaw ends the run despite a refused stop, Conduct starts another run (%s)",
    async (channel, deliver) => {
      const gateway = finishing.open();
      const told = { ...context, channel, senderId: "1" };
      await begin(gateway, "go", told);
      const answer = await gateway.call("before_agent_finalize", { lastAssistantMessage: "Done." }, told);
      await gateway.call("agent_end", { success: true }, told);
      expect(gateway.runs).toEqual([{ sessionKey: KEY, message: answer?.reason, deliver }]);
      // What Conduct says is nobody's message, and the turn is the same.
      expect(await begin(gateway, answer?.reason, { ...told, runId: "r2" })).toBeUndefined();
      expect(finishing.events.filter(({ type }) => type === "message")).toHaveLength(1);
    },
  );

  it("OCL-65 waiting for a subagent and OpenClaw's heartbeat are not stops", async () => {
    const gateway = finishing.open();
    await begin(gateway);
    await gateway.call("before_tool_call", { toolName: "sessions_yield", params: {}, toolCallId: "y" }, context);
    await gateway.call("agent_end", { success: true }, context);
    const heartbeat = { ...context, runId: "r2", trigger: "heartbeat" };
    await begin(gateway, "look in", heartbeat);
    await gateway.call("agent_end", { success: true }, heartbeat);
    expect(gateway.runs).toEqual([]);
    expect(finishing.events.filter(({ type }) => type === "stop")).toEqual([]);
  });

  it("OCL-56 a stop that OpenClaw did not ask about is decided when the run is over", async () => {
    const gateway = finishing.open();
    await begin(gateway);
    await gateway.call("agent_end", { success: true }, context);
    expect(gateway.runs).toHaveLength(1);
  });
});
