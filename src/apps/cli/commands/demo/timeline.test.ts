import { describe, expect, it } from "vitest";
import type { Decision } from "../../../../base/words/decision.ts";
import type { ConductEvent, EventBody } from "../../../../base/words/event.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { paintFor } from "../../line/terminal.ts";
import { timeline } from "./timeline.ts";

const base = { v: 1, id: "e", seq: 1, at: 0, session: "s", agent: "a", run: "r", turn: 1 } as const;
const layout = { columns: 80, paint: paintFor(false), timeOf: () => "14:02:00" };

function show(...bodies: readonly EventBody[]): readonly string[] {
  const lines = timeline(layout);
  return bodies.flatMap((body) => lines({ ...base, ...body } as ConductEvent));
}

function called(tool: string, args: JsonObject, decision: Decision): EventBody {
  const native = { runtime: "test", name: tool, input: args };
  return { type: "call", call: { id: "c", tool, args, actions: [], proves: ["x"], paths: [], native }, decision };
}

const allow: Decision = { kind: "allow", id: "d", advice: [] };

describe("timeline", () => {
  it("TL-1 an argument cannot control the terminal or break its line", () => {
    const [line, ...more] = show(called("shell", { command: "a\u001b[31m\nb\u202ec" }, allow));
    expect(more).toEqual([]);
    expect(line).toContain('shell "a [31m b c"');
  });

  it("TL-2 a long call is truncated, but its outcome never is", () => {
    const [line = ""] = show(called("shell", { command: "x".repeat(300) }, allow));
    expect(line).toMatch(/… {2}✓ allowed$/);
    expect(line.length).toBeLessThanOrEqual(80);
  });

  it("TL-3 the timeline marks a question, advice, a bypassed stop and a fault", () => {
    const ask: Decision = {
      kind: "ask",
      id: "d",
      rule: "r",
      approval: "a_1",
      question: "Sure?",
      inputHash: "",
      expiresAt: 1,
    };
    const advised: Decision = {
      ...allow,
      because: "elevated",
      advice: [{ rule: "r", text: "Mind the gap.", level: "warn" }],
    };
    const shown = show(
      called("pay", { amount: 3 }, ask),
      called("pay", {}, advised),
      { type: "stop", status: "bypassed", refusals: 1, bound: 5, why: "The deadline has passed." },
      { type: "fault", fault: { where: "policy x", code: "y", message: "it threw" } },
      { type: "notice", notice: { kind: "compacted" } },
    ).join("\n");
    expect(shown).toBe(`  14:02:00  ▸ call     pay {"amount":3}            ! asks   r   a_1
                       question   Sure?
  14:02:00  ▸ call     pay                         ✓ allowed, elevated
                       advice     ! Mind the gap.
  14:02:00  ■ stop     may it stop?                ! ended, bypassed
                       because    The deadline has passed.
                       fault      ! policy x: it threw`);
  });

  it("TL-4 a rule that does not fit next to its call is printed on a separate line", () => {
    const deny: Decision = {
      kind: "deny",
      id: "d_1",
      rule: "a-rule-with-a-rather-long-name",
      code: "policy",
      reason: "No.",
      missing: [],
      next: "Ask.",
      others: [{ rule: "other", code: "policy", reason: "Neither." }],
      attemptsLeft: 0,
      endTurn: false,
    };
    expect(show(called("shell", { command: "npm run deploy" }, deny)).slice(1)).toEqual([
      "                       rule       a-rule-with-a-rather-long-name d_1",
      "                       because    No.",
      "                       also       other: Neither.",
      "                       next       Ask.",
    ]);
  });

  it("TL-5 a failed result proves nothing, and a successful one shows what it proves", () => {
    const result = { type: "result", call: "c", tool: "shell", truncation: [], feedback: [] } as const;
    const [, failed, ok] = show(
      called("shell", {}, allow),
      { ...result, outcome: "failed" },
      { ...result, outcome: "ok" },
    );
    expect(failed).toContain("✗ failed · proves nothing");
    expect(ok).toContain("✓ ok · proves x");
  });

  it("TL-6 a feedback that takes several lines has its colour on each of them", () => {
    const summary = "The same call failed three times, and the reason has not changed in any of the attempts.";
    const feedback = [{ providerName: "repeats", summary, suggestions: [], severity: "warning" }];
    const result = { type: "result", call: "c", tool: "shell", outcome: "failed", truncation: [], feedback };
    const lines = timeline({ columns: 80, paint: paintFor(true), timeOf: () => "11:00:00" })({
      ...base,
      ...result,
    } as unknown as ConductEvent);
    const coloured = lines.slice(1);
    expect(coloured.length).toBe(3);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the start and the end of amber.
    for (const line of coloured) expect(line).toMatch(/\u001b\[33m\S.*\S\u001b\[39m$/);
  });
});
