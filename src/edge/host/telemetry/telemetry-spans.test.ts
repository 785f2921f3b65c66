import { describe, expect, it } from "vitest";
import { ok } from "../../../engine/session/test/test-play.ts";
import { bus, named, operator, promptOf, start, startConduct } from "./test/telemetry-test-start.ts";
import { traceIdOf } from "./turn-span.ts";

describe("startTelemetry: spans", () => {
  it("OT20: a turn is a span, its calls are spans inside it, and their ids are derived from the events", async () => {
    const { open, pass, telemetry, collector, events } = await startConduct();
    const session = open({ id: "s1" });
    session.notice({ kind: "started", adapter: "pi", model: "anthropic/claude" });
    await session.onMessage({ text: "KEEP: short notes\nship it", id: "m1", sender: operator });
    await session.onPrompt();
    const test = { id: "c1", tool: "test", args: {} };
    await session.onCall(test);
    pass(250);
    await session.onResult(test, { ...ok, exitCode: 0 });
    session.notice({ kind: "usage", inputTokens: 100, outputTokens: 20, cost: 0.5 });
    session.notice({ kind: "usage", inputTokens: 10, outputTokens: 2, cost: 0.25 });
    await session.onStop();
    await telemetry.flush();

    const [call, turn] = collector.spans();
    const prompt = events.find(({ type }) => type === "prompt");
    const hash = prompt?.contract_hash;
    expect(hash).toMatch(/^[0-9a-f]{20}$/);
    const common = {
      behavior_contract_hash: hash,
      "gen_ai.conversation.id": "s1",
      "gen_ai.agent.name": "agent",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "claude",
      "user.id": "ada",
      "conduct.adapter": "pi",
      "conduct.turn": 1,
    };
    expect(turn).toMatchObject({
      name: "invoke_agent agent",
      kind: 1,
      traceId: traceIdOf("s1", 1),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      startTimeUnixNano: "1000000000000",
      endTimeUnixNano: "1000250000000",
      attributes: {
        ...common,
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.usage.input_tokens": 110,
        "gen_ai.usage.output_tokens": 22,
        "conduct.usage.cost": 0.75,
        "conduct.turn.calls": 1,
        "conduct.turn.denials": 0,
        "conduct.stop.status": "complete",
      },
      status: {},
    });
    expect(turn?.parentSpanId).toBeUndefined();
    expect(turn?.events.map(({ name }) => name)).toEqual(["conduct.message", "conduct.prompt", "conduct.stop"]);
    expect(turn?.events[1]?.attributes).toMatchObject({
      behavior_contract_hash: hash,
      "conduct.contract.directives": 1,
      "conduct.prompt.hash": expect.any(String),
    });
    expect(call).toMatchObject({
      name: "execute_tool test",
      traceId: turn?.traceId,
      parentSpanId: turn?.spanId,
      startTimeUnixNano: "1000000000000",
      endTimeUnixNano: "1000250000000",
      attributes: {
        ...common,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "test",
        "gen_ai.tool.call.id": "c1",
        "conduct.decision.kind": "allow",
        "conduct.call.outcome": "ok",
        "process.exit.code": 0,
      },
    });
    expect(call?.attributes["conduct.decision.id"]).toMatch(/^d_/);
  });

  it("OT21: a denied call is a zero-length span with its rule, and so is its log record", async () => {
    const { open, telemetry, collector } = await startConduct();
    const session = open();
    await session.onMessage({ text: "go" });
    await session.onCall({ id: "c1", tool: "deploy", args: {} });
    await session.onStop();
    await telemetry.flush();
    const denied = {
      "conduct.decision.kind": "deny",
      "conduct.decision.rule": expect.any(String),
      "conduct.decision.code": "missing-prerequisite",
      "gen_ai.tool.name": "deploy",
      "gen_ai.tool.call.id": "c1",
    };
    const [call, turn] = collector.spans();
    expect(call).toMatchObject({
      attributes: { ...denied, "conduct.call.outcome": "denied", "error.type": "denied" },
      status: { code: 2, message: "denied" },
    });
    expect(call?.startTimeUnixNano).toBe(call?.endTimeUnixNano);
    expect(turn?.attributes["conduct.turn.denials"]).toBe(1);
    const [decision] = named(collector.logs(), "conduct.decision");
    expect(decision).toMatchObject({ severityText: "WARN", attributes: denied });
    expect(decision).toMatchObject({ traceId: turn?.traceId, spanId: turn?.spanId });
  });

  it("OT22: a child session's spans are inside the parent's turn", async () => {
    const { open, telemetry, collector } = await startConduct();
    const above = open();
    await above.onMessage({ text: "go" });
    const below = above.child(undefined, { agent: "other" });
    await below.onMessage({ text: "look around" });
    await below.onStop();
    await above.onStop();
    await telemetry.flush();
    const spans = collector.spans();
    const outer = spans.find(({ name }) => name === "invoke_agent agent");
    const inner = spans.find(({ name }) => name === "invoke_agent other");
    expect(inner).toMatchObject({ traceId: outer?.traceId, parentSpanId: outer?.spanId });
    expect(inner?.attributes["conduct.session.parent"]).toBe(above.id);
  });

  it("OT21: a call that needed an approval is one span, from the question to the result", async () => {
    const source = bus();
    const { telemetry, collector } = await start(source);
    const call = {
      id: "c1",
      tool: "deploy",
      args: {},
      actions: ["release"],
      proves: [],
      paths: [],
      native: { runtime: "t", name: "deploy", input: {} },
    };
    const ask = {
      kind: "ask",
      id: "d1",
      rule: "ask-first",
      approval: "p1",
      question: "Really?",
      inputHash: "h",
      expiresAt: 9_000,
    } as const;
    source.emit({ type: "call", call, decision: ask });
    source.emit({ type: "approval", approval: "p1", answer: "yes", by: "ada" });
    source.emit({ type: "call", call, decision: { kind: "allow", id: "d2", advice: [], because: "approved" } });
    source.emit({ type: "result", call: "c1", tool: "deploy", outcome: "failed", truncation: [], feedback: [] });
    await telemetry.flush();
    const [span, ...others] = collector.spans();
    expect(others).toEqual([]);
    expect(span).toMatchObject({
      startTimeUnixNano: "1001000000",
      endTimeUnixNano: "1004000000",
      attributes: { "conduct.decision.id": "d2", "conduct.decision.because": "approved", "error.type": "failed" },
    });
    const told = named(collector.logs(), "conduct.decision").map(({ attributes }) => attributes);
    expect(told.map((one) => [one["conduct.decision.kind"], one["conduct.decision.rule"]])).toEqual([
      ["ask", "ask-first"],
      ["allow", undefined],
    ]);
  });

  it("OT23: each turn has its own trace, and an unfinished turn is exported when telemetry ends", async () => {
    const { open, telemetry, collector } = await startConduct();
    const session = open({ id: "s1" });
    await session.onMessage({ text: "one" });
    await session.onCall({ id: "c1", tool: "test", args: {} });
    await session.onMessage({ text: "two" });
    await session.onCall({ id: "c1", tool: "test", args: {} });
    await telemetry.flush();
    expect(collector.spans().map(({ name }) => name)).toEqual(["execute_tool test", "invoke_agent agent"]);
    await telemetry.close();
    const spans = collector.spans();
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4);
    expect(spans.map(({ traceId }) => traceId)).toEqual([1, 1, 2, 2].map((turn) => traceIdOf("s1", turn)));
    expect(spans.map(({ attributes }) => attributes["conduct.call.outcome"])).toEqual([
      "cancelled",
      undefined,
      "unknown",
      undefined,
    ]);
    expect(spans.slice(2).map(({ attributes }) => attributes["conduct.unfinished"])).toEqual([true, true]);
  });

  it("OT23: the number of traced sessions is bounded, and the longest idle one is exported first", async () => {
    const source = bus();
    const { telemetry, collector } = await start(source, { limits: { maxSessions: 2 } });
    for (const session of ["a", "b", "a", "c"]) source.emit(promptOf(0), { session });
    await telemetry.flush();
    expect(collector.spans().map(({ attributes }) => attributes["gen_ai.conversation.id"])).toEqual(["b"]);
  });
});
