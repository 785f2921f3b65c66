import { describe, expect, it } from "vitest";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";
import {
  completed,
  forCommand,
  kinds,
  OPTIONS,
  outcomes,
  RELEASE,
  SESSION,
  selected,
  statuses,
  testAcp,
} from "./test/acp.ts";
import { recorded } from "./test/recorded.ts";

const ASKS = {
  policies: [{ name: "person", check: () => ({ kind: "ask" as const, question: "Really?" }) }],
};

describe("permission", () => {
  it("ACP-9 a refused call is rejected without asking a person; the reason is a prompt in the same turn", async () => {
    const { open, say, prompted, agentAsks, put, reply, tells, client, events } = testAcp(RELEASE);
    await open();
    const turn = say("deploy it");
    const one = await prompted();
    expect(await agentAsks("session/request_permission", forCommand("npm run deploy"))).toMatchObject({
      result: selected("no"),
    });
    expect(client.heard.some((line) => line.includes("request_permission"))).toBe(false);
    one.end();
    const two = await prompted();
    expect(two.request.id).toBe(one.request.id);
    expect(two.texts.join()).toMatch(/npm run deploy\nDenied by sequential-dependency: .*requires: test/s);
    for (const [id, command] of [
      ["c2", "npm test"],
      ["c3", "npm run deploy"],
    ] as const) {
      const asked = agentAsks("session/request_permission", forCommand(command, id));
      reply(await put("session/request_permission"), selected("once"));
      expect(await asked).toMatchObject({ result: selected("once") });
      tells(completed(id, { exit: 0 }));
    }
    two.end();
    expect(await turn).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(kinds(events)).toEqual(["deny", "allow", "allow"]);
    expect(outcomes(events)).toEqual(["ok", "ok"]);
    expect(statuses(events)).toEqual(["complete"]);
  });

  it("ACP-10 a call that Conduct allows still needs the person's permission, once and not always", async () => {
    const { open, say, prompted, agentAsks, put, reply, events } = testAcp();
    await open();
    void say("list it");
    await prompted();
    const asked = agentAsks("session/request_permission", forCommand("ls"));
    const request = await put("session/request_permission");
    expect(request.params).toMatchObject({ toolCall: { title: "ls" }, options: [OPTIONS[0], OPTIONS[2]] });
    reply(request, selected("no"));
    expect(await asked).toMatchObject({ result: selected("no") });
    expect(outcomes(events)).toEqual(["denied"]);
  });

  it("ACP-11 a permission request without details waits for them, and is refused if none come", async () => {
    const { open, say, prompted, agentAsks, tells, put, reply, events } = testAcp();
    await open();
    void say("read");
    await prompted();
    const read = (toolCallId: string) => ({ toolCallId, title: "read", kind: "read", rawInput: {} });
    tells({ sessionUpdate: "tool_call", status: "pending", ...read("c1") });
    const asked = agentAsks("session/request_permission", { toolCall: read("c1"), options: OPTIONS });
    tells({ sessionUpdate: "tool_call_update", ...read("c1"), rawInput: { filePath: "/w/a" } });
    reply(await put("session/request_permission"), selected("once"));
    await asked;
    expect(events.find((event) => event.type === "call")?.call).toMatchObject({
      tool: "read_file",
      args: { path: "/w/a" },
    });
    const blind = agentAsks("session/request_permission", { toolCall: read("c2"), options: OPTIONS });
    expect(await blind).toMatchObject({ result: selected("no") });
  });

  it("ACP-12 an agent that repeats a denied call has its turn cancelled; the client sees a normal end", async () => {
    const { open, say, prompted, agentAsks, asked, events } = testAcp(RELEASE);
    await open();
    const turn = say("deploy");
    const one = await prompted();
    const cancelled = asked("session/cancel");
    for (let at = 1; at <= 6; at += 1)
      await agentAsks("session/request_permission", forCommand("npm run deploy", `c${at}`));
    expect((await cancelled).params).toEqual({ sessionId: SESSION });
    one.end("cancelled");
    expect(await turn).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(statuses(events)).toEqual(["ended-by-policy"]);
  });

  it.each([
    { answer: "conduct-yes", given: "once", kinds: ["ask", "allow"] },
    { answer: "conduct-no", given: "no", kinds: ["ask", "deny"] },
    { answer: "", given: "no", kinds: ["ask"] },
  ])("ACP-13 the person at the client answers a question: '$answer'", async ({ answer, given, kinds: decided }) => {
    const { open, say, prompted, agentAsks, put, reply, events } = testAcp(ASKS);
    await open();
    void say("pay");
    await prompted();
    const asked = agentAsks("session/request_permission", forCommand("pay"));
    const question = await put("session/request_permission");
    expect(question.params).toMatchObject({
      toolCall: { title: "Conduct (person): Really?", rawInput: { command: "pay" } },
    });
    reply(question, answer === "" ? { outcome: { outcome: "cancelled" } } : selected(answer));
    expect(await asked).toMatchObject({ result: selected(given) });
    expect(kinds(events)).toEqual(decided);
  });

  it("ASK2-22 the client offers always if the rule does, and the same command is then not asked again", async () => {
    const rule = { id: "person", on: ["shell"], effect: "ask", say: "Really?", remember: "session" } as const;
    const policies = [new RulesPolicy({ rules: [rule], actions: {} })];
    const { open, say, prompted, agentAsks, put, reply, events } = testAcp({ policies });
    await open();
    void say("pay");
    await prompted();
    const asked = agentAsks("session/request_permission", forCommand("pay"));
    const question = await put("session/request_permission");
    expect(question.params).toMatchObject({ options: [{}, { kind: "allow_always" }, {}] });
    reply(question, selected("conduct-always"));
    expect(await asked).toMatchObject({ result: selected("once") });
    // Only the agent's own question reaches the client.
    const again = agentAsks("session/request_permission", forCommand("pay", "c9"));
    const theirs = await put("session/request_permission");
    expect(JSON.stringify(theirs.params)).not.toContain("Conduct (person)");
    reply(theirs, selected("once"));
    expect(await again).toMatchObject({ result: selected("once") });
    expect(kinds(events)).toEqual(["ask", "allow", "allow"]);
  });

  it("ACP-14 a call made without permission counts; if it breaks a rule, person and model are informed", async () => {
    const { open, say, prompted, tells, events, shown } = testAcp(RELEASE);
    await open();
    void say("deploy");
    const one = await prompted();
    const made = (toolCallId: string, command: string) =>
      tells({ sessionUpdate: "tool_call", toolCallId, title: command, kind: "execute", rawInput: { command } });
    made("c1", "npm run deploy");
    tells(completed("c1", { exit: 0 }));
    one.end();
    expect((await prompted()).texts.join()).toMatch(
      /It ran because you did not ask for permission\. Denied by sequential/,
    );
    expect(shown()).toContain("Conduct was not asked");
    made("c2", "npm test");
    tells(completed("c2", { exit: 0 }));
    expect(events.flatMap((event) => (event.type === "fault" ? [event.fault.code] : []))).toEqual(["not-asked"]);
  });

  it("ACP-15 recorded messages of the real OpenCode lead to the same decisions and outcomes", async () => {
    const { client, agent, events } = testAcp();
    for (const { by, message } of recorded) {
      const asks = message.method !== undefined && message.id !== undefined;
      const from = by === "agent" ? agent : client;
      const to = by === "agent" ? client : agent;
      const arrived =
        asks || message.method === undefined
          ? to.hear((one) => one.id === message.id && one.method === message.method)
          : undefined;
      from.say(message);
      await arrived;
    }
    const decided = events.flatMap((event) => (event.type === "call" ? [`${event.call.id} ${event.call.tool}`] : []));
    // Both changes also go through the client, with the text that was decided on: they are the same calls.
    expect(decided).toEqual([
      "call_1 read_file",
      "call_2 shell",
      "call_3 write_file",
      "call_4 edit_file",
      "call_5 shell",
    ]);
    expect(outcomes(events).toSorted()).toEqual(["denied", "failed", "ok", "ok", "ok"]);
  });
});
