import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRequests, type Requests } from "./requests.ts";

const CONFIG = `agents:
  release:
    actions:
      test: { tool: shell, command: sh test.sh }
      deploy: { tool: shell, command: sh deploy.sh }
    policies: [{ sequential: { deploy: [test] } }]
    completion: { files: [out.txt] }
    rules: [{ id: quiet, on: shell, when: 'args.command == "sh loud.sh"', set: { command: sh quiet.sh } }]
`;

let root = "";
let requests: Requests;
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-hooks-")));
  for (const folder of ["home", "work"]) mkdirSync(join(root, folder), { mode: 0o700 });
  writeFileSync(join(root, "home/conduct.yaml"), CONFIG);
  requests = await openRequests(join(root, "home"), {});
});
afterEach(async () => {
  await requests.close();
  rmSync(root, { recursive: true, force: true });
});

type Answer = Readonly<Record<string, unknown>>;

/** The events of one session, as the hook command sends them. */
function sessionOf(runtime: "gemini" | "copilot", id: string) {
  let time = 1_000;
  const send = async (event: object): Promise<Answer> =>
    (await requests.handle({ conduct_hook: runtime, cwd: join(root, "work"), ...event })) as Answer;
  const gemini = (hook_event_name: string, more: object) => send({ session_id: id, hook_event_name, ...more });
  const copilot = (conduct_event: string, more: object) => {
    time += 10;
    return send({ sessionId: id, conduct_event, timestamp: time, ...more });
  };
  const text = (command: string, code: number) =>
    `<untrusted_context>\nOutput: ${command}${code === 0 ? "" : `\nExit Code: ${code}`}\nProcess Group PGID: 7\n</untrusted_context>`;
  if (runtime === "gemini")
    return {
      say: (prompt: string) => gemini("BeforeAgent", { prompt }),
      ask: (command: string) => gemini("BeforeTool", { tool_name: "run_shell_command", tool_input: { command } }),
      end: (command: string, code: number) =>
        gemini("AfterTool", {
          tool_name: "run_shell_command",
          tool_input: { command },
          tool_response: { llmContent: text(command, code) },
        }),
      step: () => gemini("BeforeModel", { llm_request: { messages: [{ role: "user", content: "hello" }] } }),
      stop: () => gemini("AfterAgent", { prompt_response: "Done." }),
      own: (tool: string, input: object) =>
        gemini("BeforeTool", {
          tool_name: `mcp_conduct_${tool}`,
          tool_input: input,
          mcp_context: { server_name: "conduct", tool_name: tool },
        }),
    };
  const use = (command: string) => ({ toolName: "bash", toolArgs: { command, description: "x" } });
  return {
    say: (prompt: string) => copilot("userPromptSubmitted", { prompt }),
    ask: (command: string) => copilot("preToolUse", use(command)),
    end: (command: string, code: number) =>
      copilot("postToolUse", {
        ...use(command),
        toolResult: { resultType: "success", textResultForLlm: `x\n<shellId: 0 completed with exit code ${code}>` },
      }),
    step: async () => ({}) as Answer,
    stop: () => copilot("agentStop", {}),
    own: (tool: string, input: object) => copilot("preToolUse", { toolName: `conduct-${tool}`, toolArgs: input }),
  };
}

const isDenied = (answer: Answer) => answer.decision === "deny" || answer.permissionDecision === "deny";

describe.each(["gemini", "copilot"] as const)("the hooks of %s", (runtime) => {
  it("CMH-1 a call is denied with its reason, and allowed once the evidence is there", async () => {
    const session = sessionOf(runtime, "s1");
    await session.say("go");
    await session.step();
    const denied = await session.ask("sh deploy.sh");
    expect(isDenied(denied)).toBe(true);
    expect(JSON.stringify(denied)).toContain("requires: test");
    expect(isDenied(await session.ask("sh test.sh"))).toBe(false);
    await session.end("sh test.sh", 0);
    await session.step();
    expect(isDenied(await session.ask("sh deploy.sh"))).toBe(false);
  });

  it("CMH-2 a failing command, and a result that nobody decided on, prove nothing", async () => {
    const session = sessionOf(runtime, "s2");
    await session.say("go");
    await session.ask("sh test.sh");
    await session.end("sh test.sh", 3);
    await session.step();
    expect(isDenied(await session.ask("sh deploy.sh"))).toBe(true);
    await session.end("sh test.sh", 0);
    await session.step();
    expect(isDenied(await session.ask("sh deploy.sh"))).toBe(true);
  });

  it("CMH-3 a rewritten call is answered with its whole input, and its result is recognised", async () => {
    const session = sessionOf(runtime, "s3");
    await session.say("go");
    const { hookSpecificOutput, modifiedArgs } = await session.ask("sh loud.sh");
    expect(hookSpecificOutput ?? modifiedArgs).toMatchObject(
      runtime === "gemini" ? { tool_input: { command: "sh quiet.sh" } } : { command: "sh quiet.sh", description: "x" },
    );
  });

  it("CMH-4 a refused stop comes back as a message, which is not a person's", async () => {
    const session = sessionOf(runtime, "s4");
    await session.say("go");
    const { decision, reason } = await session.stop();
    expect(decision).toMatch(/deny|block/);
    expect(reason).toContain("out.txt");
    expect(await session.say(String(reason))).toEqual({});
    writeFileSync(join(root, "work/out.txt"), "x");
    expect((await session.stop()).decision).toBeUndefined();
  });

  it("CMH-5 a message with only modes is blocked with Conduct's answer", async () => {
    const { decision, reason } = await sessionOf(runtime, "s5").say("/verbose on");
    expect(decision).toMatch(/deny|block/);
    expect(reason).toContain("verbose: on");
  });

  it("CMH-6 one of Conduct's tools runs only for the one session whose call was allowed", async () => {
    const input = { text: "The dock is gate 9." };
    const call = () => requests.handle({ conduct_hook: runtime, conduct_tool: "save_memory", arguments: input });
    expect(await call()).toMatchObject({ isError: true, text: "Conduct has not allowed this call." });
    const [first, second] = [sessionOf(runtime, "s6"), sessionOf(runtime, "s7")];
    await first.say("go");
    await first.own("save_memory", input);
    expect(await call()).toMatchObject({ isError: false });
    await second.say("go");
    await second.own("save_memory", input);
    expect(await call()).toMatchObject({ isError: true, text: expect.stringContaining("Two sessions") });
  });

  it("CMH-7 the prompt reaches the model, and state survives a restart of the daemon", async () => {
    const session = sessionOf(runtime, "s8");
    const [said, asked] = [await session.say("go"), await session.step()];
    expect(JSON.stringify(runtime === "gemini" ? asked : said)).toContain("## Runtime");
    await session.ask("sh test.sh");
    await requests.close();
    requests = await openRequests(join(root, "home"), {});
    await session.end("sh test.sh", 0);
    await session.step();
    expect(isDenied(await session.ask("sh deploy.sh"))).toBe(false);
  });

  it("CMH-8 an unreadable event blocks, and so does a broken configuration", async () => {
    expect(isDenied((await requests.handle({ conduct_hook: runtime })) as Answer)).toBe(true);
    writeFileSync(join(root, "home/conduct.yaml"), "agents: [\n");
    expect(isDenied(await sessionOf(runtime, "s9").ask("ls"))).toBe(true);
  });
});

it("CMH-9 a Copilot subagent is a child session with its own evidence", async () => {
  const parent = sessionOf("copilot", "p1");
  await parent.say("go");
  const below = {
    agentId: "c1",
    parentAgentId: "p1",
    sessionId: "c1",
    conduct_hook: "copilot",
    cwd: join(root, "work"),
  };
  const send = (conduct_event: string, more: object) =>
    requests.handle({ ...below, conduct_event, timestamp: 1, ...more });
  const use = { toolName: "bash", toolArgs: { command: "sh test.sh" } };
  expect(JSON.stringify(await send("userPromptSubmitted", { prompt: "test it" }))).toContain("## Safety");
  await send("preToolUse", use);
  const toolResult = { resultType: "success", textResultForLlm: "<shellId: 0 completed with exit code 0>" };
  await send("postToolUse", { ...use, toolResult });
  expect(await send("agentStop", {})).toEqual({});
  expect(isDenied(await parent.ask("sh deploy.sh"))).toBe(true);
});

describe("the hooks of Cursor, whose results carry the prompt", () => {
  const send = async (hook_event_name: string, more: object = {}) =>
    (await requests.handle({
      conduct_hook: "cursor",
      conversation_id: "u1",
      workspace_roots: [join(root, "work")],
      hook_event_name,
      ...more,
    })) as Answer;
  let count = 0;
  /** Runs a command; returns what the model reads after it. */
  async function run(command: string): Promise<string> {
    count += 1;
    const use = { tool_name: "Shell", tool_input: { command, cwd: "" }, tool_use_id: `t${count}` };
    expect(await send("preToolUse", use)).toEqual({});
    const tool_output = JSON.stringify({ output: "", exitCode: 0 });
    return String((await send("postToolUse", { ...use, tool_output })).additional_context ?? "");
  }

  it("CMH-10 a prompt that is longer than one answer may be arrives in parts, once, and again after a compaction", async () => {
    const lines = Array.from({ length: 900 }, (_, at) => `Line ${at} of the house rules.`);
    const section = `    sections: [{ heading: House, content: "${lines.join("\\n")}" }]\n`;
    writeFileSync(join(root, "home/conduct.yaml"), CONFIG + section);
    const parts = [String((await send("sessionStart")).additional_context)];
    await send("beforeSubmitPrompt", { prompt: "go" });
    for (const _ of [1, 2, 3]) parts.push(await run("ls"));
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(10_000);
    expect(parts.map(({ length }) => length > 0)).toEqual([true, true, true, false]);
    expect(
      parts
        .join("\n")
        .split("\n")
        .filter((line) => lines.includes(line)),
    ).toEqual(lines);
    await send("preCompact", { trigger: "auto" });
    expect(await run("ls")).toContain("Line 0 of");
  });

  it("CMH-11 a session whose start and messages were not seen gets the prompt with its first result", async () => {
    expect(await run("ls")).toContain("## Runtime");
    expect(await run("ls")).toBe("");
  });

  it("CMH-12 the model hears with the next result that mode words of a message were handled", async () => {
    await send("sessionStart");
    expect(await send("beforeSubmitPrompt", { prompt: "/verbose on\nlist the files" })).toEqual({ continue: true });
    expect(await run("ls")).toMatch(/mode/);
  });
});
