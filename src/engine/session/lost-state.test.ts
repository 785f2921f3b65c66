import { describe, expect, it } from "vitest";
import type { ConductEvent } from "../../base/words/event.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { parseRules } from "../agent/rules/parse-rules.ts";
import { LOST_NOTE, lostStateOf } from "./lost-state.ts";
import { testConduct } from "./test/test-conduct.ts";

function policyOf(text: string): RulesPolicy {
  const parsed = parseRules(text, "rules");
  if ("faults" in parsed) throw new Error(parsed.faults[0]?.message);
  return new RulesPolicy(parsed.ruleSet);
}

const RULES = `
rules:
  - { id: once, on: ship, atMost: { count: 1 } }
  - { id: not-after, on: publish, require: { not: { call: ship } } }
  - { id: proven, on: deploy, require: test }
`;
const LOST = { ...lostStateOf("it was cut off", []), note: LOST_NOTE };
const call = (tool: string) => ({ id: `c-${tool}`, tool, args: {} });

describe("a session whose state was lost", () => {
  it.each(["ship", "publish", "deploy"])(
    "LST-1 after a lost state %s is denied, because earlier calls are unknown",
    async (tool) => {
      const open = () => testConduct({ policies: [policyOf(RULES)] }).open;
      if (tool !== "deploy") expect(await open()({}).onCall(call(tool))).toMatchObject({ kind: "allow" });
      expect(await open()({ lost: LOST }).onCall(call(tool))).toMatchObject({ kind: "deny" });
    },
  );

  it("LST-2 after a lost state evidence can be gathered again, and other calls are allowed", async () => {
    const session = testConduct({ policies: [policyOf(RULES)] }).open({ lost: LOST });
    expect(await session.onCall(call("test"))).toMatchObject({ kind: "allow" });
    await session.onResult({ id: "c-test", tool: "test" }, { outcome: "ok", parts: [] });
    session.notice({ kind: "step-closed" });
    expect(await session.onCall(call("deploy"))).toMatchObject({ kind: "allow" });
  });

  it("LST-3 after a lost state modes are reset, the person is notified once, and a fault is reported", async () => {
    const { open, events } = testConduct({});
    const session = open({ lost: LOST });
    expect(session.view.modes).toMatchObject({ elevated: false, think: false, verbose: false });
    expect((await session.onMessage({ text: "hi" })).notes).toContain(LOST_NOTE);
    expect((await session.onMessage({ text: "hi" })).notes).not.toContain(LOST_NOTE);
    const faults = events.flatMap((event) => (event.type === "fault" ? [event.fault.code] : []));
    expect(faults).toEqual(["state-damaged"]);
  });

  it("LST-4 after a lost state turns and usage continue from the recorded events", async () => {
    const event = (body: object) => ({ turn: 3, at: 100, session: "s", ...body }) as unknown as ConductEvent;
    const lost = lostStateOf("x", [
      event({ type: "call", decision: { kind: "allow" } }),
      event({ type: "call", decision: { kind: "deny" } }),
      event({ type: "notice", at: 200, notice: { kind: "usage", inputTokens: 7, outputTokens: 2, cost: 0.5 } }),
    ]);
    expect(lost).toMatchObject({ turns: 3, startedAt: 100 });
    const session = testConduct({}).open({ lost });
    expect(session.view.usage).toEqual({ inputTokens: 7, outputTokens: 2, calls: 1, cost: 0.5 });
  });
});
