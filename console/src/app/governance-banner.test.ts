import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromium, openConsole, overflowOf } from "../../test/browser.ts";

describe.skipIf(chromium === undefined)("a damaged governance journal in the console", () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    console = await openConsole();
  }, 120_000);
  afterAll(() => console?.close());

  it("DMJ-30 every screen shows a damaged governance journal with the repair command until it is repaired, also on a phone", async () => {
    const { world } = console;
    await world.client.call("POST /api/contract/directives", { body: { type: "stop", text: "long reports" } });
    const page = await console.open("/");
    expect(await page.getByRole("alert").count()).toBe(0);
    const database = new DatabaseSync(join(world.home, "conduct.db"));
    const [row] = database.prepare("select * from conduct_governance").all();
    database.exec("delete from conduct_governance");
    const phone = await console.open("/sessions", { width: 360 });
    for (const one of [page, phone]) {
      await one.reload();
      await one.getByText(/Governance journal damaged: .*conduct journal repair/).waitFor();
      expect(await overflowOf(one)).toBe(0);
    }
    database
      .prepare("insert into conduct_governance (seq, at, by, kind, body, prev, hash) values (?, ?, ?, ?, ?, ?, ?)")
      .run(...["seq", "at", "by", "kind", "body", "prev", "hash"].map((name) => row?.[name] ?? null));
    database.close();
    await page.getByText(/Governance journal damaged/).waitFor({ state: "detached" });
    expect(console.errors).toEqual([]);
  });
});
