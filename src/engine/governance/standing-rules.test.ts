import { describe, expect, it } from "vitest";
import type { ConductEvent } from "../../base/words/event.ts";
import { testConduct } from "../session/test/test-conduct.ts";
import { testJournal } from "./test/test-journal.ts";

const DEPLOY_NEEDS_TEST = `rules:
  - id: test-before-deploy
    on: deploy
    require: { call: test }
    say: "Run the tests first."
`;
const actions = { test: { tool: "shell", command: "npm test" }, deploy: { tool: "shell", command: "npm run deploy" } };

function world() {
  const { journal } = testJournal();
  const made = testConduct({ actions }, { governance: journal });
  const { contracts } = made.conduct;
  if (contracts === undefined) throw new Error("a conduct with governance has contracts");
  const harden = (more: { scope?: string; text?: string; rule?: string; from?: string; until?: string } = {}) =>
    contracts.change({ kind: "harden", rule: "test-before-deploy", text: DEPLOY_NEEDS_TEST, ...more }, "op");
  const shadows = () =>
    made.events.flatMap((event: ConductEvent) => (event.type === "call" ? (event.shadows ?? []) : []));
  return { ...made, contracts, harden, shadows, journal };
}

let calls = 0;
const deploy = () => ({ id: `c${++calls}`, tool: "shell", args: { command: "npm run deploy" } });
const test = () => ({ id: `c${++calls}`, tool: "shell", args: { command: "npm test" } });

describe("standing rules", () => {
  it("HRD-1: a standing rule in shadow only counts; once enforced it denies from the next turn on with its reason", async () => {
    const { open, contracts, harden, shadows } = world();
    const session = open();
    await session.onMessage({ text: "go" });
    expect((await session.onCall(deploy())).kind).toBe("allow");
    expect(await harden()).toMatchObject({ kind: "accepted", rule: { status: "shadow", scope: "global" } });
    await session.onMessage({ text: "go" });
    expect((await session.onCall(deploy())).kind).toBe("allow");
    expect(shadows()).toMatchObject([{ rule: "test-before-deploy" }]);
    await contracts.change({ kind: "enforce-rule", id: "test-before-deploy" }, "op");
    await session.onMessage({ text: "go" });
    const denied = await session.onCall(deploy());
    expect(denied).toMatchObject({
      kind: "deny",
      rule: "test-before-deploy",
      reason: expect.stringContaining("tests first"),
    });
    const tested = test();
    await session.onCall(tested);
    await session.onResult(tested, { outcome: "ok", parts: [] });
    expect((await session.onCall(deploy())).kind).toBe("allow");
  });

  it("HRD-2: a rule that another process enforced applies to the next turn's first call, even without a prompt", async () => {
    const { open, journal, harden } = world();
    await harden();
    const other = testConduct({ actions }, { governance: journal });
    await other.conduct.contracts?.change({ kind: "enforce-rule", id: "test-before-deploy" }, "op");
    const session = open();
    expect((await session.onCall(deploy())).kind).toBe("deny");
    await other.conduct.contracts?.change({ kind: "remove-rule", id: "test-before-deploy" }, "op");
    await session.onMessage({ text: "again" });
    await session.onPrompt();
    expect((await session.onCall(deploy())).kind).toBe("allow");
  });

  it.each([
    ["agent:agent", {}, "deny"],
    ["agent:other", {}, "allow"],
    ["channel:telegram", { channel: "telegram" }, "deny"],
    ["channel:telegram", { channel: "web" }, "allow"],
    ["user:u1", { user: "u1" }, "deny"],
    ["user:u1", { user: "u2" }, "allow"],
    ["user:u1", {}, "allow"],
  ])("HRD-3: a standing rule of %s, in a session with %j, leads to: %s", async (scope, options, kind) => {
    const { open, contracts, harden } = world();
    await harden({ scope });
    await contracts.change({ kind: "enforce-rule", id: "test-before-deploy" }, "op");
    expect((await open(options).onCall(deploy())).kind).toBe(kind);
  });

  it.each([
    ["INVALID_RULE", { text: "rules: [" }],
    ["INVALID_RULE", { text: "rules: []" }],
    ["INVALID_RULE", { text: `${DEPLOY_NEEDS_TEST}  - { id: b, on: x, effect: deny }\n` }],
    ["INVALID_RULE", { rule: "other" }],
    ["INVALID_SCOPE", { scope: "nowhere" }],
    ["INVALID_TIME", { until: "1970-01-01T00:00:00Z" }],
    ["CANDIDATE_NOT_FOUND", { from: "c_99" }],
  ])("HRD-4: adding a standing rule fails with %s for %j, and nothing is written", async (code, more) => {
    const { contracts, harden } = world();
    expect(await harden(more)).toMatchObject({ kind: "refused", code, fix: expect.stringMatching(/\w/) });
    expect((await contracts.state()).rules.size).toBe(0);
  });

  it("HRD-5: a standing rule records its candidate and promotes it, and its id must be unique", async () => {
    const { contracts, harden } = world();
    const proposed = await contracts.change(
      { kind: "propose", type: "start", text: "the tests before deploying", confidence: 0.8, evidence: ["e"] },
      "review",
    );
    if (proposed.kind === "refused" || proposed.candidate === undefined) throw new Error("not proposed");
    const { id } = proposed.candidate;
    expect(await harden({ from: id })).toMatchObject({ rule: { from: id }, candidate: { status: "promoted" } });
    expect(await harden()).toMatchObject({ code: "RULE_EXISTS" });
    expect((await contracts.contract({})).version).toBe(0);
  });

  it("HRD-6: an unreadable enforced rule denies every call with a fix; in shadow it is only reported", async () => {
    const { journal, entries } = testJournal();
    const rule = { id: "old", text: "nonsense: 1", scope: "global", createdAt: "2026-01-01T00:00:00.000Z" };
    const body = { rule: { ...rule, status: "enforced", since: rule.createdAt } };
    await journal.append(0, [{ at: 1, by: "op", kind: "rule-added", body }]);
    expect(entries).toHaveLength(1);
    const { open, events } = testConduct({ actions }, { governance: journal });
    const denied = await open().onCall(deploy());
    expect(denied).toMatchObject({
      kind: "deny",
      code: "policy-error",
      next: expect.stringContaining("rules remove old"),
    });
    const faults = events.flatMap((event) => (event.type === "fault" ? [event.fault] : []));
    expect(faults).toMatchObject([{ code: "standing-rule", message: expect.stringContaining("'old'") }]);
    await journal.append(1, [{ at: 2, by: "op", kind: "rule-shadowed", body: { id: "old" } }]);
    expect((await testConduct({ actions }, { governance: journal }).open().onCall(deploy())).kind).toBe("allow");
  });

  it("HRD-6b: rules that were never readable deny every call; later failures keep the last known rules in force", async () => {
    const { journal, state } = testJournal();
    const { open } = testConduct({ actions }, { governance: journal });
    state.broken = true;
    const session = open();
    await session.onMessage({ text: "go" });
    await session.onPrompt();
    expect(await session.onCall(deploy())).toMatchObject({ kind: "deny", code: "policy-error" });
    state.broken = false;
    await session.onMessage({ text: "go" });
    await session.onPrompt();
    expect((await session.onCall(deploy())).kind).toBe("allow");
    state.broken = true;
    await session.onMessage({ text: "go" });
    expect((await session.onCall(deploy())).kind).toBe("allow");
  });

  it("HRD-7: standing rules also apply to subagents and to sessions resumed from a snapshot", async () => {
    const { open, contracts, harden, journal } = world();
    await harden();
    const parent = open();
    await parent.onMessage({ text: "go" });
    const early = parent.child();
    expect((await early.onCall(deploy())).kind).toBe("allow");
    await contracts.change({ kind: "enforce-rule", id: "test-before-deploy" }, "op");
    await early.onMessage({ text: "and this" });
    expect((await early.onCall(deploy())).kind).toBe("deny");
    expect((await parent.child().onCall(deploy())).kind).toBe("deny");
    const snapshot = parent.serialise();
    const later = testConduct({ actions }, { governance: journal });
    const resumed = later.open({ snapshot });
    await resumed.onMessage({ text: "go on" });
    expect(await resumed.onCall(deploy())).toMatchObject({ kind: "deny", rule: "test-before-deploy" });
  });
});
