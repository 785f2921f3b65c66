import { describe, expect, it } from "vitest";
import type { Denial } from "../../../base/words/decision.ts";
import { refusalOf } from "../shared/refusals.ts";
import { REASON_BYTES } from "./hooks-json.ts";
import {
  answerAllow,
  answerFailure,
  answerPrompt,
  answerReply,
  answerResult,
  answerStop,
  denial,
  fitReason,
  withShown,
} from "./translate.ts";

const deny: Denial = {
  kind: "deny",
  id: "d_1",
  rule: "r",
  code: "policy",
  reason: "No.",
  missing: [],
  next: "Stop.",
  others: [],
  attemptsLeft: 2,
  endTurn: false,
};

const refused = denial(refusalOf(deny));

describe("the answer to a call", () => {
  it("a denial ends without a full stop, because Codex adds one", () => {
    const { hookSpecificOutput } = refused;
    expect(hookSpecificOutput?.permissionDecision).toBe("deny");
    expect(hookSpecificOutput?.permissionDecisionReason).toMatch(/^Denied by r: No\.\nNext: Stop\.\n.*this turn$/s);
  });

  it("a question is a denial: Codex would run the tool on ask", () => {
    const ask = {
      kind: "ask",
      id: "d",
      rule: "r",
      approval: "a_1",
      question: "May I?",
      inputHash: "h",
      expiresAt: 1,
    } as const;
    const { hookSpecificOutput } = denial(refusalOf(ask));
    expect(hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
    expect(hookSpecificOutput?.permissionDecisionReason).toContain("a_1");
  });

  it("an allow says nothing, or its advice and what is owed", () => {
    expect(answerAllow([])).toEqual({});
    expect(answerAllow(["Mind.", "<feedback>"])).toEqual({
      hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "Mind.\n\n<feedback>" },
    });
  });
});

describe("answerResult", () => {
  const result = { outcome: "failed", exitCode: 3, parts: [{ kind: "text", text: "cut" }] } as const;

  it("a result that was left as it is passes untouched", () => {
    expect(answerResult({ result, changed: false }, { codeMode: false })).toEqual({});
  });

  it("a changed result replaces Codex' own, with the status that would be lost", () => {
    const answer = answerResult({ result, changed: true, feedback: "F" }, { codeMode: false });
    expect(answer).toEqual({
      decision: "block",
      reason: "Process exited with code 3\ncut",
      hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "F" },
    });
  });

  it("in code mode only feedback is given", () => {
    const answer = answerResult({ result, changed: true, feedback: "F" }, { codeMode: true, riders: ["owed"] });
    expect(answer).toEqual({
      hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "owed\n\nF" },
    });
  });

  it("a result with nothing left still replaces", () => {
    const empty = { outcome: "ok", parts: [] } as const;
    expect(answerResult({ result: empty, changed: true }, { codeMode: false }).reason).toBe("(no output)");
  });
});

describe("answerStop", () => {
  it("refuses with the feedback, lets go without a word, and tells the person how it ended", () => {
    expect(answerStop({ done: false, feedback: "Write it." })).toEqual({ decision: "block", reason: "Write it." });
    expect(answerStop({ done: true, status: "complete" })).toEqual({});
    expect(answerStop({ done: true, status: "incomplete" }).systemMessage).toContain("incomplete");
  });
});

describe("answerPrompt", () => {
  it("refuses a prompt that Codex would cut", () => {
    expect(answerPrompt("UserPromptSubmit", [undefined, ""])).toEqual({});
    expect(() => answerPrompt("UserPromptSubmit", ["x".repeat(200_001)])).toThrow("200001 bytes");
  });
});

describe("what is for the person", () => {
  it("K11: a reply blocks the message, with the notes before it", () => {
    expect(answerReply(["Not elevated.", "think: on"])).toEqual({
      decision: "block",
      reason: "Not elevated.\n\nthink: on",
    });
  });

  it("K17: notes and debug lines are added to any answer, and change nothing else in it", () => {
    expect(withShown(refused, undefined)).toEqual(refused);
    expect(withShown(refused, "[DEBUG] a")).toEqual({ ...refused, systemMessage: "[DEBUG] a" });
    const stopped = answerStop({ done: true, status: "incomplete" });
    expect(withShown(stopped, "b", "c").systemMessage).toBe(`${stopped.systemMessage}\n\nb\n\nc`);
  });
});

describe("answerFailure", () => {
  it.each([
    ["PreToolUse", "permissionDecision"],
    ["PostToolUse", '"decision":"block"'],
    ["UserPromptSubmit", '"decision":"block"'],
    ["Stop", "systemMessage"],
    ["SessionStart", "systemMessage"],
  ])("%s is answered with %s", (event, part) => {
    expect(JSON.stringify(answerFailure(event, "boom"))).toContain(part);
    expect(JSON.stringify(answerFailure(event, "boom"))).toContain("boom");
  });
});

describe("fitReason", () => {
  it("keeps the start and the last paragraph, in whole characters, and says where it left off", () => {
    const text = `${"é€😀".repeat(3_000)}\n\n[notice]`;
    const fitted = fitReason(text, (shown) => `[from ${shown}]`);
    const [head = "", rest] = fitted.split("\n\n[from ");
    expect(Buffer.byteLength(fitted)).toBeLessThanOrEqual(REASON_BYTES);
    expect(Buffer.byteLength(fitted)).toBeGreaterThan(REASON_BYTES - 20);
    expect(rest).toBe(`${head.length}]\n\n[notice]`);
    expect(text.startsWith(head)).toBe(true);
  });

  it("leaves what fits, and cuts a last paragraph that is too long itself", () => {
    expect(fitReason("short")).toBe("short");
    expect(Buffer.byteLength(fitReason(`a\n\n${"x".repeat(20_000)}`))).toBeLessThanOrEqual(REASON_BYTES);
  });
});
