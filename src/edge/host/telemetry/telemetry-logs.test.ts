import { describe, expect, it } from "vitest";
import type { ContractEvent } from "../../../base/words/contract.ts";
import type { EventBody } from "../../../base/words/event.ts";
import { EMPTY_CONTRACT } from "../../../behavior/contract/contract-state.ts";
import { bus, named, operator, promptOf, start, startConduct } from "./test/telemetry-test-start.ts";

describe("startTelemetry: log records", () => {
  it("OT30: captures, injections, decisions, approvals and faults are log records with the contract's hash", async () => {
    const { open, telemetry, collector, conduct } = await startConduct();
    const session = open({ user: "ada", channel: "web" });
    await session.onMessage({ text: "hello", sender: operator });
    await session.onPrompt();
    await session.onMessage({ text: "STOP: long reports\nKEEP:\nand now this", id: "m2", sender: operator });
    await session.onPrompt();
    conduct.report({ where: "here", code: "odd", message: "something is odd" });
    await telemetry.flush();
    const logs = collector.logs();
    for (const { attributes } of logs) expect(attributes.behavior_contract_hash).toBeTypeOf("string");
    const injected = named(logs, "conduct.injection").map(({ attributes }) => attributes);
    expect(injected.map((one) => one["conduct.contract.directives"])).toEqual([0, 1]);
    expect(injected[0]?.behavior_contract_hash).not.toBe(injected[1]?.behavior_contract_hash);
    const captured = named(logs, "conduct.capture").map(({ attributes }) => attributes);
    expect(captured.map((one) => one["conduct.capture.outcome"])).toEqual(["added", "near-miss"]);
    expect(captured[0]?.["conduct.contract.new_hash"]).toBe(injected[1]?.behavior_contract_hash);
    const [fault] = named(logs, "conduct.fault");
    expect(fault).toMatchObject({
      severityText: "ERROR",
      attributes: { "conduct.fault.where": "here", "conduct.fault.code": "odd", "user.id": "ada" },
    });
    expect(fault?.attributes["conduct.fault.message"]).toBeUndefined();
  });

  it.each<{ body: EventBody; name: string; attributes: object }>([
    {
      body: { type: "approval", approval: "p1", answer: "no", by: "telegram:7" },
      name: "conduct.approval",
      attributes: {
        "conduct.approval.id": "p1",
        "conduct.approval.answer": "no",
        "conduct.approval.by": "telegram:7",
      },
    },
    {
      body: { type: "notice", notice: { kind: "usage", inputTokens: 5, cost: 0.5 }, usage: usage(7) },
      name: "conduct.usage",
      attributes: {
        "gen_ai.usage.input_tokens": 5,
        "conduct.usage.cost": 0.5,
        "conduct.session.cost": 7,
        "conduct.session.calls": 7,
      },
    },
    {
      body: { type: "requirement", call: "c", tool: "t", requireBeforeNext: ["test"], escalateToOwner: true },
      name: "conduct.requirement",
      attributes: { "conduct.requirement.before_next": ["test"], "conduct.requirement.escalate": true },
    },
    {
      body: { type: "instructions", change: "add", version: 2, added: ["one", "two"], removed: [] },
      name: "conduct.instructions",
      attributes: { "conduct.instructions.added": 2, "conduct.instructions.version": 2 },
    },
    { body: { type: "memory", note: "n1" }, name: "conduct.memory", attributes: { "conduct.memory.note": "n1" } },
    {
      body: { type: "session", change: "opened", user: "bob", channel: "web" },
      name: "conduct.session",
      attributes: { "conduct.session.change": "opened", "user.id": "bob", "conduct.channel": "web" },
    },
    {
      body: {
        type: "notice",
        notice: { kind: "compacted", before: 900, after: 300, messages: 12, calls: { shell: 2, read_file: 3 } },
      },
      name: "conduct.notice",
      attributes: {
        "conduct.notice.kind": "compacted",
        "conduct.compaction.tokens_before": 900,
        "conduct.compaction.tokens_after": 300,
        "conduct.compaction.messages": 12,
        "conduct.compaction.calls": 5,
      },
    },
    {
      body: { type: "notice", notice: { kind: "compacted" } },
      name: "conduct.notice",
      attributes: { "conduct.notice.kind": "compacted" },
    },
  ])("OT31: the event $body.type is exported as $name", async ({ body, name, attributes }) => {
    const source = bus();
    const { telemetry, collector } = await start(source);
    source.emit(body);
    source.emit(body, { contract_hash: "beef" });
    await telemetry.flush();
    const logs = collector.logs();
    expect(logs.map(({ eventName }) => eventName)).toEqual([name, name]);
    expect(logs.map((log) => log.attributes)).toEqual([
      expect.objectContaining({ ...attributes, behavior_contract_hash: "unknown", "conduct.event.id": "e1" }),
      expect.objectContaining({ ...attributes, behavior_contract_hash: "beef", "conduct.event.id": "e2" }),
    ]);
  });

  it("OT32: a promotion or any other change is exported with the contract it led to", async () => {
    const { telemetry, collector } = await start({});
    const directive = {
      id: "b1",
      type: "stop",
      text: "long reports",
      source: "daily-review",
      createdAt: "2026-01-01T00:00:00.000Z",
      scope: "global",
    } as const;
    const at = { at: 5_000, by: "cli:ada" };
    const changes: ContractEvent[] = [
      { ...at, seq: 7, kind: "candidate-promoted", id: "k1", directive, absorbed: [] },
      { ...at, seq: 8, kind: "directive-removed", directive },
    ];
    const contract = { version: 8, hash: "beef", generatedAt: "", directives: [directive] };
    const news = { kind: "accepted", outcome: "promoted", warnings: [], next: [] } as const;
    telemetry.governance({ ...news, events: changes, state: EMPTY_CONTRACT, contract });
    await telemetry.close();
    const shared = {
      behavior_contract_hash: "beef",
      "conduct.contract.version": 8,
      "conduct.contract.by": "cli:ada",
      "conduct.directive.id": "b1",
      "conduct.directive.type": "stop",
      "conduct.directive.scope": "global",
    };
    expect(collector.logs()).toMatchObject([
      { eventName: "conduct.promotion", attributes: { ...shared, "conduct.candidate.id": "k1" } },
      {
        eventName: "conduct.contract_change",
        attributes: { ...shared, "conduct.contract.change": "directive-removed" },
      },
    ]);
    expect(collector.bytes()).not.toContain("long reports");
  });

  it("OT33: the resource and the headers come from the environment variables", async () => {
    const source = bus();
    const env = {
      OTEL_SERVICE_NAME: "gateway",
      OTEL_RESOURCE_ATTRIBUTES: "team=blue",
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=k1",
    };
    const { telemetry, collector } = await start(source, { env });
    source.emit(promptOf(1));
    await telemetry.close();
    expect(collector.requests.map(({ path }) => path).sort()).toEqual(["/v1/logs", "/v1/traces"]);
    for (const { headers } of collector.requests) expect(headers["x-key"]).toBe("k1");
    expect(collector.bodies("/v1/traces")[0].resourceSpans[0]).toMatchObject({
      resource: {
        attributes: expect.arrayContaining([
          { key: "service.name", value: { stringValue: "gateway" } },
          { key: "team", value: { stringValue: "blue" } },
        ]),
      },
      scopeSpans: [{ scope: { name: "agent-conduct" } }],
    });
  });
});

function usage(of: number) {
  return { inputTokens: of, outputTokens: of, calls: of, cost: of };
}
