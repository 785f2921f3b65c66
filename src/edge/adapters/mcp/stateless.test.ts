import { describe, expect, it } from "vitest";
import { asObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { LONG, RULES, said, testProxy, textsOf } from "./test/proxy.ts";

const ONCE = `${RULES.replace("trustedTools", "  - { id: once, on: desk/buy, atMost: { count: 1 } }\ntrustedTools")}`;

/** A proxy whose client has no handshake (2026-07-28). */
function stateless(capabilities: object = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } }) {
  const proxy = testProxy({ agent: ONCE });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const ask = (method: string, id: string, params: object) =>
    proxy.client.say({ jsonrpc: "2.0", id, method, params: { _meta, ...params } });
  const call = (name: string, id: string, more: object = {}) => ask("tools/call", id, { name, arguments: {}, ...more });
  const answered = async (id: string) => asObject((await proxy.client.hear((one) => one.id === id)).result);
  const reply = async (id: string, result: object) => {
    const asked = await proxy.server.hear((one) => one.id === id);
    proxy.server.say({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } });
    return asObject(asked.params);
  };
  return { ...proxy, ask, call, answered, reply };
}

const texts = (result: JsonObject) => textsOf({ result });
const NEEDS = { resultType: "input_required", inputRequests: { n: { method: "roots/list" } }, requestState: "s1" };

describe("calls without a handshake", () => {
  it("MI-1 a denial is a complete result, so that the client shows the reason", async () => {
    const { call, answered } = stateless();
    call("deploy", "a");
    const result = await answered("a");
    expect(result).toMatchObject({ resultType: "complete", isError: true });
    expect(texts(result)).toContain("Denied by test-first");
  });

  it("MI-2 a call that the server needs input for is decided and counted once", async () => {
    const { call, answered, reply, events } = stateless();
    call("buy", "a");
    await reply("a", NEEDS);
    expect(await answered("a")).toEqual(NEEDS);
    expect(events.filter(({ type }) => type === "result")).toEqual([]);
    call("buy", "b", { requestState: "s1", inputResponses: { n: { roots: [] } } });
    expect(await reply("b", said("bought"))).toMatchObject({
      requestState: "s1",
      inputResponses: { n: { roots: [] } },
    });
    expect(texts(await answered("b"))).toBe("bought");
    expect(events.filter(({ type }) => type === "call")).toHaveLength(1);
    call("buy", "c");
    expect(texts(await answered("c"))).toContain("Denied by once");
  });

  it.each([
    { what: "another state", more: { requestState: "s2", inputResponses: {} } },
    { what: "other arguments", more: { requestState: "s1", inputResponses: {}, arguments: { x: 1 } } },
    { what: "no input", more: {} },
  ])("MI-3 a request with $what is a new call", async ({ more }) => {
    const { call, answered, reply } = stateless();
    call("buy", "a");
    await reply("a", NEEDS);
    await answered("a");
    call("buy", "b", more);
    expect(texts(await answered("b"))).toContain("Denied by once");
  });

  it.each([
    { answer: { action: "accept", content: { answer: "yes" } }, says: "paid" },
    { answer: { action: "decline" }, says: "A person was asked and said no" },
    { answer: { action: "cancel" }, says: "Waiting for a person's approval" },
  ])(
    "MI-4 a question is an input request, and its answer does not reach the server: $answer",
    async ({ answer, says }) => {
      const { call, answered, reply, server } = stateless();
      call("pay", "a", { arguments: { amount: 7 } });
      const { resultType, inputRequests, requestState } = await answered("a");
      expect(resultType).toBe("input_required");
      expect(JSON.stringify(inputRequests)).toContain("Pay 7?");
      call("pay", "b", { arguments: { amount: 7 }, requestState, inputResponses: { conduct: answer } });
      if (says === "paid") {
        const sent = await reply("b", said("paid"));
        expect([sent.requestState, sent.inputResponses]).toEqual([undefined, undefined]);
      }
      expect(texts(await answered("b"))).toContain(says);
      expect(server.heard).toEqual([]);
      // The same answer again is a new call, and a new question.
      call("pay", "c", { arguments: { amount: 7 }, requestState, inputResponses: { conduct: answer } });
      expect(JSON.stringify(await answered("c"))).not.toContain("paid");
    },
  );

  it("MI-5 a person's answer applies to the arguments that were shown", async () => {
    const { call, answered, server } = stateless();
    call("pay", "a", { arguments: { amount: 7 } });
    const { requestState } = await answered("a");
    const inputResponses = { conduct: { action: "accept", content: { answer: "yes" } } };
    call("pay", "b", { arguments: { amount: 700 }, requestState, inputResponses });
    expect(await answered("b")).toMatchObject({ resultType: "input_required" });
    expect(server.heard).toEqual([]);
  });

  it("MI-6 when a side ends, a call that waits for input is settled as unknown", async () => {
    const { call, answered, reply, client, ended, events } = stateless();
    call("buy", "a");
    await reply("a", NEEDS);
    await answered("a");
    client.leave();
    await ended;
    expect(events.findLast(({ type }) => type === "result")).toMatchObject({ outcome: "unknown" });
  });

  it("MI-12 two equal calls that wait for input are continued one after the other, and settled at the end", async () => {
    const { call, answered, reply, client, ended, events } = stateless();
    const { requestState: _state, ...needs } = NEEDS;
    for (const id of ["a", "b", "c"]) {
      call("look", id);
      await reply(id, needs);
      await answered(id);
    }
    for (const id of ["d", "e"]) {
      call("look", id, { inputResponses: { n: { roots: [] } } });
      await reply(id, said(id));
      expect(texts(await answered(id))).toBe(id);
    }
    client.leave();
    await ended;
    const outcomes = events.flatMap((one) => (one.type === "result" ? [one.outcome] : []));
    expect(outcomes).toEqual(["ok", "ok", "unknown"]);
  });

  it("MI-7 a list of tools with Conduct's tool is not shared between clients", async () => {
    const { ask, answered, reply } = stateless();
    ask("tools/list", "l", {});
    await reply("l", { tools: [], ttlMs: 60_000, cacheScope: "public" });
    expect(await answered("l")).toMatchObject({ tools: [{ name: "read_result" }], cacheScope: "private" });
  });
});

describe("tasks without a handshake", () => {
  const TASK = { resultType: "task", taskId: "T", status: "working" };
  const made = async () => {
    const proxy = stateless();
    proxy.call("test", "a");
    await proxy.reply("a", TASK);
    expect(await proxy.answered("a")).toEqual(TASK);
    return proxy;
  };
  const deploy = async ({ call, answered, reply }: ReturnType<typeof stateless>, id: string) => {
    call("deploy", id);
    void reply(id, said("deployed"));
    return texts(await answered(id));
  };

  it("MI-8 the polled result of a task is shortened, and is evidence", async () => {
    const proxy = await made();
    proxy.ask("tasks/get", "g", { taskId: "T" });
    await proxy.reply("g", { taskId: "T", status: "working" });
    await proxy.answered("g");
    expect(await deploy(proxy, "d")).toContain("Denied by test-first");
    proxy.ask("tasks/get", "h", { taskId: "T" });
    await proxy.reply("h", { taskId: "T", status: "completed", result: LONG });
    const { status, result } = await proxy.answered("h");
    expect(status).toBe("completed");
    expect(texts(asObject(result)).length).toBeLessThan(6_000);
    expect(await deploy(proxy, "e")).toBe("deployed");
  });

  it.each([
    { what: "was made elsewhere", state: { taskId: "X", status: "completed", result: LONG } },
    { what: "failed", state: { taskId: "T", status: "failed", error: { code: 1, message: "word ".repeat(20_000) } } },
    { what: "was cancelled", state: { taskId: "T", status: "cancelled" } },
  ])("MI-9 a task that $what proves nothing and is shortened too", async ({ state }) => {
    const proxy = await made();
    proxy.ask("tasks/get", "g", { taskId: state.taskId });
    await proxy.reply("g", state);
    expect(JSON.stringify(await proxy.answered("g")).length).toBeLessThan(8_000);
    expect(await deploy(proxy, "d")).toContain("Denied by test-first");
  });

  it("MI-10 a result in a notification is shortened, and is evidence", async () => {
    const proxy = await made();
    const params = { taskId: "T", status: "completed", result: LONG };
    proxy.server.say({ jsonrpc: "2.0", method: "notifications/tasks", params });
    const heard = await proxy.client.hear(({ method }) => method === "notifications/tasks");
    expect(JSON.stringify(heard).length).toBeLessThan(8_000);
    expect(await deploy(proxy, "d")).toBe("deployed");
  });

  it("MI-11 without the client's consent a task proves nothing", async () => {
    const proxy = stateless({});
    proxy.call("test", "a");
    await proxy.reply("a", TASK);
    await proxy.answered("a");
    expect(proxy.events.findLast(({ type }) => type === "result")).toMatchObject({ outcome: "unknown" });
  });
});
