import { describe, expect, it, vi } from "vitest";
import type { ConductEvent } from "../../../base/words/event.ts";
import { FileOutputChecker } from "../../../behavior/completion/completion-checkers.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import { OWN_TOOLS } from "./live-session.ts";
import { testOpencode } from "./test/opencode.ts";

const report = new FileOutputChecker({ files: ["report.md"] });

const of = <T extends ConductEvent["type"]>(events: readonly ConductEvent[], type: T) =>
  events.filter((event): event is Extract<ConductEvent, { type: T }> => event.type === type);
const notices = (events: readonly ConductEvent[]) => of(events, "notice").map(({ notice }) => notice.kind);

describe("stop", () => {
  it("OCA-18 the refusal of a stop goes to the same agent and model, and does not begin a turn", async () => {
    const { say, take, idle, prompts, events } = testOpencode({ completion: report });
    await say("write it", "s", "plan");
    await idle();
    const [refusal] = prompts;
    expect(refusal).toMatchObject({ id: "s", waited: false, body: { agent: "plan", model: { modelID: "m" } } });
    expect(refusal?.body.parts[0]?.text).toContain("report.md");
    if (refusal !== undefined) await take(refusal);
    expect(of(events, "message")).toHaveLength(1);
    await idle();
    expect(of(events, "stop").map(({ status }) => status)).toEqual(["refused", "refused"]);
    // Whoever repeats the mark later is a person like any other.
    if (refusal !== undefined) await take(refusal);
    expect(of(events, "message")).toHaveLength(2);
  });

  it("OCA-18 a repeated idle event is checked as one stop", async () => {
    const { say, idle, events, prompts } = testOpencode({ completion: report });
    await say("write it");
    await idle();
    await idle();
    expect([of(events, "stop").length, prompts.length]).toEqual([1, 1]);
  });

  it("OCA-19 at the stop limit the turn ends, and the person is notified", async () => {
    const { say, take, idle, prompts, toasts, events } = testOpencode({ completion: report, limits: { stops: 1 } });
    await say("write it");
    await idle();
    for (const refusal of prompts) await take(refusal);
    await idle();
    expect(of(events, "stop").map(({ status }) => status)).toEqual(["refused", "incomplete"]);
    expect(toasts.join()).toContain("the turn ended incomplete");
  });

  it("OCA-19 in shadow mode the person is not notified about an incomplete turn", async () => {
    const { say, idle, toasts, prompts } = testOpencode({ completion: report }, { session: { enforcement: "shadow" } });
    await say("write it");
    await idle();
    expect([prompts, toasts]).toEqual([[], []]);
  });

  it("OCA-20 `opencode run` ends despite a refused stop; the incomplete turn is recorded and shown", async () => {
    const { say, idle, prompts, events } = testOpencode({ completion: report }, { argv: ["bun", "/index.js", "run"] });
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    try {
      await say("write it");
      await idle();
      expect(written.mock.calls.join()).toMatch(/the turn ended incomplete.*report\.md/s);
    } finally {
      written.mockRestore();
    }
    expect(prompts).toEqual([]);
    expect(of(events, "stop").map(({ status }) => status)).toEqual(["refused", "incomplete"]);
  });

  it("OCA-21 a subagent continues until it is done, and its last answer is the task's result", async () => {
    const { say, take, request, idle, call, ran, child, answerBy, prompts, files, events } = testOpencode({
      completion: report,
    });
    await say("hand it on");
    const args = await call("t", "task", { prompt: "write it", subagent_type: "general" });
    child("below");
    await say("write it", "below", "general");
    await idle("I am done!", "below");
    expect(prompts).toEqual([]);
    answerBy(async (prompt) => {
      await take(prompt);
      await request("below");
      files.set("/w/report.md", "there");
      await idle("Now it is there.", "below");
    });
    const output = { output: "<task_result>\nI am done!\n</task_result>", metadata: { sessionId: "below" } };
    await ran("t", "task", args, output);
    expect(prompts.map(({ id, waited }) => [id, waited])).toEqual([["below", true]]);
    expect(output.output).toBe("<task_result>\nNow it is there.\n</task_result>");
    const stops = of(events, "stop").map(({ session, status }) => [session, status]);
    expect(stops).toEqual([
      ["below", "refused"],
      ["below", "complete"],
    ]);
  });
});

describe("notices", () => {
  it("OCA-22 usage, lost context (compacted, emptied, undone) and the end of a session are reported", async () => {
    const { say, request, tell, hooks, events } = testOpencode();
    await say("go");
    await request();
    const finish = { type: "step-finish", reason: "stop", tokens: { input: 3, output: 4 } };
    await tell("message.part.updated", { sessionID: "s", part: finish });
    await hooks["experimental.session.compacting"]({ sessionID: "s" }, {});
    await request();
    const emptied = { type: "tool", callID: "old", state: { status: "completed", time: { compacted: 1 } } };
    for (const _ of [1, 2]) await tell("message.part.updated", { sessionID: "s", part: emptied });
    await request();
    for (const messageID of ["a", "b"]) await tell("message.removed", { sessionID: "s", messageID });
    await tell("session.deleted", { info: { id: "s" } });
    expect(notices(events)).toEqual(["started", "usage", "compacted", "compacted", "compacted", "ended"]);
  });

  it("OCA-22 events of a session without any message are ignored", async () => {
    const { tell, events } = testOpencode();
    for (const type of ["session.idle", "session.deleted", "message.updated"]) await tell(type, { sessionID: "x" });
    expect(events).toEqual([]);
  });
});

describe("Conduct's own tools", () => {
  it("OCA-23 the plugin offers exactly Conduct's own tools", () => {
    expect(OWN_TOOLS).toEqual(CONDUCT_TOOLS.map(({ name }) => name));
  });

  it("OCA-24 Conduct's tools are declared as the session defines them, and switched off where it has none", async () => {
    const { hooks, say } = testOpencode();
    const output = { description: "read_result" };
    await hooks["tool.definition"]({ toolID: "read_result" }, output);
    expect(output).toEqual({ description: "read_result" });
    const { message } = await say("go");
    expect(message.tools).toEqual({ update_instructions: false, read_memory: false, save_memory: false });
    await hooks["tool.definition"]({ toolID: "read_result" }, output);
    const declared = CONDUCT_TOOLS.find(({ name }) => name === "read_result");
    expect(output).toEqual({ description: declared?.description, jsonSchema: declared?.inputSchema });
  });

  it("OCA-25 Conduct's tools run for the calling session, and throw when they fail", async () => {
    const { hooks, say } = testOpencode();
    await say("go");
    const context = { sessionID: "s" };
    expect(await hooks.tool.verify_context?.execute({}, context)).not.toBe("");
    await expect(hooks.tool.read_result?.execute({ handle: "r_none" }, context)).rejects.toThrow("r_none");
    await expect(hooks.tool.save_memory?.execute({}, context)).rejects.toThrow("has no tool 'save_memory'");
  });
});
