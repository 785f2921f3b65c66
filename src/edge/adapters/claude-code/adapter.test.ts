import { describe, expect, it } from "vitest";
import type { Approver } from "../../../base/ports/approver.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { ReadBeforeWritePolicy } from "../../../behavior/policy/builtin/read-before-write-policy.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { claudeCodeHooks } from "./adapter.ts";
import { contextOf, message, openReplay, postToolUse, preToolUse, type Replay, recorded } from "./test/replay.ts";

const plain = defineAgent({ name: "plain", sections: [{ heading: "Task", content: "Marker CC-9." }] });
const asking: ToolPolicy = { name: "careful", check: () => ({ kind: "ask", question: "May it?" }) };
const careful = defineAgent({ name: "careful", policies: [asking] });
const typed = { interactive: true };
const batch = { ...preToolUse("read"), hook_event_name: "PostToolBatch", tool_calls: [] };
const stop = { ...message(""), hook_event_name: "Stop", stop_hook_active: false };
const start = (source: string) => ({ ...message(""), hook_event_name: "SessionStart", source });

function told({ events }: Replay): readonly string[] {
  return events.flatMap((event) => {
    const where = event.parent === undefined ? "" : "child ";
    if (event.type === "call") return [`${where}${event.call.tool} ${event.decision.kind}`];
    if (event.type === "result") return [`${where}${event.call} ${event.outcome}`];
    return event.type === "notice" && event.notice.kind === "compacted" ? ["compacted"] : [];
  });
}

describe("a recorded session", () => {
  it("CC-1 a recorded session is replayed correctly: each call once, subagents as children, one compaction", async () => {
    const replay = openReplay(plain);
    for (const event of recorded) await replay.play(event);
    expect(told(replay)).toEqual([
      ...["shell allow", "bash ok", "shell allow", "bash-fails failed", "shell allow", "refused failed"],
      ...["read_file allow", "read ok", "write_file allow", "write ok", "verify_context allow", "own ok"],
      ...["task allow", "child shell allow", "child sub ok", "agent ok", "compacted"],
    ]);
    expect(replay.events.filter(({ type }) => type === "fault")).toEqual([]);
    expect(replay.hooks.underWay()).toBe(false);
  });

  it("CC-2 in shadow mode every hook of a recorded session gets an empty answer", async () => {
    const strict = defineAgent({ name: "strict", policies: [new ReadBeforeWritePolicy(), asking] });
    const replay = openReplay(strict, { session: () => ({ enforcement: "shadow" }) });
    // Conduct's own tools are there in shadow too, and run unasked.
    const theirs = recorded.filter((event) => Reflect.get(event, "tool_use_id") !== "own");
    for (const event of theirs) expect(await replay.play(event)).toEqual({});
  });

  it("CC-3 evidence waits for the end of its batch", async () => {
    const { play } = openReplay(defineAgent({ name: "writer", policies: [new ReadBeforeWritePolicy()] }));
    for (const event of [preToolUse("read"), postToolUse("read")]) await play(event);
    const denied = { permissionDecision: "deny" };
    expect((await play(preToolUse("write"))).hookSpecificOutput).toMatchObject(denied);
    await play(batch);
    expect(await play({ ...preToolUse("write"), tool_use_id: "again" })).toEqual({});
  });
});

describe("what the model is told", () => {
  it("CC-4 the prompt is sent once, again only when it changes, and in full after a compaction", async () => {
    const { play } = openReplay(plain, { ports: { clock: { now: () => 0, monotonic: () => 0 } } });
    expect(contextOf(await play(message("one")))).toContain("Marker CC-9.");
    await play(stop);
    expect(await play(message("two"))).toEqual({});
    await play(stop);
    await play({ ...message(""), hook_event_name: "PreCompact" });
    expect(contextOf(await play(start("compact")))).toContain("Marker CC-9.");
    await play({ ...message(""), hook_event_name: "PostCompact" });
    await play(stop);
    expect(await play(message("three"))).toEqual({});
  });

  it("CC-5 the prompt in a message that another hook blocked does not count as sent", async () => {
    const { play } = openReplay(plain);
    await play(message("one"));
    expect(contextOf(await play(message("two")))).toContain("Marker CC-9.");
  });

  it("CC-6 a compaction without a SessionStart also loses the prompt", async () => {
    const { play } = openReplay(plain);
    for (const event of [message("one"), stop, { ...message(""), hook_event_name: "PreCompact" }]) await play(event);
    await play({ ...message(""), hook_event_name: "PostCompact" });
    expect(contextOf(await play(message("two")))).toContain("Marker CC-9.");
  });

  it.each([
    { who: "a person, who may have cut it back", from: typed, again: true },
    { who: "a program", from: {}, again: false },
  ])(
    "CC-7 the prompt is sent again only if a resumed conversation may be rewound: resumed by $who",
    async ({ from, again }) => {
      const { play } = openReplay(plain);
      for (const event of [message("one"), stop, start("resume")]) await play(event, from);
      expect(contextOf(await play(message("two"), from)).includes("Marker CC-9.")).toBe(again);
    },
  );

  it("CC-8 a prompt too long for one hook is sent by several", async () => {
    const lines = Array.from({ length: 2_000 }, (_, at) => `- rule ${at + 1}`);
    const { play } = openReplay(
      defineAgent({ name: "long", sections: [{ heading: "Task", content: lines.join("\n") }] }),
    );
    const parts = await Promise.all([4, 3, 2, 1].map((part) => play(message("go"), { part })));
    const text = parts.toReversed().map(contextOf).join("\n");
    for (const line of lines) expect(text.split(`${line}\n`)).toHaveLength(2);
    expect(parts.every((part) => contextOf(part).length < 10_000)).toBe(true);
  });

  it("CC-9 a prompt too long for all hooks blocks the message", async () => {
    const content = "x".repeat(60_000);
    const { play } = openReplay(defineAgent({ name: "long", sections: [{ heading: "Task", content }] }));
    const [further, first] = await Promise.all([play(message("go"), { part: 2 }), play(message("go"))]);
    expect(first).toMatchObject({ decision: "block", reason: expect.stringContaining("hooks can carry only") });
    expect(further).toEqual({});
  });

  it("CC-10 modes are read, and the model gets a note that Conduct handled them", async () => {
    const { play, conduct } = openReplay(plain);
    expect(contextOf(await play(message("/think:high look")))).toContain("Conduct has handled them");
    expect(conduct.find("id-1")?.view.modes.thinkLevel).toBe("high");
    expect(await play(message("/think off"))).toMatchObject({ decision: "block", reason: "think: off" });
  });
});

it.each(["startup", "resume", "clear"])("CC-22 a %s alone opens no session", async (source) => {
  const replay = openReplay(plain);
  expect(await replay.play(start(source))).toEqual({});
  expect(await replay.play({ ...message(""), hook_event_name: "SessionEnd" })).toEqual({});
  expect(replay.events).toEqual([]);
});

describe("who speaks", () => {
  const operator = { session: () => ({ sender: { role: "operator" } as const }) };
  const elevated = ({ conduct }: Replay) => conduct.find("id-1")?.view.modes.elevated;

  it.each([
    { who: "the person at the terminal", from: typed, elevated: true },
    { who: "a program that resumes that person's session", from: {}, elevated: false },
  ])("CC-11 only the person at the terminal can elevate: /elevated from $who", async ({ from, elevated: wanted }) => {
    const replay = openReplay(plain, operator);
    await replay.play(message("hello"), typed);
    await replay.play(message("/elevated go"), from);
    expect(elevated(replay)).toBe(wanted);
  });

  it("CC-12 a prompt that the agent scheduled does not have the person's rights", async () => {
    const replay = openReplay(plain, operator);
    const cron = { tool_name: "CronCreate", tool_input: { cron: "* * * * *", prompt: "/elevated on and go" } };
    await replay.play(message("hello"), typed);
    await replay.play({ ...preToolUse("bash"), ...cron }, typed);
    await replay.play(message("/elevated on and go"), typed);
    expect(elevated(replay)).toBe(false);
  });
});

describe("questions", () => {
  it.each([
    { who: "a person is there", from: typed, mode: "default", answer: "ask" },
    { who: "a person is there, in auto mode", from: typed, mode: "auto", answer: "ask" },
    { who: "a person has switched questions off", from: typed, mode: "bypassPermissions", answer: "deny" },
    { who: "nobody is there", from: {}, mode: "default", answer: "deny" },
  ])("CC-13 a question when $who: $answer", async ({ from, mode, answer }) => {
    const { play, events } = openReplay(careful);
    const { hookSpecificOutput } = await play({ ...preToolUse("bash"), permission_mode: mode }, from);
    const asked = events.flatMap((event) =>
      event.type === "call" && event.decision.kind === "ask" ? [event.decision] : [],
    );
    expect(hookSpecificOutput).toMatchObject({
      permissionDecision: answer,
      permissionDecisionReason: expect.stringContaining(asked[0]?.approval ?? "no approval"),
    });
  });

  it("CC-14 without a person at the terminal the approver is asked, and its yes runs the call", async () => {
    const approver: Approver = { ask: async () => ({ answer: "yes", by: "ann" }) };
    const { play } = openReplay(careful, { ports: { approver }, waitMs: 5_000 });
    expect(await play(preToolUse("bash"))).toEqual({});
  });

  it("CC-15 a person's yes runs the call, and a no is recorded", async () => {
    const replay = openReplay(careful);
    await replay.play(preToolUse("bash"), typed);
    await replay.play(postToolUse("bash"), typed);
    await replay.play({ ...preToolUse("bash"), tool_use_id: "no", tool_input: { command: "ls" } }, typed);
    await replay.play({ ...batch, tool_calls: [{ tool_use_id: "no", tool_response: "rejected" }] }, typed);
    expect(told(replay)).toEqual(["shell ask", "bash ok", "shell ask", "no denied"]);
  });
});

it("CC-21 a no that interrupts the turn is recorded with the next message, and stays in force", async () => {
  const replay = openReplay(careful);
  await replay.play(preToolUse("bash"), typed);
  await replay.play(message("do something else"), typed);
  expect(told(replay)).toEqual(["shell ask", "bash denied"]);
  const { hookSpecificOutput } = await replay.play({ ...preToolUse("bash"), tool_use_id: "again" }, typed);
  expect(hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
});

it("CC-26 after an interrupted call, and after a stop, the next calls are decided as usual", async () => {
  const replay = openReplay(plain);
  const again = (id: string) => replay.play({ ...preToolUse("bash"), tool_use_id: id }, typed);
  await replay.play(message("go"), typed);
  await again("first");
  await replay.play(message("do something else"), typed);
  expect(await again("second")).toEqual({});
  await replay.play({ ...postToolUse("bash"), tool_use_id: "second" }, typed);
  await replay.play(stop, typed);
  expect(await again("third")).toEqual({});
});

describe("fails closed", () => {
  const broken = claudeCodeHooks({ open: () => Promise.reject(new Error("conduct.yaml:3 has no agent")) });
  const way = expect.stringMatching(/conduct\.yaml:3 has no agent.*conduct doctor/s);

  it.each([
    { event: message("go"), answer: { decision: "block", reason: way } },
    {
      event: preToolUse("bash"),
      answer: { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: way } },
    },
    { event: postToolUse("bash"), answer: { continue: false, stopReason: way } },
    { event: { ...message(""), hook_event_name: "SubagentStart", agent_id: "x" }, answer: { continue: false } },
    { event: stop, answer: { systemMessage: expect.stringContaining("no agent") } },
  ])(
    "CC-16 $event.hook_event_name blocks when Conduct is unreachable, and says what to do",
    async ({ event, answer }) => {
      expect(await broken.handle(event)).toMatchObject(answer);
    },
  );

  it.each([
    { given: "text", says: "not a JSON object" },
    { given: {}, says: "no hook_event_name" },
    { given: { ...preToolUse("bash"), session_id: "" }, says: "no readable session_id" },
    {
      given: { ...preToolUse("bash"), tool_name: 7, tool_use_id: undefined },
      says: "no readable tool_name, tool_use_id",
    },
    { given: { ...preToolUse("bash"), agent_id: 7 }, says: "agent_id is not a string" },
  ])("CC-17 an unreadable event blocks the call: $says", async ({ given, says }) => {
    const { hookSpecificOutput } = await openReplay(plain).hooks.handle(given);
    expect(hookSpecificOutput).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining(says),
    });
  });

  it("CC-18 an event that Conduct does not use gets an empty answer", async () => {
    expect(await openReplay(plain).play({ ...message(""), hook_event_name: "Notification" })).toEqual({});
  });
});

describe("Conduct's own tools", () => {
  it("CC-19 Conduct's own tools run only for a call that was allowed", async () => {
    const { play, hooks } = openReplay(plain);
    const refused = { text: "Conduct has not allowed this call.", isError: true };
    expect(await hooks.callTool("verify_context", {}, "own")).toEqual(refused);
    await play(preToolUse("own"));
    expect(await hooks.callTool("read_result", {}, "own")).toEqual(refused);
    expect(hooks.underWay()).toBe(true);
    expect((await hooks.callTool("verify_context", {}, "own")).isError).toBe(false);
    await play(postToolUse("own"));
    expect(await hooks.callTool("verify_context", {}, "own")).toEqual(refused);
  });

  it.each(["project", "local", "plugin"])(
    "CC-20 a server named conduct from %s is not Conduct's own",
    async (source) => {
      const { play, events } = openReplay(plain);
      await play({ ...preToolUse("own"), mcp_server: { name: "conduct", source } });
      expect(events.flatMap((event) => (event.type === "call" ? [event.call.tool] : []))).toEqual([
        "conduct/verify_context",
      ]);
    },
  );
});
