import type { AgentMessage } from "@earendil-works/pi-agent-core";
import { describe, expect, it } from "vitest";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";
import type { AgentInput } from "../../../engine/agent/define-agent.ts";
import type { SessionHost, SessionMoments } from "../../../engine/session/session-moments.ts";
import { testConduct } from "../../../engine/session/test/test-conduct.ts";
import { conductExtension } from "./adapter.ts";
import { TestPi, type TestPiOptions } from "./test/pi.ts";
import { APIS, recorded, response } from "./test/recorded.ts";

const plain: Partial<AgentInput> = { soul: "Be PLAIN-7." };
const GIVEN: AgentMessage = {
  role: "toolResult",
  toolCallId: "c",
  toolName: "bash",
  content: [],
  isError: false,
  timestamp: 0,
};
const askFirst: ToolPolicy = {
  name: "ask-first",
  check: ({ tool }) => (tool === "shell" ? { kind: "ask", question: "May it run?" } : { kind: "allow" }),
};

function testWorld(agent: Partial<AgentInput>) {
  const { conduct, events, open } = testConduct(agent);
  const host: SessionHost = { open: async ({ id }) => conduct.find(id) ?? open({ id }) };
  return { conduct, events, host };
}

/** Pi under a Conduct in this process. */
function start(agent: Partial<AgentInput> = plain, options: TestPiOptions = {}) {
  const { conduct, host, events } = testWorld(agent);
  return { conduct, host, events, pi: new TestPi(conductExtension({ host }), options) };
}

const typesOf = (events: readonly ConductEvent[]) =>
  events.map((event) => (event.type === "notice" ? event.notice.kind : event.type));

/** A model response with one call, and the call. */
async function call(pi: TestPi, id: string, command: string) {
  const message = { ...response("anthropic-messages"), content: [] };
  await pi.emit("message_end", { message });
  return pi.emit<{ block?: true; reason?: string } | undefined>("tool_call", {
    toolCallId: id,
    toolName: "bash",
    input: { command },
  });
}

describe.each(APIS)("a run as Pi really tells it over %s", (api) => {
  it("PEA-1 a recorded run reaches the moments in order, and each result belongs to its call", async () => {
    const { pi, events } = start();
    await pi.emit("session_start");
    for (const event of recorded(api)) await pi.emit(event.type, event);
    const moments = typesOf(events).filter((type) => !["session", "started", "usage"].includes(type));
    expect(moments).toEqual([
      ...["message", "prompt", "call", "call", "call", "call", "result", "result", "result", "result"],
      ...["step-closed", "stop", "reply"],
    ]);
    const results = events.flatMap((event) => (event.type === "result" ? [[event.call, event.outcome]] : []));
    expect(Object.fromEntries(results)).toEqual({
      call_ok: "ok",
      call_failed: "failed",
      call_read: "ok",
      call_write: "ok",
    });
  });
});

it("PEA-2 every request carries the prompt, a mode alone is answered, and Conduct's tools are registered in Pi", async () => {
  const { pi } = start();
  await pi.emit("session_start");
  expect(await pi.emit("input", { text: "/verbose on", source: "interactive" })).toEqual({ action: "handled" });
  expect(pi.shown).toEqual([expect.stringContaining("verbose: on")]);
  expect(await pi.emit("input", { text: "/think:high go", source: "interactive" })).toEqual({
    action: "transform",
    text: "go",
  });
  expect(pi.level).toBe("high");
  const messages: AgentMessage[] = [{ role: "user", content: "go", timestamp: 0 }];
  const told = await pi.emit<{ messages: AgentMessage[] }>("context_with_system", { messages });
  expect(JSON.stringify(told.messages[0])).toContain("PLAIN-7");
  await pi.emit("before_provider_request", { payload: { system: "something else" } });
  expect(pi.aborts).toBe(1);
  await pi.emit("agent_settled");
  expect(pi.level).toBe("low");
  expect(pi.tools.map(({ name }) => name)).toContain("read_result");
});

describe("questions", () => {
  const cautious = { policies: [askFirst] };

  it.each([
    { picks: "Yes, this once", answer: undefined, told: ["yes"] },
    { picks: "No", answer: { block: true, reason: expect.stringContaining("A person denied this") }, told: ["no"] },
    { picks: undefined, answer: { block: true, reason: expect.stringContaining("Waiting for a person") }, told: [] },
  ])("PEA-3 the person's choice decides on a question: $picks", async ({ picks, answer, told }) => {
    const { pi, events } = start(cautious, picks === undefined ? {} : { picks });
    await pi.emit("input", { text: "go", source: "interactive" });
    expect(await call(pi, "c1", "ls")).toEqual(answer);
    expect(pi.asked).toEqual([expect.stringContaining("May it run?")]);
    expect(events.flatMap((event) => (event.type === "approval" ? [event.answer] : []))).toEqual(told);
  });

  it("ASK2-20 the person at Pi allows it for the session, if the rule offers that", async () => {
    const rule = { id: "careful", on: ["shell"], effect: "ask", say: "May it run?", remember: "session" } as const;
    const rules = { policies: [new RulesPolicy({ rules: [rule], actions: {} })] };
    const { pi } = start(rules, { picks: "Always in this session" });
    await pi.emit("input", { text: "go", source: "interactive" });
    expect(await call(pi, "c1", "ls")).toBeUndefined();
    expect(await call(pi, "c2", "ls")).toBeUndefined();
    expect(pi.asked).toHaveLength(1);
    const once = start(cautious, { picks: "Always in this session" });
    await once.pi.emit("input", { text: "go", source: "interactive" });
    expect(await call(once.pi, "c1", "ls")).toMatchObject({ block: true });
  });

  it("PEA-3 without a person at Pi no question is shown there", async () => {
    const { pi } = start(cautious, { hasUI: false, picks: "Yes, this once" });
    await pi.emit("input", { text: "go", source: "interactive" });
    expect(await call(pi, "c1", "ls")).toMatchObject({ block: true });
    expect(pi.asked).toEqual([]);
  });
});

describe("what fails blocks", () => {
  const gone: SessionHost = { open: () => Promise.reject(new Error("no daemon")) };

  it("PEA-4 without a host, message, call, request and result are blocked", async () => {
    const pi = new TestPi(conductExtension({ host: gone }));
    await pi.emit("session_start");
    expect(await pi.emit("input", { text: "go", source: "interactive" })).toEqual({ action: "handled" });
    expect(pi.typed).toBe("go");
    expect(await call(pi, "c1", "ls")).toEqual({ block: true, reason: expect.stringContaining("no daemon") });
    const result = { toolCallId: "c1", toolName: "bash", input: {}, content: [{ type: "text", text: "SECRET" }] };
    const given = await pi.emit("tool_result", result);
    expect(given).toMatchObject({ isError: true });
    expect(JSON.stringify(given)).not.toContain("SECRET");
    expect(await pi.emit("context_with_system", { messages: [] })).toBeUndefined();
    expect(pi.aborts).toBe(1);
    expect(pi.shown.filter((text) => text.includes("no daemon"))).toHaveLength(3);
  });

  it("PEA-4 a call is blocked if Pi has not reported its response yet", async () => {
    const { pi } = start();
    await pi.emit("input", { text: "go", source: "interactive" });
    const answer = await pi.emit("tool_call", { toolCallId: "c1", toolName: "bash", input: { command: "ls" } });
    expect(answer).toEqual({ block: true, reason: expect.stringContaining("before its response") });
  });

  it("PEA-5 a host that becomes reachable again is asked again", async () => {
    const { host } = testWorld(plain);
    let there = false;
    const pi = new TestPi(conductExtension({ host: { open: (origin) => (there ? host : gone).open(origin) } }));
    expect(await pi.emit("input", { text: "go", source: "interactive" })).toEqual({ action: "handled" });
    there = true;
    expect(await pi.emit("input", { text: "go", source: "interactive" })).toEqual({ action: "continue" });
  });
});

describe("the end of a session", () => {
  it.each([
    { kept: true, reason: "quit", ended: false },
    { kept: false, reason: "quit", ended: true },
    { kept: false, reason: "reload", ended: false },
  ])(
    "PEA-6 a shutdown ($reason, kept: $kept) ends the session: $ended, and all notices have arrived",
    async ({ kept, reason, ended }) => {
      const { host, events } = testWorld(plain);
      const flushes: string[] = [];
      const flushing: SessionHost = {
        async open(origin): Promise<SessionMoments> {
          return Object.assign(await host.open(origin), { flush: async () => void flushes.push(origin.id) });
        },
      };
      const pi = new TestPi(conductExtension({ host: flushing }), { kept });
      await pi.emit("input", { text: "go", source: "interactive" });
      await pi.emit("session_shutdown", { reason });
      expect(typesOf(events).includes("ended")).toBe(ended);
      expect(flushes).toEqual(["s1"]);
    },
  );

  it("PEA-7 another session in Pi is another Conduct session", async () => {
    const { pi, conduct } = start();
    await pi.emit("input", { text: "go", source: "interactive" });
    pi.session = "s2";
    await pi.emit("input", { text: "go", source: "interactive" });
    expect([conduct.find("s1")?.view.turn, conduct.find("s2")?.view.turn]).toEqual([1, 1]);
  });

  it.each([
    { title: "with results that are gone", before: [GIVEN], after: [] },
    { title: "without any results", before: [], after: [] },
  ])("PEA-8 a compaction $title is reported once", async ({ before, after }) => {
    const { pi, events } = start();
    await pi.emit("input", { text: "go", source: "interactive" });
    await pi.emit("context_with_system", { messages: before });
    await pi.emit("session_compact");
    await pi.emit("context_with_system", { messages: after });
    expect(typesOf(events).filter((type) => type === "compacted")).toHaveLength(1);
  });

  it("PEA-8 a request that lacks results of the last one counts as a compaction", async () => {
    const { pi, events } = start();
    await pi.emit("input", { text: "go", source: "interactive" });
    await pi.emit("context_with_system", { messages: [GIVEN] });
    await pi.emit("context_with_system", { messages: [] });
    expect(typesOf(events).filter((type) => type === "compacted")).toHaveLength(1);
  });
});
