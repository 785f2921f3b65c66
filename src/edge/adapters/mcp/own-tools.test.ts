import { describe, expect, it } from "vitest";
import { SequentialDependencyPolicy } from "../../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";
import type { SessionOptions } from "../../../engine/session/session-options.ts";
import { testConduct } from "../../../engine/session/test/test-conduct.ts";
import { memoryStores } from "../../stores/home-stores.ts";
import { serveStreams, toolServer } from "../shared/mcp/tool-server.ts";
import { PROTOCOLS, type Protocol, speaking, streamClient } from "../shared/test/stream-client.ts";
import { ownTools } from "./own-tools.ts";

type Setup = {
  readonly agent?: Parameters<typeof testConduct>[0];
  readonly session?: Partial<SessionOptions>;
  /** Before the session is opened. */
  readonly opening?: () => void;
  /** What the person says to a form. */
  readonly answer?: "yes" | "no";
  readonly protocol?: Protocol;
};

/** The SDK's own client on Conduct's tools. */
async function connect({ agent, session, opening = () => undefined, answer, protocol }: Setup = {}) {
  const stores = {
    governance: memoryStores().governance,
    instructions: memoryStores().instructions,
    memory: memoryStores().memory,
  };
  const world = testConduct(agent, stores);
  let ids = 0;
  const tools = ownTools({
    async open() {
      opening();
      return world.open({ id: "s", user: "ann", channel: "cli", ...session });
    },
    newId: () => `c${++ids}`,
    now: () => world.time.now,
    waitMs: 0,
  });
  const capabilities = answer === undefined ? {} : { elicitation: {} };
  const { client } = await streamClient(
    (input, output) => serveStreams(toolServer(tools, "1"), input, output),
    { capabilities, ...speaking(protocol) },
    (one) => {
      if (answer === undefined) return;
      one.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { answer } }));
    },
  );
  const call = async (name: string, args: { [name: string]: unknown } = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const said = (content as { readonly text: string }[]).map(({ text }) => text).join("\n");
    return { said, failed: isError === true };
  };
  return { client, call, tools, ...world };
}

describe.each(PROTOCOLS)("conduct mcp, protocol %s", (protocol) => {
  const connected = (setup: Setup = {}) => connect({ protocol, ...setup });

  it("MO-1 the server asks the client to call initial_instructions first, and lists the session's tools", async () => {
    const { client } = await connected();
    expect(client.getInstructions()).toContain("call initial_instructions");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "initial_instructions",
      "read_result",
      "verify_context",
      "review_plan",
      "update_instructions",
      "read_memory",
      "save_memory",
    ]);
  });

  it("MO-2 initial_instructions returns the current prompt with complete contract tags; a change is in the next answer", async () => {
    const { call, conduct } = await connected({ agent: { soul: "Be exact." } });
    const first = await call("initial_instructions");
    expect(first.said).toContain("Be exact.");
    expect(first.said).not.toContain("GATEWAY_BEHAVIOR_CONTRACT");
    await conduct.contracts?.change({ kind: "add", type: "stop", text: "deploying on Fridays" }, "cli:ann");
    const second = await call("initial_instructions");
    expect(second.said).toMatch(
      /<GATEWAY_BEHAVIOR_CONTRACT version=.*>[^<]*deploying on Fridays[^<]*<\/GATEWAY_BEHAVIOR_CONTRACT>/,
    );
  });

  it("MO-3 memory and instructions belong to the session's user", async () => {
    const { call } = await connected();
    await call("save_memory", { text: "likes tea" });
    await call("update_instructions", { add: ["answer in French"] });
    expect((await call("read_memory")).said).toMatch(/answer in French(?:.|\n)*likes tea/);
    expect((await call("initial_instructions")).said).toContain("answer in French");
    const nobody = await connected({ session: { user: "" } });
    expect((await nobody.client.listTools()).tools.map(({ name }) => name)).not.toContain("save_memory");
  });

  it("MO-4 calls of Conduct's own tools are decided, and are evidence", async () => {
    const policy = new SequentialDependencyPolicy({
      name: "told-first",
      dependencies: { save_memory: ["initial_instructions"] },
    });
    const { call, events } = await connected({ agent: { policies: [policy] } });
    const denied = await call("save_memory", { text: "x" });
    expect(denied).toMatchObject({ failed: true, said: expect.stringContaining("Denied by told-first") });
    await call("initial_instructions");
    expect(await call("save_memory", { text: "x" })).toMatchObject({ failed: false });
    expect(events.filter(({ type }) => type === "call")).toHaveLength(3);
  });

  it.each([
    { answer: "yes" as const, failed: false, says: "Saved" },
    { answer: "no" as const, failed: true, says: "said no" },
    { answer: undefined, failed: true, says: "Waiting for a person's approval" },
  ])("MO-5 a question is sent to the person: $answer", async ({ answer, failed, says }) => {
    const require = { kind: "call", call: "never", same: [], fresh: false, counts: "succeeded" } as const;
    const policy = new RulesPolicy({
      rules: [{ id: "person", on: ["save_memory"], effect: "ask", require }] as never,
      actions: {},
    });
    const { call } = await connected({ agent: { policies: [policy] }, ...(answer === undefined ? {} : { answer }) });
    expect(await call("save_memory", { text: "x" })).toMatchObject({ failed, said: expect.stringContaining(says) });
  });

  it("MO-6 in shadow mode there are no instructions", async () => {
    const { call } = await connected({ agent: { soul: "Be exact." }, session: { enforcement: "shadow" } });
    expect(await call("initial_instructions")).toEqual({
      failed: false,
      said: expect.not.stringContaining("Be exact."),
    });
  });

  it("MO-7 a session that cannot be opened causes a tool error, and opening is retried", async () => {
    let tries = 0;
    const { call } = await connected({
      opening() {
        tries += 1;
        if (tries === 1) throw new Error("no daemon");
      },
    });
    expect(await call("verify_context")).toMatchObject({ failed: true, said: expect.stringContaining("no daemon") });
    expect(await call("verify_context")).toMatchObject({ failed: false });
  });

  it("MO-8 the session ends with its client", async () => {
    const { call, tools, conduct } = await connected();
    await call("verify_context");
    expect(conduct.find("s")).toBeDefined();
    await tools.end();
    expect(conduct.find("s")).toBeUndefined();
  });
});
