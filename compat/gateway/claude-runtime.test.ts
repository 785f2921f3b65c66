import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ServerTool } from "../../src/apps/gateway/mcp/hosted-servers.ts";
import {
  type ClaudeModule,
  type ClaudeRuntimeOptions,
  claudeRuntime,
} from "../../src/apps/gateway/runtimes/claude-runtime.ts";
import { say, testConversations } from "../../src/apps/gateway/test/test-gateway.ts";
import type { Agent } from "../../src/base/words/hosting/agent.ts";
import type { PluginApi } from "../../src/base/words/hosting/plugin.ts";
import type { JsonObject } from "../../src/base/words/json.ts";
import { SequentialDependencyPolicy } from "../../src/behavior/policy/builtin/sequential-dependency-policy.ts";
import { ask } from "../../src/behavior/policy/policy-decision.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import { type Script, startModelServer } from "../../src/testing/test/model-server/index.ts";

const WEB = { agent: "clerk", user: "ann", channel: "web" } as const;
const sender = { id: "ann", role: "operator", user: "ann" } as const;
const shell = { name: "shell", args: ["command"] } as const;
const bash = (id: string, command: string) => ({ calls: [{ id, name: "Bash", input: { command } }] });
/** As `compat/claude` has it installed. */
const PATH = createRequire(new URL("../claude/package.json", import.meta.url)).resolve(
  "@anthropic-ai/claude-agent-sdk",
);

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Conversations on the real SDK, in a home of their own, with a model on loopback. */
async function world(
  script: Script,
  agent: Partial<Parameters<typeof defineAgent>[0]> = {},
  {
    waitMs = 500,
    limits = {},
    ...given
  }: { readonly waitMs?: number; readonly limits?: ClaudeRuntimeOptions["limits"] } & Pick<
    NonNullable<Parameters<typeof testConversations>[0]>,
    "servers" | "plugins"
  > = {},
) {
  const root = mkdtempSync(join(tmpdir(), "conduct-claude-gw-"));
  for (const folder of ["home", "config"]) mkdirSync(join(root, folder));
  const server = await startModelServer({ script });
  const clerk: Agent = defineAgent({ name: "clerk", tools: [shell], ...agent });
  const runtime = claudeRuntime({
    load: async () => (await import(PATH)) as ClaudeModule,
    limits: limits ?? {},
    env: {
      PATH: process.env.PATH ?? "/usr/bin:/bin",
      SHELL: "/bin/bash",
      HOME: join(root, "home"),
      CLAUDE_CONFIG_DIR: join(root, "config"),
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: "scripted",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  });
  const test = testConversations({ agents: [clerk], runtime, waitMs, ...given });
  const opened = test.open();
  closing.push(
    () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
    test.remove,
    () => server.close(),
    () => opened.conversations.close(0),
  );
  return { ...test, ...opened, server };
}

describe("runtime: claude", () => {
  it("GC-1 the answer is streamed, and the next turn and the next process continue the same conversation", async () => {
    const { conversations, open, server, updates, store } = await world([
      { text: "Hello Ann, I am here." },
      { text: "You said hello." },
      { text: "Twice." },
    ]);
    const conversation = await conversations.start(WEB);
    expect(await say(conversations, conversation, "hello")).toMatchObject({
      status: "complete",
      answer: "Hello Ann, I am here.",
    });
    const deltas = updates.flatMap((update) => (update.kind === "text" ? [update.delta] : []));
    expect(deltas.join("")).toBe("Hello Ann, I am here.");
    expect(await say(conversations, conversation, "what did I say?")).toMatchObject({ answer: "You said hello." });
    await conversations.close();
    const next = open();
    closing.push(() => next.conversations.close(0));
    expect(await say(next.conversations, conversation, "and now?")).toMatchObject({ answer: "Twice." });
    const said = server.requests.at(-1)?.history.flatMap((item) => (item.kind === "text" ? [item.text] : []));
    for (const text of ["hello", "You said hello.", "and now?"]) expect(said?.join("\n")).toContain(text);
    expect(await store.transcript(conversation.id)).toEqual([{ seq: 1, entry: { claude: expect.any(String) } }]);
  });

  it("GC-2 a call without its proof is denied with a reason for the model, and only declared tools are available", async () => {
    const { conversations, events, server } = await world(
      [bash("call_1", "echo deploy"), bash("call_2", "echo test"), bash("call_3", "echo deploy"), { text: "Live." }],
      {
        actions: { test: { tool: "shell", command: "echo test" }, deploy: { tool: "shell", command: "echo deploy" } },
        policies: [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
      },
    );
    const conversation = await conversations.start(WEB);
    expect(await say(conversations, conversation, "release it")).toMatchObject({ status: "complete", answer: "Live." });
    const decided = events.flatMap((event) => (event.type === "call" ? [event.decision.kind] : []));
    expect(decided).toEqual(["deny", "allow", "allow"]);
    expect(server.requests[1]?.results.at(-1)?.text).toContain("requires: test");
    const offered = server.requests[0]?.toolNames ?? [];
    expect(offered).toContain("Bash");
    for (const name of ["Read", "Write", "Edit", "Agent", "WebFetch"]) expect(offered).not.toContain(name);
  });

  it("GC-3 a question waits for a person: a yes runs the call, no answer refuses it", async () => {
    const { conversations, approvals, server, events } = await world(
      [bash("call_1", "echo one"), { text: "First." }, bash("call_2", "echo two"), { text: "Second." }],
      { policies: [{ name: "careful", check: () => ask("May it?") }] },
    );
    const conversation = await conversations.start(WEB);
    const stop = approvals.onAsked(({ approval }) =>
      approvals.answer(approval, { answer: "yes", by: "ann" }, Date.now()),
    );
    expect(await say(conversations, conversation, "one")).toMatchObject({ status: "complete" });
    expect(server.requests[1]?.results.at(-1)?.text).toContain("one");
    stop();
    expect(await say(conversations, conversation, "two")).toMatchObject({ status: "complete" });
    const ran = events.flatMap((event) => (event.type === "result" && event.outcome === "ok" ? [event.call] : []));
    expect(ran).toEqual(["call_1"]);
    expect(await approvals.list(Date.now())).toHaveLength(1);
  });

  it.each([
    { when: "before a call", first: bash("call_1", "echo one") },
    { when: "while it ends", first: { text: "Done." } },
  ])("GC-4 a steering message reaches the running turn, $when, and counts as sent by its sender", async ({ first }) => {
    const gate = Promise.withResolvers<void>();
    const { conversations, server, store, events } = await world(async ({ raw, index }) => {
      if (index === 0) await gate.promise;
      if (raw.includes("make it BLUE")) return { text: "As you wish." };
      return index === 0 ? first : { text: "Not yet." };
    });
    const conversation = await conversations.start(WEB);
    const turn = await conversations.submit(conversation, { text: "begin", sender });
    await expect.poll(() => server.requests.length, { timeout: 60_000 }).toBe(1);
    const blue = { text: "make it BLUE", sender: { ...sender, id: "ann-2" }, id: "m2" };
    expect((await conversations.steer(conversation, blue)).id).toBe(turn.id);
    gate.resolve();
    expect(await conversations.ended(turn)).toMatchObject({ status: "complete", answer: "As you wish." });
    expect(await store.turns({ conversation: conversation.id, limit: 10 })).toHaveLength(1);
    const said = events.flatMap((event) =>
      event.type === "message" ? [[event.text, event.messageId, event.sender?.id]] : [],
    );
    expect(said).toEqual([
      ["begin", undefined, "ann"],
      ["make it BLUE", "m2", "ann-2"],
    ]);
  });

  it("GC-5 a turn with a hanging model can be cancelled, and the conversation continues", async () => {
    const { conversations, server } = await world(() => ({ broken: "hangs", text: "Wait a little" }));
    const conversation = await conversations.start(WEB);
    const speaking = new Promise<void>((resolve) => {
      conversations.updates.subscribe(conversation.id, ({ kind }) => kind === "text" && resolve());
    });
    const turn = await conversations.submit(conversation, { text: "hello", sender });
    await speaking;
    await conversations.cancel(conversation.id);
    expect(await conversations.ended(turn)).toMatchObject({ status: "cancelled" });
    server.setScript([{ text: "Back." }]);
    expect(await say(conversations, conversation, "still there?")).toMatchObject({
      status: "complete",
      answer: "Back.",
    });
  });

  it("GC-6 a provider's refusal is reported in plain words and recorded", async () => {
    const { conversations, store } = await world(() => ({
      error: { status: 400, message: "no such thing", retry: false },
    }));
    const conversation = await conversations.start(WEB);
    const turn = await say(conversations, conversation, "hello");
    expect(turn).toMatchObject({ status: "failed", why: expect.stringContaining("no such thing") });
    expect(await store.turn(turn.id)).toEqual(turn);
  });

  const refused = (status: number) => ({ error: { status, message: "not now", retryAfterMs: 5 } });

  it.each([429, 500])("GC-7 a single error %i is retried, and the person sees only the answer", async (status) => {
    const { conversations, server } = await world([refused(status), { text: "Here I am." }]);
    const conversation = await conversations.start(WEB);
    expect(await say(conversations, conversation, "hello")).toMatchObject({ status: "complete", answer: "Here I am." });
    server.assertPlayed();
  });

  const stays: readonly {
    readonly fault: string;
    readonly script: Script;
    readonly why: RegExp;
    readonly answer?: string;
    readonly limits?: ClaudeRuntimeOptions["limits"];
  }[] = [
    { fault: "429", script: () => refused(429), why: /not now/, limits: { retries: 1 } },
    { fault: "500", script: () => refused(500), why: /not now/, limits: { retries: 1 } },
    { fault: "drops before output", script: () => ({ broken: "drops" }), why: /broke off/, limits: { retries: 1 } },
    {
      fault: "garbles before output",
      script: () => ({ broken: "garbles" }),
      why: /unreadable response/,
      limits: { retries: 1 },
    },
    {
      fault: "drops after a few words",
      script: () => ({ broken: "drops", text: "The first half" }),
      why: /broke off/,
      limits: { retries: 1 },
    },
    { fault: "an empty answer", script: () => ({ text: "" }), why: /empty answer/ },
    {
      fault: "hangs without a word",
      script: () => new Promise(() => undefined),
      why: /sent nothing for 30 seconds/,
      limits: { idleMs: 30_000 },
    },
    {
      fault: "hangs in the stream",
      script: () => ({ broken: "hangs", text: "The first half" }),
      why: /sent nothing for 30 seconds/,
      answer: "The first half",
      limits: { idleMs: 30_000 },
    },
  ];
  it.each(stays)(
    "GC-8 a permanent fault ($fault) fails the turn with a recorded reason, and the next turn works",
    async ({ script, why, answer, limits }) => {
      const { conversations, store, server } = await world(script, {}, { limits });
      const conversation = await conversations.start(WEB);
      const turn = await say(conversations, conversation, "hello");
      expect(turn).toMatchObject({ status: "failed", why: expect.stringMatching(why) });
      if (answer !== undefined) expect(turn.answer).toBe(answer);
      expect(await store.turn(turn.id)).toEqual(turn);
      server.setScript([{ text: "Back again." }]);
      expect(await say(conversations, conversation, "and now?")).toMatchObject({
        status: "complete",
        answer: "Back again.",
      });
    },
  );

  it("GC-9 a tool may run longer than the model's idle timeout", async () => {
    const { conversations } = await world(
      [bash("c1", "sleep 33; echo slept"), { text: "It slept." }],
      {},
      {
        limits: { idleMs: 30_000 },
      },
    );
    const conversation = await conversations.start(WEB);
    expect(await say(conversations, conversation, "sleep")).toMatchObject({ status: "complete", answer: "It slept." });
  });
});

describe("tools of one's own on runtime: claude", () => {
  it("GC-20 tools of MCP servers are offered, gated and trusted as on Pi, and a missing server is named", async () => {
    const called: unknown[] = [];
    const served = (name: string, result: JsonObject): ServerTool => ({
      server: "desk",
      tool: {
        name,
        description: `The tool ${name}`,
        inputSchema: { type: "object", properties: { text: { type: "string" } } },
        digest: name,
      },
      async call(args) {
        called.push([name, args]);
        return { body: { result }, raw: JSON.stringify({ result }) };
      },
    });
    const said = (text: string) => ({ content: [{ type: "text", text }] });
    const lookup = {
      ...said("found"),
      structuredContent: { state: "found", __directives: { requireBeforeNext: ["desk/note"] } },
    };
    const tools = [served("note", said("noted")), served("lookup", lookup), served("drop", said("dropped"))];
    const use = (id: string, name: string) => ({ calls: [{ id, name: `mcp__desk__${name}`, input: { text: "x" } }] });
    const { conversations, server } = await world(
      [use("c1", "drop"), use("c2", "lookup"), use("c3", "lookup"), use("c4", "note"), { text: "Done." }],
      {
        rules: [{ id: "no-drop", on: "desk/drop", say: "Never." }],
        trustedTools: [{ server: "desk", tool: "lookup" }],
      },
      { servers: { tools: async () => ({ tools, missing: ["shelf"] }) } },
    );
    const conversation = await conversations.start(WEB);
    expect(await say(conversations, conversation, "go")).toMatchObject({ status: "complete", answer: "Done." });
    expect(server.requests[0]?.toolNames).toEqual(expect.arrayContaining(["mcp__desk__note", "mcp__desk__drop"]));
    expect(server.requests[0]?.raw).toContain("Not available now: the tools of shelf.");
    const results = server.requests.at(-1)?.results.map(({ text }) => text) ?? [];
    expect(results[0]).toContain("Denied by no-drop");
    expect(results[1]).toContain("found");
    expect(results[2]).toContain("requires these calls first: desk/note");
    expect(results[3]).toContain("noted");
    expect(called).toEqual([
      ["lookup", { text: "x" }],
      ["note", { text: "x" }],
    ]);
  });

  it("GC-21 a plugin's tool is offered, and its calls are decided by rules under its own name", async () => {
    const ran: string[] = [];
    const weather = {
      name: "weather",
      setup(api: PluginApi) {
        api.registerTool({
          name: "weather",
          description: "The weather in a city",
          parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
          run({ city }) {
            ran.push(String(city));
            return `Rain in ${city}`;
          },
        });
      },
    };
    const ask = (id: string, city: string) => ({ calls: [{ id, name: "mcp__conduct__weather", input: { city } }] });
    const { conversations, server } = await world(
      [ask("c1", "Rome"), ask("c2", "Bern"), { text: "Done." }],
      {
        tools: [{ name: "weather" }],
        rules: [{ id: "no-rome", on: "weather", when: "args.city == 'Rome'", say: "No." }],
      },
      { plugins: [weather] },
    );
    const conversation = await conversations.start(WEB);
    expect(await say(conversations, conversation, "go")).toMatchObject({ status: "complete" });
    expect(server.requests[0]?.toolNames).toContain("mcp__conduct__weather");
    const results = server.requests.at(-1)?.results.map(({ text }) => text) ?? [];
    expect(results[0]).toContain("Denied by no-rome");
    expect(results[1]).toContain("Rain in Bern");
    expect(ran).toEqual(["Bern"]);
  });
});
