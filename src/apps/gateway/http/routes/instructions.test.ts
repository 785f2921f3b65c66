import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConductClient } from "../../client.ts";
import { httpWorld } from "../../test/test-http.ts";

let world: Awaited<ReturnType<typeof httpWorld>>;
const people: Record<string, ConductClient> = {};
beforeAll(async () => {
  world = await httpWorld();
  for (const [id, role] of [
    ["olga", "operator"],
    ["uma", "user"],
    ["ulf", "user"],
  ] as const)
    people[id] = (await world.person(id, role)).client;
});
afterAll(() => world.close());

describe("one's own notes", () => {
  it.each([
    ["uma", {}, "deleted"],
    ["uma", { user: "uma" }, "deleted"],
    ["olga", { user: "uma" }, "deleted"],
    ["olga", {}, 404],
    ["ulf", {}, 404],
    ["ulf", { user: "uma" }, 403],
  ])("OWN-1 a request by %s with the query %j to delete uma's note ends with: %s", async (who, more, came) => {
    const owner = { agent: "demo", user: "uma" };
    await world.stores.memory.save(owner, { id: "m/1", text: "likes tea", at: 1 });
    const asked = people[who]?.call("DELETE /api/memory/{id}", {
      params: { id: "m/1" },
      query: { agent: "demo", ...more },
    });
    if (came === "deleted") expect(await asked).toEqual({ deleted: true });
    else await expect(asked).rejects.toMatchObject({ status: came });
    const { total } = await world.stores.memory.search(owner, { limit: 1 });
    expect(total).toBe(came === "deleted" ? 0 : 1);
    await world.stores.memory.remove(owner, "m/1");
  });
});
