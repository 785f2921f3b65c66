import { describe, expect, it } from "vitest";
import { operator, startConduct } from "./test/telemetry-test-start.ts";

describe("startTelemetry: content", () => {
  // Put together here, so that no scanner takes it for a real one.
  const KEY = "a1B2".repeat(8);
  const SECRET = `sk-ant-${KEY}`;
  async function say(env: Readonly<Record<string, string>>) {
    const { open, telemetry, collector } = await startConduct({}, { env });
    const session = open();
    await session.onMessage({ text: `CANARY message ${SECRET}`, sender: operator });
    await session.onMessage({
      text: "STOP: CANARY reports\nSTOP: CANARY <b>\nSTOPP: CANARY\nCANARY",
      sender: operator,
    });
    await session.onPrompt();
    const args = { path: `CANARY args ${SECRET}` };
    await session.onCall({ id: "c1", tool: "test", args });
    args.path = "changed in place";
    await session.onCall({ id: "c2", tool: "deploy", args: { to: "CANARY" } });
    await session.onResult({ id: "c1", tool: "test" }, { outcome: "ok", parts: [{ kind: "text", text: "CANARY" }] });
    session.notice({ kind: "reply", text: "CANARY reply" });
    session.notice({ kind: "fault", fault: { where: "x", code: "y", message: "CANARY fault" } });
    session.setCustom(["CANARY"]);
    await session.onStop({ output: "CANARY" });
    await telemetry.close();
    return collector;
  }

  it("OT40: by default content written by people, models or tools is not exported", async () => {
    const collector = await say({});
    expect(collector.spans().length).toBeGreaterThan(2);
    expect(collector.bytes()).not.toContain("CANARY");
  });

  it("OT41: with CONDUCT_TELEMETRY_CONTENT=1 content is exported, without secrets, as it was at the time", async () => {
    const collector = await say({ CONDUCT_TELEMETRY_CONTENT: "1" });
    const spans = collector.spans();
    const call = spans.find(({ attributes }) => attributes["gen_ai.tool.call.id"] === "c1");
    expect(call?.attributes["gen_ai.tool.call.arguments"]).toMatch(/^\{"path":"CANARY args sk-ant-\[redacted\]"\}$/);
    const turn = spans.find(({ attributes }) => attributes["conduct.turn"] === 2 && !attributes["gen_ai.tool.name"]);
    expect(JSON.parse(String(turn?.attributes["gen_ai.output.messages"]))).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "CANARY reply" }] },
    ]);
    expect(collector.bytes()).toContain("CANARY message");
    expect(collector.bytes()).not.toContain(KEY);
  });
});
