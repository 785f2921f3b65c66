import { describe, expect, it } from "vitest";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { StaticFeedbackProvider } from "../../../behavior/feedback/feedback-providers.ts";
import type { SessionHost, SessionMoments } from "../../../engine/session/session-moments.ts";
import { testOpencode } from "./test/opencode.ts";

const never: ToolPolicy = {
  name: "never",
  check: ({ tool }) =>
    tool === "shell" ? { kind: "deny", reason: "not here", next: "Do without." } : { kind: "allow" },
};
const feedback = [
  { provider: new StaticFeedbackProvider({ name: "Kit", feedback: "MIND-THE-GAP" }), trigger: { everyNCalls: 1 } },
];

const of = <T extends ConductEvent["type"]>(events: readonly ConductEvent[], type: T) =>
  events.filter((event): event is Extract<ConductEvent, { type: T }> => event.type === type);
const faults = (events: readonly ConductEvent[]) => of(events, "fault").map(({ fault }) => fault.code);

describe("message", () => {
  it("OCA-1 mode words are removed from a message, and attachments stay", async () => {
    const { say, events } = testOpencode();
    const hint = { type: "text", text: "Called the Read tool", synthetic: true };
    const { parts } = await say([{ type: "text", text: "/think  look" }, hint, { type: "file" }]);
    expect(parts).toEqual([{ type: "text", text: " look" }, hint, { type: "file" }]);
    expect(of(events, "message")[0]?.modes.think).toBe(true);
  });

  it("OCA-2 a message of modes only is blocked, and the answer is shown", async () => {
    const { say, toasts, events } = testOpencode();
    await expect(say("/verbose on")).rejects.toThrow("verbose: on");
    expect(toasts.join()).toContain("verbose: on");
    expect(of(events, "prompt")).toEqual([]);
  });

  it("OCA-2 a message of modes only with an attachment is sent without the words, and the answer is shown", async () => {
    const { say, toasts } = testOpencode();
    const { parts } = await say([{ type: "text", text: "/verbose on" }, { type: "file" }]);
    expect(parts).toEqual([{ type: "file" }]);
    expect(toasts.join()).toContain("verbose: on");
  });

  it("OCA-3 a plugin's note for the person does not begin a turn", async () => {
    const { say, events } = testOpencode();
    await say([{ type: "text", text: "/verbose on", ignored: true }]);
    expect(of(events, "message")).toEqual([]);
  });

  it("OCA-4 a model's message to a subagent does not elevate", async () => {
    const { say, child, events, origins } = testOpencode({}, { session: { sender: { role: "operator" } } });
    await say("hand it on");
    child("below");
    await say("/elevated do it", "below");
    expect(origins.map(({ id, parent }) => [id, parent])).toEqual([
      ["s", undefined],
      ["below", "s"],
    ]);
    expect(of(events, "message").at(-1)?.modes.elevated).toBe(false);
  });

  it.each([
    { argv: ["bun", "/$bunfs/root/src/cli/tui/worker.js"], interactive: true },
    { argv: ["bun", "/$bunfs/root/src/index.js", "serve"], interactive: false },
    { argv: ["bun", "/$bunfs/root/src/index.js", "run"], interactive: false },
  ])("OCA-5 OpenCode started as $argv is interactive: $interactive", async ({ argv, interactive }) => {
    const { say, origins } = testOpencode({}, { argv });
    await say("hello");
    expect(origins[0]?.interactive).toBe(interactive);
  });

  it("OCA-6 if Conduct is unreachable the message is blocked, and the next message tries again", async () => {
    let down = true;
    const { say, call, toasts } = testOpencode(
      {},
      { host: (host) => ({ open: (origin) => (down ? Promise.reject(new Error("no daemon")) : host.open(origin)) }) },
    );
    await expect(say("hello")).rejects.toThrow(/no daemon.*was not sent/s);
    expect(toasts.join()).toContain("no daemon");
    await expect(call("c", "bash", { command: "ls" })).rejects.toThrow(/could not be decided: no daemon/);
    down = false;
    await expect(say("hello")).resolves.toBeDefined();
  });

  it("OCA-6 a message is blocked if OpenCode does not know its session", async () => {
    const { say } = testOpencode({}, { client: ({ session }) => ({ session: { ...session, get: async () => ({}) } }) });
    await expect(say("hello")).rejects.toThrow("does not know its session s");
  });
});

describe("prompt", () => {
  it("OCA-7 the prompt is the same in every request of a turn, and in no request of OpenCode's helpers", async () => {
    const { say, request, title } = testOpencode({ soul: "SOUL-1" });
    await say("hello");
    const first = await request();
    expect(first).toContain("SOUL-1");
    expect(await request()).toBe(first);
    expect(await request("s", [], title)).toBe(title);
  });

  it("OCA-7 if the helpers are unknown, the prompt is in every request", async () => {
    const agents = async () => Promise.reject(new Error("down"));
    const { say, request, title } = testOpencode({ soul: "SOUL-1" }, { client: () => ({ app: { agents } }) });
    await say("hello");
    expect(await request("s", [], title)).toContain("SOUL-1");
  });

  it("OCA-8 the model and its window are reported once, and again when they change", async () => {
    const { say, request, events } = testOpencode();
    await say("hello");
    await request();
    await request();
    const started = of(events, "notice").flatMap(({ notice }) => (notice.kind === "started" ? [notice] : []));
    expect(started).toEqual([{ kind: "started", adapter: "opencode", model: "scripted/m", window: 9_000 }]);
  });
});

describe("call", () => {
  it("OCA-9 a denied call is blocked with the reason, and so is every call after the turn is ended", async () => {
    const { say, request, call, aborted, events } = testOpencode({ policies: [never] });
    await say("go");
    for (let at = 1; aborted.length === 0 && at < 12; at += 1) {
      await request();
      await expect(call(`c${at}`, "bash", { command: "ls" })).rejects.toThrow("not here");
    }
    expect(aborted).toEqual(["s"]);
    const decided = of(events, "call").length;
    await expect(call("after", "read", { filePath: "a" })).rejects.toThrow("ended this turn");
    expect(of(events, "call")).toHaveLength(decided);
    await say("again");
    await expect(call("next", "read", { filePath: "a" })).resolves.toBeDefined();
  });

  it("OCA-10 rewritten arguments are set in the object that OpenCode runs", async () => {
    const quiet: ToolPolicy = {
      name: "quiet",
      rewrites: true,
      check: ({ args: { path, ...args } }) => ({
        kind: "rules",
        findings: [],
        input: { ...args, path: path ?? "", limit: 5 },
      }),
    };
    const { say, call } = testOpencode({ policies: [quiet] });
    await say("go");
    const args = { filePath: "a" };
    await call("c", "read", args);
    expect(args).toEqual({ filePath: "a", limit: 5 });
  });

  it("OCA-10 a rewritten call that OpenCode cannot run does not run", async () => {
    const deep: ToolPolicy = {
      name: "deep",
      rewrites: true,
      check: ({ args }) => ({ kind: "rules", findings: [], input: { ...args, depth: 1 } }),
    };
    const { say, call, events } = testOpencode({ policies: [deep] });
    await say("go");
    await expect(call("c", "webfetch", { url: "http://a/" })).rejects.toThrow("rules change 'depth'");
    expect(faults(events)).toEqual(["rewrite"]);
    expect(of(events, "result").map(({ outcome }) => outcome)).toEqual(["cancelled"]);
  });

  it("OCA-11 an unanswered question blocks the call", async () => {
    const ask: ToolPolicy = { name: "ask", check: () => ({ kind: "ask", question: "May it?" }) };
    const { say, call, events } = testOpencode({ policies: [ask] }, { waitMs: 1 });
    await say("go");
    await expect(call("c", "bash", { command: "ls" })).rejects.toThrow("Waiting for a person's approval");
    expect(of(events, "result").map(({ outcome }) => outcome)).toEqual(["cancelled"]);
  });

  it("OCA-26 while a call waits for approval, the person sees the question and how to answer", async () => {
    const ask: ToolPolicy = { name: "ask", check: () => ({ kind: "ask", question: "May it?" }) };
    const host = (local: SessionHost): SessionHost => ({
      async open(origin) {
        const session = await local.open(origin);
        const decide: SessionMoments["decide"] = async (asked, wait = {}) => {
          const decision = await session.onCall(asked);
          if (decision.kind === "ask") wait.onAsking?.(decision);
          return decision;
        };
        return Object.assign(session, { decide });
      },
    });
    const { say, call, toasts, events } = testOpencode({ policies: [ask] }, { host });
    await say("go");
    await expect(call("c", "bash", { command: "ls" })).rejects.toThrow("Waiting for a person's approval");
    const [decision] = of(events, "call").map((event) => event.decision);
    if (decision?.kind !== "ask") throw new Error("it was not asked");
    expect(toasts).toEqual([`A call needs your approval: May it?\nTo approve: conduct approve ${decision.approval}`]);
  });

  it("OCA-12 a call does not run if the owner of its tool is unknown", async () => {
    const { say, call } = testOpencode({}, { client: () => ({ mcp: { status: async () => ({}) } }) });
    await say("go");
    await expect(call("c", "shop_sell", {})).rejects.toThrow("does not list its MCP servers");
    await expect(call("d", "bash", { command: "ls" })).resolves.toBeDefined();
  });

  it("OCA-13 all calls of one response are one step", async () => {
    const { say, request, call, events } = testOpencode();
    await say("go");
    await request();
    await call("a", "bash", { command: "a" });
    await call("b", "bash", { command: "b" });
    await request();
    await call("c", "bash", { command: "c" });
    const [a, b, c] = of(events, "call").map(({ call: { step } }) => step);
    expect([a === b, b === c]).toEqual([true, false]);
    expect(of(events, "notice").filter(({ notice }) => notice.kind === "step-closed")).toHaveLength(1);
  });
});

describe("result", () => {
  const fine = { title: "", output: "out", metadata: { exit: 0 } };

  it("OCA-14 feedback is added after the result", async () => {
    const { say, call, ran } = testOpencode({ feedback });
    await say("go");
    const args = await call("c", "bash", { command: "ls" });
    expect(await ran("c", "bash", args, { ...fine })).toMatchObject({
      output: expect.stringMatching(/^out\n\n.*MIND-THE-GAP/s),
    });
  });

  it("OCA-15 a failed call is reported, and its feedback is in every later request", async () => {
    const { say, request, call, tell, events } = testOpencode({ feedback });
    await say("go");
    await call("c", "read", { filePath: "gone" });
    const part = { type: "tool", callID: "c", state: { status: "error", error: "File not found" } };
    await tell("message.part.updated", { sessionID: "s", part });
    for (const _ of [1, 2]) {
      const state = { ...part.state };
      await request("s", [{ ...part, state }]);
      expect(state.error).toMatch(/^File not found\n\n.*MIND-THE-GAP/s);
    }
    expect(of(events, "result").map(({ call: id, outcome }) => [id, outcome])).toEqual([["c", "failed"]]);
  });

  it("OCA-16 arguments changed by another plugin prove nothing, and the operator sees a fault", async () => {
    const { say, call, ran, events } = testOpencode();
    await say("go");
    const args = { command: "sh test.sh" };
    await call("c", "bash", args);
    args.command = "rm -rf /";
    await ran("c", "bash", args, { ...fine });
    expect(of(events, "result")[0]?.outcome).toBe("unknown");
    expect(faults(events)).toEqual(["changed-call"]);
  });

  it("OCA-17 a result that arrives after its turn was aborted changes nothing", async () => {
    const { say, call, ran, idle, tell, events } = testOpencode({ feedback });
    await say("go");
    const args = await call("c", "bash", { command: "sleep 9" });
    await tell("message.updated", {
      sessionID: "s",
      info: { role: "assistant", error: { name: "MessageAbortedError" } },
    });
    await idle();
    expect(await ran("c", "bash", args, { ...fine })).toEqual(fine);
    expect(of(events, "result").map(({ outcome }) => outcome)).toEqual(["cancelled"]);
    expect(of(events, "stop")).toEqual([]);
  });
});
