import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConductEvent, EventBody } from "../../../base/words/event.ts";
import type { OtlpSpan } from "./otlp-encoding.ts";
import { SessionTrace } from "./session-trace.ts";
import { promptOf } from "./test/telemetry-test-start.ts";
import { tellWith } from "./turn-span.ts";

const MODES = { think: false, verbose: false, elevated: false };

/** What a runtime may bring, in no order that makes sense. */
const body = fc.oneof(
  fc.constant<EventBody>({ type: "message", text: "go", modes: MODES }),
  fc.constant<EventBody>({ type: "message", text: "/think", modes: MODES, reply: "think: off" }),
  fc.constant<EventBody>(promptOf(1)),
  fc.tuple(fc.constantFrom("c1", "c2"), fc.constantFrom("allow", "deny", "ask")).map(([id, kind]) => callOf(id, kind)),
  fc.constantFrom("c1", "c2").map((call): EventBody => {
    return { type: "result", call, tool: "t", outcome: "ok", truncation: [], feedback: [] };
  }),
  fc
    .constantFrom("complete" as const, "refused" as const)
    .map((status): EventBody => ({ type: "stop", status, refusals: 0, bound: 5 })),
  fc.constant<EventBody>({ type: "notice", notice: { kind: "usage", inputTokens: 1, cost: 0.5 } }),
  fc.constant<EventBody>({ type: "notice", notice: { kind: "ended" } }),
  fc.constant<EventBody>({ type: "fault", fault: { where: "w", code: "c", message: "m" } }),
);

function callOf(id: string, kind: string): EventBody {
  const call = { id, tool: "t", args: {}, actions: [], proves: [], paths: [], native };
  if (kind === "allow") return { type: "call", call, decision: { kind, id: "d", advice: [] } };
  if (kind === "ask") {
    const question = { approval: "p", question: "?", inputHash: "h", expiresAt: 1 };
    return { type: "call", call, decision: { kind, id: "d", rule: "r", ...question } };
  }
  const denied = { reason: "no", missing: [], next: "", others: [], attemptsLeft: 0, endTurn: false };
  return { type: "call", call, decision: { kind: "deny", id: "d", rule: "r", code: "policy", ...denied } };
}
const native = { runtime: "t", name: "t", input: {} };

describe("SessionTrace", () => {
  it("OT23: a repeated stop after its turn was exported starts no new turn", () => {
    const trace = new SessionTrace(tellWith("kept"));
    const head = { v: 1, id: "e", at: 1, session: "s", agent: "a", run: "r", turn: 1 } as const;
    const stop = { type: "stop", status: "complete", refusals: 0, bound: 5 } as const;
    trace.take({ ...head, seq: 1, ...promptOf(0) }, undefined);
    trace.take({ ...head, seq: 2, ...stop }, undefined);
    expect(trace.settle("stopped").spans).toHaveLength(1);
    trace.take({ ...head, seq: 3, ...stop }, undefined);
    expect(trace.finish()).toEqual([]);
  });

  it("OT24: events in any order export every span exactly once, and every call is inside an exported turn", () => {
    const step = fc.record({ body, turn: fc.constantFrom(0, 0, 0, 1), look: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const trace = new SessionTrace(tellWith("kept"));
        const spans: OtlpSpan[] = [];
        let turn = 0;
        steps.forEach(({ body, turn: on, look }, i) => {
          turn += on;
          const head = { v: 1, id: `e${i}`, seq: i, at: 1_000 + i, session: "s", agent: "a", run: "r", turn } as const;
          spans.push(...trace.take({ ...head, ...body } as ConductEvent, undefined));
          if (look) spans.push(...trace.settle("aged").spans);
        });
        spans.push(...trace.finish());
        expect(trace.finish()).toEqual([]);

        const calls = spans.filter(({ parentSpanId }) => parentSpanId !== undefined);
        const turns = new Map(spans.filter((span) => !calls.includes(span)).map((span) => [span.spanId, span]));
        expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
        for (const call of calls) expect(turns.get(call.parentSpanId ?? "")?.traceId).toBe(call.traceId);
        for (const { start, end } of spans) expect(end).toBeGreaterThanOrEqual(start);
        const made = steps.filter(({ body: { type } }) => type === "call").length;
        expect(calls.length).toBeLessThanOrEqual(made);
        const denied = steps.filter(({ body }) => body.type === "call" && body.decision.kind === "deny").length;
        expect(calls.length).toBeGreaterThanOrEqual(denied);
      }),
    );
  });
});
