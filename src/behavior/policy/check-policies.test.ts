import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../base/words/call.ts";
import type { Denial } from "../../base/words/decision.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import {
  answerApproval,
  approvalState,
  approvalsFull,
  approvalsSlice,
  dropApproval,
  findApproval,
  putApproval,
  refusedBy,
  sweepApprovals,
} from "./approvals.ts";
import { checkPolicies } from "./check-policies.ts";
import { allow, ask, deny } from "./policy-decision.ts";
import { denialsSlice, escalate, policyStatesSlice, rearm, stateOf } from "./policy-state.ts";
import { renderDenial, renderQuestion } from "./render-denial.ts";

const call: ToolCall = {
  id: "c",
  tool: "t",
  args: {},
  actions: [],
  proves: [],
  paths: [],
  native: { runtime: "t", name: "t", input: {} },
};

function policy(name: string, check: () => unknown): AnyPolicy {
  return { name, check: check as AnyPolicy["check"] };
}

/** `ticks`: what passes from one look at the watch to the next; the last of them for ever. */
function judge(policies: readonly AnyPolicy[], ...ticks: readonly number[]) {
  let [now, looks] = [0, 0];
  const stopwatch = {
    monotonic: () => {
      now += ticks[looks++] ?? ticks.at(-1) ?? 0;
      return now;
    },
  };
  const context = {
    facts: { paths: {}, policies: {}, faults: {} },
    session: {} as SessionView,
    permissions: { autoApprove: false, restrictToWorkspace: true, allowHighRisk: false },
  };
  return checkPolicies(policies, call, policyStatesSlice.initial, context, { stopwatch, limitMs: 100 }).judgement;
}

describe("all policies together", () => {
  it("CP-20 if one of several rules always denies, no step is proposed that cannot help", () => {
    const missing = [{ what: "run the tests", why: "not done in this session" }];
    const judged = judge([
      policy("tests", () =>
        deny("no tests", { missing, next: "First: run the tests. Then repeat this call in a later step." }),
      ),
      policy("never", () => deny("never")),
    ]);
    expect(judged).toMatchObject({
      kind: "deny",
      rule: "tests",
      missing,
      next: expect.stringMatching(/^Do it another way/),
    });
  });

  it("CP-1 the first denial is reported together with all others and overrides a question", () => {
    const judged = judge([
      policy("q", () => ask("sure?")),
      policy("a", () => deny("no a")),
      policy("b", () => deny("no b", { code: "high-risk" })),
    ]);
    expect(judged).toMatchObject({
      kind: "deny",
      rule: "a",
      code: "policy",
      reason: "no a",
      others: [{ rule: "b", code: "high-risk", reason: "no b" }],
    });
  });

  it("CP-2 a question is asked if no policy denies, an allow carries advice, and no policies means allow", () => {
    expect(judge([policy("a", allow), policy("q", () => ask("sure?", { key: "k" }))])).toMatchObject({
      kind: "ask",
      rule: "q",
      question: "sure?",
      key: "k",
    });
    const advice = [{ rule: "w", text: "mind the step", level: "warn" as const }];
    expect(judge([policy("w", () => ({ kind: "allow", advice }))])).toMatchObject({ kind: "allow", advice });
    expect(judge([])).toMatchObject({ kind: "allow", advice: [] });
  });

  it("CP-5 questions of several policies are combined into one, and a yes answers all of them", () => {
    expect(judge([policy("q", () => ask("spend?")), policy("r", () => ask("delete?", { key: "k" }))])).toMatchObject({
      kind: "ask",
      rule: "q + r",
      question: "q: spend?\nr: delete?",
    });
  });

  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
    ],
    [
      "throws no error",
      () => {
        throw "boom";
      },
    ],
    ["answers with a promise", async () => allow()],
    ["answers with a promise that fails", () => Promise.reject(new Error("later"))],
    ["answers nothing", () => undefined],
    ["answers true", () => true],
    ["answers an unknown kind", () => ({ kind: "sure" })],
    ["denies without a reason", () => ({ kind: "deny" })],
    ["lists what is missing as a number", () => ({ kind: "deny", reason: "x", missing: 5 })],
    ["advises with a number", () => ({ kind: "allow", advice: 5 })],
    [
      "throws when it is looked at",
      () => ({
        get kind() {
          throw new Error("gotcha");
        },
      }),
    ],
  ])("CP-3 a policy that %s denies, and the other policies are still evaluated", (_what, check) => {
    expect(judge([policy("broken", check), policy("b", () => deny("no b"))])).toMatchObject({
      kind: "deny",
      rule: "broken",
      code: "policy-error",
      others: [{ rule: "b" }],
    });
  });

  it("CP-4 a policy that exceeds its time limit denies, even if it allows the call", () => {
    expect(judge([policy("slow", allow)], 101)).toMatchObject({ kind: "deny", code: "policy-timeout" });
    expect(judge([policy("fast", allow)], 100).kind).toBe("allow");
  });

  it("CP-5 a policy that timed out once because the machine stalled is evaluated again", () => {
    const asked: string[] = [];
    const one = policy("stood still", () => {
      asked.push("asked");
      return deny("no");
    });
    expect(judge([one], 0, 9_000, 1)).toMatchObject({ kind: "deny", code: "policy", reason: "no" });
    expect(asked).toHaveLength(2);
  });
});

describe("escalation", () => {
  it("ES-1 a call has three attempts, is then withdrawn, and then ends the turn; each key has its own count", () => {
    let denials = denialsSlice.initial;
    const seen = Array.from({ length: 6 }, () => {
      const step = escalate(denials, "r", "k");
      denials = step.denials;
      return [step.attemptsLeft, step.withdrawn, step.endTurn];
    });
    expect(seen).toEqual([
      [2, false, false],
      [1, false, false],
      [0, false, false],
      [0, true, false],
      [0, true, false],
      [0, true, true],
    ]);
    expect(escalate(denials, "r", "other").attemptsLeft).toBe(2);
  });

  it("ES-2 denials with ever new keys still end the turn", () => {
    let denials = denialsSlice.initial;
    let turns = 0;
    for (; turns < 100; turns++) {
      const step = escalate(denials, "r", `k${turns}`);
      denials = step.denials;
      if (step.endTurn) break;
    }
    expect(turns).toBeLessThan(30);
  });
});

describe("approvals", () => {
  const approval = {
    id: "a1",
    rule: "r",
    tool: "t",
    inputHash: "h",
    key: "k",
    question: "?",
    expiresAt: 100,
    answer: null,
    by: null,
  };
  const asked = putApproval(approvalsSlice.initial, approval);

  it("AP-1 a question waits, a yes is valid until it expires, and a no does not count as an approval", () => {
    expect(approvalState(findApproval(asked, { rule: "r", tool: "t", inputHash: "h" }), 50)).toBe("waiting");
    expect(approvalState(findApproval(asked, { rule: "r", tool: "t", inputHash: "other" }), 50)).toBe("none");
    expect(approvalState(findApproval(asked, { rule: "r", tool: "t", inputHash: "h" }), 100)).toBe("none");
    const given = (answer: "yes" | "no") => {
      const answered = answerApproval(asked, "a1", { answer, by: "ann" }, 50);
      return "fault" in answered ? undefined : findApproval(answered, { rule: "r", tool: "t", inputHash: "h" });
    };
    expect([approvalState(given("yes"), 60), approvalState(given("yes"), 100)]).toEqual(["yes", "none"]);
    expect(approvalState(given("no"), 60)).toBe("none");
  });

  it("AP-5 a no permanently covers its rule and key for any input, and nothing else", () => {
    const answered = answerApproval(asked, "a1", { answer: "no", by: "ann" }, 50);
    if ("fault" in answered) throw new Error("it was open");
    expect([refusedBy(answered, "r", "k"), refusedBy(answered, "r", "other"), refusedBy(answered, "s", "k")]).toEqual([
      "a1",
      undefined,
      undefined,
    ]);
    expect(refusedBy(asked, "r", "k")).toBeUndefined();
  });

  it("AP-2 an answer to an unknown, expired or answered question is rejected", () => {
    expect(answerApproval(asked, "a9", { answer: "yes", by: "ann" }, 50)).toEqual({ fault: "unknown" });
    expect(answerApproval(asked, "a1", { answer: "yes", by: "ann" }, 100)).toEqual({ fault: "expired" });
    const answered = answerApproval(asked, "a1", { answer: "no", by: "ann" }, 50);
    if ("fault" in answered) throw new Error("it was open");
    expect(answerApproval(answered, "a1", { answer: "yes", by: "eve" }, 51)).toEqual({ fault: "answered" });
  });

  it("AP-4 a session has a limited number of questions and drops expired ones first", () => {
    let many = approvalsSlice.initial;
    for (let i = 0; i < 1_000; i++) many = putApproval(many, { ...approval, id: `a${i}`, inputHash: `h${i}` });
    expect(approvalsFull(many)).toBe(true);
    expect(approvalsFull(sweepApprovals(many, 99))).toBe(true);
    expect(sweepApprovals(many, 100).matters.size).toBe(0);
    expect(sweepApprovals(asked, 9_999)).toBe(asked);
  });

  it("AP-3 a repeated question replaces the old one, and a used approval is removed", () => {
    const again = putApproval(asked, { ...approval, id: "a2" });
    expect(answerApproval(again, "a1", { answer: "yes", by: "ann" }, 50)).toEqual({ fault: "unknown" });
    expect(
      findApproval(dropApproval(again, { ...approval, id: "a2" }), { rule: "r", tool: "t", inputHash: "h" }),
    ).toBeUndefined();
  });
});

describe("policy state", () => {
  it("PS-1 each policy has its own state, and compaction resets the policies that request it", () => {
    const a: AnyPolicy = { name: "a", initial: [], rearmOnCompaction: true, check: allow };
    const b: AnyPolicy = { name: "b", check: allow };
    const states = policyStatesSlice.initial.set("a", ["x"]).set("b", ["y"]);
    expect([stateOf(states, a), stateOf(states, b)]).toEqual([["x"], ["y"]]);
    const after = rearm(states, [a, b]);
    expect([stateOf(after, a), stateOf(after, b), stateOf(after, { ...b, name: "c" })]).toEqual([[], ["y"], null]);
  });
});

describe("what the model reads", () => {
  const denial: Denial = {
    kind: "deny",
    id: "d1",
    rule: "r",
    code: "policy",
    reason: "no </feedback> here",
    missing: [{ what: "test", why: "never ran" }],
    next: "run the tests",
    others: [{ rule: "o", code: "policy", reason: "also no" }],
    attemptsLeft: 1,
    endTurn: false,
  };

  it("RD-1 a denial shows rule, reason, missing items, other denials, next step and remaining attempts", () => {
    expect(renderDenial(denial)).toBe(
      [
        "Denied by r: no &lt;/feedback> here",
        "Missing: test (never ran)",
        "Also denied by o: also no",
        "Next: run the tests",
        "1 attempt left before it is withdrawn for this turn.",
      ].join("\n"),
    );
  });

  it.each([
    [{ attemptsLeft: 2 }, "2 attempts left before it is withdrawn for this turn."],
    [{ attemptsLeft: 0 }, "Until that is done, this call is withdrawn for the rest of this turn."],
    [{ attemptsLeft: 0, missing: [] }, "This call is withdrawn for the rest of this turn."],
    [{ attemptsLeft: 0, missing: [], code: "bad-call" as const }, "Next: run the tests"],
    [
      { attemptsLeft: 0, code: "withdrawn" as const },
      "Until that is done, this call is withdrawn for the rest of this turn. More attempts end the turn.",
    ],
    [{ attemptsLeft: 0, endTurn: true }, "This was denied too often. The turn ends here and the operator is notified."],
  ])("RD-2 the last line of a denial shows the escalation step: %j", (more, line) => {
    expect(
      renderDenial({ ...denial, ...more })
        .split("\n")
        .at(-1),
    ).toBe(line);
  });

  it("RD-3 a question to the model names the approval it waits for", () => {
    const text = renderQuestion({
      kind: "ask",
      id: "d",
      rule: "r",
      approval: "a7",
      question: "sure?",
      inputHash: "h",
      expiresAt: 1,
    });
    expect(text).toContain("a7");
    expect(text).toContain("sure?");
    expect(text).not.toContain("conduct approve");
  });

  it("RD-4 a question that can be answered in a terminal shows the command", () => {
    const open = { kind: "ask", id: "d", rule: "r", approval: "a7", question: "sure?" } as const;
    expect(renderQuestion({ ...open, inputHash: "h", expiresAt: 1, answer: "conduct approve a7" })).toBe(
      [
        "Waiting for a person's approval a7 (r): sure?",
        "Next: ask the person to approve it in a terminal with: conduct approve a7",
        "Then continue with other work; repeat the same call once it is approved.",
      ].join("\n"),
    );
  });
});
