import { describe, expect, it } from "vitest";
import { SequentialDependencyPolicy } from "../../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { useHooks } from "./test/hooks.ts";
import type { CodexAnswer } from "./translate.ts";

const codex = useHooks({
  name: "clerk",
  sections: [{ heading: "Task", content: "Marker TOLD-1." }],
  tools: [{ name: "shell", risk: "high" }, { name: "crm/lookup" }],
  actions: { deploy: { tool: "shell", command: "touch deployed" } },
  policies: [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
});
const { hook, say } = codex;

function context({ hookSpecificOutput }: CodexAnswer): string {
  return hookSpecificOutput?.additionalContext ?? "";
}

/** A message that reaches the model. */
async function tell(prompt: string): Promise<string> {
  const answer = await say(prompt);
  await hook("PreModelRequest-main");
  return context(answer);
}

describe("modes in Codex", () => {
  it("K11: a message of modes only is blocked with Conduct's answer, refusals first", async () => {
    expect(await say("/verbose on /elevated on")).toEqual({
      decision: "block",
      reason:
        "Not elevated: only an operator can elevate a session, in the console or with conduct elevate.\n\nverbose: on\nelevated: off",
    });
    expect(codex.events.filter(({ type }) => type === "prompt")).toEqual([]);
  });

  it("K05: the model gets a note about mode words before a text; Conduct's notes go to the person only", async () => {
    const answer = await say("/elevated 5m /think:high look");
    expect(context(answer)).toMatch(/^The message begins with mode words .*begins after them\.\n\n## Task/s);
    expect(context(answer)).toContain("## Reasoning");
    expect(context(answer)).not.toContain("Not elevated");
    expect(answer.systemMessage).toContain("Not elevated");
    expect(context(await say("look"))).not.toContain("mode words");
  });

  it("K17: debug lines are shown with denials, results and stops, and never reach the model", async () => {
    await say("/verbose look");
    await hook("PreModelRequest-main");
    const denied = await hook("PreToolUse-exec", { tool_input: { command: "touch deployed" } });
    expect(denied.hookSpecificOutput?.permissionDecision).toBe("deny");
    expect(denied.systemMessage).toContain("[DEBUG] Outcome: denied");
    expect(JSON.stringify(denied.hookSpecificOutput)).not.toContain("[DEBUG]");
    expect((await hook("Stop-first")).systemMessage).toBeUndefined();
  });

  it("K15: a task given to a subagent does not elevate it, even in an operator's session", async () => {
    codex.open({}, {}, { sessionOptions: () => ({ sender: { role: "operator" } }) });
    expect(await say("/elevated on")).toMatchObject({ reason: expect.stringContaining("elevated: on") });
    const child = { agent_id: "child" };
    await say("/elevated on do it", child);
    expect(codex.conduct.find("child")?.view.modes.elevated).toBe(false);
    expect(codex.conduct.find("s")?.view.modes.elevated).toBe(true);
  });
});

describe("the prompt in Codex", () => {
  it("G13: the prompt is sent once; later only changed sections of the turn are sent", async () => {
    const first = await tell("one");
    expect(first).toMatch(/^## Task\n\nMarker TOLD-1\./);
    expect(first).toContain("March 06, 2026 09:05 AM");
    expect(await tell("two")).toBe("");
    codex.time.now += 60_000;
    expect(await tell("three")).toBe(
      "This is new; all your other instructions still apply.\n\n## Current Time\n\nFriday, March 06, 2026 09:06 AM (UTC)",
    );
    expect(await tell("/think four")).toMatch(/This is new; .*\n\n## Reasoning\n/);
    expect(await tell("/think off five")).toMatch(/\n\nThese sections no longer apply: Reasoning\.$/);
  });

  it("CX-P1 the prompt is sent again if no request carried it, and after a compaction", async () => {
    const first = context(await say("one"));
    expect(context(await say("two"))).toBe(first);
    await hook("PreModelRequest-main");
    expect(await hook("SessionStart-compact")).toEqual({
      hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: first },
    });
  });

  it("CX-P2 the prompt is sent in full when a section before the turn's sections has changed", async () => {
    await tell("one");
    codex.conduct.registerPromptContributor({
      id: "sale",
      contribute: () => ({ heading: "Sale", content: "SALE-ON" }),
    });
    const told = await tell("two");
    expect(told).toMatch(/^The following instructions replace the earlier version.*\n\n## Task/);
    expect(told).toContain("SALE-ON");
  });

  it("CX-P3 the prompt names tools as the model sees them", async () => {
    const told = await tell("one");
    const tools = "apply_patch, exec_command, lookup, read_result, review_plan, verify_context";
    expect(told).toContain(`Available tools: ${tools}\n`);
  });

  it("CX-P4 the prompt is sent again when a rewound conversation continues in another rollout", async () => {
    const [before, after] = [{ transcript_path: "/none/a.jsonl" }, { transcript_path: "/none/b.jsonl" }];
    await say("one", before);
    await hook("PreModelRequest-main", before);
    expect(context(await say("two", before))).toBe("");
    await hook("SessionEnd-exec", before);
    await hook("SessionStart-resume", after);
    expect(context(await say("three", after))).toMatch(/^## Task/);
    const kinds = codex.events.flatMap((event) => (event.type === "notice" ? [event.notice.kind] : []));
    expect(kinds).toEqual(["started", "step-closed", "left", "started", "compacted"]);
  });

  it("CX-P5 the prompt is sent again if Codex ended between a compaction and the next message", async () => {
    const first = await tell("one");
    await hook("PostCompact-auto");
    await hook("SessionEnd-exec");
    await hook("SessionStart-resume");
    expect(await tell("two")).toBe(first);
    expect(await tell("three")).toBe("");
  });

  it("CX-P7 a subagent gets the prompt at its start, and not again with its first message", async () => {
    const child = { agent_id: "child" };
    await tell("one");
    const started = await hook("SubagentStart-default", child);
    expect(started.hookSpecificOutput?.hookEventName).toBe("SubagentStart");
    expect(context(started)).toMatch(/^## Task\n\nMarker TOLD-1\./);
    expect(await say("do it", child)).toEqual({});
    await hook("PostCompact-auto", child);
    expect(context(await say("do more", child))).toBe(context(started));
  });

  it("CX-P6 in shadow mode neither the prompt nor anything else is sent", async () => {
    codex.open({}, {}, { sessionOptions: () => ({ enforcement: "shadow" }) });
    for (const text of ["/think:high /verbose one", "two", "/modes"]) {
      expect(await say(text)).toEqual({});
      await hook("PreModelRequest-main");
      codex.time.now += 60_000;
    }
    expect(codex.events.filter(({ type }) => type === "prompt")).toHaveLength(3);
  });
});
