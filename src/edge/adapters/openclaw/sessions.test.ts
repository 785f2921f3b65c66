import { describe, expect, it } from "vitest";
import { SequentialDependencyPolicy } from "../../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import type { SessionHost } from "../../../engine/session/session-moments.ts";
import { useGateway } from "./test/gateway.ts";
import { begin, context, exec, KEY, shell } from "./test/run.ts";

const agent = defineAgent({
  name: "release",
  sections: [{ heading: "Task", content: "MARKER-1" }],
  actions: { test: { tool: "shell", command: "sh test.sh" }, deploy: { tool: "shell", command: "sh deploy.sh" } },
  policies: [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
});
const conduct = useGateway(agent);
const watched = useGateway(agent, () => ({ enforcement: "shadow" }));

describe("a message", () => {
  it("OCL-48 a message of modes only is answered before OpenClaw handles it, and is in no transcript", async () => {
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

  it("OCL-49 a message with modes is processed once, and is stored and sent without them", async () => {
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

  it("OCL-50 a message without modes waits for its run, because it may be a command of OpenClaw", async () => {
    const gateway = conduct.open();
    gateway.entries.set(KEY, { sessionId: "s1" });
    await gateway.call("before_dispatch", { content: "/status", sessionKey: KEY }, {});
    expect(conduct.events).toEqual([]);
  });

  it("OCL-93 OpenClaw's own chat is a channel with a person who can answer", async () => {
    const gateway = conduct.open();
    await begin(gateway);
    const told = await gateway.call("before_prompt_build", {}, context);
    expect(told?.appendSystemContext).toContain("The user is in the web app.");
  });

  it("OCL-51 a message carries its sender: over a channel only a configured sender is an operator", async () => {
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

  it("OCL-52 a message with /think sets OpenClaw's thinking level, and /think off restores the old one", async () => {
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

  it("OCL-53 the reply is shown with Conduct's notes and debug lines on channels that OpenClaw delivers to", async () => {
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

describe("a session", () => {
  it("OCL-68 sessions are distinguished by the revision that /new changes, because key and id stay the same", async () => {
    const gateway = conduct.open();
    for (const lifecycleRevision of ["a", "b"]) {
      gateway.entries.set(KEY, { sessionId: "s1", lifecycleRevision });
      await begin(gateway);
      await gateway.call("session_end", { sessionKey: KEY, reason: "new" }, {});
    }
    const sessions = conduct.events.flatMap(({ type, session }) => (type === "message" ? [session] : []));
    expect(sessions).toEqual([`${KEY}@a`, `${KEY}@b`]);
  });

  it("OCL-57 a session starts over with /new, and continues after a compaction", async () => {
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

  it("OCL-58 a subagent's session is a child of its parent's session", async () => {
    const gateway = conduct.open();
    await begin(gateway);
    const child = "agent:main:subagent:1";
    await gateway.call("subagent_spawned", { childSessionKey: child }, { requesterSessionKey: KEY });
    await begin(gateway, "[Subagent Context] do it", { ...context, sessionKey: child, sessionId: "s2" });
    const last = conduct.events.findLast(({ type }) => type === "message");
    expect(last).toMatchObject({ session: `${child}@s2`, parent: `${KEY}@s1`, sender: { role: "viewer" } });
  });

  it("OCL-66 a session that was dropped in favour of many others continues unchanged", async () => {
    const gateway = conduct.open();
    await begin(gateway, "/think one");
    for (let i = 0; i < 501; i += 1)
      gateway.adapter.conversations.of({ sessionKey: `agent:main:${i}`, sessionId: "s" });
    expect(gateway.adapter.conversations.find(KEY)).toBeDefined();
    await gateway.call("agent_end", { success: false }, context);
    gateway.adapter.conversations.of({ sessionKey: "agent:main:more", sessionId: "s" });
    expect(gateway.adapter.conversations.find(KEY)).toBeUndefined();
    await begin(gateway, "two");
    const told = conduct.events.flatMap((event) =>
      event.type === "message" ? [[event.session, event.modes.think]] : [],
    );
    expect(told).toEqual([
      [`${KEY}@s1`, true],
      [`${KEY}@s1`, true],
    ]);
  });

  it("OCL-59 a session offers its tools once it is open", async () => {
    const gateway = conduct.open();
    expect(gateway.tools(KEY)).toEqual([]);
    await begin(gateway);
    expect(gateway.tools(KEY)).toContain("read_result");
  });

  it("OCL-60 a session in shadow mode changes nothing", async () => {
    const gateway = watched.open();
    expect(await begin(gateway, "/verbose KEEP it")).toBeUndefined();
    expect(await gateway.call("before_prompt_build", {}, context)).toBeUndefined();
    expect(await gateway.call("before_tool_call", shell("sh deploy.sh"), context)).toBeUndefined();
    expect(await gateway.result(exec("c1", 0), context)).toBeUndefined();
    expect("/verbose KEEP it".replace(gateway.adapter.sent, "")).toBe("/verbose KEEP it");
  });
});

describe("when Conduct fails", () => {
  const broken: SessionHost = { open: () => Promise.reject(new Error("no socket at /x")) };

  it("OCL-61 if Conduct fails, no message is accepted, no run begins, no call runs, and no result is passed on", async () => {
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

  it("OCL-62 if Conduct fails, OpenClaw's own commands still work", async () => {
    const gateway = conduct.open({}, () => broken);
    gateway.entries.set(KEY, { sessionId: "s1" });
    for (const content of ["/stop", "/think high"])
      expect(await gateway.call("before_dispatch", { content, sessionKey: KEY }, {})).toBeUndefined();
  });

  it("OCL-63 after a failure Conduct is asked again at the next message", async () => {
    let fails = true;
    const gateway = conduct.open({}, (host) => ({ open: (origin) => (fails ? broken : host).open(origin) }));
    expect(await begin(gateway)).toHaveProperty("handled");
    fails = false;
    expect(await begin(gateway)).toBeUndefined();
  });
});
