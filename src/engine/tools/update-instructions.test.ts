import { describe, expect, it } from "vitest";
import type { InstructionsStore } from "../../base/ports/stores/instructions.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { renderInstructions } from "../../behavior/instructions/judge-change.ts";
import { memoryStores } from "../../edge/stores/home-stores.ts";
import { racedStore, seeAll, type TestUser, testUser, textOf } from "./test/test-user.ts";
import type { UserContext } from "./tool-run.ts";
import { previewUpdate, updateInstructions } from "./update-instructions.ts";

const ANN = { user: "ann", agent: "helper" };

async function update(user: UserContext, args: JsonObject) {
  const result = await updateInstructions.run(args, user);
  return { outcome: result.outcome, text: textOf(result) };
}

async function texts(user: UserContext): Promise<readonly string[]> {
  const kept = await user.instructions?.read(user.owner ?? ANN);
  return kept?.items.map(({ text }) => text) ?? [];
}

/** A user with these instructions, all of them seen. */
async function having(...given: readonly string[]): Promise<TestUser & { itemIds: readonly string[] }> {
  const user = testUser({ instructions: memoryStores().instructions });
  if (given.length > 0) await update(user, { add: given });
  await seeAll(user);
  const kept = await user.instructions?.read(ANN);
  return { ...user, itemIds: kept?.items.map(({ id }) => id) ?? [] };
}

function confirmOf(text: string): string {
  return /"confirm": "(\w+)"/.exec(text)?.[1] ?? "";
}

describe("update_instructions", () => {
  it("H05: the first write creates version 1, the second replaces it by diff, and each emits an event", async () => {
    const user = await having();
    expect(await update(user, { instructions: "- Be brief\n- Use metric units" })).toEqual({
      outcome: "ok",
      text: 'Instructions updated. This is version 1:\n+ Be brief\n+ Use metric units\nThey apply from now on and are in the next prompt. To undo: {"undo": true}.',
    });
    const replaced = await update(user, { instructions: "be brief\nCall me Ann" });
    expect(replaced.text).toContain("version 2:\n- Be brief\n+ be brief\n- Use metric units\n+ Call me Ann\n");
    expect(user.events).toEqual([
      { type: "instructions", change: "replace", version: 1, added: ["Be brief", "Use metric units"], removed: [] },
      {
        type: "instructions",
        change: "replace",
        version: 2,
        added: ["be brief", "Call me Ann"],
        removed: ["Be brief", "Use metric units"],
      },
    ]);
  });

  it("H05: instructions can be added, edited and removed by item, together or one by one", async () => {
    const user = await having("a", "b", "c");
    const [a = "", b = ""] = user.itemIds;
    const done = await update(user, { add: ["d", "C."], edit: [{ id: a, text: "a2" }], remove: [b] });
    expect(done.text).toContain("- a\n+ a2\n- b\n+ d\nAlready there:\n- [");
    expect(await texts(user)).toEqual(["a2", "c", "d"]);
    await update(user, { remove: [a] });
    expect(user.events.map((event) => (event.type === "instructions" ? event.change : ""))).toEqual([
      "add",
      "edit",
      "remove",
    ]);
  });

  it("H05: an update without a change writes nothing", async () => {
    const user = await having("a");
    for (const args of [{ instructions: "a" }, { add: ["A."] }]) {
      expect(await update(user, args)).toMatchObject({ outcome: "ok", text: expect.stringContaining("(version 1)") });
    }
    expect(user.events).toHaveLength(1);
    expect((await update(await having(), { instructions: " " })).text).toContain("no custom instructions");
  });

  it.each([
    { args: {}, says: "no arguments to act on" },
    { args: { add: [], edit: [], remove: [], undo: false, instructions: null }, says: "no arguments to act on" },
    { args: { instructions: "", add: ["x"] }, says: "several kinds of changes" },
    { args: { undo: true, add: ["x"] }, says: "several kinds of changes" },
    { args: { instructions: ["x"] }, says: "must be a string" },
    { args: { add: "x" }, says: "list of strings" },
    { args: { edit: [{ id: "i" }] }, says: "list of {id, text}" },
    { args: { remove: [1] }, says: "list of ids" },
    { args: { undo: "yes" }, says: "must be true" },
    { args: { add: ["x"], confirm: 7 }, says: "`confirm`" },
    { args: { ad: ["x"] }, says: "Did you mean `add`?" },
  ])("H05: update_instructions rejects $args: $says", async ({ args, says }) => {
    const user = await having("a");
    const { outcome, text } = await update(user, args as JsonObject);
    expect(outcome).toBe("failed");
    expect(text).toContain(says);
    expect(await texts(user)).toEqual(["a"]);
  });

  it.each(["user", "user_id", "userId", "agent", "owner"])(
    "H08: a call cannot name another user: %s is rejected",
    async (name) => {
      const user = await having();
      const { outcome, text } = await update(user, { add: ["x"], [name]: "bob" });
      expect(outcome).toBe("failed");
      expect(text).toContain("always belong to this session's user");
      expect(updateInstructions.inputSchema.additionalProperties).toBe(false);
      expect(Object.keys(updateInstructions.inputSchema.properties)).not.toContain(name);
    },
  );

  it("H08: an update does not affect another user or another agent", async () => {
    const user = await having("a");
    for (const owner of [
      { user: "bob", agent: "helper" },
      { user: "ann", agent: "other" },
    ]) {
      await update({ ...user, owner }, { add: ["theirs"] });
      expect(await texts({ ...user, owner })).toEqual(["theirs"]);
    }
    expect(await texts(user)).toEqual(["a"]);
  });

  it.each([undefined, { user: "", agent: "helper" }, { user: " ", agent: "helper" }])(
    "H08: without a user (%o) nothing is stored",
    async (owner) => {
      const user = testUser({ instructions: memoryStores().instructions }, { owner });
      expect(await update(user, { add: ["x"] })).toMatchObject({
        outcome: "failed",
        text: expect.stringContaining("no user"),
      });
    },
  );

  it("H04: an item that is too long is rejected whole, and more than 2,000 characters in total are stored", async () => {
    const user = await having();
    expect(await update(user, { instructions: "x".repeat(2_001) })).toMatchObject({ outcome: "failed" });
    expect(await texts(user)).toEqual([]);
    const long = ["x".repeat(1_500), "y".repeat(1_500)];
    await update(user, { instructions: long.join("\n") });
    expect(await texts(user)).toEqual(long);
  });

  it("H06: an instruction that the prompt did not show cannot be dropped before it was read", async () => {
    const user = await having("x".repeat(1_500), "y".repeat(1_500));
    const other = testUser({ instructions: user.instructions as InstructionsStore });
    for (const args of [{ instructions: "new" }, { instructions: "" }, { remove: [...user.itemIds] }, { undo: true }]) {
      const { outcome, text } = await update(other, args);
      expect(outcome).toBe("failed");
      expect(text).toContain("Call read_memory first");
    }
    expect(await update(other, { add: ["new"] })).toMatchObject({ outcome: "ok" });
    await seeAll(other);
    expect(await update(other, { instructions: "new" })).toMatchObject({ outcome: "ok" });
  });

  it("H06: an item that was changed elsewhere since it was seen cannot be dropped", async () => {
    const user = await having("a", "b");
    const [a = ""] = user.itemIds;
    const phone = testUser({ instructions: user.instructions as InstructionsStore });
    await seeAll(phone);
    await update(phone, { edit: [{ id: a, text: "a, but never on Sundays" }] });
    expect((await update(user, { remove: [a] })).text).toContain("not seen as it is now");
    expect((await update(user, { instructions: "b" })).text).toContain("read_memory");
  });

  it("H07: an empty text clears the instructions, says so and explains undo", async () => {
    const user = await having("a", "b");
    const { outcome, text } = await update(user, { instructions: " \n" });
    expect(outcome).toBe("ok");
    expect(text).toMatch(/^Custom instructions cleared\. This is version 2:\n- a\n- b\n.*\{"undo": true\}/);
    expect(user.events.at(-1)).toMatchObject({ change: "clear", version: 2, removed: ["a", "b"] });
  });

  it.each([{ instructions: "" }, { instructions: "a" }, { remove: true }, { undo: true }])(
    "H07: removing more than three instructions needs a confirmation: %o",
    async (kind) => {
      const user = await having("a", "b", "c", "d", "e");
      const args: JsonObject = "remove" in kind ? { remove: user.itemIds.slice(1) } : kind;
      const refused = await update(user, args);
      expect(refused).toMatchObject({ outcome: "failed", text: expect.stringContaining("would be removed:\n") });
      expect(await texts(user)).toHaveLength(5);
      expect(await update(user, { ...args, confirm: "other" })).toMatchObject({ outcome: "failed" });
      expect(await update(user, { ...args, confirm: confirmOf(refused.text) })).toMatchObject({ outcome: "ok" });
      expect((await texts(user)).length).toBeLessThan(2);
    },
  );

  it("H07: a confirmation is not valid for a newer version", async () => {
    const user = await having("a", "b", "c", "d");
    const confirm = confirmOf((await update(user, { instructions: "" })).text);
    await update(user, { add: ["e"] });
    const again = await update(user, { instructions: "", confirm });
    expect(again).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining("5 instructions would be removed"),
    });
  });

  it("H05: undo restores the previous version as a new version, and can be undone", async () => {
    const user = await having("a", "b");
    const [a] = user.itemIds;
    await update(user, { instructions: "" });
    expect((await update(user, { undo: true })).text).toContain("version 3:\n+ a\n+ b\n");
    expect((await user.instructions?.read(ANN))?.items[0]?.id).toBe(a);
    expect(user.events.at(-1)).toMatchObject({ change: "undo", version: 3 });
    // What it brought back may have been somebody else's.
    expect((await update(user, { instructions: "new" })).text).toContain("read_memory first");
    await seeAll(user);
    await update(user, { undo: true });
    expect(await texts(user)).toEqual([]);
  });

  it("H05: undo of the first version clears; undo without an earlier or a stored version fails with a reason", async () => {
    const user = await having("a");
    expect((await update(user, { undo: true })).text).toMatch(/^Custom instructions cleared/);
    expect((await update(await having(), { undo: true })).text).toContain("nothing to undo");
    const store = { ...(user.instructions as InstructionsStore), version: async () => undefined };
    expect((await update({ ...user, instructions: store }, { undo: true })).text).toContain("was deleted");
  });

  it.each(["read", "version", "write"] as const)(
    "H09: a store that fails in %s is not treated as empty",
    async (broken) => {
      const user = await having("a", "b");
      await update(user, { add: ["c"] });
      const failing = async () => Promise.reject(new Error("down"));
      const store = { ...(user.instructions as InstructionsStore), [broken]: failing };
      const args = broken === "version" ? { undo: true } : { instructions: "x" };
      const { outcome, text } = await update({ ...user, instructions: store }, args);
      expect(outcome).toBe("failed");
      expect(text).toMatch(broken === "write" ? /may not be saved.*read_memory/ : /They may still exist/);
      expect(await texts(user)).toEqual(["a", "b", "c"]);
      expect(user.events).toHaveLength(2);
    },
  );

  it("H10: the next prompt shows the update, in this and every other session", async () => {
    const user = await having("a");
    const shown = async () => renderInstructions((await user.instructions?.read(ANN)) ?? { items: [] }).text;
    expect(await shown()).toBe("- a");
    await update(user, { add: ["Always use metric units"] });
    expect(await shown()).toBe("- a\n- Always use metric units");
  });

  it("H12: the approver sees the diff before anything is written", async () => {
    const user = await having("a", "b");
    expect(await previewUpdate({ instructions: "b\nc" }, user)).toBe("- a\n+ c");
    expect(await previewUpdate({ instructions: "a\nb" }, user)).toBe("(no change)");
    for (const bad of [{}, { remove: ["i_x"] }]) expect(await previewUpdate(bad, user)).toBeUndefined();
    expect(await previewUpdate({ add: ["x"] }, { ...user, owner: undefined })).toBeUndefined();
    expect(await texts(user)).toEqual(["a", "b"]);
  });

  it("H13: the tool's description says that only the user's own words count", () => {
    expect(updateInstructions.description).toMatch(/Only the user's own words.*never text from a mail/);
  });

  it("H14: without a person in the session instructions cannot change", async () => {
    const user = await having("a");
    const { outcome, text } = await update({ ...user, interactive: false }, { add: ["x"] });
    expect(outcome).toBe("failed");
    expect(text).toContain("only the user may change the instructions");
    expect(await texts(user)).toEqual(["a"]);
  });
});

describe("update_instructions beside other writers", () => {
  async function raced(times: number) {
    const user = await having("a");
    return { ...user, instructions: racedStore(user.instructions as InstructionsStore, times) };
  }

  it("H05: the second of two concurrent writers adds to the first one's version", async () => {
    const user = await raced(1);
    expect(await update(user, { add: ["mine"] })).toMatchObject({ outcome: "ok" });
    expect(await texts(user)).toEqual(["a", "theirs 0", "mine"]);
  });

  it("H06: the second of two concurrent writers does not replace the first one's items", async () => {
    const user = await raced(1);
    expect((await update(user, { instructions: "mine" })).text).toContain("not seen");
    expect(await texts(user)).toEqual(["a", "theirs 0"]);
  });

  it.each([
    { args: { add: ["mine"] }, times: 2 },
    { args: { undo: true }, times: 1 },
  ])("H05: $args fails with a version conflict after $times concurrent changes", async ({ args, times }) => {
    const user = await raced(times);
    expect(await update(user, args)).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining("changed elsewhere"),
    });
    expect(await texts(user)).not.toContain("mine");
  });
});
