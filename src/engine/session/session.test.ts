import { describe, expect, it } from "vitest";
import type { CallInput } from "../../base/words/call.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { ReadBeforeWritePolicy } from "../../behavior/policy/builtin/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { allow, ask, deny } from "../../behavior/policy/policy-decision.ts";
import type { Session } from "./session.ts";
import { testConduct } from "./test/test-conduct.ts";

const order = () => new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } });
const ok: ToolResult = { outcome: "ok", parts: [{ kind: "text", text: "fine" }] };
const failed: ToolResult = { outcome: "failed", exitCode: 1, parts: [{ kind: "text", text: "broke" }] };

let calls = 0;
function call(tool: string, more: Partial<CallInput> = {}): CallInput {
  calls += 1;
  return { id: `c${calls}`, tool, args: {}, ...more };
}

async function play(session: Session, made: CallInput, result: ToolResult = ok): Promise<string> {
  const decision = await session.onCall(made);
  if (decision.kind === "allow") await session.onResult(made, result);
  return decision.kind;
}

describe("call", () => {
  it("CA-1 only a call with an ok outcome is evidence", async () => {
    for (const outcome of ["failed", "denied", "cancelled", "unknown"] as const) {
      const session = testConduct({ policies: [order()] }).open();
      await play(session, call("test"), { outcome, parts: [] });
      expect(await play(session, call("deploy")), outcome).toBe("deny");
    }
    const session = testConduct({ policies: [order()] }).open();
    await play(session, call("test"));
    expect(await play(session, call("deploy"))).toBe("allow");
  });

  it("CA-2 a call is evidence in the next step, not in its own batch", async () => {
    const session = testConduct({ policies: [order()] }).open();
    await play(session, call("test", { step: "1" }));
    expect(await play(session, call("deploy", { step: "1" }))).toBe("deny");
    expect(await play(session, call("deploy", { step: "2" }))).toBe("allow");
  });

  it.each(["step-closed", "compacted"] as const)("CA-3 the notice %s closes the step", async (kind) => {
    const session = testConduct({ policies: [order()] }).open();
    await play(session, call("test", { step: "1" }));
    session.notice({ kind });
    expect(await play(session, call("deploy", { step: "2" }))).toBe("allow");
  });

  it("CA-4 a result that arrives during the next step is evidence only after that step", async () => {
    const session = testConduct({ policies: [order()] }).open();
    const late = call("test", { step: "1" });
    await session.onCall(late);
    await play(session, call("look", { step: "2" }));
    await session.onResult(late, ok);
    expect(await play(session, call("deploy", { step: "2" }))).toBe("deny");
    expect(await play(session, call("deploy", { step: "3" }))).toBe("allow");
  });

  it("CA-15 a closed step cannot be reopened, and only its own name closes it", async () => {
    const session = testConduct({ policies: [order()] }).open();
    await play(session, call("test", { step: "1" }));
    await play(session, call("look", { step: "2" }));
    expect(await session.onCall(call("deploy", { step: "1" }))).toMatchObject({ code: "bad-call" });
    await play(session, call("test", { step: "2" }));
    session.notice({ kind: "step-closed", step: "1" });
    expect(await play(session, call("test", { step: "2" }))).toBe("allow");
    session.notice({ kind: "step-closed", step: "2" });
    expect(await session.onCall(call("look", { step: "2" }))).toMatchObject({ code: "bad-call" });
  });

  it.each<[string, unknown]>([
    ["nested 20,000 deep", { id: "1", tool: "x", args: JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`) }],
    ["with a BigInt", { id: "1", tool: "x", args: { a: 1n } }],
    ["null", null],
    ["with paths that are no list", { id: "1", tool: "x", args: {}, paths: 5 }],
  ])("CA-16 a call %s is denied and causes no exception", async (_what, bad) => {
    expect(
      await testConduct()
        .open()
        .onCall(bad as CallInput),
    ).toMatchObject({ kind: "deny", code: "bad-call" });
  });

  it("CA-17 an invented tool name cannot remove another tool's policies, here or in other sessions", async () => {
    const no: AnyPolicy = { name: "no", check: () => deny("no") };
    const { open } = testConduct({
      actions: { publish: { tool: "shell", command: "npm publish" } },
      sections: [{ heading: "A", content: "", tools: ["publish"], policies: [no] }],
    });
    await open().onCall(call("shell\u0000publish"));
    expect((await open().onCall(call("shell", { args: { command: "npm publish" } }))).kind).toBe("deny");
  });

  it("CA-18 facts that arrive late change neither the decision nor the event", async () => {
    let answer: (value: string) => void = () => {};
    const policy: AnyPolicy = {
      name: "slow",
      gather: () =>
        new Promise<string>((resolve) => {
          answer = resolve;
        }),
      check: allow,
    };
    const { open, events } = testConduct({ policies: [policy], limits: { gatherMs: 10 } });
    expect((await open().onCall(call("x"))).kind).toBe("deny");
    answer("too late");
    await Promise.resolve();
    expect(events.find((event) => event.type === "call")?.facts?.policies).toEqual({});
  });

  it("CA-19 the number of calls without results is limited", async () => {
    const session = testConduct().open();
    for (let i = 0; i < 1_000; i++) await session.onCall(call("x"));
    expect(await session.onCall(call("x"))).toMatchObject({ kind: "deny", code: "state-full" });
  });

  it("CA-20 no subscriber can change a decision", async () => {
    const { open, conduct } = testConduct({ policies: [{ name: "no", check: () => deny("no") }] });
    conduct.subscribe((event) => {
      if (event.type === "call") Object.assign(event.decision, { kind: "allow" });
    });
    expect((await open().onCall(call("x"))).kind).toBe("deny");
    expect(conduct.subscriberFailures).toBe(1);
  });

  it("CA-5 a failed parallel call does not affect the evidence of its siblings", async () => {
    const policies = [new SequentialDependencyPolicy({ dependencies: { deploy: ["test", "lint"] } })];
    const session = testConduct({ policies }).open();
    const [test, lint] = [call("test", { step: "1" }), call("lint", { step: "1" })];
    await Promise.all([session.onCall(test), session.onCall(lint)]);
    await Promise.all([session.onResult(test, ok), session.onResult(lint, failed)]);
    expect(await session.onCall(call("deploy", { step: "2" }))).toMatchObject({
      reason: "Tool 'deploy' requires: lint",
    });
  });

  it("CA-6 section policies come first, in section order, then the agent's; all denials are reported", async () => {
    const no = (name: string): AnyPolicy => ({ name, check: () => deny(`${name} says no`) });
    const { open } = testConduct({
      policies: [no("agent")],
      sections: [
        { heading: "A", content: "", tools: ["x"], policies: [no("first")] },
        { heading: "B", content: "", tools: ["y"], policies: [no("elsewhere")] },
        { heading: "C", content: "", tools: ["x", "y"], policies: [no("second")] },
      ],
    });
    const rules = async (tool: string) => {
      const decision = await open().onCall(call(tool));
      return decision.kind === "deny" ? [decision.rule, ...decision.others.map(({ rule }) => rule)] : [];
    };
    expect(await rules("x")).toEqual(["first", "second", "agent"]);
    expect(await rules("y")).toEqual(["elsewhere", "second", "agent"]);
    expect(await rules("unknown")).toEqual(["agent"]);
  });

  it.each<[string, Partial<AnyPolicy>, string]>([
    ["hangs", { gather: () => new Promise(() => {}) }, "gather-timeout"],
    ["fails", { gather: () => Promise.reject(new Error("no network")) }, "gather-error"],
  ])("CA-7 a policy whose gathering %s denies with %s", async (_what, part, code) => {
    const policy: AnyPolicy = { name: "p", check: allow, ...part };
    const { open, events } = testConduct({ policies: [policy], limits: { gatherMs: 20 } });
    expect(await open().onCall(call("x"))).toMatchObject({ kind: "deny", code });
    expect(events.find((event) => event.type === "call")?.facts?.faults.p?.code).toBe(code);
  });

  it("CA-8 facts that a policy gathers are passed to its check and recorded in the journal", async () => {
    const policy: AnyPolicy = {
      name: "p",
      gather: async () => ({ weather: "rain" }),
      check: (_call, { facts }) => (facts.policies.p ? deny(`it is ${JSON.stringify(facts.policies.p)}`) : allow()),
    };
    const { open, events } = testConduct({ policies: [policy] });
    expect(await open().onCall(call("x"))).toMatchObject({ reason: 'it is {"weather":"rain"}' });
    expect(events.find((event) => event.type === "call")?.facts?.policies).toEqual({ p: { weather: "rain" } });
  });

  it("CA-9 a call is denied if a file that it names cannot be looked up", async () => {
    const { open } = testConduct(
      { limits: { gatherMs: 20 } },
      { filesystem: { root: "/w", look: async () => Promise.reject(new Error("EIO")) } },
    );
    expect(await open().onCall(call("read_file", { args: { path: "a" } }))).toMatchObject({
      kind: "deny",
      code: "gather-error",
    });
  });

  it.each<[string, unknown]>([
    ["no id", { id: "", tool: "x", args: {} }],
    ["no tool", { id: "1", tool: "", args: {} }],
    ["arguments that are a list", { id: "1", tool: "x", args: [] }],
    ["no arguments at all", { id: "1", tool: "x" }],
  ])("CA-10 a call with %s is denied and causes no exception", async (_what, bad) => {
    expect(
      await testConduct()
        .open()
        .onCall(bad as CallInput),
    ).toMatchObject({ kind: "deny", code: "bad-call" });
  });

  it("CA-11 a repeated call gets the first decision again, and the same id with other arguments is denied", async () => {
    const session = testConduct({ limits: { calls: 1 } }).open();
    const made = call("x", { args: { a: 1 } });
    const first = await session.onCall(made);
    expect(await session.onCall(made)).toMatchObject({ kind: "allow", id: first.id });
    expect(await session.onCall({ ...made, args: { a: 2 } })).toMatchObject({ kind: "deny", code: "bad-call" });
  });

  it("CA-12 a repeatedly denied call is withdrawn after three tries, then ends the turn; a new turn starts over", async () => {
    const { open, events } = testConduct({ policies: [order()] });
    const session = open();
    await session.onMessage({ text: "go" });
    const seen = [];
    for (let i = 0; i < 6; i++) {
      const decision = await session.onCall(call("deploy"));
      if (decision.kind === "deny") seen.push([decision.code, decision.attemptsLeft, decision.endTurn]);
    }
    expect(seen).toEqual([
      ["missing-prerequisite", 2, false],
      ["missing-prerequisite", 1, false],
      ["missing-prerequisite", 0, false],
      ["withdrawn", 0, false],
      ["withdrawn", 0, false],
      ["withdrawn", 0, true],
    ]);
    expect(events.filter((event) => event.type === "stop")).toMatchObject([{ status: "ended-by-policy" }]);
    await session.onMessage({ text: "again" });
    expect(await session.onCall(call("deploy"))).toMatchObject({ attemptsLeft: 2 });
    await play(session, call("test"));
    expect(await play(session, call("deploy"))).toBe("allow");
  });

  it("CA-13 an ended session makes no more decisions", async () => {
    const { open, conduct } = testConduct();
    const session = open({ id: "s" });
    session.notice({ kind: "ended" });
    expect(await session.onCall(call("x"))).toMatchObject({ kind: "deny", code: "session-ended" });
    expect(conduct.find("s")).toBeUndefined();
  });

  it("CA-14 two interleaved sessions never affect each other", async () => {
    const { open } = testConduct({ policies: [order()] });
    const [a, b] = [open({ modes: { elevated: true } }), open()];
    const test = call("test");
    await Promise.all([a.onCall(test), b.onCall(test)]);
    await Promise.all([a.onResult(test, ok), b.onResult(test, failed)]);
    expect([await play(a, call("deploy")), await play(b, call("deploy"))]).toEqual(["allow", "deny"]);
    expect([a.view.modes.elevated, b.view.modes.elevated]).toEqual([true, false]);
  });
});

describe("permissions", () => {
  const policies: AnyPolicy[] = [{ name: "asks", check: (made) => (made.tool === "send" ? ask("Send it?") : allow()) }];
  const tools = [{ name: "wipe", risk: "high" as const }];

  it.each([
    [false, ["ask", "deny", "deny"]],
    [true, ["allow", "allow", "allow"]],
  ])(
    "PM-1 with elevated %s, questions, paths outside and high-risk tools are decided accordingly",
    async (elevated, kinds) => {
      const { open } = testConduct({ policies, tools });
      const session = open({ modes: { elevated } });
      const made = [call("send"), call("read_file", { args: { path: "../etc/passwd" } }), call("wipe")];
      expect(await Promise.all(made.map(async (one) => (await session.onCall(one)).kind))).toEqual(kinds);
      if (elevated) expect(await session.onCall(call("send"))).toMatchObject({ because: "elevated" });
    },
  );

  it("PM-2 an elevation never overrides a rule's denial or a broken policy", async () => {
    const broken: AnyPolicy = { name: "broken", check: () => Promise.reject(new Error("x")) as never };
    for (const policy of [order(), broken]) {
      const session = testConduct({ policies: [policy] }).open({ modes: { elevated: true } });
      expect((await session.onCall(call("deploy"))).kind).toBe("deny");
    }
  });

  it("PM-3 a yes allows one identical call, once; a no applies for the whole session", async () => {
    const { open, events } = testConduct({ policies });
    const session = open();
    const send = (text: string) => call("send", { args: { text } });
    const first = await session.onCall(send("a"));
    if (first.kind !== "ask") throw new Error("it should ask");
    expect(await session.onCall(send("a"))).toMatchObject({ kind: "ask", approval: first.approval });
    session.resolve(first.approval, "yes", "ann");
    expect(await session.onCall(send("b"))).toMatchObject({ kind: "ask" });
    expect(await session.onCall(send("a"))).toMatchObject({ kind: "allow", because: "approved" });
    const again = await session.onCall(send("a"));
    if (again.kind !== "ask") throw new Error("a yes is good once");
    session.resolve(again.approval, "no", "ann");
    expect(await session.onCall(send("a"))).toMatchObject({ kind: "deny", code: "human-no" });
    expect(() => session.resolve(again.approval, "yes", "eve")).toThrow("answered");
    expect(() => session.resolve("a_none", "yes", "eve")).toThrow("unknown");
    expect(events.filter((event) => event.type === "approval")).toHaveLength(2);
  });

  it("PM-6 a yes applies to its folder only, and a person's no overrides a later elevation", async () => {
    const { open } = testConduct({ policies });
    const session = open();
    const send = (cwd: string) => call("send", { args: { command: "x" }, cwd });
    const first = await session.onCall(send("/w/a"));
    if (first.kind !== "ask") throw new Error("it should ask");
    session.resolve(first.approval, "yes", "ann");
    expect((await session.onCall(send("/w/prod"))).kind).toBe("ask");
    expect((await session.onCall(send("/w/a"))).kind).toBe("allow");
    const again = await session.onCall(send("/w/prod"));
    if (again.kind !== "ask") throw new Error("it should ask");
    session.resolve(again.approval, "no", "ann");
    session.setModes({ elevated: true });
    expect(await session.onCall(send("/w/prod"))).toMatchObject({ code: "human-no" });
  });

  it("PM-7 a no applies to the rule's key, however the input is varied", async () => {
    const keyed: AnyPolicy = { name: "asks", check: () => ask("Send it?", { key: "mail" }) };
    const session = testConduct({ policies: [keyed] }).open();
    const first = await session.onCall(call("send", { args: { text: "a" } }));
    if (first.kind !== "ask") throw new Error("it should ask");
    session.resolve(first.approval, "no", "ann");
    expect(await session.onCall(call("send", { args: { text: "a " } }))).toMatchObject({ code: "human-no" });
  });

  it("PM-8 an open question counts against the budget", async () => {
    const session = testConduct({ policies, limits: { calls: 1 } }).open();
    expect((await session.onCall(call("send", { args: { n: 1 } }))).kind).toBe("ask");
    expect(await session.onCall(call("send", { args: { n: 2 } }))).toMatchObject({ code: "budget" });
  });

  it("PM-4 if the runtime asks the person itself, the call's outcome counts as the answer", async () => {
    const session = testConduct({ policies }).open();
    const refused = call("send");
    await session.onCall(refused);
    await session.onResult(refused, { outcome: "denied", parts: [] });
    expect(await session.onCall(call("send"))).toMatchObject({ kind: "deny", code: "human-no" });
    const agreed = call("send", { args: { text: "b" } });
    await session.onCall(agreed);
    await session.onResult(agreed, ok);
    expect((await session.onCall(call("send", { args: { text: "b" } }))).kind).toBe("ask");
  });

  it("PM-5 a question that is not answered in time is asked again", async () => {
    const { open, pass } = testConduct({ policies });
    const session = open();
    const first = await session.onCall(call("send"));
    pass(11 * 60_000);
    const second = await session.onCall(call("send"));
    if (first.kind !== "ask" || second.kind !== "ask") throw new Error("both should ask");
    expect(second.approval).not.toBe(first.approval);
    expect(() => session.resolve(first.approval, "yes", "ann")).toThrow("unknown");
  });
});

describe("read before write, through the whole engine", () => {
  const write = (path: string, more: Partial<CallInput> = {}) => call("write_file", { args: { path }, ...more });
  const read = (path: string) => call("read_file", { args: { path } });

  it("RW-1 a write is denied while the file is unread or stale, and allowed after a read or an own write", async () => {
    const { open, files } = testConduct({ policies: [new ReadBeforeWritePolicy()] });
    files.set("/w/a", "one");
    const session = open();
    expect(await session.onCall(write("a"))).toMatchObject({ code: "not-read" });
    await play(session, read("./sub/../a"));
    expect(await play(session, write("/w/a"))).toBe("allow");
    files.set("/w/a", "somebody else's");
    expect(await session.onCall(write("a"))).toMatchObject({ code: "stale-read" });
    const mine = write("new");
    await session.onCall(mine);
    files.set("/w/new", "mine");
    await session.onResult(mine, ok);
    expect(await play(session, write("new"))).toBe("allow");
  });

  it("RW-2 after compaction a file must be read again before a write", async () => {
    const { open, files } = testConduct({ policies: [new ReadBeforeWritePolicy(), order()] });
    files.set("/w/a", "one");
    const session = open();
    await play(session, read("a"));
    await play(session, call("test"));
    session.notice({ kind: "compacted" });
    expect((await session.onCall(write("a"))).kind).toBe("deny");
    expect((await session.onCall(call("deploy"))).kind).toBe("allow");
  });

  it("RW-4 a shell command reads and writes files like a file tool, whatever folder it runs in", async () => {
    const { open, files } = testConduct({ policies: [new ReadBeforeWritePolicy()] });
    files.set("/w/a", "one").set("/w/sub/b", "two");
    const session = open();
    const shell = (command: string, more: Partial<CallInput> = {}) => call("shell", { args: { command }, ...more });
    expect(await session.onCall(shell("echo x > a"))).toMatchObject({ code: "not-read" });
    expect(await play(session, shell("cat a"))).toBe("allow");
    expect(await play(session, shell("echo x > a"))).toBe("allow");
    expect(await play(session, shell("cat b", { cwd: "/w/sub" }))).toBe("allow");
    expect(await play(session, write("sub/b"))).toBe("allow");
    expect((await session.onCall(shell("cat /etc/passwd"))).kind).toBe("deny");
  });

  it("RW-3 a failed read does not allow a write", async () => {
    const { open, files } = testConduct({ policies: [new ReadBeforeWritePolicy()] });
    files.set("/w/a", "one");
    const session = open();
    await play(session, read("a"), failed);
    expect((await session.onCall(write("a"))).kind).toBe("deny");
  });
});
