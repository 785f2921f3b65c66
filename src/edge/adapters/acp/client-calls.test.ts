import { describe, expect, it } from "vitest";
import { StaticFeedbackProvider } from "../../../behavior/feedback/feedback-providers.ts";
import { ReadBeforeWritePolicy } from "../../../behavior/policy/builtin/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { forCommand, kinds, OPTIONS, outcomes, selected, testAcp } from "./test/acp.ts";

const LONG = Array.from({ length: 400 }, (_, at) => `line ${at + 1}: the quick brown fox`).join("\n");
/** In a turn, with the client's side of one request played. */
async function inTurn(...given: Parameters<typeof testAcp>) {
  const world = testAcp(...given);
  await world.open();
  void world.say("go");
  const turn = await world.prompted();
  const play = async (method: string, params: object, result: object) => {
    const asked = world.agentAsks(method, params);
    const request = await world.put(method);
    world.reply(request, result);
    return { request, answer: await asked };
  };
  return { ...world, turn, play };
}

describe("files", () => {
  it("ACF-1 a file is written only after it was read; the request's error says why", async () => {
    const { files, agentAsks, play, client, events } = await inTurn({ policies: [new ReadBeforeWritePolicy()] });
    files.set("/w/a.txt", "old");
    const write = { path: "/w/a.txt", content: "new" };
    expect(await agentAsks("fs/write_text_file", write)).toMatchObject({
      error: { message: expect.stringMatching(/must be read before overwriting/) },
    });
    expect(client.heard.some((line) => line.includes("fs/write_text_file"))).toBe(false);
    const { answer } = await play("fs/read_text_file", { path: "/w/a.txt" }, { content: "old", _meta: { kept: 1 } });
    expect(answer.result).toEqual({ content: "old", _meta: { kept: 1 } });
    expect((await play("fs/write_text_file", write, {})).answer).toMatchObject({ result: {} });
    expect(kinds(events)).toEqual(["deny", "allow", "allow"]);
    expect(outcomes(events)).toEqual(["ok", "ok"]);
  });

  it("ACF-2 a long file is shortened, and cannot be overwritten until all of it was read", async () => {
    const { play, agentAsks } = await inTurn({ limits: { window: 2_000 } });
    const { answer } = await play("fs/read_text_file", { path: "/w/big.txt" }, { content: LONG });
    expect(answer.result).toMatchObject({ content: expect.stringContaining("Output truncated") });
    const write = { path: "big.txt", content: "lost" };
    expect(await agentAsks("fs/write_text_file", write)).toMatchObject({
      error: { message: expect.stringMatching(/would lose text.*with line and limit/s) },
    });
    const part = await play("fs/read_text_file", { path: "/w/big.txt", line: 1, limit: 1 }, { content: "line 1" });
    expect(part.answer.result).toEqual({ content: "line 1" });
    expect((await play("fs/write_text_file", write, {})).answer).toMatchObject({ result: {} });
  });

  it("ACF-3 an error of the client is forwarded unchanged and proves nothing", async () => {
    const { agentAsks, put, client, events } = await inTurn();
    const asked = agentAsks("fs/read_text_file", { path: "/w/none" });
    const { id } = await put("fs/read_text_file");
    const error = { code: -32_002, message: "not found" };
    client.say({ jsonrpc: "2.0", id, error });
    expect(await asked).toMatchObject({ error });
    expect(outcomes(events)).toEqual(["failed"]);
  });

  it("ACF-4 a path rewritten by rules is the one that is read", async () => {
    const { play } = await inTurn({
      policies: [
        {
          name: "elsewhere",
          rewrites: true,
          check: ({ args }) => ({ kind: "rules", findings: [], input: { ...args, path: "/w/public.txt" } }),
        },
      ],
    });
    const { request } = await play("fs/read_text_file", { path: "/w/secret.txt" }, { content: "x" });
    expect(request.params).toMatchObject({ path: "/w/public.txt" });
  });
});

describe("files that the agent has asked for", () => {
  it.each([
    { content: "new\n", kinds: ["allow"], what: "the text that was decided on is the same call" },
    { content: "other\n", kinds: ["allow", "allow"], what: "another text is another call" },
  ])("ACF-5 after a permitted edit, $what", async ({ content, kinds: decided }) => {
    const { play, put, reply, agentAsks, events } = await inTurn();
    const diff = { type: "diff", path: "/w/a.txt", oldText: "old\n", newText: "new\n" };
    const toolCall = { toolCallId: "c1", title: "edit", kind: "edit", rawInput: { path: "a.txt" }, content: [diff] };
    const asked = agentAsks("session/request_permission", { toolCall, options: OPTIONS });
    reply(await put("session/request_permission"), selected("once"));
    await asked;
    await play("fs/write_text_file", { path: "/w/a.txt", content }, {});
    expect(kinds(events)).toEqual(decided);
  });
});

describe("terminals", () => {
  const RELEASE = {
    actions: { test: { tool: "shell", command: "npm test" }, deploy: { tool: "shell", command: "npm run deploy" } },
    policies: [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
    limits: { window: 2_000 },
  };
  const deploy = { command: "npm", args: ["run", "deploy"] };

  it.each([
    { exitCode: 0, decided: ["deny", "allow", "allow"], outcome: "ok" },
    { exitCode: 3, decided: ["deny", "allow", "deny"], outcome: "failed" },
    { exitCode: null, decided: ["deny", "allow", "deny"], outcome: "failed" },
  ])(
    "ACM-1 a command is gated, and its exit code $exitCode determines what it proves",
    async ({ exitCode, decided, outcome }) => {
      const { play, agentAsks, put, reply, events } = await inTurn(RELEASE);
      expect(await agentAsks("terminal/create", deploy)).toMatchObject({
        error: { message: expect.stringMatching(/requires: test/) },
      });
      await play("terminal/create", { command: "npm", args: ["test"] }, { terminalId: "t1" });
      await play("terminal/wait_for_exit", { terminalId: "t1" }, { exitCode });
      const { answer } = await play("terminal/output", { terminalId: "t1" }, { output: LONG, truncated: false });
      expect(answer.result).toMatchObject({ output: expect.stringContaining("Output truncated"), truncated: false });
      // Asked again, the same.
      const again = await play("terminal/output", { terminalId: "t1" }, { output: LONG, truncated: false });
      expect(again.answer.result).toEqual(answer.result);
      const deployed = agentAsks("terminal/create", deploy);
      if (outcome === "ok") reply(await put("terminal/create"), { terminalId: "t2" });
      expect("result" in (await deployed)).toBe(outcome === "ok");
      expect(kinds(events)).toEqual(decided);
      expect(outcomes(events)).toEqual([outcome]);
    },
  );

  it("ACM-2 output of a running command passes; a terminal released unread is settled", async () => {
    const { play, events } = await inTurn();
    await play("terminal/create", { command: "make" }, { terminalId: "t1" });
    const { answer } = await play("terminal/output", { terminalId: "t1" }, { output: "so far", truncated: false });
    expect(answer.result).toEqual({ output: "so far", truncated: false });
    expect(outcomes(events)).toEqual([]);
    await play("terminal/release", { terminalId: "t1" }, {});
    expect(outcomes(events)).toEqual(["unknown"]);
  });

  it("ACM-3 feedback is part of the output that the agent gets", async () => {
    const provider = new StaticFeedbackProvider({ name: "Kit", feedback: "MIND-THE-GAP" });
    const { play } = await inTurn({ feedback: [{ provider, trigger: { everyNCalls: 1 } }] });
    await play("terminal/create", { command: "make" }, { terminalId: "t1" });
    const over = { output: "made", truncated: false, exitStatus: { exitCode: 0 } };
    const { answer } = await play("terminal/output", { terminalId: "t1" }, over);
    expect(answer.result).toMatchObject({ output: expect.stringMatching(/^made\n\n<feedback.*MIND-THE-GAP/s) });
  });

  it("ACM-4 a command allowed by a permission request counts as one call, not two", async () => {
    const { play, put, reply, agentAsks, tells, events } = await inTurn();
    const asked = agentAsks("session/request_permission", forCommand("npm test"));
    reply(await put("session/request_permission"), selected("once"));
    await asked;
    await play("terminal/create", { command: "npm", args: ["test"] }, { terminalId: "t1" });
    await play("terminal/wait_for_exit", { terminalId: "t1" }, { exitCode: 0 });
    await play("terminal/output", { terminalId: "t1" }, { output: "green", truncated: false });
    tells({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" });
    expect(kinds(events)).toEqual(["allow"]);
    expect(outcomes(events)).toEqual(["ok"]);
    // What runs next is another call, the same command or not.
    await play("terminal/create", { command: "npm", args: ["test"] }, { terminalId: "t2" });
    expect(kinds(events)).toEqual(["allow", "allow"]);
  });

  it("ACM-5 a command rewritten by rules is the one that runs", async () => {
    const { play } = await inTurn({
      policies: [
        {
          name: "quiet",
          rewrites: true,
          check: ({ args }) => ({ kind: "rules", findings: [], input: { ...args, command: "npm test --silent" } }),
        },
      ],
    });
    const { request } = await play("terminal/create", { command: "npm", args: ["test"] }, { terminalId: "t1" });
    expect(request.params).toMatchObject({ command: "sh", args: ["-c", "npm test --silent"] });
  });
});
