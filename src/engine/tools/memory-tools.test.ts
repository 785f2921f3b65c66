import { beforeAll, describe, expect, it } from "vitest";
import type { MemoryStore } from "../../base/ports/stores/memory.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { unseenItems } from "../../behavior/instructions/judge-change.ts";
import { loadTokenizer } from "../../behavior/results/token-counter.ts";
import { NO_RESULTS, truncateResult } from "../../behavior/results/truncate-result.ts";
import { memoryStores } from "../../edge/stores/home-stores.ts";
import { defineAgent } from "../agent/define-agent.ts";
import { CONDUCT_TOOLS, conductTools, saveMemory } from "./conduct-tool.ts";
import { readMemory } from "./read-memory.ts";
import { testUser, textOf } from "./test/test-user.ts";
import type { UserContext } from "./tool-run.ts";

const ANN = { user: "ann", agent: "helper" };
const DOWN = async () => Promise.reject(new Error("down"));
let counter: TokenCounter;
beforeAll(async () => {
  counter = await loadTokenizer();
});

async function read(user: UserContext, args: JsonObject = {}, window = 128_000) {
  const result = await readMemory.run(args, user, { counter, window });
  return { outcome: result.outcome, text: textOf(result), result };
}

async function save(user: UserContext, args: JsonObject) {
  const { outcome, parts } = await saveMemory.run(args, user);
  return { outcome, text: textOf({ outcome, parts }) };
}

async function having(instructions: readonly string[], notes: readonly string[]) {
  const user = testUser({ instructions: memoryStores().instructions, memory: memoryStores().memory });
  const items = instructions.map((text, at) => ({ id: `i${at}`, text }));
  if (items.length > 0) await user.instructions?.write(ANN, 0, { items, at: 1, by: "s", change: "add" });
  for (const [at, text] of notes.entries()) await user.memory?.save(ANN, { id: `m${at}`, text, at: at * 86_400_000 });
  return user;
}

describe("read_memory", () => {
  it("H04: read_memory returns all instructions, even past the prompt's 2,000 characters, and marks them as seen", async () => {
    const user = await having(["x".repeat(1_900), "y".repeat(1_900), "## z"], []);
    const { outcome, text } = await read(user);
    expect(outcome).toBe("ok");
    expect(text).toBe(
      `Standing instructions (version 1, 3 in all):\n- [i0] ${"x".repeat(1_900)}\n- [i1] ${"y".repeat(1_900)}\n- [i2] \\## z\n\nNotes: none.`,
    );
    expect(unseenItems(user.seen.get(), (await user.instructions?.read(ANN))?.items ?? [])).toEqual([]);
  });

  it("H06: read_memory pages content that does not fit, never cuts it, and counts only shown items as seen", async () => {
    const texts = Array.from({ length: 100 }, (_, at) => `${at} ${"word ".repeat(300)}`.trim());
    const user = await having(texts, ["a note"]);
    const items = (await user.instructions?.read(ANN))?.items ?? [];
    let pages = 0;
    for (let after: string | undefined; pages === 0 || after !== undefined; pages++) {
      const { text, result } = await read(user, after === undefined ? {} : { after }, 32_000);
      expect(
        truncateResult(result, { tool: "read_memory", counter, window: 32_000, turn: NO_RESULTS }).truncations,
      ).toEqual([]);
      const shown = [...text.matchAll(/^- \[(i\d+)\]/gm)].map(([, id]) => id);
      expect(shown.length).toBeGreaterThan(0);
      after = /"after": "(i\d+)"/.exec(text)?.[1];
      expect(unseenItems(user.seen.get(), items)).toHaveLength(after === undefined ? 0 : 99 - Number(after.slice(1)));
    }
    expect(pages).toBeGreaterThan(3);
    expect((await read(user, { after: "i_gone" })).text).toContain("omit `after`");
  });

  it("H06: without budget left read_memory shows nothing, and nothing counts as seen", async () => {
    const user = await having(["a"], ["n"]);
    const result = await readMemory.run({}, user, { counter, window: 128_000, budget: 100 });
    expect(textOf(result)).toContain("[1 more do not fit here: call read_memory in the next turn.]");
    expect(textOf(result)).toContain("none fits here");
    expect(user.seen.get()).toEqual({});
  });

  it("I05: read_memory returns matching notes, best first, with the day and how to page", async () => {
    const user = await having([], ["likes tea", "the dentist is in Leeds", "tea at four\n## daily", "dog"]);
    expect((await read(user, { query: "tea" })).text).toBe(
      'Standing instructions: none (version 0).\n\nNotes:\n- [m2 1970-01-03] tea at four\n  \\## daily\n- [m0 1970-01-01] likes tea\n[notes 1 to 2 of 2 that match "tea". This is the end.]',
    );
    expect((await read(user, { limit: 3 })).text).toContain(
      '- [m1 1970-01-02] the dentist is in Leeds\n[notes 1 to 3 of 4. Next: {"limit":3,"offset":3}]',
    );
    expect((await read(user, { limit: 3, offset: 3 })).text).toContain(
      "likes tea\n[notes 4 to 4 of 4. This is the end.]",
    );
    expect((await read(user, { offset: 9 })).text).toContain("Notes: 4, and none from offset 9 on.");
    expect((await read(user, { query: "cat" })).text).toContain('Notes: none that match "cat".');
  });

  it("I05: read_memory returns 20 notes by default, and never more than fit", async () => {
    const user = await having(
      [],
      Array.from({ length: 120 }, (_, at) => `note ${at} ${"word ".repeat(700)}`),
    );
    expect((await read(user)).text).toContain("[notes 1 to 20 of 120. ");
    const { text, result } = await read(user, { limit: 100, query: "note" }, 32_000);
    const end = Number(/notes 1 to (\d+) of 120/.exec(text)?.[1]);
    expect(end).toBeLessThan(20);
    expect(text).toContain(`Next: {"query":"note","limit":100,"offset":${end}}`);
    expect(
      truncateResult(result, { tool: "read_memory", counter, window: 32_000, turn: NO_RESULTS }).truncations,
    ).toEqual([]);
  });

  it.each([
    { args: { query: 7 }, says: "`query`" },
    { args: { query: "x".repeat(401) }, says: "`query`" },
    { args: { limit: 0 }, says: "from 1 to 100" },
    { args: { limit: 101 }, says: "from 1 to 100" },
    { args: { offset: -1 }, says: "`offset`" },
    { args: { after: 7 }, says: "`after`" },
    { args: { user: "bob" }, says: "this session's user" },
  ])("H08: read_memory rejects $args: $says", async ({ args, says }) => {
    expect(await read(await having([], []), args)).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining(says),
    });
  });

  it("H08: read_memory returns nothing of another user or agent", async () => {
    const user = await having(["mine"], ["my note"]);
    for (const owner of [
      { user: "bob", agent: "helper" },
      { user: "ann", agent: "other" },
    ]) {
      expect((await read({ ...user, owner })).text).toBe("Standing instructions: none (version 0).\n\nNotes: none.");
    }
    expect(await read({ ...user, owner: undefined })).toMatchObject({ outcome: "failed" });
  });

  it("H09: read_memory reports an unreadable store instead of an empty one", async () => {
    const user = await having(["a"], ["n"]);
    const instructions = { ...memoryStores().instructions, read: DOWN };
    const memory = { ...memoryStores().memory, search: DOWN };
    const both = await read({ ...user, instructions, memory });
    expect(both.outcome).toBe("failed");
    expect(both.text.match(/They may still exist/g)).toHaveLength(2);
    const one = await read({ ...user, memory });
    expect(one).toMatchObject({ outcome: "failed", text: expect.stringContaining("- [i0] a") });
    expect(both.text).not.toContain("none.");
  });
});

describe("save_memory", () => {
  it("I05: save_memory stores a note once, emits an event, and read_memory finds it", async () => {
    const user = await having([], []);
    const { text } = await save(user, { text: " likes tea " });
    const id = /note (\S+)\. /.exec(text)?.[1];
    expect(await save(user, { text: "likes tea" })).toEqual({
      outcome: "ok",
      text: `This is already saved as note ${id}.`,
    });
    expect(user.events).toEqual([{ type: "memory", note: id }]);
    expect((await read(user)).text).toContain(`- [${id} 2026-03-06] likes tea`);
  });

  it.each([
    { args: {}, says: "needs `text`" },
    { args: { text: " " }, says: "needs `text`" },
    { args: { text: 7 }, says: "needs `text`" },
    { args: { text: "x".repeat(4_001) }, says: "4001 characters" },
    { args: { text: "a\0" }, says: "NUL" },
    { args: { text: "x", user_id: "bob" }, says: "this session's user" },
  ])("I05: save_memory rejects invalid arguments: $says", async ({ args, says }) => {
    const user = await having([], []);
    expect(await save(user, args)).toMatchObject({ outcome: "failed", text: expect.stringContaining(says) });
    expect(user.events).toEqual([]);
    expect((await user.memory?.search(ANN, { limit: 1 }))?.total).toBe(0);
  });

  it("H09: save_memory fails if the store fails or is missing", async () => {
    const user = await having([], []);
    const memory: MemoryStore = { ...memoryStores().memory, save: DOWN };
    expect(await save({ ...user, memory }, { text: "x" })).toMatchObject({ outcome: "failed" });
    expect(await save({ ...user, owner: undefined }, { text: "x" })).toMatchObject({ outcome: "failed" });
    expect(await save(user, { text: "x".repeat(4_000) })).toMatchObject({ outcome: "ok" });
  });
});

describe("conductTools", () => {
  const agent = () => defineAgent({ name: "helper" });
  const context = async () => ({
    session: "s",
    results: { keep: async () => undefined, read: async () => undefined },
    counter,
    window: 128_000,
  });
  const named = (user?: UserContext) =>
    conductTools(agent, context, user === undefined ? undefined : () => user).map(({ name }) => name);
  const always = ["read_result", "verify_context", "review_plan"];

  it("H08: a session without a user or without stores has no memory or instruction tools", async () => {
    const user = await having([], []);
    const { instructions, memory } = user;
    expect(named()).toEqual(always);
    expect(named({ ...user, owner: undefined })).toEqual(always);
    expect(named({ ...user, instructions: undefined, memory: undefined })).toEqual(always);
    expect(named(testUser({ ...(memory && { memory }) }))).toEqual([...always, "read_memory", "save_memory"]);
    expect(named(testUser({ ...(instructions && { instructions }) }))).toEqual([
      ...always,
      "update_instructions",
      "read_memory",
    ]);
    expect(named(user)).toEqual([...always, "update_instructions", "read_memory", "save_memory"]);
    expect(CONDUCT_TOOLS.map(({ name }) => name)).toEqual(named(user));
  });

  it("H08: each tool works for the session's user at the time of the call", async () => {
    let user: UserContext = await having(["a"], []);
    const tools = conductTools(agent, context, () => user);
    const run = async (name: string, args: JsonObject) => {
      const result = await tools.find((tool) => tool.name === name)?.run(args);
      return result === undefined ? "" : textOf(result);
    };
    expect(await run("read_memory", {})).toContain("[i0] a");
    expect(await run("save_memory", { text: "n" })).toContain("Saved");
    expect(await run("update_instructions", { remove: ["i0"] })).toContain("cleared");
    user = { ...user, owner: { user: "ann", agent: "other" } };
    expect(await run("read_memory", {})).toBe("Standing instructions: none (version 0).\n\nNotes: none.");
  });

  it("H14: only update_instructions and save_memory are write tools", () => {
    const writing = CONDUCT_TOOLS.filter(({ access }) => access === "write");
    expect(writing.map(({ name }) => name)).toEqual(["update_instructions", "save_memory"]);
  });
});
