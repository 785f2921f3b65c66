import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AfterToolCallContext, BeforeToolCallContext } from "@earendil-works/pi-agent-core";
import { describe, expect, it } from "vitest";
import type { Decision } from "../../../../base/words/decision.ts";
import { blockOf, deliveredBlocks, usageNotice } from "../content.ts";
import { piToolMap, type ToolMap } from "./tool-map.ts";
import {
  answerTo,
  callIdOf,
  callInputOf,
  resultOf,
  rewriteArgs,
  startedNotice,
  stopReasonOf,
  withPrompt,
} from "./translate.ts";

type Recording = { readonly before: readonly BeforeToolCallContext[]; readonly after: readonly AfterToolCallContext[] };

function recorded(api: string): Recording {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../../pi/recorded", `${api}.json`), "utf8")) as Recording;
}

function last<T>(items: readonly T[]): T {
  const item = items.at(-1);
  if (item === undefined) throw new Error("the recording is empty");
  return item;
}

const denial: Decision = {
  kind: "deny",
  id: "d_1",
  rule: "sequential-dependency",
  code: "missing-prerequisite",
  reason: "Tool 'deploy' requires: test",
  missing: [],
  next: "Run test first.",
  others: [],
  attemptsLeft: 2,
  endTurn: false,
};

describe.each(["anthropic-messages", "openai-responses"])("what Pi's hooks really got over %s", (api) => {
  const { before, after } = recorded(api);

  it("calls come in the common vocabulary, under the model's ids, in one step", () => {
    const calls = before.map((context) => callInputOf(context, "step-1", piToolMap));
    expect(calls.map(({ id, tool, args, step }) => ({ id, tool, args, step }))).toEqual([
      { id: "call_read", tool: "read_file", args: { path: "a.txt" }, step: "step-1" },
      { id: "call_write", tool: "write_file", args: { path: "b.txt", content: "new\n" }, step: "step-1" },
      { id: "call_ok", tool: "shell", args: { command: "echo fine" }, step: "step-1" },
      { id: "call_failed", tool: "shell", args: { command: "echo broken; exit 3" }, step: "step-1" },
    ]);
    expect(calls[1]?.native).toEqual({ runtime: "pi", name: "write", input: { path: "@b.txt", content: "new\n" } });
  });

  it("results have their outcome, and the exit code where there is one", () => {
    const results = after.map((context) => resultOf(context, callInputOf(context, "step-1", piToolMap).tool, false));
    expect(results.map(({ outcome, exitCode }) => [outcome, exitCode])).toEqual([
      ["ok", undefined],
      ["ok", undefined],
      ["ok", undefined],
      ["failed", 3],
    ]);
    expect(results[0]?.parts).toEqual([{ kind: "text", text: "old\n" }]);
  });

  it("a failure of an aborted run is cancelled", () => {
    expect(resultOf(last(after), "shell", true).outcome).toBe("cancelled");
  });

  it("a result and its call have one id", () => {
    expect(after.map(callIdOf)).toEqual(before.map(callIdOf));
  });
});

describe("answers", () => {
  it("an allow lets the call run", () => {
    expect(answerTo({ kind: "allow", id: "d", advice: [] })).toBeUndefined();
  });

  it("a denial blocks with its reason, and only one that ends the turn terminates", () => {
    const answer = answerTo(denial);
    expect(answer).toMatchObject({ block: true });
    expect(answer?.reason).toContain("Denied by sequential-dependency: Tool 'deploy' requires: test");
    expect(answer).not.toHaveProperty("terminate");
    expect(answerTo({ ...denial, endTurn: true })).toMatchObject({ block: true, terminate: true });
  });

  it("a question nobody can answer now blocks, with the approval to wait for", () => {
    const ask = {
      kind: "ask",
      id: "d",
      rule: "r",
      approval: "a_1",
      question: "Deploy?",
      inputHash: "",
      expiresAt: 0,
    } as const;
    expect(answerTo(ask, "mind")?.reason).toMatch(/approval a_1 \(r\): Deploy\?[\s\S]*\n\nmind$/);
  });

  it("a result is replaced only when there is something to change", () => {
    const result = { outcome: "ok", parts: [{ kind: "text", text: "out" }] } as const;
    const advice = [{ rule: "r", text: "careful", level: "warn" }] as const;
    expect(deliveredBlocks([], { result, changed: false }, [])).toBeUndefined();
    expect(deliveredBlocks([], { result, changed: true, feedback: "fb" }, advice)).toEqual([
      { type: "text", text: "careful" },
      { type: "text", text: "out" },
      { type: "text", text: "fb" },
    ]);
  });

  it("every kind of part has a block", () => {
    const parts = [
      { kind: "json", value: { a: 1 } },
      { kind: "image", mime: "image/png", data: "AA==" },
      { kind: "bytes", bytes: new Uint8Array(3) },
    ] as const;
    expect(parts.map(blockOf)).toEqual([
      { type: "text", text: '{"a":1}' },
      { type: "image", data: "AA==", mimeType: "image/png" },
      { type: "text", text: "[3 bytes]" },
    ]);
  });
});

describe("prompt and notices", () => {
  const user = { role: "user", content: "hi", timestamp: 1 } as const;
  const head = { role: "system", content: [{ type: "text", text: "own" }], timestamp: 0 } as const;

  it.each([
    { title: "stands alone", messages: [user], system: "ours" },
    {
      title: "follows the application's own",
      messages: [{ ...head, content: [...head.content] }, user],
      system: "own\n\nours",
    },
    {
      title: "keeps the tools an empty head declares",
      messages: [{ ...head, content: "", toolsAdded: [] }, user],
      system: "ours",
    },
  ])("the prompt $title", ({ messages, system }) => {
    const [first, ...rest] = withPrompt(messages, "ours");
    expect(first).toMatchObject({ role: "system", content: system });
    expect(rest).toEqual([user]);
  });

  it("an empty prompt changes nothing", () => {
    expect(withPrompt([user], "")).toEqual([user]);
  });

  it("usage counts what was read from the cache, and says nothing when nothing is known", () => {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 };
    const usage = { input: 1, output: 2, cacheRead: 10, cacheWrite: 100, totalTokens: 113, cost };
    expect(usageNotice(usage)).toEqual({ kind: "usage", inputTokens: 111, outputTokens: 2, cost: 0.5 });
    const none = { ...usage, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: { ...cost, total: 0 } };
    expect(usageNotice(none)).toBeUndefined();
  });

  it("a model without a known window leaves the window to the agent's limits", () => {
    const model = { id: "m", provider: "p", contextWindow: 0 } as Parameters<typeof startedNotice>[0];
    expect(startedNotice(model)).toEqual({ kind: "started", adapter: "pi", model: "p/m" });
    expect(startedNotice({ ...model, contextWindow: 8 })).toMatchObject({ window: 8 });
  });

  it.each([
    ["stop", "end_turn"],
    ["length", "max_tokens"],
    ["toolUse", "tool_use"],
    ["aborted", "aborted"],
  ] as const)("stop reason %s is %s", (stopReason, reason) => {
    expect(stopReasonOf({ stopReason })).toBe(reason);
  });
});

describe("what rules make of a call in Pi", () => {
  const context = (args: Record<string, unknown>) => ({
    ...last(recorded("anthropic-messages").before),
    args,
    toolCall: { type: "toolCall" as const, id: "c", name: "bash", arguments: {} },
  });

  it("PI-R1 rewritten arguments are changed in place", () => {
    const args = { command: "make", timeout: 5 };
    const call = { id: "c", tool: "shell", args: { ...args } };
    expect(rewriteArgs(context(args), call, { command: "make -s" }, piToolMap)).toEqual([]);
    expect(args).toEqual({ command: "make -s" });
  });

  it("PI-R2 a rewrite of arguments hidden by the application's own tool map is reported, and nothing is changed", () => {
    const args = { cmd: "make" };
    const map: ToolMap = (_name, { cmd = "" }) => ({ tool: "shell", args: { command: cmd } });
    const call = { id: "c", tool: "shell", args: { command: "make" } };
    expect(rewriteArgs(context(args), call, { command: "make -s" }, map)).toEqual(["command"]);
    expect(args).toEqual({ cmd: "make" });
    expect(rewriteArgs({ ...context({}), args: "no object" }, call, { command: "x" }, map)).toEqual(["command"]);
  });

  it("PI-R3 requirements are read from the details of a result", () => {
    const { after } = recorded("anthropic-messages");
    const demand = { requireBeforeNext: ["verify_context"] };
    const done = last(after);
    const result = { ...done.result, details: { __directives: demand } };
    expect(resultOf({ ...done, result }, "desk/lookup", false).requirements).toEqual([demand]);
    expect(resultOf(done, "desk/lookup", false).requirements).toBeUndefined();
  });
});
