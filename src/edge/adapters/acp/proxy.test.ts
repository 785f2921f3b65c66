import { describe, expect, it, vi } from "vitest";
import { FileOutputChecker } from "../../../behavior/completion/completion-checkers.ts";
import { bound } from "../mcp/test/proxy.ts";
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

describe("what passes", () => {
  it("ACP-1 messages that do not concern Conduct are forwarded byte for byte, both ways", async () => {
    const { client, agent } = testAcp();
    const lines = [
      '{"jsonrpc":"2.0","id":1.0,"method":"authenticate","params":{"n":1e400,"s":"\\u00e9"}}',
      '{ "jsonrpc":"2.0", "method":"_x/y", "params":{} }',
      '{"jsonrpc":"2.0","id":"of-nobody","result":{"a":[1.10]}}',
    ];
    for (const line of lines) client.say(line);
    expect(agent.heard).toEqual(lines);
    for (const line of lines) agent.say(line);
    expect(client.heard).toEqual(lines);
  });

  it("ACP-2 if Conduct has nothing to add, a prompt and its answer pass byte for byte", async () => {
    const { client, agent, open } = testAcp({}, { session: { enforcement: "shadow" } });
    await open();
    const prompt = `{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"${SESSION}","prompt":[{"type":"text","text":"/think go","x":1.0}]}}`;
    client.say(prompt);
    await vi.waitFor(() => expect(agent.heard).toContain(prompt));
    const answer = '{"jsonrpc":"2.0","id":7,"result":{"stopReason":"end_turn","_meta":{"n":1.0}}}';
    agent.say(answer);
    await vi.waitFor(() => expect(client.heard).toContain(answer));
  });

  it("ACP-3 lines that are not messages are dropped", () => {
    const { client, agent, logs } = testAcp();
    client.say("nonsense");
    agent.say("nonsense");
    expect(agent.heard).toEqual([]);
    expect(client.heard.map((line) => JSON.parse(line).error.code)).toEqual([-32_700]);
    expect(logs).toHaveLength(2);
  });
});

describe("prompts", () => {
  it("ACP-4 the agent's prompt is a separate block before the first message; later only changes are sent", async () => {
    const { open, say, prompted } = testAcp({ soul: "Count twice." });
    await open();
    const first = say("hello");
    const one = await prompted();
    expect(one.texts).toHaveLength(2);
    expect(one.texts[0]).toContain("Count twice.");
    expect(one.texts[1]).toBe("hello");
    one.end();
    expect(await first).toMatchObject({ result: { stopReason: "end_turn" } });
    void say("/think again");
    const two = await prompted();
    expect(two.texts.at(-1)).toBe("again");
    expect(two.texts[0]).toContain("Think step-by-step");
    expect(two.texts.join()).not.toContain("Count twice.");
  });

  it("ACP-5 Conduct answers a message of modes only, and the agent does not get it", async () => {
    const { open, say, agent, shown } = testAcp();
    await open();
    agent.heard.length = 0;
    expect(await say("/verbose on")).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(agent.heard).toEqual([]);
    expect(shown()).toContain("verbose: on");
  });

  it("ACP-6 the agent's own command stays at the start; the prompt comes with the next message", async () => {
    const { open, say, prompted, tells } = testAcp({ soul: "Count twice." });
    await open();
    tells({ sessionUpdate: "available_commands_update", availableCommands: [{ name: "init", description: "x" }] });
    const first = say("/init it");
    const one = await prompted();
    expect(one.texts).toEqual(["/init it"]);
    one.end();
    await first;
    void say("go");
    expect((await prompted()).texts[0]).toContain("Count twice.");
  });

  it.each(["/compact", "used"])(
    "ACP-7 after a compaction (%s) the whole prompt is sent again, and Conduct is notified",
    async (how) => {
      const { open, say, prompted, tells, events } = testAcp({ soul: "Count twice." });
      await open();
      const first = say("go");
      const one = await prompted();
      tells({ sessionUpdate: "usage_update", used: 9_000, size: 10_000 });
      one.end();
      await first;
      if (how === "used") tells({ sessionUpdate: "usage_update", used: 1_000, size: 10_000 });
      else {
        const compacting = say("/compact");
        const command = await prompted();
        expect(command.texts).toEqual(["/compact"]);
        command.end();
        await compacting;
      }
      void say("on");
      expect((await prompted()).texts[0]).toContain("Count twice.");
      const notices = events.flatMap((event) => (event.type === "notice" ? [event.notice.kind] : []));
      expect(notices.filter((kind) => kind === "compacted")).toHaveLength(1);
    },
  );

  it("ACP-8 a loaded session continues: replayed calls do not count, and the whole prompt is sent again", async () => {
    const { clientAsks, asked, answer, tells, say, prompted, events, origins } = testAcp({ soul: "Count twice." });
    const loaded = clientAsks("session/load", { sessionId: SESSION, cwd: "/w", mcpServers: [] });
    const request = await asked("session/load");
    tells({ sessionUpdate: "tool_call", toolCallId: "old", title: "x", kind: "execute", rawInput: { command: "ls" } });
    tells(completed("old", { exit: 0 }));
    answer(request, {});
    await loaded;
    void say("go on");
    expect((await prompted()).texts[0]).toContain("Count twice.");
    expect(kinds(events)).toEqual([]);
    expect(origins).toEqual([{ runtime: "acp", id: `acp-${SESSION}`, cwd: "/w", interactive: true }]);
  });
});

describe("the end of a turn", () => {
  const UNFINISHED = { completion: new FileOutputChecker({ files: ["out.txt"] }), limits: { stops: 2 } };

  it("ACP-16 a refused stop is a further prompt; the client waits, and gets one answer", async () => {
    const { open, say, prompted, events, client } = testAcp(UNFINISHED);
    await open();
    const turn = say("write it");
    (await prompted()).end();
    for (let refused = 0; refused < 2; refused += 1) {
      const next = await prompted();
      expect(next.texts.join()).toContain("out.txt");
      next.end();
    }
    expect(await turn).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(statuses(events)).toEqual(["refused", "refused", "incomplete"]);
    expect(client.heard.filter((line) => line.includes("stopReason"))).toEqual([]);
  });

  it("ACP-17 a person's cancel takes effect while the agent works and while Conduct decides", async () => {
    const deciding = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const { open, say, prompted, client, agent, events } = testAcp(UNFINISHED, {
      replace: (session) => ({
        ...bound(session),
        async onStop(request) {
          asked.resolve();
          await deciding.promise;
          return session.onStop(request);
        },
      }),
    });
    await open();
    const cancel = () => client.say({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: SESSION } });
    const first = say("one");
    const one = await prompted();
    cancel();
    await agent.hear((message) => message.method === "session/cancel");
    one.end("cancelled");
    expect(await first).toMatchObject({ result: { stopReason: "cancelled" } });
    const second = say("two");
    (await prompted()).end();
    await asked.promise;
    cancel();
    deciding.resolve();
    expect(await second).toMatchObject({ result: { stopReason: "cancelled" } });
    expect(statuses(events)).toEqual(["refused"]);
  });
});

describe("when something fails", () => {
  it("ACP-18 if Conduct is unreachable, no message is sent, no call runs, and both sides get the reason", async () => {
    const { open, say, agentAsks, agent } = testAcp(
      {},
      { options: { host: { open: () => Promise.reject(new Error("no socket")) } } },
    );
    await open();
    agent.heard.length = 0;
    expect(await say("go")).toMatchObject({ error: { message: expect.stringMatching(/no socket.*was not sent/) } });
    expect(agent.heard).toEqual([]);
    expect(await agentAsks("session/request_permission", forCommand("ls"))).toMatchObject({ result: selected("no") });
    expect(await agentAsks("fs/read_text_file", { path: "/w/a" })).toMatchObject({
      error: { message: expect.stringMatching(/could not be decided: no socket/) },
    });
  });

  it("ACP-19 when one side ends, the other is closed, open requests are answered, and running calls are settled as unknown", async () => {
    const { open, say, prompted, agent, ended, closed, agentAsks, put, events } = testAcp();
    await open();
    const turn = say("go");
    await prompted();
    void agentAsks("terminal/create", { command: "make" });
    await put("terminal/create");
    agent.leave(7);
    expect(await turn).toMatchObject({ error: { message: expect.stringMatching(/the agent is gone/) } });
    expect(await ended).toMatchObject({ by: "agent", code: 7 });
    expect(closed()).toEqual({ client: true, agent: true });
    expect(outcomes(events)).toEqual(["unknown"]);
  });

  it("ACP-20 in shadow mode nothing changes for either side, and everything is recorded", async () => {
    const { open, say, prompted, agentAsks, put, reply, shown, events } = testAcp(
      { ...RELEASE, soul: "Count twice.", completion: new FileOutputChecker({ files: ["out.txt"] }) },
      { session: { enforcement: "shadow" } },
    );
    await open();
    const turn = say("deploy");
    const one = await prompted();
    expect(one.texts).toEqual(["deploy"]);
    const asked = agentAsks("session/request_permission", forCommand("npm run deploy"));
    const request = await put("session/request_permission");
    expect(request.params).toMatchObject({ options: OPTIONS });
    reply(request, selected("always"));
    expect(await asked).toMatchObject({ result: selected("always") });
    one.end();
    expect(await turn).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(shown()).toBe("");
    expect(events.flatMap((event) => (event.type === "call" ? (event.shadows ?? []) : []))).toHaveLength(1);
    expect(statuses(events)).toEqual(["refused"]);
  });

  it("ACP-21 modes without permission requests are refused; starting in one is reported", async () => {
    const { clientAsks, asked, answer, agent, shown } = testAcp();
    const opened = clientAsks("session/new", { cwd: "/w", mcpServers: [] });
    answer(await asked("session/new"), { sessionId: SESSION, modes: { currentModeId: "yolo", availableModes: [] } });
    await opened;
    expect(shown()).toContain("mode 'yolo'");
    agent.heard.length = 0;
    const refused = await clientAsks("session/set_mode", { sessionId: SESSION, modeId: "bypassPermissions" });
    expect(refused).toMatchObject({ error: { message: expect.stringContaining("--any-mode") } });
    expect(agent.heard).toEqual([]);
    void clientAsks("session/set_mode", { sessionId: SESSION, modeId: "plan" });
    expect(agent.heard).toHaveLength(1);
  });

  it("ACP-22 a newer protocol version is lowered to the supported one, and an agent that only knows the newer one is refused", async () => {
    const { clientAsks, asked, answer } = testAcp();
    const first = clientAsks("initialize", { protocolVersion: 2, clientCapabilities: {} });
    const request = await asked("initialize");
    expect(request.params).toEqual({ protocolVersion: 1, clientCapabilities: {} });
    answer(request, { protocolVersion: 1 });
    expect(await first).toMatchObject({ result: { protocolVersion: 1 } });
    const second = clientAsks("initialize", { protocolVersion: 1 });
    answer(await asked("initialize"), { protocolVersion: 2 });
    expect(await second).toMatchObject({ error: { message: expect.stringContaining("the agent uses 2") } });
  });
});
