import { createSdkMcpServer, type HookJSONOutput, tool as mcpTool, type Options } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it } from "vitest";
import type { ToolPolicy } from "../../src/base/words/policy.ts";
import { FileOutputChecker } from "../../src/behavior/completion/file-output-checker.ts";
import { ReadBeforeWritePolicy } from "../../src/behavior/policy/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../src/behavior/policy/sequential-dependency-policy.ts";
import { type AgentInput, defineAgent } from "../../src/engine/agent/define-agent.ts";
import type { KitCall, KitRun } from "../../src/testing/kit/driver.ts";
import { decisionsOn, resultOf, stops } from "../../src/testing/kit/expect.ts";
import { type ClaudeOutcome, type ClaudeRunOptions, runClaude } from "./driver.ts";

const shell = (id: string, command: string): KitCall => ({ id, tool: "shell", args: { command } });
const release: Partial<AgentInput> = {
  actions: { test: { tool: "shell", command: "sh test.sh" }, deploy: { tool: "shell", command: "sh deploy.sh" } },
  policies: [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
};
const scripts = { "deploy.sh": "echo deployed > deployed.txt; echo deployed", "test.sh": "echo all green" };
const asking: ToolPolicy = {
  name: "careful",
  check: (call) => (call.tool === "shell" ? { kind: "ask", question: "May it run this?" } : { kind: "allow" }),
};

function play(agent: Partial<AgentInput>, run: Partial<KitRun>, more: ClaudeRunOptions = {}): Promise<ClaudeOutcome> {
  return runClaude({ message: "go", script: [], ...run, agent: defineAgent({ name: "kit", ...agent }) }, more);
}
function outcomes(outcome: ClaudeOutcome): readonly string[] {
  return outcome.events.flatMap((event) => (event.type === "result" ? [`${event.call} ${event.outcome}`] : []));
}

describe("fails closed", () => {
  it("a session that throws on a call blocks it, and says why", async () => {
    const outcome = await play(
      {},
      { script: [{ calls: [shell("call_1", "touch ran.txt")] }, { text: "Blocked." }] },
      { prepare: (session) => Object.assign(session, { onCall: () => Promise.reject(new Error("store is gone")) }) },
    );
    expect(resultOf(outcome, "call_1")).toContain("could not be checked (store is gone)");
    expect(outcome.file("ran.txt")).toBeUndefined();
  });

  it("a session that throws on a result withholds it", async () => {
    const outcome = await play(
      {},
      { script: [{ calls: [shell("call_1", "echo SECRET")] }, { text: "Nothing." }] },
      { prepare: (session) => Object.assign(session, { onResult: () => Promise.reject(new Error("no disk")) }) },
    );
    expect(resultOf(outcome, "call_1")).toContain("Conduct withheld this result");
    expect(resultOf(outcome, "call_1")).not.toContain("SECRET");
  });

  it("a session that throws on a message stops the turn before the model is asked", async () => {
    const outcome = await play(
      {},
      { script: [{ text: "Never said." }] },
      { prepare: (session) => Object.assign(session, { onMessage: () => Promise.reject(new Error("gone")) }) },
    );
    expect(outcome.requests).toHaveLength(0);
  });

  it("a stop that cannot be checked is refused once", async () => {
    const outcome = await play(
      {},
      { script: [{ text: "Done." }, { text: "Done again." }] },
      { prepare: (session) => Object.assign(session, { onStop: () => Promise.reject(new Error("gone")) }) },
    );
    expect(outcome.requests).toHaveLength(2);
    expect(outcome.requests[1]?.raw).toContain("could not be checked whether the work is complete");
  });

  it("project settings cannot switch the hooks off", async () => {
    const settings = JSON.stringify({ disableAllHooks: true, hooks: {} });
    const outcome = await play(
      release,
      {
        files: { ...scripts, ".claude/settings.json": settings, ".claude/settings.local.json": settings },
        script: [{ calls: [shell("call_1", "sh deploy.sh")] }, { text: "No." }],
      },
      { options: { settingSources: ["user", "project", "local"] } },
    );
    expect(resultOf(outcome, "call_1")).toContain("requires: test");
    expect(outcome.file("deployed.txt")).toBeUndefined();
  });
});

describe("denials and questions", () => {
  it("the denial that ends the turn does: the model is not asked again", async () => {
    const again = Array.from({ length: 12 }, (_, i) => ({ calls: [shell(`call_${i + 1}`, "sh deploy.sh")] }));
    const outcome = await play(release, { files: scripts, script: again });
    const denials = outcome.events.flatMap((event) =>
      event.type === "call" && event.decision.kind === "deny" ? [event.decision.endTurn] : [],
    );
    expect(denials.at(-1)).toBe(true);
    expect(denials.filter((ends) => ends)).toHaveLength(1);
    expect(outcome.requests).toHaveLength(denials.length);
    expect(outcome.messages.at(-1)).toMatchObject({ type: "result", stop_reason: "tool_use" });
  });

  it("with nobody to ask a question denies, and stays open", async () => {
    const outcome = await play(
      { policies: [asking] },
      {
        script: [
          { calls: [shell("call_1", "touch ran.txt")] },
          { calls: [shell("call_2", "touch ran.txt")] },
          { text: "No." },
        ],
      },
    );
    expect(resultOf(outcome, "call_1")).toContain("Waiting for a person's approval");
    expect(decisionsOn(outcome, "call_2")).toEqual(["ask"]);
    expect(outcome.file("ran.txt")).toBeUndefined();
  });

  it("a person's yes runs the call once, a no holds for the session", async () => {
    const asked: string[] = [];
    const canUseTool: NonNullable<Options["canUseTool"]> = async (_tool, input, { decisionReason }) => {
      asked.push(decisionReason ?? "");
      return input.command === "touch no.txt" ? { behavior: "deny", message: "not today" } : { behavior: "allow" };
    };
    const calls = ["touch yes.txt", "touch no.txt", "touch no.txt"].map((command, i) => ({
      calls: [shell(`call_${i}`, command)],
    }));
    const outcome = await play(
      { policies: [asking] },
      { script: [...calls, { text: "Done." }] },
      { options: { canUseTool, allowedTools: [] } },
    );
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain("May it run this?");
    expect(outcomes(outcome)).toEqual(["call_0 ok", "call_1 denied"]);
    expect(outcome.file("yes.txt")).toBe("");
    expect(resultOf(outcome, "call_2")).toContain("A person has said no");
  });

  it("an allow grants nothing: the runtime's own rules still refuse, and that proves nothing", async () => {
    const outcome = await play(
      release,
      {
        files: scripts,
        script: [
          { calls: [shell("call_1", "sh test.sh")] },
          { calls: [shell("call_2", "sh deploy.sh")] },
          { text: "No." },
        ],
      },
      { options: { allowedTools: ["Read"] } },
    );
    expect(outcomes(outcome)).toEqual(["call_1 denied"]);
    expect(resultOf(outcome, "call_2")).toContain("requires: test");
  });
});

describe("the host's own hooks", () => {
  it("run beside Conduct's", async () => {
    const seen: string[] = [];
    const hook = async (input: { hook_event_name: string }): Promise<HookJSONOutput> => {
      seen.push(input.hook_event_name);
      return {};
    };
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [hook] }], Stop: [{ hooks: [hook] }] };
    const outcome = await play(
      release,
      { files: scripts, script: [{ calls: [shell("call_1", "sh deploy.sh")] }, { text: "No." }] },
      { options: { hooks } },
    );
    expect(seen).toEqual(["PreToolUse", "Stop"]);
    expect(resultOf(outcome, "call_1")).toContain("requires: test");
  });

  it("an input that another hook rewrites after the decision proves nothing", async () => {
    const rewrite = async (): Promise<HookJSONOutput> => ({
      hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "echo something else" } },
    });
    const outcome = await play(
      release,
      { files: scripts, script: [{ calls: [shell("call_1", "sh test.sh")] }, { text: "Done." }] },
      { options: { hooks: { PreToolUse: [{ hooks: [rewrite] }] } } },
    );
    expect(resultOf(outcome, "call_1")).toBe("something else");
    expect(outcomes(outcome)).toEqual(["call_1 unknown"]);
  });
});

describe("outcomes that the runtime reports as success", () => {
  it.each([
    { command: "sh test.sh", background: true, ends: "unknown" },
    { command: "grep nothing test.sh", background: false, ends: "failed" },
    { command: "sh test.sh", background: false, ends: "ok" },
  ])("$command (background: $background) is $ends", async ({ command, background, ends }) => {
    const input = { command, ...(background ? { run_in_background: true } : {}) };
    const outcome = await play(
      {},
      { files: scripts },
      {
        script: () => (request) =>
          request.results.length === 0 ? { calls: [{ id: "call_1", name: "Bash", input }] } : { text: "Done." },
      },
    );
    expect(outcomes(outcome)).toEqual([`call_1 ${ends}`]);
    // The notice that a background task has ended comes as a prompt, and is nobody's message.
    expect(outcome.events.filter(({ type }) => type === "message")).toHaveLength(1);
  });
});

describe("results are shortened in the shape that the runtime accepts", () => {
  const long = Array.from({ length: 900 }, (_, i) => `line ${i + 1}: fox ${i * 7919}`).join("\n");
  const server = () =>
    createSdkMcpServer({
      name: "notes",
      tools: [
        mcpTool("text", "d", {}, async () => ({ content: [{ type: "text", text: long }] })),
        mcpTool("data", "d", {}, async () => ({ content: [{ type: "text", text: "x" }], structuredContent: { long } })),
      ],
      alwaysLoad: true,
    });
  const files = {
    "big.txt": long,
    ...Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`${"n".repeat(90)}${i}.txt`, "x"])),
  };
  it.each([
    { name: "Read", input: (at: string) => ({ file_path: `${at}/big.txt` }) },
    { name: "Grep", input: () => ({ pattern: "fox", output_mode: "content", head_limit: 0 }) },
    { name: "Glob", input: () => ({ pattern: "*" }) },
    { name: "Bash", input: () => ({ command: "cat big.txt" }) },
    { name: "Bash", input: () => ({ command: "cat big.txt big.txt big.txt" }) },
    { name: "mcp__notes__text", input: () => ({}) },
    { name: "mcp__notes__data", input: () => ({}) },
  ])("$name", async ({ name, input }) => {
    const outcome = await play(
      { limits: { window: 4_000 } },
      { files },
      {
        options: { mcpServers: { notes: server() }, allowedTools: ["Read", "Grep", "Glob", "Bash", "mcp__notes"] },
        script: (at) => [{ calls: [{ id: "call_1", name, input: input(at) }] }, { text: "Long." }],
      },
    );
    const text = resultOf(outcome, "call_1");
    expect(text).toContain("⚠️ [Output truncated: ");
    expect(text).not.toContain("persisted-output");
    expect(text.length).toBeLessThan(5_000);
  });

  it("a replacement of another shape is silently ignored: why each tool has its own", async () => {
    const wrong = async (): Promise<HookJSONOutput> => ({
      hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: "short" },
    });
    const outcome = await play(
      {},
      { script: [{ calls: [shell("call_1", "echo original")] }, { text: "Done." }] },
      { options: { hooks: { PostToolUse: [{ hooks: [wrong] }] } } },
    );
    expect(resultOf(outcome, "call_1")).toBe("original");
  });

  it("a failing command's output cannot be replaced; the runtime cuts it at 10,000 characters", async () => {
    const outcome = await play(
      { limits: { window: 4_000 } },
      { files, script: [{ calls: [shell("call_1", "cat big.txt; exit 1")] }, { text: "Failed." }] },
    );
    expect(resultOf(outcome, "call_1")).not.toContain("⚠️ [Output truncated: ");
    expect(resultOf(outcome, "call_1").length).toBeLessThan(10_100);
  });
});

describe("subagents", () => {
  const task = (id: string, background: boolean) => ({
    id,
    name: "Agent",
    input: { description: "d", prompt: "do it", subagent_type: "general-purpose", run_in_background: background },
  });
  const bash = (id: string, command: string) => ({ id, name: "Bash", input: { command } });

  it("are gated and told the same, in a session of their own; what they prove is not their parent's", async () => {
    const outcome = await play(
      { ...release, sections: [{ heading: "Task", content: "Marker SUB-41C." }] },
      { files: scripts },
      {
        script: () => (request) => {
          const done = request.results.length;
          if (request.kind === "subagent") {
            const steps = [bash("sub_1", "sh deploy.sh"), bash("sub_2", "sh test.sh")];
            const next = steps[done];
            return next === undefined ? { text: "tested" } : { calls: [next] };
          }
          const steps = [task("main_1", false), bash("main_2", "sh deploy.sh")];
          const next = steps[done];
          return next === undefined ? { text: "Done." } : { calls: [next] };
        },
      },
    );
    const sub = outcome.modelRequests.filter(({ kind }) => kind === "subagent");
    expect(sub[0]?.raw).toContain("SUB-41C");
    expect(resultOf(outcome, "sub_1")).toContain("requires: test");
    expect(resultOf(outcome, "main_2")).toContain("requires: test");
    const children = outcome.events.filter(({ parent }) => parent !== undefined);
    expect(children.flatMap((event) => (event.type === "call" ? [event.call.id] : []))).toEqual(["sub_1", "sub_2"]);
    expect(outcomes(outcome)).toEqual(["sub_2 ok", "main_1 ok"]);
  });

  it("can page through their own shortened results", async () => {
    const outcome = await play(
      { limits: { window: 4_000 } },
      { files: { "big.txt": Array.from({ length: 900 }, (_, i) => `line ${i + 1}: fox ${i * 7919}`).join("\n") } },
      {
        script: () => (request) => {
          if (request.kind !== "subagent")
            return request.results.length === 0 ? { calls: [task("main_1", false)] } : { text: "Done." };
          if (request.results.length === 0) return { calls: [bash("sub_1", "cat big.txt")] };
          if (request.results.length > 1) return { text: "read" };
          const handle = /handle "?(r_[\w-]+)|"handle":"(r_[\w-]+)"/.exec(request.results[0]?.text ?? "");
          const input = { handle: handle?.[1] ?? handle?.[2] ?? "none", offset: 0 };
          return { calls: [{ id: "sub_2", name: "mcp__conduct__read_result", input }] };
        },
      },
    );
    expect(resultOf(outcome, "sub_2")).toContain("line 1: fox");
  });

  it("a stop that only waits for one is a pause; the last stop is the one that is checked", async () => {
    let finish = () => {};
    const paused = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const outcome = await play(
      { completion: new FileOutputChecker({ files: ["output.txt"] }) },
      {},
      {
        options: {
          hooks: {
            Stop: [
              {
                hooks: [
                  async () => {
                    finish();
                    return {};
                  },
                ],
              },
            ],
          },
        },
        script: () => async (request) => {
          if (request.kind === "subagent") {
            if (request.results.length > 0) return { text: "written" };
            await paused;
            return { calls: [bash("sub_1", "echo x > output.txt")] };
          }
          return request.results.length === 0 ? { calls: [task("main_1", true)] } : { text: "Waiting, or done." };
        },
      },
    );
    expect(stops(outcome)).toEqual(["complete"]);
  });
});

describe("the session", () => {
  it("forgets what was read when the conversation is compacted", async () => {
    const say = (content: string) =>
      ({ type: "user", parent_tool_use_id: null, message: { role: "user", content } }) as const;
    let answered = () => {};
    let next = new Promise<void>((resolve) => {
      answered = resolve;
    });
    async function* prompt() {
      yield say("read it");
      await next;
      yield say("/compact");
      yield say("now write it");
    }
    const outcome = await play(
      { policies: [new ReadBeforeWritePolicy()] },
      { files: { "a.txt": "old\n" } },
      {
        prompt: prompt(),
        script: (at) => [
          { calls: [{ id: "call_1", name: "Read", input: { file_path: `${at}/a.txt` } }] },
          () => {
            answered();
            next = Promise.resolve();
            return { text: "Read." };
          },
          { calls: [{ id: "call_2", name: "Write", input: { file_path: `${at}/a.txt`, content: "new\n" } }] },
          { text: "No." },
        ],
      },
    );
    expect(outcome.events.some((event) => event.type === "notice" && event.notice.kind === "compacted")).toBe(true);
    expect(resultOf(outcome, "call_2")).toContain("must be read before overwriting");
    expect(outcome.file("a.txt")).toBe("old\n");
  });

  it("is told of tokens, cost, the reply and the end", async () => {
    const outcome = await play({}, { script: [{ calls: [shell("call_1", "echo hi")] }, { text: "Hello." }] });
    const notices = outcome.events.flatMap((event) => (event.type === "notice" ? [event] : []));
    expect(notices.map(({ notice }) => notice.kind)).toEqual([
      "started",
      "usage",
      "step-closed",
      "usage",
      "usage",
      "reply",
      "ended",
    ]);
    expect(notices.findLast(({ usage }) => usage !== undefined)?.usage).toMatchObject({
      inputTokens: 20,
      outputTokens: 10,
      calls: 1,
    });
  });

  it.each([
    { given: undefined, has: [] },
    { given: "HOST-TEXT", has: ["HOST-TEXT"] },
    {
      given: { type: "preset", preset: "claude_code", append: "HOST-TEXT" } as const,
      has: ["HOST-TEXT", "Claude Code"],
    },
  ])("its prompt joins the host's: $given", async ({ given, has }) => {
    const outcome = await play(
      { sections: [{ heading: "Task", content: "Marker OWN-9B." }] },
      { script: [{ text: "Hi." }] },
      { options: given === undefined ? {} : { systemPrompt: given } },
    );
    const system = JSON.stringify(outcome.modelRequests[0]?.body.system);
    for (const text of ["OWN-9B", ...has]) expect(system).toContain(text);
  });
});
