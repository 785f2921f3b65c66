import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isPaused } from "../../../../edge/host/daemon/paused.ts";
import { httpWorld } from "../../test/test-http.ts";

let world: Awaited<ReturnType<typeof httpWorld>>;
let client: Awaited<ReturnType<typeof world.person>>["client"];
beforeAll(async () => {
  world = await httpWorld();
  client = (await world.person("olga", "operator")).client;
});
afterAll(() => world.close());

describe("pausing over the API", () => {
  it("SWT-1 an operator pauses and resumes; the pause applies to this machine and records the person and the proof", async () => {
    const made = await client.call("POST /api/switches/pause", { body: { time: "10m" } });
    expect(made).toMatchObject({ by: "user:olga", proof: "an operator's token" });
    expect(isPaused(world.home)).toBe(true);
    expect(await client.call("GET /api/switches")).toMatchObject({ paused: { by: "user:olga" } });
    await client.call("DELETE /api/switches/pause");
    expect(isPaused(world.home)).toBe(false);
    expect(await client.call("GET /api/switches")).toMatchObject({ paused: null });
  });

  it.each(["", "soon", "25h", "0m"])("SWT-2 '%s' is not a valid duration for a pause", async (time) => {
    await expect(client.call("POST /api/switches/pause", { body: { time } })).rejects.toMatchObject({ status: 400 });
    expect(isPaused(world.home)).toBe(false);
  });

  it("SWT-3 a pause file that was written by hand is shown as forged", async () => {
    writeFileSync(
      join(world.home, "paused"),
      JSON.stringify({ at: 1, until: Date.now() + 60_000, by: "x", proof: "x" }),
      { mode: 0o600 },
    );
    expect(await client.call("GET /api/switches")).toMatchObject({
      paused: null,
      forgedPause: expect.stringContaining("signature"),
    });
  });
});
