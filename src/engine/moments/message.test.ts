import { describe, expect, it } from "vitest";
import type { ModelQuestion, Models } from "../../base/ports/models.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import { testConduct } from "../session/test/test-conduct.ts";
import { ok, play } from "../session/test/test-play.ts";

const operator = { id: "1", role: "operator" } as const;
const user = { id: "2", role: "user" } as const;
const of = <T extends ConductEvent["type"]>(events: readonly ConductEvent[], type: T) =>
  events.filter((event): event is Extract<ConductEvent, { type: T }> => event.type === type);

describe("message: modes", () => {
  it("ME-1 leading mode switches are removed from the text, stored for the session and recorded in the event", async () => {
    const { open, events } = testConduct();
    const session = open();
    const heard = await session.onMessage({ text: "/think /verbose analyze this code", id: "m1", sender: user });
    expect(heard).toEqual({
      text: "analyze this code",
      modes: { think: true, verbose: true, elevated: false },
      notes: [],
    });
    await session.onMessage({ text: "go on" });
    expect(session.view.modes.think).toBe(true);
    expect(of(events, "message")[0]).toMatchObject({ messageId: "m1", sender: user, modes: { think: true } });
  });

  it("MSG-9: an event's id does not depend on the message's id, so two sessions can get the same message", async () => {
    const { open, events } = testConduct();
    for (const id of ["s1", "s2"]) await open({ id }).onMessage({ text: "hello", id: "42", sender: user });
    const ids = of(events, "message").map((event) => event.id);
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain("42");
  });

  it("ME-2 a message with only modes starts no turn and resets nothing", async () => {
    const { open, events } = testConduct();
    const session = open();
    await session.onMessage({ text: "hello" });
    const { reply } = await session.onMessage({ text: "/think on" });
    expect(reply).toContain("think");
    expect(session.view.turn).toBe(1);
    expect(of(events, "message")[1]?.reply).toBe(reply);
  });

  it.each([
    ["an operator's", operator, true],
    ["a user's", user, false],
    ["nobody's", undefined, false],
  ])("ME-3 /elevated in %s message works only if the sender is an operator", async (_, sender, elevated) => {
    const { open } = testConduct({ tools: [{ name: "wipe", risk: "high" }] });
    const session = open();
    const heard = await session.onMessage({ text: "/elevated do it", ...(sender === undefined ? {} : { sender }) });
    expect(heard.text).toBe("do it");
    expect(heard.notes.length).toBe(elevated ? 0 : 1);
    expect(await play(session, "wipe")).toBe(elevated ? "allow" : "deny");
  });

  it("ME-4 a message without a sender counts as the session's sender's", async () => {
    const session = testConduct().open({ sender: operator });
    await session.onMessage({ text: "/elevated do it" });
    expect(session.view.modes.elevated).toBe(true);
    await session.onMessage({ text: "/elevated off", sender: user });
    await session.onMessage({ text: "/elevated again", sender: user });
    expect(session.view.modes.elevated).toBe(false);
  });

  it("ME-5 an operator's elevation is suspended in the turns of others and resumes in the operator's", async () => {
    const session = testConduct({ tools: [{ name: "wipe", risk: "high" }] }).open();
    await session.onMessage({ text: "/elevated go", sender: operator });
    expect(await play(session, "wipe")).toBe("allow");
    expect((await session.onMessage({ text: "/think me too", sender: user })).modes.elevated).toBe(false);
    expect(await play(session, "wipe")).toBe("deny");
    expect((await session.onMessage({ text: "go on", sender: operator })).modes).toMatchObject({
      elevated: true,
      think: true,
    });
    expect(await play(session, "wipe")).toBe("allow");
  });

  it('K20: an elevation expires, and an agent with elevation "never" cannot be elevated by anybody', async () => {
    const timed = testConduct({ tools: [{ name: "wipe", risk: "high" }] });
    const session = timed.open({ sender: operator });
    await session.onMessage({ text: "/elevated 10m now" });
    expect(await play(session, "wipe")).toBe("allow");
    timed.pass(600_001);
    expect(await play(session, "wipe")).toBe("deny");
    const never = testConduct({ elevation: "never" }).open({ modes: { elevated: true }, sender: operator });
    await never.onMessage({ text: "/elevated now" });
    expect(never.setModes({ elevated: true }).elevated).toBe(false);
  });

  it("K15: a child never inherits its parent's elevation", async () => {
    const session = testConduct().open({ sender: operator });
    await session.onMessage({ text: "/elevated on" });
    expect(session.child().view.modes.elevated).toBe(false);
  });

  it("K17: verbose shows results and denials to the person, never to the model, and each only once", async () => {
    const { open, events } = testConduct({ tools: [{ name: "wipe", risk: "high" }] });
    const session = open();
    await session.onMessage({ text: "/verbose read it" });
    const secret = "token=ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    const call = { id: "c1", tool: "read_file", args: { path: "a" } };
    await session.onCall(call);
    const { result, feedback } = await session.onResult(call, {
      outcome: "ok",
      parts: [{ kind: "text", text: `one\n${secret}` }],
    });
    expect(JSON.stringify([result, feedback])).not.toContain("[DEBUG]");
    await play(session, "wipe");
    const debug = session.takeDebug() ?? "";
    expect(debug).toContain("[DEBUG] Tool: read_file");
    expect(debug).toContain("[DEBUG] Decision: deny, builtin:high-risk");
    expect(debug).not.toContain("ghp_");
    expect(debug.split("\n").every((line) => line === "" || line.startsWith("[DEBUG]"))).toBe(true);
    expect(session.takeDebug()).toBeUndefined();
    expect(of(events, "verbose")).toHaveLength(2);
  });

  it("K17: without verbose there is nothing to show, and unread verbose texts are bounded", async () => {
    const session = testConduct().open();
    await session.onMessage({ text: "hi" });
    await play(session, "read_file", ok);
    expect(session.takeDebug()).toBeUndefined();
    session.setModes({ verbose: true });
    for (let at = 0; at < 300; at++) await play(session, "read_file", ok, { at });
    expect((session.takeDebug() ?? "").split("[DEBUG] Tool:").length).toBeLessThan(60);
  });

  it("K12: invalid modes in a snapshot are read as the safe defaults", async () => {
    const { open, conduct } = testConduct();
    const session = open({ id: "s" });
    session.setModes({ think: "yes" as never, elevated: "true" as never });
    const text = session.serialise();
    session.notice({ kind: "ended" });
    expect(conduct.session({ agent: "agent", snapshot: text }).view.modes).toMatchObject({
      think: false,
      elevated: false,
    });
  });
});

const labels = { enabled: true, model: "local/rules" } as const;

describe("message: classification", () => {
  it("CL-1 local/rules classifies a session with its first message, before the first prompt", async () => {
    const { open, events } = testConduct({ sessionLabels: labels });
    const session = open();
    await session.onMessage({ text: "Fix the failing login test in src/auth/login.test.ts, it throws a TypeError" });
    const { classification, label } = session.view;
    expect(classification?.topic).toBe("debugging");
    expect(label).toBe(classification?.label);
    expect(of(events, "classification")).toMatchObject([{ model: "local/rules", because: "opener", classification }]);
  });

  it("CL-2 a session's classification survives a restart, with its label", async () => {
    const { open, conduct } = testConduct({ sessionLabels: labels });
    const session = open();
    await session.onMessage({ text: "Write a haiku about the sea" });
    const text = session.serialise();
    session.notice({ kind: "ended" });
    const again = conduct.session({ agent: "agent", snapshot: text });
    expect(again.view.label).toBe(session.view.label);
    expect(again.view.classification).toEqual(session.view.classification);
  });

  it("CL-3 a session is classified again every N turns, on compaction and on demand, each with its reason", async () => {
    const { open, events } = testConduct({ sessionLabels: { ...labels, every: 3 } });
    const session = open();
    for (let turn = 1; turn <= 4; turn++) await session.onMessage({ text: `fix bug ${turn} in a.ts` });
    session.notice({ kind: "compacted" });
    expect(await session.classify()).toBeDefined();
    expect(of(events, "classification").map(({ because }) => because)).toEqual([
      "opener",
      "turns",
      "compaction",
      "demand",
    ]);
  });

  it("CL-4 a session is not classified if labels are off or the message has no words", async () => {
    const off = testConduct({ sessionLabels: { enabled: false, model: "local/rules" } });
    await off.open().onMessage({ text: "fix the bug" });
    const empty = testConduct({ sessionLabels: labels });
    await empty.open().onMessage({ text: "   " });
    expect([...of(off.events, "classification"), ...of(empty.events, "classification")]).toEqual([]);
  });

  it("CL-5 labels without a model are skipped, and the warning is logged once, not with every message", async () => {
    const { open, events } = testConduct({ sessionLabels: { enabled: true } });
    const session = open();
    for (let turn = 1; turn <= 25; turn++) await session.onMessage({ text: "hello there" });
    expect(of(events, "fault").map(({ fault }) => fault.code)).toEqual(["classification-skipped"]);
  });

  /** A model that answers when it is told to. */
  function slowModel(answers: readonly string[]) {
    const asked: ModelQuestion[] = [];
    const open: (() => void)[] = [];
    const models: Models = {
      ask: async (question) => {
        asked.push(question);
        const text = answers[asked.length - 1] ?? "";
        await new Promise<void>((resolve) => open.push(resolve));
        return { text, usage: { inputTokens: 100, outputTokens: 20, cost: 0.01 } };
      },
    };
    return { models, asked, answer: () => open.shift()?.() };
  }
  const good = JSON.stringify({ label: "Sea", topic: "creative", complexity: "simple", domain: [], flags: [] });
  const byModel = { enabled: true, model: "anthropic/small" } as const;
  const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

  it("CL-6 a model classifies in the background: the first message and prompt do not wait for it", async () => {
    const { models, asked, answer } = slowModel([good]);
    const { open, events } = testConduct({ sessionLabels: byModel }, { models });
    const session = open();
    await session.onMessage({ text: "Write a haiku" });
    await session.onPrompt();
    expect(session.view.classification).toBeUndefined();
    answer();
    await settled();
    expect(session.view.classification?.topic).toBe("creative");
    expect(session.view.usage).toMatchObject({ inputTokens: 100, outputTokens: 20, cost: 0.01 });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ model: "anthropic/small", maxTokens: 120 });
    expect(of(events, "classification")).toHaveLength(1);
  });

  it("CL-7 with `wait` the first prompt already has the classification", async () => {
    const { models, answer } = slowModel([good]);
    const { open } = testConduct({ sessionLabels: { ...byModel, wait: 60_000 } }, { models });
    const session = open();
    await session.onMessage({ text: "Write a haiku" });
    const prompt = session.onPrompt();
    await settled();
    answer();
    await prompt;
    expect(session.view.classification?.topic).toBe("creative");
  });

  it("CL-8 an unreadable classification is retried once and then paused, so not every message is charged", async () => {
    const { models, asked, answer } = slowModel(["no json", "nor this"]);
    const { open, events } = testConduct({ sessionLabels: byModel }, { models });
    const session = open();
    for (let turn = 1; turn <= 6; turn++) {
      await session.onMessage({ text: "Write a haiku" });
      answer();
      await settled();
      answer();
      await settled();
    }
    expect(asked).toHaveLength(2);
    expect(of(events, "fault").map(({ fault }) => fault.code)).toEqual(["classify-unreadable"]);
  });

  it("CL-9 a classification that arrives after the session's end changes nothing", async () => {
    const { models, answer } = slowModel([good]);
    const { open, events } = testConduct({ sessionLabels: byModel }, { models });
    const session = open();
    await session.onMessage({ text: "Write a haiku" });
    session.notice({ kind: "ended" });
    answer();
    await settled();
    expect(of(events, "classification")).toEqual([]);
  });

  it("CL-10 a subagent is not classified, and its prompts use its parent's classification", async () => {
    const { open, events } = testConduct({
      sessionLabels: labels,
      contributors: [
        {
          id: "poet",
          tags: [{ dimension: "topic", value: "creative" }],
          contribute: () => ({ content: "Mind the metre." }),
        },
      ],
      prompt: { mode: "full" },
    });
    const session = open();
    await session.onMessage({ text: "Write a haiku about the sea" });
    const child = session.child();
    await child.onMessage({ text: "Fix the failing test in a.ts" });
    expect(of(events, "classification")).toHaveLength(1);
    expect((await child.onPrompt({ mode: "full" })).text).toContain("Mind the metre.");
  });
});
