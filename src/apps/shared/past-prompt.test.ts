import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PromptContributor } from "../../base/words/prompt.ts";
import { defineAgent } from "../../engine/agent/define-agent.ts";
import type { ConductClient } from "../gateway/client.ts";
import { httpWorld } from "../gateway/test/test-http.ts";

const CONTRIBUTORS: readonly PromptContributor[] = [
  { id: "house", contribute: () => ({ heading: "House", content: "Use the\nside door." }) },
  { id: "long", contribute: () => ({ content: "word ".repeat(200), maxChars: 100 }) },
  { id: "shy", contribute: () => undefined },
  {
    id: "broken",
    contribute: () => {
      throw new Error("no luck");
    },
  },
  { id: "clock", zone: "turn", contribute: ({ time }) => ({ content: `It is ${time.at}.` }) },
];

let world: Awaited<ReturnType<typeof httpWorld>>;
let olga: ConductClient;
let uma: ConductClient;
let id: string;
beforeAll(async () => {
  const agents = [defineAgent({ name: "demo", soul: "Be kind.", contributors: CONTRIBUTORS })];
  world = await httpWorld({ agents });
  olga = (await world.person("olga", "operator")).client;
  uma = (await world.person("uma", "user")).client;
  id = (await olga.call("POST /api/sessions", { body: { agent: "demo" } })).id;
  for (const text of ["hello", "hello again"])
    await olga.call("POST /api/sessions/{id}/messages", { params: { id }, query: { wait: "true" }, body: { text } });
});
afterAll(() => world.close());

describe("the prompt of a past turn", () => {
  it("PP-1 a past prompt has every section with contributor, text, tokens, zone and lines, and is exact to the byte", async () => {
    const prompt = await olga.call("GET /api/sessions/{id}/turns/{turn}/prompt", { params: { id, turn: "1" } });
    expect(prompt).toMatchObject({ turn: 1, exact: true, session: id, agent: "demo" });
    const house = prompt.sections.find(({ contributor }) => contributor === "house");
    expect(house).toMatchObject({ text: "## House\n\nUse the\nside door.", zone: "static", cached: true });
    const lines = prompt.text?.split("\n") ?? [];
    for (const { text, lines: at } of prompt.sections)
      expect(lines.slice((at?.from ?? 0) - 1, at?.to).join("\n")).toBe(text);
    expect(prompt.tokens).toBe(prompt.sections.reduce((sum, { tokens }) => sum + tokens, 0));
  });

  it("PP-2 a past prompt lists truncated and omitted sections with the reason, and where the cache ends", async () => {
    const prompt = await olga.call("GET /api/sessions/{id}/turns/{turn}/prompt", { params: { id, turn: "1" } });
    expect(prompt.cuts).toMatchObject([{ contributor: "long", limit: "maxChars" }]);
    expect(prompt.left).toEqual(
      expect.arrayContaining([
        { contributor: "shy", reason: "empty" },
        { contributor: "broken", reason: "failed", detail: expect.stringContaining("no luck") },
      ]),
    );
    const cached = prompt.sections.filter((section) => section.cached);
    expect(cached.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(prompt.prefixTokens);
    expect(prompt.sections.find(({ contributor }) => contributor === "clock")).toMatchObject({ cached: false });
  });

  it("PP-3 a prompt can be found by its turn or its event, and two turns share the texts that did not change", async () => {
    const { prompts } = await olga.call("GET /api/sessions/{id}/prompts", { params: { id } });
    expect(new Set(prompts.map(({ turn }) => turn))).toEqual(new Set([1, 2]));
    const [newest] = prompts;
    const second = await olga.call("GET /api/prompts/{event}", { params: { event: newest?.event ?? "" } });
    const first = await olga.call("GET /api/sessions/{id}/turns/{turn}/prompt", { params: { id, turn: "1" } });
    expect([first.turn, second.turn]).toEqual([1, 2]);
    expect(second.prefixHash).toBe(first.prefixHash);
    expect(second.hash).not.toBe(first.hash);
  });

  it.each(["3", "-1", "x", "1.5", "9".repeat(30)])("PP-4 turn %s is rejected", async (turn) => {
    await expect(
      olga.call("GET /api/sessions/{id}/turns/{turn}/prompt", { params: { id, turn } }),
    ).rejects.toMatchObject({ status: turn === "3" ? 404 : 400 });
  });

  it("PP-5 a user cannot read the prompt of their agent, and a deleted text is reported as missing", async () => {
    const params = { id, turn: "1" };
    await expect(uma.call("GET /api/sessions/{id}/turns/{turn}/prompt", { params })).rejects.toMatchObject({
      status: 403,
    });
    const { events } = world.stores;
    const read = events.readSections.bind(events);
    Object.assign(events, { readSections: async (hashes: readonly string[]) => read(hashes.slice(1)) });
    const prompt = await olga.call("GET /api/sessions/{id}/turns/{turn}/prompt", { params });
    Object.assign(events, { readSections: read });
    expect(prompt).toMatchObject({ exact: false });
    expect(prompt.text).toBeUndefined();
    expect(prompt.sections.map(({ text }) => text === undefined)).toEqual([
      true,
      ...prompt.sections.slice(1).map(() => false),
    ]);
  });
});
