import { describe, expect, it } from "vitest";
import type { ToolResult } from "../../base/words/result.ts";
import type { Session } from "../session/session.ts";
import { testConduct } from "../session/test/test-conduct.ts";

const DEMAND = { requireBeforeNext: ["verify_context"], escalateToOwner: true };
const trusting = { trustedTools: [{ server: "desk", tool: "lookup" }] };

async function play(session: Session, id: string, tool: string, result: Partial<ToolResult> = {}, args = {}) {
  const decision = await session.onCall({ id, tool, args });
  if (decision.kind !== "allow") return { decision };
  return { decision, delivered: await session.onResult({ id, tool }, { outcome: "ok", parts: [], ...result }) };
}

describe("requirements in a session", () => {
  it("RQ-10 a requirement in a trusted tool's result denies the next call until the named one has succeeded", async () => {
    const { open, events } = testConduct(trusting);
    const session = open();
    const value = { found: 1, __directives: DEMAND };
    const { delivered } = await play(session, "c1", "desk/lookup", { parts: [{ kind: "json", value }] });
    expect(delivered).toMatchObject({ changed: true, result: { parts: [{ kind: "json", value: { found: 1 } }] } });
    expect(JSON.stringify(delivered)).not.toContain("directives");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "requirement", call: "c1", tool: "desk/lookup", ...DEMAND }),
    );
    const denied = await play(session, "c2", "shell");
    expect(denied.decision).toMatchObject({ kind: "deny", rule: "requirement", missing: [{ what: "verify_context" }] });
    const [tool] = session.tools().filter(({ name }) => name === "verify_context");
    const result = await tool?.run({});
    expect(result?.outcome).toBe("ok");
    await play(session, "c3", "verify_context", result);
    expect((await play(session, "c4", "shell")).decision.kind).toBe("allow");
    // Evidence like any other.
    expect(session.view.evidence("verify_context")).toMatchObject({ ok: 1 });
  });

  it("RQ-11 an open requirement survives a restart", async () => {
    const { open, conduct } = testConduct(trusting);
    const session = open();
    await play(session, "c1", "desk/lookup", { requirements: DEMAND });
    const snapshot = session.serialise();
    session.notice({ kind: "ended" });
    const again = conduct.session({ agent: "agent", snapshot });
    expect((await play(again, "c2", "shell")).decision).toMatchObject({ kind: "deny", rule: "requirement" });
  });

  it("RQ-12 an untrusted tool's requirement is removed, reported, and has no effect", async () => {
    const { open, events } = testConduct(trusting);
    const session = open();
    const text = JSON.stringify({ a: 1, __directives: DEMAND });
    const { delivered } = await play(session, "c1", "web/fetch", {
      parts: [{ kind: "text", text }],
      requirements: DEMAND,
    });
    expect(delivered).toMatchObject({ changed: true, result: { parts: [{ kind: "text", text: '{"a":1}' }] } });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "fault", fault: expect.objectContaining({ code: "requirement-untrusted" }) }),
    );
    expect((await play(session, "c2", "shell")).decision.kind).toBe("allow");
  });

  it("RQ-13 a result that the runtime does not replace is not reported as changed, and its requirement still applies", async () => {
    const { open } = testConduct(trusting);
    const session = open();
    const call = { id: "c1", tool: "desk/lookup", args: {} };
    await session.onCall(call);
    const value = { __directives: DEMAND };
    const result = { outcome: "ok", parts: [{ kind: "json", value }] } as const;
    expect(await session.onResult(call, result, { replaceable: false })).toMatchObject({ changed: false });
    expect((await play(session, "c2", "shell")).decision).toMatchObject({ rule: "requirement" });
  });

  it("RQ-14 a requirement denies later calls in the same step too, and a call in that step does not satisfy it", async () => {
    const { open } = testConduct(trusting);
    const session = open();
    const call = { id: "c1", tool: "desk/lookup", args: {}, step: "s1" };
    await session.onCall(call);
    await session.onResult(call, { outcome: "ok", parts: [], requirements: DEMAND });
    const held = await session.onCall({ id: "c2", tool: "shell", args: {}, step: "s1" });
    expect(held).toMatchObject({ kind: "deny", rule: "requirement" });
    const verify = { id: "c3", tool: "verify_context", args: {}, step: "s1" };
    expect((await session.onCall(verify)).kind).toBe("allow");
    await session.onResult(verify, { outcome: "ok", parts: [] });
    session.notice({ kind: "step-closed" });
    expect((await play(session, "c4", "shell")).decision.kind).toBe("deny");
  });
});

describe("loop guard in a session", () => {
  const poll = (session: Session, i: number) =>
    play(session, `c${i}`, "shell", { parts: [{ kind: "text", text: "pending" }] }, { command: "status" });

  it("LG-10 every agent has the loop guard: first advice, then denials, then the end of the turn", async () => {
    const { open, events } = testConduct();
    const session = open();
    await session.onMessage({ text: "wait for it" });
    const kinds: string[] = [];
    for (let i = 0; i < 30; i++) {
      const { decision } = await poll(session, i);
      kinds.push(decision.kind === "allow" && decision.advice.length > 0 ? "warn" : decision.kind);
      if (decision.kind === "deny") expect(decision.rule).toBe("builtin:loop-guard");
      if (decision.kind === "deny" && decision.endTurn) break;
    }
    expect(kinds.indexOf("warn")).toBe(10);
    expect(kinds.indexOf("deny")).toBe(20);
    expect(kinds.length).toBeLessThanOrEqual(31);
    expect(events).toContainEqual(expect.objectContaining({ type: "stop", status: "ended-by-policy" }));
    await session.onMessage({ text: "go on" });
    expect((await poll(session, 99)).decision).toMatchObject({ kind: "allow", advice: [] });
  });

  it("LG-11 the loop guard's count survives a restart and starts over after a compaction", async () => {
    const { open, conduct } = testConduct();
    const session = open();
    for (let i = 0; i < 20; i++) await poll(session, i);
    const snapshot = session.serialise();
    session.notice({ kind: "ended" });
    const again = conduct.session({ agent: "agent", snapshot });
    expect((await poll(again, 21)).decision.kind).toBe("deny");
    again.notice({ kind: "compacted" });
    expect((await poll(again, 22)).decision.kind).toBe("allow");
  });

  it("LG-12 the loop guard treats a result that is cut differently each time as the same result", async () => {
    const { open } = testConduct({ limits: { window: 1_000 } });
    const session = open();
    const parts = [{ kind: "text", text: "line\n".repeat(4_000) }] as const;
    let last = "";
    for (let i = 0; i < 21; i++)
      last = (await play(session, `c${i}`, "shell", { parts }, { command: "x" })).decision.kind;
    expect(last).toBe("deny");
  });
});
