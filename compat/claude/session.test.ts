import { describe, expect, it } from "vitest";
import { FileOutputChecker } from "../../src/behavior/completion/file-output-checker.ts";
import { ReadBeforeWritePolicy } from "../../src/behavior/policy/builtin/read-before-write-policy.ts";
import { resultOf, stops } from "../../src/testing/kit/expect.ts";
import { outcomes, play, release, scripts, shell } from "./play.ts";

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
  it.each([
    { enforcement: "enforce", has: true },
    { enforcement: "shadow", has: false },
  ] as const)("brings its tools along only where it may be noticed: $enforcement", async ({ enforcement, has }) => {
    const outcome = await play({}, { session: { enforcement }, script: [{ text: "Hi." }] });
    expect(outcome.requests[0]?.raw.includes("mcp__conduct__")).toBe(has);
  });

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
