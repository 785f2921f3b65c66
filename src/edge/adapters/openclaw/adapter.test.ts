import { describe, expect, it, vi } from "vitest";
import { FileOutputChecker } from "../../../behavior/completion/file-output-checker.ts";
import { SequentialDependencyPolicy } from "../../../behavior/policy/sequential-dependency-policy.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import type { SessionHost } from "../../../engine/moments/session-moments.ts";
import type { AgentContext } from "./native.ts";
import { type TestGateway, useGateway } from "./test-gateway.ts";

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
const watched = useGateway(agent, () => ({ enforcement: "shadow" }));

const KEY = "agent:main:main";
const context: AgentContext = { sessionKey: KEY, sessionId: "s1", runId: "r1", channel: "webchat", trigger: "user" };
const shell = (command: string, toolCallId = "c1") => ({ toolName: "exec", params: { command }, toolCallId });
const exec = (toolCallId: string, exitCode: number) => ({
  toolName: "exec",
  toolCallId,
  args: {},
  isError: false,
  result: { content: [{ type: "text" as const, text: "out" }], details: { status: "completed", exitCode } },
});
const response = (...ids: readonly string[]) => ({
  message: { role: "assistant", content: ids.map((id) => ({ type: "toolCall", id })) },
});

/** A message and its run up to the model. */
async function begin(gateway: TestGateway, text = "go", told: AgentContext = context): Promise<unknown> {
  const answer = await gateway.call("before_agent_reply", { cleanedBody: text }, told);
  if (answer !== undefined) return answer;
  const prompt = await gateway.call("before_prompt_build", {}, told);
  const systemPrompt = `OpenClaw's own\n\n${prompt?.appendSystemContext ?? ""}\n\n---`;
  return gateway.call("before_agent_run", { systemPrompt }, told);
}

describe("a run", () => {
  it("OCL-40 begins when the model is told what Conduct tells it", async () => {
    const gateway = conduct.open();
    expect(await begin(gateway)).toBeUndefined();
    const told = await gateway.call("before_prompt_build", {}, context);
    expect(told?.appendSystemContext).toContain("MARKER-1");
  });

  it("OCL-41 does not begin without that, and says why", async () => {
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

  it("OCL-42 that Conduct did not see begin has no call", async () => {
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

  it("OCL-43 is told the same, however often OpenClaw tries it again", async () => {
    const gateway = conduct.open();
    await begin(gateway);
    await gateway.call("before_prompt_build", {}, context);
    expect(conduct.events.filter(({ type }) => type === "prompt")).toHaveLength(1);
    await begin(gateway, "again", { ...context, runId: "r2" });
    expect(conduct.events.filter(({ type }) => type === "prompt")).toHaveLength(2);
  });
});

describe("a call", () => {
  it("OCL-44 runs with the arguments that were decided on, whatever other plugins say", async () => {
    const gateway = conduct.open();
    await begin(gateway);
    expect(await gateway.call("before_tool_call", shell("ls"), context)).toEqual({ params: { command: "ls" } });
  });

  it("OCL-45 of the same response proves nothing for another; in the next it does", async () => {
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

  it("OCL-46 whose result went past Conduct proves nothing", async () => {
    const gateway = conduct.open();
    await begin(gateway);
    await gateway.call("before_tool_call", shell("sh test.sh", "c1"), context);
    await gateway.call("after_tool_call", { toolCallId: "c1" }, context);
    expect(conduct.events.findLast(({ type }) => type === "result")).toMatchObject({ outcome: "unknown" });
    const denied = await gateway.call("before_tool_call", shell("sh deploy.sh", "c2"), context);
    expect(denied?.block).toBe(true);
  });

  it("OCL-47 that is refused too often ends the run, and nothing more of it runs", async () => {
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

describe("a message", () => {
  it("OCL-48 of modes only is answered before OpenClaw takes it for its own, and is in no transcript", async () => {
    const gateway = conduct.open();
    gateway.entries.set(KEY, { sessionId: "s1" });
    const typed = { content: "/verbose on", sessionKey: KEY, channel: "webchat", messageId: "m1" };
    expect(await gateway.call("before_dispatch", typed, {})).toEqual({
      handled: true,
      text: expect.stringContaining("verbose: on"),
    });
    const write = gateway.call(
      "before_message_write",
      { message: { role: "user", content: "/verbose on" } },
      { sessionKey: KEY },
    );
    expect(write).toEqual({ block: true });
  });

  it("OCL-49 with modes is heard once, and kept and sent without them", async () => {
    const gateway = conduct.open();
    gateway.entries.set(KEY, { sessionId: "s1" });
    const content = "/modes /v look";
    expect(await gateway.call("before_dispatch", { content, sessionKey: KEY }, {})).toBeUndefined();
    const write = gateway.call("before_message_write", { message: { role: "user", content } }, { sessionKey: KEY });
    const text = (write?.message as { content: string } | undefined)?.content;
    expect(text).toContain("look");
    expect(text).not.toContain("/v");
    expect(await gateway.call("before_agent_reply", { cleanedBody: content }, context)).toBeUndefined();
    expect(`[Sun 10:00] ${content}`.replace(gateway.adapter.sent, "")).toBe(`[Sun 10:00] ${text}`);
    expect(conduct.events.filter(({ type }) => type === "message")).toHaveLength(1);
    await gateway.call("agent_end", { success: false }, context);
    expect(content.replace(gateway.adapter.sent, "")).toBe(content);
  });

  it("OCL-50 without modes waits for its run: it may be a command of OpenClaw's", async () => {
    const gateway = conduct.open();
    gateway.entries.set(KEY, { sessionId: "s1" });
    await gateway.call("before_dispatch", { content: "/status", sessionKey: KEY }, {});
    expect(conduct.events).toEqual([]);
  });

  it("OCL-51 carries its sender: over a channel only a configured one is an operator", async () => {
    const gateway = conduct.open({ operators: ["telegram:7"] });
    for (const senderId of ["7", "8"]) {
      const told = { ...context, sessionKey: `agent:main:telegram:${senderId}`, channel: "telegram", senderId };
      await gateway.call("before_agent_reply", { cleanedBody: "KEEP: short notes\n\ngo" }, told);
    }
    const senders = conduct.events.flatMap((event) => (event.type === "message" ? [event.sender] : []));
    expect(senders).toEqual([
      { id: "telegram:7", role: "operator" },
      { id: "telegram:8", role: "user" },
    ]);
    const directives = conduct.events.flatMap((event) => (event.type === "directive" ? [event.outcome] : []));
    expect(directives).toEqual(["added", "not-operator"]);
  });

  it("OCL-52 sets the level of /think where OpenClaw has one, and gives the old one back", async () => {
    const gateway = conduct.open();
    gateway.entries.set(KEY, { sessionId: "s1", thinkingLevel: "minimal" });
    for (const [content, level] of [
      ["/think:high a", "high"],
      ["b", "high"],
      ["/think off c", "minimal"],
    ] as const) {
      await gateway.call("before_dispatch", { content, sessionKey: KEY }, {});
      expect(gateway.entries.get(KEY)?.thinkingLevel).toBe(level);
    }
  });

  it("OCL-53 is shown with what Conduct says besides, on channels that OpenClaw delivers to", async () => {
    const gateway = conduct.open();
    await begin(gateway, "/verbose go");
    await gateway.call("before_tool_call", shell("ls"), context);
    await gateway.result(exec("c1", 0), context);
    const send = (kind: string) =>
      gateway.call("reply_payload_sending", { payload: { text: "Done." }, kind, sessionKey: KEY }, {});
    expect(await send("block")).toBeUndefined();
    expect((await send("final"))?.payload).toMatchObject({
      text: expect.stringMatching(/^Done\.\n\n.*\[DEBUG\] Tool: shell/s),
    });
    expect(await send("final")).toBeUndefined();
  });
});

describe("a stop", () => {
  it("OCL-54 that is refused has OpenClaw go on by itself", async () => {
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
    "OCL-55 that OpenClaw lets pass all the same is followed by a run of Conduct's own (%s)",
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

  it("OCL-56 that OpenClaw asked nobody about is decided when the run is over", async () => {
    const gateway = finishing.open();
    await begin(gateway);
    await gateway.call("agent_end", { success: true }, context);
    expect(gateway.runs).toHaveLength(1);
  });
});

describe("a session", () => {
  it("OCL-57 begins anew with /new, and is the same after a compaction", async () => {
    const gateway = conduct.open();
    await begin(gateway);
    await gateway.call("after_compaction", {}, context);
    await gateway.call("session_end", { sessionKey: KEY, reason: "compaction" }, {});
    await begin(gateway, "two", { ...context, sessionId: "s2" });
    await gateway.call("session_end", { sessionKey: KEY, reason: "new" }, {});
    await begin(gateway, "three", { ...context, sessionId: "s3" });
    const sessions = conduct.events.flatMap(({ type, session }) => (type === "message" ? [session] : []));
    expect(sessions).toEqual([`${KEY}@s1`, `${KEY}@s1`, `${KEY}@s3`]);
    const notices = conduct.events.flatMap((event) => (event.type === "notice" ? [event.notice.kind] : []));
    expect(notices).toContain("compacted");
    expect(notices).toContain("ended");
  });

  it("OCL-58 of a subagent is below its parent's", async () => {
    const gateway = conduct.open();
    await begin(gateway);
    const child = "agent:main:subagent:1";
    await gateway.call("subagent_spawned", { childSessionKey: child }, { requesterSessionKey: KEY });
    await begin(gateway, "[Subagent Context] do it", { ...context, sessionKey: child, sessionId: "s2" });
    const last = conduct.events.findLast(({ type }) => type === "message");
    expect(last).toMatchObject({ session: `${child}@s2`, parent: `${KEY}@s1`, sender: { role: "viewer" } });
  });

  it("OCL-59 gives its tools, once it is open", async () => {
    const gateway = conduct.open();
    expect(gateway.tools(KEY)).toEqual([]);
    await begin(gateway);
    expect(gateway.tools(KEY)).toContain("read_result");
  });

  it("OCL-60 in shadow is left as it is", async () => {
    const gateway = watched.open();
    expect(await begin(gateway, "/verbose KEEP it")).toBeUndefined();
    expect(await gateway.call("before_prompt_build", {}, context)).toBeUndefined();
    expect(await gateway.call("before_tool_call", shell("sh deploy.sh"), context)).toEqual({
      params: { command: "sh deploy.sh" },
    });
    expect(await gateway.result(exec("c1", 0), context)).toBeUndefined();
    expect("/verbose KEEP it".replace(gateway.adapter.sent, "")).toBe("/verbose KEEP it");
  });
});

describe("when Conduct fails", () => {
  const broken: SessionHost = { open: () => Promise.reject(new Error("no socket at /x")) };

  it("OCL-61 no message is taken, no run begins, no call is made, no result is passed on", async () => {
    const gateway = conduct.open({}, () => broken);
    const reply = await gateway.call("before_agent_reply", { cleanedBody: "go" }, context);
    expect(reply).toMatchObject({ handled: true, reply: { text: expect.stringContaining("no socket at /x") } });
    expect(await gateway.call("before_prompt_build", {}, context)).toBeUndefined();
    expect(await gateway.call("before_agent_run", { systemPrompt: "x" }, context)).toMatchObject({ outcome: "block" });
    expect(await gateway.call("before_tool_call", shell("ls"), context)).toMatchObject({ block: true });
    const withheld = await gateway.result(exec("c1", 0), context);
    expect(JSON.stringify(withheld)).toContain("no socket at /x");
    expect(JSON.stringify(withheld)).not.toContain('"out"');
  });

  it("OCL-62 OpenClaw's own commands still work", async () => {
    const gateway = conduct.open({}, () => broken);
    gateway.entries.set(KEY, { sessionId: "s1" });
    for (const content of ["/stop", "/think high"])
      expect(await gateway.call("before_dispatch", { content, sessionKey: KEY }, {})).toBeUndefined();
  });

  it("OCL-63 it is asked again at the next message", async () => {
    let fails = true;
    const gateway = conduct.open({}, (host) => ({ open: (origin) => (fails ? broken : host).open(origin) }));
    expect(await begin(gateway)).toHaveProperty("handled");
    fails = false;
    expect(await begin(gateway)).toBeUndefined();
  });
});
