import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConductClient } from "../../../client.ts";
import { httpWorld } from "../../../test/test-http.ts";

let world: Awaited<ReturnType<typeof httpWorld>>;
let client: ConductClient;
beforeAll(async () => {
  world = await httpWorld({ review: { config: { runner: "off" } } });
  client = (await world.person("olga", "operator")).client;
});
afterAll(() => world.close());

const add = (type: "keep" | "stop", text: string, more: { scope?: string; check?: string } = {}, dryRun = "false") =>
  client.call("POST /api/contract/directives", { query: { dryRun }, body: { type, text, ...more } });

describe("the contract over the API", () => {
  it("CTR-30: the API shows how full the largest contract is, before and after a dry run", async () => {
    await add("keep", "short answers");
    const { room, contract } = await client.call("GET /api/contract");
    expect(room).toMatchObject({
      fullest: { items: { items: 1, scopes: ["global"] } },
      most: { items: 24, tokens: 2_000 },
    });
    expect(room.tokens).toBeGreaterThan(room.fullest.tokens.tokens);
    const tried = await add("stop", "poems", { scope: "agent:demo" }, "true");
    expect(tried).toMatchObject({
      dryRun: true,
      room: { fullest: { items: { items: 2, scopes: ["global", "agent:demo"] } } },
      events: [{ kind: "directive-added", directive: { text: "poems" }, by: "olga", seq: contract.version + 1 }],
    });
    expect(tried.room.fullest.tokens.tokens).toBeGreaterThan(room.fullest.tokens.tokens);
    expect((await client.call("GET /api/contract")).room).toEqual(room);
  });

  it("CTR-31: a conflict names the ids of the conflicting directives", async () => {
    const { directive } = await add("keep", "status reports");
    await expect(add("stop", "status reports", {}, "true")).rejects.toMatchObject({
      code: "BEHAVIOR_CONFLICT",
      problem: { against: [directive?.id] },
    });
    await expect(add("stop", "")).rejects.toMatchObject({ code: "INVALID_DIRECTIVE_TEXT" });
    await expect(add("stop", "")).rejects.not.toHaveProperty("problem.against");
  });

  it("CTR-32: candidates include parsed evidence and their current status", async () => {
    const propose = (text: string, evidence: string) =>
      world.conduct.contracts?.change(
        { kind: "propose", type: "less", text, confidence: 0.8, evidence: [evidence] },
        "daily-review",
      );
    await propose("jokes", "s_1/e_2: no more jokes, please");
    await propose("sighs", "just a note");
    const { candidates } = await client.call("GET /api/candidates", { query: { status: "pending" } });
    const byText = candidates.toSorted((a, b) => String(a.text).localeCompare(String(b.text)));
    expect(byText).toMatchObject([
      { text: "jokes", quotes: [{ session: "s_1", event: "e_2", quote: "no more jokes, please" }] },
      { text: "sighs", quotes: [{ quote: "just a note" }], would: "would add for everybody: LESS: sighs" },
    ]);
    const until = new Date(Date.now() + 300).toISOString();
    await client.call("POST /api/candidates/{id}/snooze", {
      params: { id: String(byText[0]?.id) },
      body: { until },
    });
    const waiting = async () =>
      (await client.call("GET /api/candidates", { query: { status: "pending" } })).candidates.map(({ text }) => text);
    await expect.poll(waiting, { timeout: 20_000 }).toContain("jokes");
  });

  it("CTR-33: the stream reports changes of the contract, but no dry runs", async () => {
    const end = new AbortController();
    const heard: string[] = [];
    let opened = () => {};
    const open = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const listening = (async () => {
      for await (const { event } of client.stream("GET /api/stream", {}, end.signal, opened)) heard.push(event);
    })().catch(() => undefined);
    await open;
    await add("keep", "tables", {}, "true");
    await add("keep", "tables of figures");
    await expect.poll(() => heard, { timeout: 20_000 }).toContain("contract");
    expect(heard).toHaveLength(1);
    end.abort();
    await listening;
  });

  it("CTR-34: the prompt with a contract is found by its hash, and a violation names its session", async () => {
    const { directive } = await add("stop", "words at all", { check: "length: at most 0 words", scope: "agent:demo" });
    const { id } = await client.call("POST /api/sessions", { body: { agent: "demo" } });
    await client.call("POST /api/sessions/{id}/messages", {
      params: { id },
      query: { wait: "true" },
      body: { text: "hello" },
    });
    const { contract } = await client.call("GET /api/contract", {
      query: { agent: "demo", channel: "web", user: "olga" },
    });
    const found = () => client.call("GET /api/events", { query: { contract: contract.hash, limit: 1 } });
    await expect
      .poll(async () => (await found()).events, { timeout: 20_000 })
      .toMatchObject([{ type: "prompt", session: id, contract: { version: contract.version } }]);
    const measured = () => client.call("GET /api/adherence", { query: { directive: String(directive?.id) } });
    await expect.poll(async () => (await measured()).rows, { timeout: 20_000 }).toMatchObject([{ violated: 1 }]);
    const { rows, sessions } = await measured();
    const { violated } = (rows[0]?.shown ?? {}) as { violated: readonly string[] };
    expect(sessions).toEqual({ [String(violated[0])]: id });
  });
});
