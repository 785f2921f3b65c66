import { describe, expect, it } from "vitest";
import type { CallInput } from "../../base/words/call.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import { allow, ask, deny } from "../../behavior/policy/policy-decision.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { permissionsOf } from "../../behavior/session/modes/modes.ts";
import { testConduct } from "../session/test/test-conduct.ts";
import { ok, orderPolicy } from "../session/test/test-play.ts";

const asks: AnyPolicy = { name: "asks", check: (call) => (call.tool === "send" ? ask("Send it?") : allow()) };
const agent = {
  policies: [asks],
  tools: [{ name: "wipe", risk: "high" as const, paths: { path: "change" as const } }],
};

const question = { id: "q", tool: "send", args: {} };
const outside = { id: "o", tool: "read_file", args: { path: "/etc/passwd" } };
const inside = { id: "i", tool: "read_file", args: { path: "a.txt" } };
const risky = { id: "r", tool: "wipe", args: {} };
const both = { id: "b", tool: "wipe", args: { path: "../x" } };

describe("what an elevation changes", () => {
  it.each<[keyof ReturnType<typeof permissionsOf>, CallInput, object, object]>([
    ["autoApprove", question, { kind: "ask" }, { kind: "allow", because: "elevated" }],
    [
      "restrictToWorkspace",
      outside,
      { kind: "deny", code: "outside-workspace" },
      { kind: "allow", because: "elevated", lifted: ["workspace"] },
    ],
    [
      "allowHighRisk",
      risky,
      { kind: "deny", code: "high-risk" },
      { kind: "allow", because: "elevated", lifted: ["high-risk"] },
    ],
  ])("K13: in an elevated session %s has an effect, and the decision shows it", async (flag, call, plain, elevated) => {
    const { open, events } = testConduct(agent);
    const session = open({ modes: { elevated: true } });
    expect(permissionsOf(session.view.modes)[flag]).not.toBe(permissionsOf(open().view.modes)[flag]);
    expect(await open().onCall(call)).toMatchObject(plain);
    expect(await session.onCall(call)).toMatchObject(elevated);
    expect(events.at(-1)).toMatchObject({ type: "call", decision: elevated });
  });

  it("K13: an elevated decision lists both lifted limits, and a call that needs none lists none", async () => {
    const session = testConduct(agent).open({ modes: { elevated: true } });
    expect(await session.onCall(both)).toMatchObject({ because: "elevated", lifted: ["workspace", "high-risk"] });
    const plain = await session.onCall(inside);
    expect(plain.kind).toBe("allow");
    expect(plain).not.toHaveProperty("because");
    expect(plain).not.toHaveProperty("lifted");
  });

  it("K13: an elevated call outside the workspace shows the elevation and the lifted limit, even if a policy asks", async () => {
    const policies: AnyPolicy[] = [{ name: "asks", check: () => ask("Really?") }];
    const session = testConduct({ policies }).open({ modes: { elevated: true } });
    expect(await session.onCall(outside)).toMatchObject({ because: "elevated", lifted: ["workspace"] });
  });

  it("K13: a policy cannot claim an elevation that the session does not have", async () => {
    const claims: AnyPolicy = { name: "claims", check: () => ({ kind: "allow", lifted: "workspace" }) };
    expect(
      await testConduct({ policies: [claims] })
        .open()
        .onCall(inside),
    ).not.toHaveProperty("because");
  });

  it("K14: two interleaved sessions never share permissions", async () => {
    const { open } = testConduct(agent);
    const [a, b] = [open({ modes: { elevated: true } }), open()];
    for (const call of [question, outside, risky]) {
      const [first, second] = await Promise.all([a.onCall(call), b.onCall(call)]);
      expect([first.kind, second.kind]).toEqual(["allow", call === question ? "ask" : "deny"]);
    }
    a.setModes({ elevated: false });
    b.setModes({ elevated: true });
    const again = { ...outside, id: "o2" };
    const [first, second] = await Promise.all([a.onCall(again), b.onCall(again)]);
    expect([first.kind, second.kind]).toEqual(["deny", "allow"]);
  });

  it("K15: a child of an elevated session is not elevated", async () => {
    const child = testConduct(agent)
      .open({ modes: { elevated: true } })
      .child("below");
    expect(await child.onCall(risky)).toMatchObject({ kind: "deny", code: "high-risk" });
  });
});

describe("what an elevation never lifts", () => {
  const broken: AnyPolicy = {
    name: "broken",
    check() {
      throw new Error("boom");
    },
  };
  const require = { kind: "call", call: "test", same: [], fresh: false, counts: "succeeded" } as const;
  const rule = { id: "test-first", on: ["deploy"], effect: "deny", require } as const;
  it.each<[string, AnyPolicy, string]>([
    ["a policy's deny", { name: "no", check: () => deny("No.") }, "policy"],
    ["a missing prerequisite", orderPolicy(), "missing-prerequisite"],
    ["a policy that fails", broken, "policy-error"],
    ["a rule's deny", new RulesPolicy({ rules: [rule], actions: {} }), "missing-prerequisite"],
  ])("K13: an elevation does not lift %s", async (_what, policy, code) => {
    const session = testConduct({ policies: [policy] }).open({ modes: { elevated: true } });
    const decision = await session.onCall({ id: "c", tool: "deploy", args: { path: "/etc/x" } });
    expect(decision).toMatchObject({ kind: "deny", code });
    expect(decision).not.toHaveProperty("lifted");
  });

  it("K13: an elevation does not lift a requirement of a trusted tool", async () => {
    const { open } = testConduct({ trustedTools: [{ server: "desk", tool: "lookup" }] });
    const session = open({ modes: { elevated: true } });
    const lookup = { id: "l", tool: "desk/lookup", args: {} };
    await session.onCall(lookup);
    await session.onResult(lookup, { ...ok, requirements: { requireBeforeNext: ["verify_context"] } });
    expect(await session.onCall(inside)).toMatchObject({ kind: "deny", rule: "requirement" });
  });
});
