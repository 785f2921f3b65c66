import { describe, expect, it } from "vitest";
import { StaticFeedbackProvider } from "../../src/behavior/feedback/feedback-providers.ts";
import { ReadBeforeWritePolicy } from "../../src/behavior/policy/builtin/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../src/behavior/policy/builtin/sequential-dependency-policy.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import type { ModelRequest, ScriptedCall } from "../../src/testing/test/model-server/index.ts";
import { given, patch, shell, update, useCodex } from "./play.ts";
import { addFile } from "./script.ts";

const codex = useCodex();
const plain = defineAgent({
  name: "plain",
  sections: [{ heading: "Task", content: "Marker TOLD-1." }],
  actions: { test: { tool: "shell", command: "sh test.sh" }, deploy: { tool: "shell", command: "touch deployed" } },
  policies: [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
});
const writer = defineAgent({ name: "writer", policies: [new ReadBeforeWritePolicy()] });
const done = { text: "ok" };

describe("call", () => {
  it("the calls of one model response share a step, those of the next do not", async () => {
    await codex.start(plain);
    const batch = [shell("call_1", "echo 1"), shell("call_2", "echo 2"), shell("call_3", "echo 3")];
    await codex.run({ script: [{ calls: batch }, { calls: [shell("call_4", "echo 4")] }, done] });
    const steps = new Map(codex.events("call").map(({ call }) => [call.id, call.step]));
    expect(new Set([steps.get("call_1"), steps.get("call_2"), steps.get("call_3")]).size).toBe(1);
    expect(steps.get("call_4")).not.toBe(steps.get("call_1"));
  });

  it("a read in another folder is a read of the file there, and of no other", async () => {
    await codex.start(writer);
    const end = await codex.run({
      files: { "a.txt": "old\n", "sub/a.txt": "old\n" },
      script: [
        { calls: [shell("call_1", "cat a.txt", { workdir: "sub" })] },
        { calls: [patch("call_2", update("a.txt", "old", "new"))] },
        { calls: [patch("call_3", update("sub/a.txt", "old", "new"))] },
        done,
      ],
    });
    expect(given(end, "call_2")).toContain("File 'a.txt' must be read before overwriting");
    expect(end.files.get("a.txt")).toBe("old\n");
    expect(end.files.get("sub/a.txt")).toBe("new\n");
  });

  it("another shell or folder proves no action", async () => {
    await codex.start(plain);
    const files = { "test.sh": "exit 1", "sub/test.sh": "exit 0" };
    const elsewhere = [
      shell("call_1", "sh test.sh", { workdir: "sub" }),
      shell("call_2", "sh test.sh", { shell: "/bin/true" }),
    ];
    const end = await codex.run({
      files,
      script: [{ calls: elsewhere }, { calls: [shell("call_3", "touch deployed", { workdir: "sub" })] }, done],
    });
    expect(given(end, "call_3")).toContain("Tool 'deploy' requires: test");
    expect(end.files.has("sub/deployed")).toBe(false);
  });

  it.each([
    ["a redirection", "echo new > a.txt"],
    ["a patch in a heredoc", `apply_patch <<'EOF'\n${update("a.txt", "old", "new")}EOF`],
  ])("%s in a command is a write", async (_what, command) => {
    await codex.start(writer);
    const end = await codex.run({ files: { "a.txt": "old\n" }, script: [{ calls: [shell("call_1", command)] }, done] });
    expect(given(end, "call_1")).toContain("File 'a.txt' must be read before overwriting");
    expect(end.files.get("a.txt")).toBe("old\n");
  });

  it("a patch of several files is one call with all its paths", async () => {
    await codex.start(writer);
    const two = `${addFile("new.txt", "x\n").replace("*** End Patch\n", "")}*** Delete File: a.txt\n*** End Patch\n`;
    const end = await codex.run({ files: { "a.txt": "old\n" }, script: [{ calls: [patch("call_1", two)] }, done] });
    expect(given(end, "call_1")).toContain("File 'a.txt' must be read before overwriting");
    expect(end.files.has("new.txt")).toBe(false);
  });

  it("a turn that a denial ends gets no further call through", async () => {
    await codex.start(plain);
    const again = Array.from({ length: 6 }, (_, i) => ({ calls: [shell(`call_${i}`, "touch deployed")] }));
    const end = await codex.run({ script: [...again, { calls: [shell("call_x", "touch other")] }, done] });
    expect(given(end, "call_x")).toContain("Conduct has ended this turn");
    expect(end.files.size).toBe(0);
  });
});

describe("result", () => {
  it("the exit code that the hook hides is found, and the usage that Codex reports is counted", async () => {
    const daemon = await codex.start(plain);
    const usage = { input: 1_000, output: 20 };
    await codex.run({
      script: [
        { calls: [shell("call_1", "echo bad; exit 3")], usage },
        { ...done, usage },
      ],
    });
    expect(codex.events("result")).toMatchObject([{ call: "call_1", outcome: "failed", exitCode: 3 }]);
    const last = daemon.events.findLast((event) => event.type === "notice" && event.notice.kind === "usage");
    expect(last).toMatchObject({ usage: { inputTokens: 2_000, outputTokens: 40 } });
  });

  it("a patch that does not apply has failed, although Codex calls no hook for it", async () => {
    await codex.start(writer);
    await codex.run({ script: [{ calls: [patch("call_1", update("none.txt", "a", "b"))] }, done] });
    expect(codex.events("result")).toMatchObject([{ call: "call_1", outcome: "failed" }]);
  });

  it("a command that outlives its step is settled when it ends", async () => {
    await codex.start(plain);
    const poll = ({ results }: ModelRequest): { calls: ScriptedCall[] } => {
      const session = Number(/session ID (\d+)/.exec(results.at(-1)?.text ?? "")?.[1]);
      return { calls: [{ id: "call_2", name: "write_stdin", input: { session_id: session, yield_time_ms: 5_000 } }] };
    };
    const long = shell("call_1", "sleep 1.5; exit 4", { yield_time_ms: 250 });
    await codex.run({ script: [{ calls: [long] }, poll, done] });
    expect(codex.events("result")).toMatchObject([{ call: "call_1", outcome: "failed", exitCode: 4 }]);
    expect(codex.events("fault")).toEqual([]);
  });

  it("a shortened result passes Codex whole, with its status and with feedback beside it", async () => {
    const provider = new StaticFeedbackProvider({ name: "Kit", feedback: "MIND-THE-GAP" });
    // 24,000 tokens would stay of the result: more than the hook carries.
    const agent = defineAgent({
      name: "reader",
      limits: { window: 30_000 },
      feedback: [{ provider, trigger: { everyNCalls: 1 } }],
    });
    await codex.start(agent);
    const end = await codex.run({ script: [{ calls: [shell("call_1", "seq 1 12000; exit 3")] }, done] });
    const text = given(end, "call_1");
    expect(text).toMatch(/^Process exited with code 3\n1\n2\n3\n/);
    const [shown = "", from] = text.split(
      /\n\n\[A Codex hook carries 10 kB: continue with read_result from offset (\d+)/,
    );
    expect(`${"Process exited with code 3\n".length + Number(from)}`).toBe(`${shown.length}`);
    expect(text).toMatch(/⚠️ \[Output truncated: .* tokens.*r_/);
    expect(text).not.toContain("Warning: truncated output");
    expect(Buffer.byteLength(text)).toBeLessThan(10_000);
    expect(end.server.requests[1]?.raw).toContain("MIND-THE-GAP");
  });
});

describe("prompt", () => {
  it("a long prompt passes whole, and only once", async () => {
    const content = Array.from({ length: 2_000 }, (_, i) => `Rule ${i} of the house.`).join("\n");
    await codex.start(defineAgent({ name: "long", sections: [{ heading: "Rules", content }] }));
    const end = await codex.run({ script: [{ calls: [shell("call_1", "echo hi")] }, done] });
    for (const { system } of end.server.requests) expect(system.split(content).length - 1).toBe(1);
  });

  it("after a compaction the model is told again, and evidence is re-armed", async () => {
    await codex.start(plain);
    const end = await codex.run({
      config: "model_auto_compact_token_limit = 1000",
      script: [
        { calls: [shell("call_1", "echo hi")], usage: { input: 250_000, output: 10 } },
        { calls: [shell("call_2", "echo after")] },
        done,
      ],
    });
    expect(codex.events("notice").map(({ notice }) => notice.kind)).toContain("compacted");
    expect(end.server.requests.length).toBeGreaterThanOrEqual(2);
    for (const { system } of end.server.requests) expect(system).toContain("Marker TOLD-1.");
  });

  it("a subagent is a child session with the same rules and the same prompt", async () => {
    await codex.start(plain);
    const answer = ({ kind, raw, results }: ModelRequest) => {
      if (kind === "subagent") return raw.includes("call_c") ? done : { calls: [shell("call_c", "touch deployed")] };
      if (!raw.includes("call_s")) {
        const input = { message: "deploy it", fork_context: false };
        return { calls: [{ id: "call_s", name: "spawn_agent", namespace: "multi_agent_v1", input }] };
      }
      const target = /agent_id":"([0-9a-f-]+)/.exec(results[0]?.text ?? "")?.[1] ?? "";
      const input = { targets: [target], ids: [target], timeout_ms: 20_000 };
      return raw.includes("call_w")
        ? done
        : { calls: [{ id: "call_w", name: "wait_agent", namespace: "multi_agent_v1", input }] };
    };
    const end = await codex.run({ script: answer });
    const child = codex.events("call").find(({ call }) => call.id === "call_c");
    expect(child).toMatchObject({ decision: { kind: "deny" } });
    expect(child?.parent).toBe(codex.events("call").find(({ call }) => call.id === "call_s")?.session);
    expect(end.server.requests.find(({ kind }) => kind === "subagent")?.system).toContain("Marker TOLD-1.");
    expect(end.files.has("deployed")).toBe(false);
  });
});

describe("code mode", () => {
  const js = (id: string, input: string): ScriptedCall => ({ id, name: "exec", input });
  const model = "gpt-6.1-sol";

  it("reading and writing in one script is one step: the write is denied, also when the script swallows it", async () => {
    await codex.start(writer);
    const write = `tools.apply_patch(${JSON.stringify(update("a.txt", "old", "new"))})`;
    const both = `text((await tools.exec_command({cmd:"cat a.txt"})).output); try { await ${write} } catch {}`;
    const end = await codex.run({
      model,
      files: { "a.txt": "old\n" },
      script: [{ calls: [js("call_1", both)] }, { calls: [js("call_2", `text(await ${write})`)] }, done],
    });
    expect(codex.events("call").map(({ decision }) => decision.kind)).toEqual(["allow", "deny", "allow"]);
    expect(end.files.get("a.txt")).toBe("new\n");
  });

  it("a shell that the hook does not show is found out afterwards: the command proves nothing", async () => {
    await codex.start(plain);
    const end = await codex.run({
      model,
      files: { "test.sh": "exit 1" },
      script: [
        { calls: [js("call_1", `text(await tools.exec_command({cmd:"sh test.sh", shell:"/bin/true"}))`)] },
        { calls: [js("call_2", `text(await tools.exec_command({cmd:"touch deployed"}))`)] },
        done,
      ],
    });
    expect(given(end, "call_2")).toContain("Tool 'deploy' requires: test");
    expect(end.files.has("deployed")).toBe(false);
  });
});
